//===- CachedLoops.cpp - loops round tiles in the caches ------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "permc/Plan/CachedLoops.h"

#include <algorithm>

using namespace permc;

// The numbers of machines whose `l1Ways` are known were measured on Zen 3.

bool CachedLoops::blocksRows() const {
  constexpr int64_t wellCachedBytes = 8 << 20;
  return facts.l1Ways && bytesMoved <= wellCachedBytes;
}

bool CachedLoops::goesAlongDst(size_t column, size_t row) const {
  // Rows of src with more places than this in the first cache do not compete.
  constexpr int64_t manyPlaces = 128;
  if (facts.holdsBoth(bytesMoved))
    return false;
  if (!blocksRows())
    return dims[column].dstStride % facts.lineBytes != 0;
  const int64_t src = facts.placesFor(dims[row].srcStride);
  return src > manyPlaces || src > facts.placesFor(dims[column].dstStride);
}

std::span<const Loop> CachedLoops::choose(size_t column, size_t row,
                                          bool alongDst) {
  // Pages of dst that are open at a time, and lines of each row of it that are
  // written before the next columns.
  constexpr int64_t maxOpenPages = 256, rowBlockLines = 4;
  const bool blocks = alongDst && blocksRows();
  size_t order[maxRank];
  auto distance = [&](size_t dim) {
    return std::pair(cachedDistance(dims[dim]), dims[dim].dstStride);
  };
  for (size_t dim = 0; dim < dims.size(); ++dim) {
    size_t place = dim;
    for (; place > 0 && distance(order[place - 1]) < distance(dim); --place)
      order[place] = order[place - 1];
    order[place] = dim;
  }
  for (size_t dim : std::span(order, dims.size())) {
    if (dim == row && blocks)
      addBlockLoop(dim, rowBlockLines * facts.lineBytes / dims[dim].dstStride);
    else if (dim == column)
      addBlockLoop(dim, blocks ? maxOpenPages
                               : facts.blockLines * facts.lineBytes / element);
    else if (dim != row)
      addLoop(dim, tile[dim]);
  }
  for (size_t dim : {alongDst ? column : row, alongDst ? row : column})
    addLoop(dim, tile[dim]);
  return {loops, count};
}

void CachedLoops::addLoop(size_t dim, int64_t step) {
  if (step < dims[dim].size)
    loops[count++] = {static_cast<int64_t>(dim), step};
}

void CachedLoops::addBlockLoop(size_t dim, int64_t elements) {
  addLoop(dim, std::max<int64_t>(elements / tile[dim], 2) * tile[dim]);
}
