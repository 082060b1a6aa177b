//===- ScheduleOrigin.h - what a schedule was printed for -------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A schedule that fits a tensor moves it right, whoever it was made for, but
// need not suit it. What 'permc explain' prints beside a schedule says that.
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_TOOLS_PERMC_SCHEDULEORIGIN_H
#define PERMC_TOOLS_PERMC_SCHEDULEORIGIN_H

#include "permc/Compiler/Compiler.h"

#include "llvm/ADT/StringRef.h"

namespace permc {

/// How 'permc explain' spells them, which is what is compared.
std::string spellProblem(const Problem &problem);
std::string spellStrides(const Problem &problem);
/// "native, which is x86-64-v3 here", or just its name.
std::string spellTarget(const Target &target);

/// Where `printed` is for another problem or target than `request`: which, and
/// what this one is. None if it is not, or does not say, as the text of a
/// schedule alone.
std::optional<std::string> findOtherOrigin(llvm::StringRef printed,
                                           const Request &request);

} // namespace permc

#endif // PERMC_TOOLS_PERMC_SCHEDULEORIGIN_H
