//===- ArcTargets.h - facts of ARC and C99 machines -------------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_CODEGEN_TARGETS_ARC_ARCTARGETS_H
#define PERMC_CODEGEN_TARGETS_ARC_ARCTARGETS_H

#include "permc/Targets/Target.h"

namespace permc {

void addArcTargets(std::vector<Target> &targets);

} // namespace permc

#endif // PERMC_CODEGEN_TARGETS_ARC_ARCTARGETS_H
