//===- Stopwatch.h - Google Benchmark as the clock --------------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_BENCH_STOPWATCH_H
#define PERMC_BENCH_STOPWATCH_H

#include "Sampler.h"

namespace permc::bench {

/// What a sample counts.
enum class Clock {
  Thread, ///< the thread's own time: not what other processes take from it
  Wall    ///< for competitors with several threads
};

/// Seconds of so many calls of a competitor, timed by Google Benchmark's loop.
/// One call of this is one sample: the sampler decides whose turn it is.
double timeByGoogleBenchmark(const Competitor &competitor, int64_t calls,
                             Clock clock);

} // namespace permc::bench

#endif // PERMC_BENCH_STOPWATCH_H
