//===- VerifyHere.h - proof of kernels for this machine ---------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_TOOLS_PERMC_VERIFYHERE_H
#define PERMC_TOOLS_PERMC_VERIFYHERE_H

#include "permc/JIT/Jit.h"

namespace permc {

/// Runs a kernel of an object between guard pages, and says on the standard
/// error what that has proven: of NAME and what `label` adds to it.
Status verifyHere(Jit &jit, const std::string &object, const Request &request,
                  const std::string &label = "");

/// Proves kernels of one object that others may have made: here, or in an
/// emulator.
Status verifyObject(const std::string &object,
                    const std::vector<Request> &requests);

} // namespace permc

#endif // PERMC_TOOLS_PERMC_VERIFYHERE_H
