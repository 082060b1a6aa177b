//===- Tuner.cpp - the fastest schedule, by measuring ---------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tuner.h"

#include "Sampler.h"

#include "permc/Plan/Alternatives.h"

#include <algorithm>
#include <ctime>

using namespace permc;

namespace {

/// Two equal kernels differ by this much.
constexpr double noise = 1.02;
constexpr unsigned maxRounds = 6;
/// Tensors above this leave nothing in the caches for the next call.
constexpr int64_t maxWarmBytes = int64_t(48) << 20;

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
    std::vector<Schedule> round = alternatives(problem, request.target.facts);
    const Schedule chosen = round.front();
    best = chosen;
    double total = 1;
    for (unsigned i = 0; i < maxRounds; ++i) {
      auto gain = race(round);
      if (!gain)
        return gain.error();
      total *= *gain;
      if (options.progress)
        options.progress(tried, total);
      if (i > 0 && *gain < noise)
        break;
      round = neighbours(problem, best);
      round.insert(round.begin(), best);
    }
    auto gain = race({chosen, best});
    if (!gain)
      return gain.error();
    if (*gain < noise)
      return Tuned{chosen, 1, tried};
    return Tuned{best, *gain, tried};
  }

private:
  /// Measures all. The fastest becomes the best; returns how many times as fast
  /// as the first it is.
  Result<double> race(const std::vector<Schedule> &schedules) {
    std::vector<Competitor> competitors;
    std::vector<const Schedule *> entered;
    for (const Schedule &schedule : schedules) {
      auto kernel = compile(schedule);
      if (!kernel && entered.empty())
        return kernel.error();
      // What the lowering refuses is no alternative.
      if (!kernel)
        continue;
      entered.push_back(&schedule);
      const auto run = kernel->describe().run;
      competitors.push_back(
          compete("", [=, this, kept = *kernel] { run(src, dst); }));
    }
    SamplerOptions sampling;
    sampling.budgetSeconds =
        options.secondsPerSchedule * static_cast<double>(competitors.size());
    sampling.warmUp = request.problem.bytesMoved() <= maxWarmBytes;
    sampling.stopwatch = threadSeconds;
    const std::vector<Samples> samples = takeSamples(competitors, sampling);
    const auto fastest = std::ranges::min_element(
        samples, {}, [](const Samples &one) { return one.best(); });
    tried += static_cast<unsigned>(samples.size());
    best = *entered[fastest - samples.begin()];
    return samples.front().best() / fastest->best();
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
  Schedule best;
  unsigned tried = 0;
};

} // namespace

Result<Tuned> permc::tune(Compiler &compiler, Jit &jit, const Request &request,
                          const char *src, char *dst,
                          const TuneOptions &options) {
  return Walk(compiler, jit, request, src, dst, options).find();
}
