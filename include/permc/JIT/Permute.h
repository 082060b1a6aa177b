//===- Permute.h - permute a tensor, now ------------------------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_JIT_PERMUTE_H
#define PERMC_JIT_PERMUTE_H

#include "permc/JIT/Jit.h"

#include <functional>
#include <span>

namespace permc {

/// Calls the body once for each part below `parts`, on any threads, and returns
/// when all are done.
using ParallelFor = std::function<void(
    uint32_t parts, const std::function<void(uint32_t part)> &body)>;

/// Who does the work of one call.
struct RunOptions {
  /// At most so many threads, the calling one included; 0 for as many as
  /// defaultThreads() says and the tensor is worth.
  unsigned threads = 0;
  /// Whose threads; the pool of this process if it is empty.
  ParallelFor parallelFor;
};

/// What `threads = 0` means: the CPUs of this process, or what the environment
/// variable PERMC_THREADS or setDefaultThreads says.
unsigned defaultThreads();
void setDefaultThreads(unsigned threads); ///< 0: all CPUs again

/// Below this many bytes a second thread does not pay: one core moves them
/// within its caches in about the time it takes to wake another. Measured by
/// permc-jit-bench (threads/*) on two CPUs of a virtual machine: a second
/// thread is 0.7 to 0.8 times as fast for 1 MiB, 1.1 for 2 MiB, 1.5 for 4 MiB.
inline constexpr int64_t minParallelBytes = int64_t(2) << 20;

/// Neither buffer may be missing nor may they share a byte, unless the tensor
/// is empty.
Status checkBuffers(const permc_kernel &kernel, const void *src,
                    const void *dst);

/// Runs a kernel on buffers that were checked. dst is untouched on failure.
Status run(const Kernel &kernel, const void *src, void *dst,
           const RunOptions &options = {});

/// Permutes a dense, row-major tensor on this machine: output dim i is input
/// dim perm[i]. Compiles on first use; each thread remembers the last few
/// problems, so that repeating one costs nearly nothing beside the kernel.
Status permute(int64_t elementBytes, std::span<const int64_t> shape,
               std::span<const int64_t> perm, const void *src, void *dst);

} // namespace permc

#endif // PERMC_JIT_PERMUTE_H
