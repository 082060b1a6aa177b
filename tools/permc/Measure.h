//===- Measure.h - the speed of a kernel beside memcpy ----------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_TOOLS_PERMC_MEASURE_H
#define PERMC_TOOLS_PERMC_MEASURE_H

#include "Buffer.h"
#include "StaticLoops.h"

#include "permc/JIT/Jit.h"

#include <string>
#include <vector>

namespace permc {

/// Seconds of one call.
struct Timing {
  std::string name;
  double best, median;

  /// Each byte counts twice, once read and once written.
  double gigabytesPerSecond(int64_t bytesMoved) const {
    return 2.0 * double(bytesMoved) / best / 1e9;
  }
};

/// In what a time is printed.
struct TimeUnit {
  const char *name;
  double perSecond;
};
/// Nanoseconds below a microsecond, else microseconds.
inline TimeUnit unitFor(double seconds) {
  return seconds < 1e-6 ? TimeUnit{"ns", 1e9} : TimeUnit{"us", 1e6};
}
inline TimeUnit unitFor(const Timing &timing) { return unitFor(timing.best); }

/// Memory to measure a problem's kernels with.
struct MeasuredBuffers {
  Buffer src, dst;

  /// Refuses empty tensors, and buffers too large for a quick look.
  static Result<MeasuredBuffers> allocate(const Problem &problem);
};

/// Times the kernel, a memcpy of as many bytes and, if there is one, the loop
/// in C that one would write without thinking. Samples are taken in turn, so
/// that all see the same machine; it takes about a second.
Result<std::vector<Timing>> measure(const Problem &problem,
                                    const Kernel &kernel,
                                    StaticLoops::Function loop = nullptr);

} // namespace permc

#endif // PERMC_TOOLS_PERMC_MEASURE_H
