//===- Options.h - the command line of permc-bench --------------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_BENCH_OPTIONS_H
#define PERMC_BENCH_OPTIONS_H

#include "Suites.h"

namespace permc::bench {

struct Options {
  std::vector<std::string> suites, caseFiles;
  SuiteSources sources;
  std::vector<std::string> peers; ///< names that exist
  std::string filter, target, scheduleFile, jsonFile, svgFile;
  double secondsPerCase = 0.3;
  unsigned threads = 1;
  unsigned dstOffset = 0;
  bool list = false, strict = false, progress = false, tune = false;
};

/// False after a message about what was wrong.
bool parseOptions(int argc, char **argv, Options &options);

} // namespace permc::bench

#endif // PERMC_BENCH_OPTIONS_H
