//===- NaiveLoop.cpp - one element at a time ------------------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NaiveLoop.h"

#include <cstring>

using namespace permc;

namespace {

/// N is the element size, or 0 where it is not one that machines have moves
/// for.
template <size_t N>
void walk(const LoopDim *dim, const LoopDim *end, size_t elementBytes,
          const char *src, char *dst) {
  if (dim == end) {
    std::memcpy(dst, src, N == 0 ? elementBytes : N);
    return;
  }
  for (int64_t i = 0; i < dim->size; ++i)
    walk<N>(dim + 1, end, elementBytes, src + i * dim->srcStride,
            dst + i * dim->dstStride);
}

} // namespace

void permc::naiveLoop(const Problem &problem, const void *src, void *dst) {
  const std::vector<LoopDim> dims = problem.loopDims();
  const auto size = static_cast<size_t>(problem.elementBytes());
  const LoopDim *begin = dims.data(), *end = begin + dims.size();
  const auto *from = static_cast<const char *>(src) + problem.srcOrigin();
  auto *to = static_cast<char *>(dst) + problem.dstOrigin();
  switch (size) {
  case 1:
    return walk<1>(begin, end, size, from, to);
  case 2:
    return walk<2>(begin, end, size, from, to);
  case 4:
    return walk<4>(begin, end, size, from, to);
  case 8:
    return walk<8>(begin, end, size, from, to);
  case 16:
    return walk<16>(begin, end, size, from, to);
  default:
    return walk<0>(begin, end, size, from, to);
  }
}
