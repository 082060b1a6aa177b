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

struct Tuned {
  Schedule schedule;
  /// Seconds of a call with the schedule of the rules and with this one, by
  /// samples taken in turn.
  double chosenSeconds = 0, seconds = 0;
  unsigned tried = 0; ///< schedules that were measured

  /// How many times as fast as the planner's it is.
  double gain() const { return seconds > 0 ? chosenSeconds / seconds : 1; }
};

struct TuneOptions {
  /// For the samples of one schedule in a round; it gets three at least.
  double secondsPerSchedule = 0.1;
  /// Is told after each round what was found so far.
  std::function<void(const Tuned &)> progress = {};
};

/// Finds a schedule for a static request that this machine can run. `src` and
/// `dst` are buffers of the problem's spans. The planner's schedule is kept
/// unless another is clearly faster.
Result<Tuned> tune(Compiler &compiler, Jit &jit, const Request &request,
                   const char *src, char *dst, const TuneOptions &options);

} // namespace permc

#endif // PERMC_TOOLS_TUNE_TUNER_H
