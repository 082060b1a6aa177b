//===- Tuner.cpp - the fastest schedule, by measuring ---------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tuner.h"

#include "Sampler.h"

#include "permc/Plan/Alternatives.h"
#include "permc/Plan/Cost.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>

using namespace permc;

namespace {

/// Two equal kernels differ by this much.
constexpr double noise = 1.03;
/// After so long no other round begins.
constexpr std::chrono::seconds maxTime(30);
/// For each of those that are measured again.
constexpr double settleSeconds = 0.4;
constexpr unsigned maxRounds = 6;
/// Schedules of a round that are measured.
constexpr size_t maxMeasured = 12;

/// The thread's own time: other processes disturb less.
double threadSeconds(const Competitor &competitor, int64_t calls) {
  auto now = [] {
    timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) +
           static_cast<double>(time.tv_nsec) * 1e-9;
  };
  const double start = now();
  competitor.run(calls);
  return now() - start;
}

class Walk {
public:
  Walk(Compiler &compiler, Jit &jit, const Request &request, const char *src,
       char *dst, const TuneOptions &options)
      : compiler(compiler), jit(jit), request(request), src(src), dst(dst),
        options(options) {}

  Result<Tuned> find() {
    auto decisions = compiler.decide(request);
    if (!decisions)
      return decisions.error();
    const Problem &problem = decisions->canonical;
    std::vector<Schedule> round = candidates(problem, request.target.facts);
    const Schedule chosen = round.front();
    round.erase(round.begin());
    round = mostPromising(problem, std::move(round));
    round.insert(round.begin(), chosen);
    Tuned tuned{chosen};
    for (unsigned i = 0; i < maxRounds; ++i) {
      auto times = race(round, options.secondsPerSchedule);
      if (!times)
        return times.error();
      tuned.tried += static_cast<unsigned>(round.size());
      const size_t fastest = std::ranges::min_element(*times) - times->begin();
      auto isBetter = settle(chosen, round[fastest], tuned);
      if (!isBetter)
        return isBetter.error();
      if (options.progress)
        options.progress(tuned);
      // What follows the planner's own schedule is worth a look in any case.
      if ((!*isBetter && i > 0) || isLate())
        break;
      round = mostPromising(problem, neighbours(problem, tuned.schedule));
      if (round.empty())
        break;
    }
    return tuned;
  }

private:
  /// Those of the least predicted time: the rest is not worth measuring.
  std::vector<Schedule> mostPromising(const Problem &problem,
                                      std::vector<Schedule> schedules) const {
    schedules =
        leastCostFirst(problem, request.target.facts, std::move(schedules));
    if (request.target.facts.cycleNs > 0 && schedules.size() > maxMeasured)
      schedules.resize(maxMeasured);
    return schedules;
  }

  bool isLate() const {
    return std::chrono::steady_clock::now() - start > maxTime;
  }

  /// Of many that were measured some are fast by chance: the fastest is
  /// measured once more, beside the best so far and the planner's own. Returns
  /// whether it is the best now.
  Result<bool> settle(const Schedule &chosen, const Schedule &candidate,
                      Tuned &tuned) {
    auto times = race({chosen, tuned.schedule, candidate}, settleSeconds);
    if (!times)
      return times.error();
    const double first = (*times)[0], best = (*times)[1], now = (*times)[2];
    const bool isBetter = best > noise * now && first > noise * now;
    if (isBetter)
      tuned.schedule = candidate;
    else if (first <= noise * best)
      tuned.schedule = chosen; // its lead was chance
    tuned.chosenSeconds = first;
    tuned.seconds = isBetter ? now : best;
    if (tuned.schedule == chosen)
      tuned.seconds = first;
    return isBetter;
  }

  /// The best time of each schedule.
  Result<std::vector<double>> race(const std::vector<Schedule> &schedules,
                                   double secondsEach) {
    std::vector<Competitor> competitors;
    std::vector<size_t> entered;
    std::vector<double> times(schedules.size(), HUGE_VAL);
    for (size_t i = 0; i < schedules.size(); ++i) {
      auto kernel = compile(schedules[i]);
      // What the lowering refuses is no alternative.
      if (!kernel)
        continue;
      entered.push_back(i);
      const auto run = kernel->describe().run;
      competitors.push_back(
          compete("", [=, this, kept = *kernel] { run(src, dst); }));
    }
    if (entered.empty())
      return compile(schedules.front()).error();
    SamplerOptions sampling;
    sampling.budgetSeconds =
        secondsEach * static_cast<double>(competitors.size());
    sampling.warmUp = request.problem.bytesMoved() <= maxWarmBytes;
    sampling.stopwatch = threadSeconds;
    const std::vector<Samples> samples = takeSamples(competitors, sampling);
    for (size_t i = 0; i < samples.size(); ++i)
      times[entered[i]] = samples[i].best();
    return times;
  }

  Result<Kernel> compile(const Schedule &schedule) {
    Request written = request;
    written.schedule = spellSchedule(schedule);
    auto object = compiler.compile({written}, Emit::Object);
    if (!object)
      return object.error();
    return jit.load(object->bytes, written.name);
  }

  Compiler &compiler;
  Jit &jit;
  const Request &request;
  const char *src;
  char *dst;
  const TuneOptions &options;
  const std::chrono::steady_clock::time_point start =
      std::chrono::steady_clock::now();
};

} // namespace

Result<Tuned> permc::tune(Compiler &compiler, Jit &jit, const Request &request,
                          const char *src, char *dst,
                          const TuneOptions &options) {
  return Walk(compiler, jit, request, src, dst, options).find();
}
