//===- Stopwatch.cpp - Google Benchmark as the clock ----------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Stopwatch.h"

#include <benchmark/benchmark.h>

using namespace permc;

namespace {

/// Keeps the time of the one run there is instead of printing it.
class KeepTime : public benchmark::BenchmarkReporter {
public:
  bool ReportContext(const Context &) override { return true; }
  void ReportRuns(const std::vector<Run> &runs) override {
    for (const Run &run : runs)
      wall = run.real_accumulated_time, thread = run.cpu_accumulated_time;
  }

  double wall = 0, thread = 0;
};

} // namespace

double bench::timeByGoogleBenchmark(const Competitor &competitor, int64_t calls,
                                    Clock clock) {
  benchmark::ClearRegisteredBenchmarks();
  auto body = [&](benchmark::State &state) {
    if (competitor.timedElsewhere) {
      // One iteration of the loop is all calls: the other process loops.
      for (auto _ : state)
        state.SetIterationTime(competitor.timedElsewhere(calls));
      return;
    }
    while (state.KeepRunningBatch(calls))
      competitor.run(calls);
  };
  auto *registered =
      benchmark::RegisterBenchmark(competitor.name.c_str(), body);
  if (competitor.timedElsewhere)
    registered->Iterations(1)->UseManualTime();
  else
    registered->Iterations(calls);
  KeepTime reporter;
  benchmark::RunSpecifiedBenchmarks(&reporter);
  // Whoever is timed elsewhere chooses the clock there.
  return clock == Clock::Wall || competitor.timedElsewhere ? reporter.wall
                                                           : reporter.thread;
}
