//===- StreamedLoops.cpp - loops round what is streamed -------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "permc/Plan/StreamedLoops.h"

#include "permc/Plan/CeilDiv.h"
#include "permc/Plan/Panel.h"

#include <algorithm>

using namespace permc;

int64_t StreamedLoops::srcAhead(size_t column) const {
  constexpr int64_t linesAhead = 3; // measured on Zen 3
  // Tiles of less than a line prefetch each several times.
  const bool fewer = step[column] * dims[column].srcStride < facts.lineBytes;
  return facts.lineBytes * (fewer ? linesAhead - 1 : linesAhead);
}

std::span<const Loop> StreamedLoops::choose(std::optional<size_t> column,
                                            std::optional<size_t> row) {
  for (std::optional<size_t> dim : {column, row})
    if (dim)
      taken |= uint64_t{1} << *dim;
  const Chain columns = column ? nextTo(*column, &LoopDim::srcStride) : Chain(),
              rows = row ? nextTo(*row, &LoopDim::dstStride) : Chain();
  const Chain order = slowestFirst(&LoopDim::srcStride);
  for (size_t dim : order.list())
    if (!isTaken(dim))
      addLoop(dim, step[dim]);
  if (columns.count > 0)
    addBlockLoop(
        columns.dims[0],
        pageBlock(columns, *column, &LoopDim::srcStride, &LoopDim::dstStride));
  if (rows.count > 0)
    addBlockLoop(rows.dims[0], pageBlock(rows, *row, &LoopDim::dstStride,
                                         &LoopDim::srcStride));
  if (column && column != row) {
    if (row && rows.count == 0)
      addBlockLoop(*row, columnBlock());
    addBlockLoop(*column, columnBlock());
  }
  for (size_t dim : rows.list())
    addLoop(dim, step[dim]);
  if (row)
    addLoop(*row, step[*row]);
  for (size_t dim : columns.list())
    addLoop(dim, step[dim]);
  if (column && column != row)
    addLoop(*column, step[*column]);
  return {loops, count};
}

void StreamedLoops::addLoop(size_t dim, int64_t by) {
  if (by < dims[dim].size)
    loops[count++] = {static_cast<int64_t>(dim), by};
}

/// A block of some elements, in whole steps of the loop inside.
void StreamedLoops::addBlockLoop(size_t dim, int64_t elements) {
  addLoop(dim, std::max<int64_t>(elements / step[dim], 2) * step[dim]);
}

/// How much of the slowest of `chain`, the dims next to `fast` on the side
/// `near`, is moved before what is contiguous on the other side goes on: a long
/// stretch, and more as long as the pages on the other side are few.
int64_t StreamedLoops::pageBlock(const Chain &chain, size_t fast, Stride near,
                                 Stride far) const {
  const size_t slowest = chain.dims[0];
  int64_t pages = pagesOf(fast, std::min(dims[fast].size, columnBlock()), far);
  for (size_t dim : chain.list().subspan(1))
    pages *= pagesOf(dim, dims[dim].size, far);
  int64_t stretch = ceilDiv(minStretchBytes, dims[slowest].*near);
  return std::max(stretch, facts.tlbPages / pages);
}

/// The pages that `number` steps along a dim are spread over.
int64_t StreamedLoops::pagesOf(size_t dim, int64_t number,
                               Stride stride) const {
  return ceilDiv(number * std::min(dims[dim].*stride, pageBytes), pageBytes);
}

StreamedLoops::Chain StreamedLoops::slowestFirst(Stride stride) const {
  Chain order;
  for (size_t dim = 0; dim < dims.size(); ++dim) {
    size_t place = order.count++;
    for (; place > 0 && dims[order.dims[place - 1]].*stride < dims[dim].*stride;
         --place)
      order.dims[place] = order.dims[place - 1];
    order.dims[place] = dim;
  }
  return order;
}

/// Takes the dims that follow `fast` on one side as long as what they make up
/// is short.
StreamedLoops::Chain StreamedLoops::nextTo(size_t fast, Stride stride) {
  Chain next;
  int64_t stretch = dims[fast].size * dims[fast].*stride;
  const Chain order = slowestFirst(stride);
  for (size_t i = order.count; i-- > 0;) {
    const size_t dim = order.dims[i];
    if (stretch >= minStretchBytes || dims[dim].*stride > stretch)
      break;
    if (isTaken(dim) || dims[dim].*stride < dims[fast].*stride)
      continue;
    next.dims[next.count++] = dim;
    taken |= uint64_t{1} << dim;
    stretch = dims[dim].size * dims[dim].*stride;
  }
  std::reverse(next.dims, next.dims + next.count);
  return next;
}
