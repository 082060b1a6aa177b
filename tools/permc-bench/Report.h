//===- Report.h - what was measured -----------------------------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_BENCH_REPORT_H
#define PERMC_BENCH_REPORT_H

#include "CaseFile.h"
#include "Sampler.h"

namespace permc::bench {

/// One case, measured. The first competitor is memcpy.
struct CaseResult {
  Case subject;
  std::vector<Samples> samples = {};
  double compileMilliseconds = 0;
  int64_t textBytes = 0;
  std::string schedule = {};
  /// What is not as it should be: too much code, slower than the naive loop.
  std::vector<std::string> warnings = {};

  const Samples *find(const std::string &competitor) const;
  /// time(memcpy) / time(competitor) by the best samples: 1 is memcpy's speed.
  std::optional<double> ratio(const std::string &competitor) const;
  std::optional<double> medianRatio(const std::string &competitor) const;
};

/// The names competitors have in every report.
inline constexpr const char *memcpyName = "memcpy";
inline constexpr const char *kernelName = "permc";
inline constexpr const char *streamingName = "streaming";
inline constexpr const char *naiveName = "naive";

} // namespace permc::bench

#endif // PERMC_BENCH_REPORT_H
