//===- Sampler.cpp - samples of several competitors, in turn --------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Sampler.h"

#include <algorithm>
#include <chrono>
#include <cmath>

using namespace permc;

namespace {

constexpr size_t maxRounds = 1000;
/// A competitor so quick that its calls cannot be told from none.
constexpr int64_t maxCalls = int64_t(1) << 24;

double now() {
  using namespace std::chrono;
  return duration<double>(steady_clock::now().time_since_epoch()).count();
}

/// A competitor's turn, its samples and the time they took.
class Turn {
public:
  Turn(const Competitor &competitor, const SamplerOptions &options)
      : competitor(competitor), options(options) {}

  /// Finds how many calls make a sample; the last try is one. So is the call
  /// made before, if that took all of the turn's share of the time.
  void calibrate(double share) {
    if (competitor.firstCall > share) {
      spent = last = competitor.firstCall;
      seconds.push_back(last);
      return;
    }
    for (;;) {
      const double tried = time();
      if (tried >= options.sampleSeconds || calls >= maxCalls) {
        last = tried / double(calls);
        seconds.push_back(last);
        return;
      }
      const double missing =
          1.2 * options.sampleSeconds / std::max(tried, 1e-9);
      calls = int64_t(std::ceil(double(calls) * std::clamp(missing, 1.5, 1e3)));
    }
  }

  /// Drops what a clock that stood still says: nothing takes no time.
  void sample() {
    const double took = time();
    if (took <= 0)
      return;
    last = took / double(calls);
    seconds.push_back(last);
  }

  /// Whether it is so quick that a sample costs little.
  bool isNear(const Turn &first) const { return last <= 4 * first.last; }

  /// Compares the last sample with one of the same round.
  void compare(const Turn &first) { ratios.push_back(first.last / last); }

  Samples finish() {
    std::sort(seconds.begin(), seconds.end());
    std::sort(ratios.begin(), ratios.end());
    return {competitor.name, std::move(seconds), std::move(ratios)};
  }

  double spent = 0;

private:
  double time() {
    const double start = now();
    if (options.warmUp)
      competitor.timedElsewhere ? void(competitor.timedElsewhere(1))
                                : competitor.run(1);
    const double result = options.stopwatch
                              ? options.stopwatch(competitor, calls)
                              : clockCalls(competitor, calls);
    spent += now() - start;
    return result;
  }

  const Competitor &competitor;
  const SamplerOptions &options;
  int64_t calls = 1;
  double last = 0;
  std::vector<double> seconds, ratios;
};

} // namespace

double permc::clockCalls(const Competitor &competitor, int64_t calls) {
  if (competitor.timedElsewhere)
    return competitor.timedElsewhere(calls);
  const double start = now();
  competitor.run(calls);
  return now() - start;
}

std::vector<Samples>
permc::takeSamples(const std::vector<Competitor> &competitors,
                   const SamplerOptions &options) {
  const double start = now();
  std::vector<Turn> turns;
  turns.reserve(competitors.size());
  for (const Competitor &competitor : competitors) {
    turns.emplace_back(competitor, options)
        .calibrate(options.budgetSeconds / double(competitors.size()));
    turns.back().compare(turns.front());
  }
  for (size_t round = 0; round < maxRounds; ++round) {
    const double elapsed = now() - start;
    if (round >= options.minRounds && elapsed >= options.budgetSeconds)
      break;
    for (Turn &turn : turns) {
      const bool mustPlay =
          &turn == &turns.front() ||
          (round < options.minRounds && turn.isNear(turns.front()));
      if (!mustPlay && turn.spent > elapsed / double(turns.size()))
        continue;
      turn.sample();
      turn.compare(turns.front());
    }
  }

  std::vector<Samples> all;
  for (Turn &turn : turns)
    all.push_back(turn.finish());
  return all;
}
