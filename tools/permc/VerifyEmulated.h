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

/// ... and an error if what that takes is not installed.
Status checkEmulator(const Target &target);

/// A file of a program to make: C, a header, an object or a library.
struct ProgramFile {
  std::string name, contents;
};

/// Makes a program of `files` and of a machine's start-up code (emulation/),
/// whose headers they may include, and runs it in the target's emulator.
/// Returns what it prints, which is the error's text if it fails.
Result<std::string> runEmulated(const Target &target,
                                const std::vector<ProgramFile> &files);

/// The same for C that this machine runs, with sanitizers.
Result<std::string> runSanitized(const std::vector<ProgramFile> &files);

/// Proves kernels in an emulator of `target`: links them (a static library)
/// with a program that checks them, by the target's C compiler, and runs it.
Status verifyEmulated(const std::string &library,
                      const std::vector<Request> &requests,
                      const Target &target);

} // namespace permc

#endif // PERMC_TOOLS_PERMC_VERIFYEMULATED_H
