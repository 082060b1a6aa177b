//===- Sampler.h - samples of several competitors, in turn ------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Machines are noisy: only what was measured at the same time can be compared.
// So competitors take samples in turn, round after round.
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_TOOLS_MEASURE_SAMPLER_H
#define PERMC_TOOLS_MEASURE_SAMPLER_H

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace permc {

struct Competitor {
  std::string name;
  /// Does so many calls. The loop is on this side of the std::function, which
  /// costs as much as a small tensor.
  std::function<void(int64_t calls)> run;
  /// For what runs in another process: does so many calls and returns their
  /// seconds. `run` is not used then.
  std::function<double(int64_t calls)> timedElsewhere = {};
  /// Seconds of a call made before, to verify it: of the slowest there is no
  /// time for more.
  double firstCall = 0;
};

/// The competitor that calls `call`.
template <typename Call> Competitor compete(std::string name, Call call) {
  return {std::move(name), [call = std::move(call)](int64_t calls) mutable {
            for (int64_t i = 0; i < calls; ++i) {
              call();
              // What was written counts as read: no call may be left out.
              asm volatile("" ::: "memory");
            }
          }};
}

/// What was measured of one competitor, sorted.
struct Samples {
  std::string name;
  std::vector<double> seconds; ///< of one call
  /// How often a call fits into one of the first competitor's in the same
  /// round: what slows a whole round down is not in here.
  std::vector<double> ratios;

  double best() const { return seconds.front(); }
  double median() const { return seconds[seconds.size() / 2]; }
  double medianRatio() const { return ratios[ratios.size() / 2]; }
};

/// Tensors above this leave nothing in the caches for the next call: to warm up
/// would only take time.
inline constexpr int64_t maxWarmBytes = int64_t(48) << 20;

struct SamplerOptions {
  double budgetSeconds = 1.0; ///< for all competitors together
  /// Rounds there are at least, whatever the budget: slow competitors use it
  /// up, and the others must not be judged by a sample or two.
  size_t minRounds = 2;
  /// Long beside the clock's own cost, short beside a time slice.
  double sampleSeconds = 100e-6;
  /// Whether each sample begins with a call that is not timed, so that data
  /// that fit the caches are there whoever ran before.
  bool warmUp = true;
  /// Seconds of so many calls of a competitor; a plain clock if empty.
  std::function<double(const Competitor &, int64_t calls)> stopwatch = {};
};

/// Takes samples of all in turn until the budget is used and there were enough
/// rounds, one of each at least.
/// One that has used more than its share of the time sits rounds out, except
/// the first, which the others are compared with, and, of the least number of
/// rounds, those that take up to four times as long as that.
std::vector<Samples> takeSamples(const std::vector<Competitor> &competitors,
                                 const SamplerOptions &options);

/// Calls `competitor` so many times; seconds by the steady clock.
double clockCalls(const Competitor &competitor, int64_t calls);

} // namespace permc

#endif // PERMC_TOOLS_MEASURE_SAMPLER_H
