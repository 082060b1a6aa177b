//===- Footprint.cpp - which bytes of a strided buffer count --------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Footprint.h"

#include <algorithm>

using namespace permc;

/// Gaps smaller than this stay inside an extent. Four of the largest pages in
/// use, so that the pages round one extent never reach those round the next.
static constexpr int64_t smallGap = int64_t(4) << 16;
/// Each extent costs a mapping of its own; the kernel allows some 65,000.
static constexpr int64_t maxExtents = 4096;

/// The first byte of every run, `outer` stepped through in any order.
static std::vector<int64_t> runStarts(const std::vector<StridedDim> &outer) {
  std::vector<int64_t> starts = {0};
  for (const StridedDim &dim : outer) {
    const size_t known = starts.size();
    for (int64_t i = 1; i < dim.size; ++i)
      for (size_t s = 0; s < known; ++s)
        starts.push_back(starts[s] + i * dim.stride);
  }
  std::sort(starts.begin(), starts.end());
  return starts;
}

Footprint::Footprint(std::vector<StridedDim> dims, int64_t elementBytes) {
  for (const StridedDim &dim : dims)
    if (dim.size == 0)
      return;

  // Grow one run from the element through the dims, nearest first, as long as
  // it stays without large gaps or there would be too many runs.
  std::sort(dims.begin(), dims.end(),
            [](const StridedDim &a, const StridedDim &b) {
              return a.stride > b.stride;
            });
  auto tooMany = [&] {
    int64_t count = 1;
    for (const StridedDim &dim : dims)
      if (__builtin_mul_overflow(count, dim.size, &count) || count > maxExtents)
        return true;
    return false;
  };
  int64_t run = elementBytes;
  while (!dims.empty() && (dims.back().stride - run < smallGap || tooMany())) {
    run += (dims.back().size - 1) * dims.back().stride;
    dims.pop_back();
  }

  int64_t packed = 0;
  for (int64_t start : runStarts(dims)) {
    if (!list.empty() && start - list.back().end < smallGap) {
      list.back().end = std::max(list.back().end, start + run);
    } else {
      list.push_back({start, start + run, packed});
    }
    packed = list.back().packed + list.back().size();
  }
}

int64_t Footprint::bytes() const {
  return list.empty() ? 0 : list.back().packed + list.back().size();
}

int64_t Footprint::pack(int64_t offset) const {
  if (list.size() == 1)
    return offset;
  auto after = std::upper_bound(
      list.begin(), list.end(), offset,
      [](int64_t value, const Extent &extent) { return value < extent.begin; });
  const Extent &extent = *std::prev(after);
  return extent.packed + (offset - extent.begin);
}

int64_t Footprint::unpack(int64_t packed) const {
  auto after = std::upper_bound(list.begin(), list.end(), packed,
                                [](int64_t value, const Extent &extent) {
                                  return value < extent.packed;
                                });
  const Extent &extent = *std::prev(after);
  return extent.begin + (packed - extent.packed);
}
