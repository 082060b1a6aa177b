//===- RunProgramCase.h - carry out cases as a C program --------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_TOOLS_PERMC_FUZZ_RUNPROGRAMCASE_H
#define PERMC_TOOLS_PERMC_FUZZ_RUNPROGRAMCASE_H

#include "RunCase.h"

namespace permc::fuzz {

struct ProgramVerdict {
  Verdict verdict;
  size_t which = 0; ///< the case that is wrong, if one is
  size_t refused = 0;
};

/// Compiles cases of one target and makes one program of them and of a loop to
/// compare with. C runs here, with sanitizers; objects run in an emulator.
ProgramVerdict runPrograms(Compiler &compiler, const std::vector<Case> &cases);

/// Why there is no way to run a target's code in a program, or nothing.
std::string whyNoPrograms(const Target &target);

} // namespace permc::fuzz

#endif // PERMC_TOOLS_PERMC_FUZZ_RUNPROGRAMCASE_H
