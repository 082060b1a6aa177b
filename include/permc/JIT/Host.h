//===- Host.h - can this machine run a target's code? -----------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_JIT_HOST_H
#define PERMC_JIT_HOST_H

#include "permc/Targets/Target.h"

namespace permc {

/// An error that says what this machine lacks to run code for `target`.
Status checkRunsHere(const Target &target);

} // namespace permc

#endif // PERMC_JIT_HOST_H
