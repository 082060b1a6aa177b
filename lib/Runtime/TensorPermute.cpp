//===- TensorPermute.cpp - a drop-in for Tensor Permute -------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In a library of its own, since programs may have another function of this
// name.
//
//===----------------------------------------------------------------------===//

#include "permc-rt/tensor_permute.h"

#include "permc-rt/permc_rt.h"

namespace {

/// As in permc_rt.h: what has more dims than this is refused there.
constexpr uint64_t maxRank = 64;

} // namespace

PERMC_RT_API int permute(const void *src, void *dst, uint64_t dtypeSize,
                         uint64_t *srcDims, uint64_t srcNdim,
                         uint64_t *permuteIdx, uint64_t *dstDims,
                         int nThreads) {
  if (nThreads < 1)
    return PERMC_BAD_SIZE;
  if (srcNdim > maxRank)
    return PERMC_BAD_RANK;
  if (srcNdim > 0 && (!srcDims || !permuteIdx))
    return PERMC_NULL_POINTER;
  int64_t shape[maxRank] = {}, perm[maxRank] = {};
  for (uint64_t i = 0; i < srcNdim; ++i) {
    // What does not fit would look like a negative number.
    if (srcDims[i] > uint64_t(INT64_MAX))
      return PERMC_SIZE_OVERFLOW;
    if (permuteIdx[i] >= srcNdim)
      return PERMC_AXIS_OUT_OF_RANGE;
    shape[i] = int64_t(srcDims[i]);
    perm[i] = int64_t(permuteIdx[i]);
  }
  permc_status status =
      permc_rt_permute(src, dst, uint32_t(srcNdim), shape, perm, nullptr,
                       nullptr, dtypeSize, uint32_t(nThreads));
  if (status != PERMC_OK)
    return status;
  for (uint64_t i = 0; i < srcNdim && dstDims; ++i)
    dstDims[i] = uint64_t(shape[perm[i]]); // dstDims may be srcDims
  return 0;
}
