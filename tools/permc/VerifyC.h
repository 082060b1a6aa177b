//===- VerifyC.h - proof of kernels that are C ------------------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_TOOLS_PERMC_VERIFYC_H
#define PERMC_TOOLS_PERMC_VERIFYC_H

#include "permc/Compiler/Compiler.h"

namespace permc {

/// Proves the kernels of a C file. Those for ARC are compiled by ARC's compiler
/// and run by the interpreter under codegen_targets/arc/test; portable ones are
/// compiled by this machine's C compiler and run in this process.
Status verifyC(const std::string &source, const std::vector<Request> &requests);

} // namespace permc

#endif // PERMC_TOOLS_PERMC_VERIFYC_H
