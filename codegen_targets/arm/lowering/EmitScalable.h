//===- EmitScalable.h - moves by vectors of unknown length ------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_CODEGEN_TARGETS_ARM_LOWERING_EMITSCALABLE_H
#define PERMC_CODEGEN_TARGETS_ARM_LOWERING_EMITSCALABLE_H

#include "permc/Targets/TargetFamily.h"

namespace permc {

/// A tile by SVE: a run, or streams that are split or joined.
std::unique_ptr<OwnTile> makeScalableTile(const TileSite &site);

} // namespace permc

#endif // PERMC_CODEGEN_TARGETS_ARM_LOWERING_EMITSCALABLE_H
