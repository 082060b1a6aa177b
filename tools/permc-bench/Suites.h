//===- Suites.h - the suites, by name ---------------------------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_BENCH_SUITES_H
#define PERMC_BENCH_SUITES_H

#include "CaseFile.h"

namespace permc::bench {

/// Where suites come from.
struct SuiteSources {
  std::string caseFolder; ///< of the project's own case files
  std::string peersFile;  ///< peers' figures from elsewhere; may not exist
  uint64_t seed = 1;      ///< of the random suite
};

/// The cases of the named suites, all suites there are if none is named.
Result<std::vector<Case>> loadSuites(const std::vector<std::string> &names,
                                     const SuiteSources &sources);

} // namespace permc::bench

#endif // PERMC_BENCH_SUITES_H
