//===- Tuner.h - the fastest schedule, by measuring -------------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A walk from the schedule that the rules choose to faster ones. First those
// are tried that the rules would choose for other machines, then, round after
// round, the neighbours of the best so far, until none is faster.
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_TOOLS_TUNE_TUNER_H
#define PERMC_TOOLS_TUNE_TUNER_H

#include "permc/JIT/Jit.h"

#include <functional>

namespace permc {

struct TuneOptions {
  /// For the samples of one schedule in a round; it gets three at least.
  double secondsPerSchedule = 0.1;
  /// Is told after each round how many schedules have been measured, and how
  /// many times as fast as the rules' the best of them is.
  std::function<void(unsigned tried, double gain)> progress = {};
};

struct Tuned {
  Schedule schedule;
  double gain = 1;    ///< how many times as fast as the schedule of the rules
  unsigned tried = 0; ///< schedules that were measured
};

/// Finds a schedule for a static request that this machine can run. `src` and
/// `dst` are buffers of the problem's spans. The rules' schedule is kept unless
/// another is clearly faster.
Result<Tuned> tune(Compiler &compiler, Jit &jit, const Request &request,
                   const char *src, char *dst, const TuneOptions &options);

} // namespace permc

#endif // PERMC_TOOLS_TUNE_TUNER_H
