//===- Tune.h - the fastest schedule for a request --------------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_TOOLS_PERMC_TUNE_H
#define PERMC_TOOLS_PERMC_TUNE_H

#include "permc/Compiler/Compiler.h"

namespace permc {

/// What --tune does, for the help of commands that have it.
inline constexpr const char *tuneHelp =
    "Measure some dozens of schedules on this machine\n"
    "and take the fastest; takes some seconds, and\n"
    "need not end the same way twice";

/// Measures kernels for a request (Tuner.h) and writes the fastest schedule
/// into it, if that is not the chosen one. Says on the standard error how far
/// it is. Returns in words what was found. Refuses what cannot be measured
/// here: other machines, dynamic dims, what no memory holds.
Result<std::string> tuneRequest(Compiler &compiler, Request &request);

} // namespace permc

#endif // PERMC_TOOLS_PERMC_TUNE_H
