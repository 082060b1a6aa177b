//===- LoopOrder.h - which dims are fast, and on which side -----*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_PLAN_LOOPORDER_H
#define PERMC_PLAN_LOOPORDER_H

#include "permc/Plan/Problem.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>

namespace permc {

/// The dim along which elements lie side by side in one of the buffers.
inline std::optional<size_t> fastDim(const std::vector<LoopDim> &dims,
                                     int64_t LoopDim::*stride,
                                     int64_t elementBytes) {
  for (size_t dim = dims.size(); dim-- > 0;)
    if (dims[dim].*stride == elementBytes)
      return dim;
  return std::nullopt;
}

/// Whether a dim of a transposed tile belongs to its rows: it is faster in dst.
/// What src repeats can be nothing else.
inline bool isRow(const LoopDim &dim) {
  return dim.srcStride == 0 || dim.dstStride < std::abs(dim.srcStride);
}

/// Dims from the slowest in one of the buffers to the fastest.
inline std::vector<size_t> slowestFirst(const std::vector<LoopDim> &dims,
                                        int64_t LoopDim::*stride) {
  std::vector<size_t> order(dims.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return std::pair(-(dims[a].*stride), a) < std::pair(-(dims[b].*stride), b);
  });
  return order;
}

} // namespace permc

#endif // PERMC_PLAN_LOOPORDER_H
