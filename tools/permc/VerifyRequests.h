//===- VerifyRequests.h - proof of what is compiled -------------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_TOOLS_PERMC_VERIFYREQUESTS_H
#define PERMC_TOOLS_PERMC_VERIFYREQUESTS_H

#include "permc/Compiler/Compiler.h"

namespace permc {

/// Proves all kernels on this machine, or in an emulator of theirs, and says so
/// on the standard error. Of kernels for several levels each level that can be
/// run is proven, and then what chooses between them; where one cannot be run
/// the reason is printed. It is an error if none can.
Status verifyRequests(Compiler &compiler, const std::vector<Request> &requests);

} // namespace permc

#endif // PERMC_TOOLS_PERMC_VERIFYREQUESTS_H
