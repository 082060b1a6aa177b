//===- Report.h - what was measured -----------------------------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_BENCH_REPORT_H
#define PERMC_BENCH_REPORT_H

#include "CaseFile.h"
#include "Machine.h"
#include "Sampler.h"

namespace permc::bench {

/// The names competitors have in every report. All others are peers.
inline constexpr const char *memcpyName = "memcpy";
inline constexpr const char *permcName = "permc";
inline constexpr const char *streamingName = "streaming";
inline constexpr const char *naiveName = "naive";

/// A competitor's figure: time(memcpy) / time(it), so 1 is memcpy's speed.
struct Figure {
  std::string name;
  double ratio;
};

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
  /// By the best samples of both, and the median over the rounds; nothing for
  /// who took no part.
  std::optional<double> ratio(const std::string &competitor) const;
  std::optional<double> medianRatio(const std::string &competitor) const;
  /// The fastest of those that could be used in place of permc, the naive loop
  /// among them.
  std::optional<Figure> bestPeer() const;
};

/// A whole run.
struct Report {
  Machine machine;
  std::string target, naiveCompiler;
  unsigned threads = 1;
  unsigned dstOffset = 0; ///< how far behind a line dst began
  double secondsPerCase = 0;
  /// All that took part, memcpy first, in the order of columns.
  std::vector<std::string> competitors = {};
  std::vector<CaseResult> results = {};
};

} // namespace permc::bench

#endif // PERMC_BENCH_REPORT_H
