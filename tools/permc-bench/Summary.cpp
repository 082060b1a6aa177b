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
template <typename Figure>
std::optional<GeometricMean> meanOf(const std::vector<CaseResult> &results,
                                    const std::string &suite,
                                    const Figure &figure) {
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

} // namespace

std::vector<SuiteSummary>
bench::summarize(const std::vector<CaseResult> &results,
                 const std::vector<std::string> &competitors) {
  std::vector<SuiteSummary> all;
  for (const CaseResult &result : results) {
    const std::string &suite = result.subject.suite;
    const auto found = llvm::find_if(
        all, [&](const SuiteSummary &one) { return one.suite == suite; });
    if (found != all.end()) {
      ++found->cases;
      continue;
    }
    SuiteSummary &summary = all.emplace_back();
    summary.suite = suite;
    summary.cases = 1;
    summary.target = targetOf(suite);
    for (const std::string &name : competitors)
      summary.means.push_back(
          meanOf(results, suite,
                 [&](const CaseResult &one) { return one.ratio(name); }));
    summary.recorded = meanOf(
        results, suite, [](const CaseResult &one) -> std::optional<double> {
          if (!one.subject.recorded)
            return std::nullopt;
          return one.subject.recorded->ratio;
        });
  }
  return all;
}
