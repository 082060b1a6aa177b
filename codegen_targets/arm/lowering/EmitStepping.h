//===- EmitStepping.h - tiles whose addresses step along --------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_CODEGEN_TARGETS_ARM_LOWERING_EMITSTEPPING_H
#define PERMC_CODEGEN_TARGETS_ARM_LOWERING_EMITSTEPPING_H

#include "permc/Targets/TargetFamily.h"

namespace permc {

/// A tile of moves of 16 bytes, and shuffles of elements, that step along.
std::unique_ptr<SteppingTile> makeSteppingVectors(const TileSite &site);

} // namespace permc

#endif // PERMC_CODEGEN_TARGETS_ARM_LOWERING_EMITSTEPPING_H
