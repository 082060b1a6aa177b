//===- Summary.h - what a suite comes to ------------------------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_BENCH_SUMMARY_H
#define PERMC_BENCH_SUMMARY_H

#include "Report.h"

namespace permc::bench {

struct GeometricMean {
  double value, worst;
};

struct SuiteSummary {
  std::string suite;
  size_t cases = 0;
  std::optional<double> target; ///< the figure permc is to reach
  /// By the report's competitors, over the cases each took part in.
  std::vector<std::optional<GeometricMean>> means;
  std::optional<GeometricMean> bestPeer; ///< of the best peer of each case
  std::optional<GeometricMean> recorded; ///< of the case file's figures
};

/// One summary a suite, in the order suites first appear.
std::vector<SuiteSummary> summarize(const Report &report);

} // namespace permc::bench

#endif // PERMC_BENCH_SUMMARY_H
