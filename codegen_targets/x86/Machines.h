//===- Machines.h - x86 machines that were measured -------------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_CODEGEN_TARGETS_X86_MACHINES_H
#define PERMC_CODEGEN_TARGETS_X86_MACHINES_H

#include "permc/Plan/TargetFacts.h"

#include <string_view>

namespace permc {

/// Zen 3, for the levels without AVX-512, and Zen 4, for the one with it. Their
/// caches are set apart: named levels have those of any server core.
void takeZen3(Machine &machine);
void takeZen4(Machine &machine);
/// Skylake with AVX-512 and Cascade Lake.
void takeCascadeLake(Machine &machine);

/// The one of them that LLVM calls `cpu`; others leave the machine as it is.
void takeKnown(std::string_view cpu, Machine &machine);

} // namespace permc

#endif // PERMC_CODEGEN_TARGETS_X86_MACHINES_H
