//===- Options.h - the command line of permc-fuzz ---------------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_TOOLS_PERMC_FUZZ_OPTIONS_H
#define PERMC_TOOLS_PERMC_FUZZ_OPTIONS_H

#include "Draw.h"

namespace permc::fuzz {

struct Options {
  uint64_t seed = 1;
  uint64_t cases = 0; ///< 0: no end
  double seconds = 0; ///< 0: no end
  unsigned jobs = 1;
  uint64_t failures = 1; ///< stop after so many
  Menu menu;
  bool smallWorld = false;
  std::string log; ///< of the small world: what was right
  std::optional<Case> replay;
};

/// What main() is to do; the exit code if it is to end at once.
Result<Options> readOptions(const std::vector<std::string> &words);

/// The text of --help.
extern const char *const help;

} // namespace permc::fuzz

#endif // PERMC_TOOLS_PERMC_FUZZ_OPTIONS_H
