//===- EmitGather.h - columns gathered from rows ----------------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_CODEGEN_TARGETS_ARM_LOWERING_EMITGATHER_H
#define PERMC_CODEGEN_TARGETS_ARM_LOWERING_EMITGATHER_H

#include "permc/Targets/TargetFamily.h"

namespace permc {

/// A tile by Helium's gathers.
std::unique_ptr<OwnTile> makeGatherTile(const TileSite &site);

} // namespace permc

#endif // PERMC_CODEGEN_TARGETS_ARM_LOWERING_EMITGATHER_H
