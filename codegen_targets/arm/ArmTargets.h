//===- ArmTargets.h - facts of ARM machines ---------------------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_CODEGEN_TARGETS_ARM_ARMTARGETS_H
#define PERMC_CODEGEN_TARGETS_ARM_ARMTARGETS_H

#include "permc/Targets/Target.h"

namespace permc {

void addArmTargets(std::vector<Target> &targets);

} // namespace permc

#endif // PERMC_CODEGEN_TARGETS_ARM_ARMTARGETS_H
