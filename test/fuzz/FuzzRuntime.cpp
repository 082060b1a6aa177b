//===- FuzzRuntime.cpp - libpermc_rt with any arguments ----------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FuzzTarget.h"

#include "permc-rt/permc_rt.h"

#include <algorithm>
#include <vector>

using namespace permc;

namespace {

constexpr int64_t bufferBytes = 64 << 10;

/// Whether a side fits its buffer, if it is a tensor at all.
bool fits(const std::vector<int64_t> &sizes,
          const std::vector<int64_t> &strides, int64_t element) {
  __extension__ typedef __int128 Wide;
  Wide last = 0;
  for (size_t i = 0; i < sizes.size(); ++i)
    last += Wide(std::max<int64_t>(sizes[i] - 1, 0)) *
            (strides[i] < 0 ? -Wide(strides[i]) : Wide(strides[i]));
  return (last + 1) * element <= bufferBytes;
}

std::vector<int64_t> dense(const std::vector<int64_t> &sizes) {
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

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static std::vector<char> src(3 * bufferBytes), dst(3 * bufferBytes);
  Input input(data, size);
  const uint8_t flags = input.byte();
  const uint32_t rank = input.byte() % 10;
  const auto element = static_cast<uint64_t>(input.number());
  std::vector<int64_t> shape(rank), perm(rank), srcStrides(rank),
      dstStrides(rank);
  for (auto *list : {&shape, &perm, &srcStrides, &dstStrides})
    for (int64_t &value : *list)
      value = input.number();
  if (flags & 1) { // a permutation, for once
    for (uint32_t i = 0; i < rank; ++i)
      perm[i] = i;
    for (uint32_t i = rank; i > 1; --i)
      std::swap(perm[i - 1], perm[input.byte() % i]);
  }
  std::vector<int64_t> out;
  for (int64_t axis : perm)
    out.push_back(axis >= 0 && axis < rank ? shape[size_t(axis)] : 1);
  const bool givesSrc = flags & 2, givesDst = flags & 4;
  // Buffers are only given to what they have room for, in either direction.
  const bool room =
      element <= bufferBytes &&
      fits(shape, givesSrc ? srcStrides : dense(shape), int64_t(element)) &&
      fits(out, givesDst ? dstStrides : dense(out), int64_t(element));
  const permc_status status = permc_rt_permute(
      room ? src.data() + bufferBytes : nullptr,
      room ? dst.data() + bufferBytes : nullptr, rank, shape.data(),
      flags & 8 ? nullptr : perm.data(), givesSrc ? srcStrides.data() : nullptr,
      givesDst ? dstStrides.data() : nullptr, element, 1 + flags % 3);
  require(permc_rt_status_name(status) != nullptr);
  if (status != PERMC_OK)
    require(*permc_rt_last_error() != '\0');
  return 0;
}
