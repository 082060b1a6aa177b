//===- EmitNeonMoves.h - tiles by NEON's own moves --------------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_CODEGEN_TARGETS_ARM_LOWERING_EMITNEONMOVES_H
#define PERMC_CODEGEN_TARGETS_ARM_LOWERING_EMITNEONMOVES_H

#include "permc/Targets/TargetFamily.h"

namespace permc {

/// A tile of vectors: pairs, tables, several registers at once, structures
/// whose addresses step along.
std::unique_ptr<OwnTile> makeNeonTile(const TileSite &site);

} // namespace permc

#endif // PERMC_CODEGEN_TARGETS_ARM_LOWERING_EMITNEONMOVES_H
