//===- X86Targets.h - facts of x86 machines ---------------------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_CODEGEN_TARGETS_X86_X86TARGETS_H
#define PERMC_CODEGEN_TARGETS_X86_X86TARGETS_H

#include "permc/Targets/Target.h"

namespace permc {

void addX86Targets(std::vector<Target> &targets);

} // namespace permc

#endif // PERMC_CODEGEN_TARGETS_X86_X86TARGETS_H
