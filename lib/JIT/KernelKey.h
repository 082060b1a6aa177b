//===- KernelKey.h - what makes two kernels the same ------------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_LIB_JIT_KERNELKEY_H
#define PERMC_LIB_JIT_KERNELKEY_H

#include "permc/Compiler/Compiler.h"

namespace permc {

/// All that a kernel's code depends on, as text: the request's canonical
/// problem, target and schedule, and the versions of permc and LLVM. The
/// request's name and the shape it was asked for are no part of it.
std::string kernelKey(const Problem &canonical, const Request &request);

} // namespace permc

#endif // PERMC_LIB_JIT_KERNELKEY_H
