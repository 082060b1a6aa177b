//===- tensor_permute.h - a drop-in for Tensor Permute ----------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_RT_TENSOR_PERMUTE_H
#define PERMC_RT_TENSOR_PERMUTE_H

#include <cstdint>

/// The function of High-Performance Tensor Permute under its own mangled name;
/// link with -lpermc_tensor_permute. Output dim i is input dim permute_idx[i];
/// tensors are dense and row-major, elements have dtypeSize bytes. Fills
/// dst_dims, unless that is null. Returns 0, or a status of permc-c/status.h
/// with dst and dst_dims untouched: a missing buffer, an axis that is named
/// twice or does not exist, fewer than one thread, sizes that overflow, buffers
/// that overlap. What stays in place is copied; of an empty tensor nothing is
/// moved; no dims at all is one element.
int permute(const void *src, void *dst, uint64_t dtypeSize, uint64_t *src_dims,
            uint64_t src_ndim, uint64_t *permute_idx, uint64_t *dst_dims,
            int nThreads = 1);

#endif // PERMC_RT_TENSOR_PERMUTE_H
