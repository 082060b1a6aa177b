//===- FuzzTensors.h - any arguments for the C APIs -------------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_TEST_FUZZ_FUZZTENSORS_H
#define PERMC_TEST_FUZZ_FUZZTENSORS_H

#include "FuzzTarget.h"

#include <algorithm>
#include <vector>

namespace permc {

/// What both APIs take for a permutation, right or wrong.
struct FuzzTensors {
  static constexpr int64_t bufferBytes = 64 << 10;

  uint8_t flags;
  uint32_t rank;
  uint64_t element;
  std::vector<int64_t> shape, perm, srcStrides, dstStrides;

  explicit FuzzTensors(Input &input)
      : flags(input.byte()), rank(input.byte() % 10),
        element(static_cast<uint64_t>(input.number())), shape(rank), perm(rank),
        srcStrides(rank), dstStrides(rank) {
    for (auto *list : {&shape, &perm, &srcStrides, &dstStrides})
      for (int64_t &value : *list)
        value = input.number();
    if (!(flags & 1))
      return;
    for (uint32_t i = 0; i < rank; ++i) // a permutation, for once
      perm[i] = i;
    for (uint32_t i = rank; i > 1; --i)
      std::swap(perm[i - 1], perm[input.byte() % i]);
  }

  const int64_t *order() const { return flags & 8 ? nullptr : perm.data(); }
  const int64_t *src() const { return flags & 2 ? srcStrides.data() : nullptr; }
  const int64_t *dst() const { return flags & 4 ? dstStrides.data() : nullptr; }

  /// Whether both sides reach no further than `bufferBytes`, in either
  /// direction; only then may they be given buffers.
  bool fit() const {
    std::vector<int64_t> out;
    for (int64_t axis : perm)
      out.push_back(axis >= 0 && axis < rank ? shape[size_t(axis)] : 1);
    return element <= bufferBytes &&
           reaches(shape, src() ? srcStrides : dense(shape)) &&
           reaches(out, dst() ? dstStrides : dense(out));
  }

private:
  bool reaches(const std::vector<int64_t> &sizes,
               const std::vector<int64_t> &strides) const {
    __extension__ typedef __int128 Wide;
    Wide last = 0;
    for (size_t i = 0; i < sizes.size(); ++i) {
      last += Wide(std::max<int64_t>(sizes[i] - 1, 0)) *
              (strides[i] < 0 ? -Wide(strides[i]) : Wide(strides[i]));
      if (last > bufferBytes) // or nine of them would not fit even here
        return false;
    }
    return (last + 1) * Wide(element) <= bufferBytes;
  }

  static std::vector<int64_t> dense(const std::vector<int64_t> &sizes) {
    std::vector<int64_t> strides(sizes.size());
    int64_t stride = 1;
    for (size_t i = sizes.size(); i-- > 0;) {
      strides[i] = stride;
      // What does not fit is never permuted.
      if (sizes[i] > 1 && (__builtin_mul_overflow(stride, sizes[i], &stride) ||
                           stride > bufferBytes))
        stride = bufferBytes + 1;
    }
    return strides;
  }
};

} // namespace permc

#endif // PERMC_TEST_FUZZ_FUZZTENSORS_H
