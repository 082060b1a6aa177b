//===- Summary.cpp - what a suite comes to --------------------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Summary.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

#include <cmath>

using namespace permc;
using namespace permc::bench;

namespace {

/// Geometric means that one thread is to reach on the machine the project is
/// tuned on; see docs/benchmarking.md.
std::optional<double> targetOf(const std::string &suite) {
  return llvm::StringSwitch<std::optional<double>>(suite)
      .Cases({"ttc", "highrank"}, 0.75)
      .Cases({"dl", "vision", "attention"}, 0.90)
      .Cases({"small", "shared-small"}, 0.60)
      .Case("random", 0.50)
      .Case("seed", 0.70)
      .Default(std::nullopt);
}

/// The mean of what `figure` gives for the cases of a suite.
template <typename FigureOf>
std::optional<GeometricMean> meanOf(const std::vector<CaseResult> &results,
                                    const std::string &suite,
                                    const FigureOf &figure) {
  double logs = 0, worst = INFINITY;
  size_t count = 0;
  for (const CaseResult &result : results) {
    if (result.subject.suite != suite)
      continue;
    if (std::optional<double> ratio = figure(result)) {
      logs += std::log(*ratio);
      worst = std::min(worst, *ratio);
      ++count;
    }
  }
  if (count == 0)
    return std::nullopt;
  return GeometricMean{std::exp(logs / double(count)), worst};
}

SuiteSummary summarizeSuite(const Report &report, const std::string &suite) {
  SuiteSummary summary;
  summary.suite = suite;
  summary.target = targetOf(suite);
  summary.cases = size_t(llvm::count_if(report.results, [&](const auto &one) {
    return one.subject.suite == suite;
  }));
  for (const std::string &name : report.competitors)
    summary.means.push_back(
        meanOf(report.results, suite,
               [&](const CaseResult &one) { return one.ratio(name); }));
  summary.bestPeer = meanOf(report.results, suite, [](const CaseResult &one) {
    const auto best = one.bestPeer();
    return best ? std::optional(best->ratio) : std::nullopt;
  });
  summary.recorded = meanOf(report.results, suite, [](const CaseResult &one) {
    const auto &recorded = one.subject.recorded;
    return recorded ? std::optional(recorded->ratio) : std::nullopt;
  });
  return summary;
}

} // namespace

std::vector<SuiteSummary> bench::summarize(const Report &report) {
  std::vector<SuiteSummary> all;
  for (const CaseResult &result : report.results) {
    const std::string &suite = result.subject.suite;
    if (llvm::none_of(
            all, [&](const SuiteSummary &one) { return one.suite == suite; }))
      all.push_back(summarizeSuite(report, suite));
  }
  return all;
}
