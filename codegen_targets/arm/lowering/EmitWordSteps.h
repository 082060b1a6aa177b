//===- EmitWordSteps.h - tiles of words that step along ---------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_CODEGEN_TARGETS_ARM_LOWERING_EMITWORDSTEPS_H
#define PERMC_CODEGEN_TARGETS_ARM_LOWERING_EMITWORDSTEPS_H

#include "permc/Targets/TargetFamily.h"

namespace permc {

/// A tile of words that step along.
std::unique_ptr<SteppingTile> makeSteppingWords(const TileSite &site);

} // namespace permc

#endif // PERMC_CODEGEN_TARGETS_ARM_LOWERING_EMITWORDSTEPS_H
