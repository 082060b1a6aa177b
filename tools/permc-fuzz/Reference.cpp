//===- Reference.cpp - what a permutation is, said once more --------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Reference.h"

#include <algorithm>

using namespace permc;
using namespace permc::fuzz;

int64_t Moves::elements() const {
  int64_t count = 1;
  for (int64_t size : sizes)
    count *= size;
  return count;
}

/// In elements: without gaps, the last dim the fastest, or the first.
static Ints packedStrides(const Ints &shape, bool firstIsFastest) {
  Ints strides(shape.size());
  int64_t stride = 1;
  for (size_t i = 0; i < shape.size(); ++i) {
    const size_t dim = firstIsFastest ? i : shape.size() - 1 - i;
    strides[dim] = stride;
    stride *= shape[dim];
  }
  return strides;
}

static Extent extentOf(const Ints &sizes, const Ints &strides,
                       int64_t element) {
  Extent extent = {0, element};
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] == 0)
      return {0, 0};
    const int64_t last = (sizes[i] - 1) * strides[i];
    (last < 0 ? extent.low : extent.high) += last;
  }
  return extent;
}

Moves fuzz::movesOf(const Case &one, const Run &run) {
  const Ints shape = one.shapeOf(run);
  const size_t rank = shape.size();
  Ints order = one.order;
  if (one.inverse)
    for (size_t i = 0; i < rank; ++i)
      order[size_t(one.order[i])] = int64_t(i);
  Moves moves;
  for (size_t i = 0; i < rank; ++i)
    moves.sizes.push_back(shape[size_t(order[i])]);
  const bool columnMajor = one.convention == "matlab";
  const Ints src = one.srcStrides.value_or(packedStrides(shape, columnMajor));
  const Ints dst =
      one.dstStrides.value_or(packedStrides(moves.sizes, columnMajor));
  moves.element = one.element;
  for (size_t i = 0; i < rank; ++i) {
    moves.srcStrides.push_back(src[size_t(order[i])] * one.element);
    moves.dstStrides.push_back(dst[i] * one.element);
  }
  moves.src = extentOf(moves.sizes, moves.srcStrides, one.element);
  moves.dst = extentOf(moves.sizes, moves.dstStrides, one.element);
  return moves;
}

uint8_t fuzz::srcByte(int64_t offset, uint64_t salt) {
  uint64_t mixed = (uint64_t(offset) + salt) * 0x9E3779B97F4A7C15u;
  mixed ^= mixed >> 29;
  return uint8_t((mixed * 0xBF58476D1CE4E5B9u) >> 56);
}

bool Images::isGap(size_t offset) const {
  return before[offset] == after[offset];
}

/// The elements along the last dim, the first of them from `from` to `to`.
static void addRow(Images &images, const Moves &moves, uint64_t salt,
                   int64_t from, int64_t to) {
  const bool isScalar = moves.sizes.empty();
  const int64_t count = isScalar ? 1 : moves.sizes.back();
  const int64_t srcStride = isScalar ? 0 : moves.srcStrides.back();
  const int64_t dstStride = isScalar ? 0 : moves.dstStrides.back();
  const int64_t element = moves.element;
  uint8_t *before = images.before.data(), *after = images.after.data();
  for (int64_t n = 0; n < count; ++n, from += srcStride, to += dstStride)
    for (int64_t i = 0; i < element; ++i) {
      after[to + i] = srcByte(from + i, salt);
      before[to + i] = uint8_t(~after[to + i]);
    }
}

Images fuzz::imagesOf(const Moves &moves, uint64_t salt) {
  Images images;
  images.before.assign(size_t(moves.dst.bytes()), gapByte);
  images.after = images.before;
  if (moves.elements() == 0)
    return images;
  Ints index(moves.sizes.empty() ? 0 : moves.sizes.size() - 1, 0);
  while (true) {
    int64_t from = -moves.src.low, to = -moves.dst.low;
    for (size_t i = 0; i < index.size(); ++i) {
      from += index[i] * moves.srcStrides[i];
      to += index[i] * moves.dstStrides[i];
    }
    addRow(images, moves, salt, from, to);
    size_t dim = index.size();
    while (dim > 0 && ++index[dim - 1] == moves.sizes[dim - 1])
      index[--dim] = 0;
    if (dim == 0)
      return images;
  }
}
