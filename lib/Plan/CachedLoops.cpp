//===- CachedLoops.cpp - loops round tiles in the caches ------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "permc/Plan/CachedLoops.h"

#include <algorithm>

using namespace permc;

// The numbers of machines whose `l1Ways` are known were measured on Zen 3,
// where nothing else is said.

bool CachedLoops::blocksRows() const {
  constexpr int64_t wellCachedBytes = 8 << 20;
  return facts.l1Ways && bytesMoved <= wellCachedBytes;
}

int64_t CachedLoops::keptLines(int64_t stride) const {
  // A half, but for what else is moved.
  const int64_t lines = facts.l1Bytes / facts.lineBytes * 2 / 5;
  return facts.l1Ways ? std::min(facts.linesHeld(stride) / 2, lines) : 0;
}

bool CachedLoops::keepsColumns(size_t column, size_t row) const {
  return bytesMoved <= facts.l2Bytes / 2 &&
         dims[column].size <= dims[row].size &&
         dims[column].size <= keptLines(dims[column].dstStride);
}

bool CachedLoops::keepsRows(size_t row) const {
  // Tiles of bytes use a quarter of a line of src, and come back three times.
  return blocksRows() && element > 1 &&
         dims[row].size <= keptLines(dims[row].srcStride);
}

bool CachedLoops::sharesLines(size_t dim, size_t column, size_t row) const {
  return dim != column && dim != row && facts.l1Ways && element > 1 &&
         !facts.holdsBoth(bytesMoved) && tile[dim] < dims[dim].size &&
         dims[dim].dstStride < facts.lineBytes;
}

bool CachedLoops::goesAlongDst(size_t column, size_t row) const {
  if (facts.holdsBoth(bytesMoved))
    return false;
  if (!blocksRows())
    return dims[column].dstStride % facts.lineBytes != 0;
  if (keepsColumns(column, row))
    return false;
  const int64_t src = facts.linesHeld(dims[row].srcStride);
  return src > facts.manyLines || src > facts.linesHeld(dims[column].dstStride);
}

int64_t CachedLoops::srcAhead(size_t column, size_t row) const {
  // Rows of src go on, and what is ahead in them is kept; measured on Zen 3.
  constexpr int64_t longLines = 4;
  if (!facts.l1Ways || bytesMoved <= facts.l2Bytes ||
      facts.linesHeld(dims[row].srcStride) <= facts.manyLines ||
      dims[column].size * element < longLines * facts.lineBytes)
    return 0;
  // The tile after the next.
  const int64_t ahead = 2 * tile[column] * element;
  if (facts.hidesFewMisses(element))
    return std::max(ahead, facts.lineBytes);
  // Bytes, of which 32 rows take turns, and tiles of little of a line gain
  // nothing.
  const bool gains = facts.cycleNs > 0 && (element == 2 || element == 4) &&
                     ahead >= facts.lineBytes;
  return gains ? facts.lineBytes : 0;
}

void CachedLoops::orderByDistance(std::span<size_t> order) const {
  auto distance = [&](size_t dim) {
    return std::pair(cachedDistance(dims[dim]), dims[dim].dstStride);
  };
  for (size_t dim = 0; dim < order.size(); ++dim) {
    size_t place = dim;
    for (; place > 0 && distance(order[place - 1]) < distance(dim); --place)
      order[place] = order[place - 1];
    order[place] = dim;
  }
}

int64_t CachedLoops::columnBlock(size_t column, size_t row,
                                 bool alongDst) const {
  constexpr int64_t maxOpenPages = 256; // of dst
  const int64_t all = dims[column].size;
  for (size_t dim = 0; dim < dims.size(); ++dim)
    if (sharesLines(dim, column, row))
      return keptLines(dims[column].dstStride);
  if (alongDst && blocksRows())
    return keepsRows(row) ? all : maxOpenPages;
  return !alongDst && keepsColumns(column, row)
             ? all
             : facts.blockLines * facts.lineBytes / element;
}

std::span<const Loop> CachedLoops::choose(size_t column, size_t row,
                                          bool alongDst) {
  // Lines of each row of dst that are written before the next columns.
  constexpr int64_t rowBlockLines = 4;
  size_t places[maxRank];
  const std::span<size_t> order(places, dims.size());
  orderByDistance(order);
  bool isBlocked = false;
  for (size_t dim : order) {
    if (!isBlocked && !facts.holdsBoth(bytesMoved) &&
        (dim == column || sharesLines(dim, column, row))) {
      addBlockLoop(column, columnBlock(column, row, alongDst));
      isBlocked = true;
    }
    if (dim == row && alongDst && blocksRows() && !keepsRows(row))
      addBlockLoop(dim, rowBlockLines * facts.lineBytes / dims[dim].dstStride);
    else if (dim != row && dim != column)
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
  if (elements < dims[dim].size)
    addLoop(dim, std::max<int64_t>(elements / tile[dim], 2) * tile[dim]);
}
