//===- VerifyEmulated.h - proof of kernels for other machines ---*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_TOOLS_PERMC_VERIFYEMULATED_H
#define PERMC_TOOLS_PERMC_VERIFYEMULATED_H

#include "permc/Compiler/Compiler.h"

namespace permc {

/// Whether there is a way to run a target's kernels in an emulator.
bool canEmulate(const Target &target);

/// Proves kernels in an emulator of `target`: links them (a static library)
/// with a program that checks them, by the target's C compiler, and runs it.
Status verifyEmulated(const std::string &library,
                      const std::vector<Request> &requests,
                      const Target &target);

} // namespace permc

#endif // PERMC_TOOLS_PERMC_VERIFYEMULATED_H
