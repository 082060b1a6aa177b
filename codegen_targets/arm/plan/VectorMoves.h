//===- VectorMoves.h - several vectors in one move --------------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_CODEGEN_TARGETS_ARM_PLAN_VECTORMOVES_H
#define PERMC_CODEGEN_TARGETS_ARM_PLAN_VECTORMOVES_H

#include "permc/Plan/Schedule.h"

namespace permc {

/// The schedule with another tile, which is moved several vectors at a time
/// (`vectorPairs`, `stepping`), if the target has such moves and that takes
/// fewer instructions in all.
///
/// `schedule` is a TileTranspose of two dims without loops. `column` is the dim
/// that is contiguous in src, `row` the one in dst.
Schedule chooseVectorMoves(const Problem &problem, const TargetFacts &facts,
                           Schedule schedule, size_t column, size_t row);

} // namespace permc

#endif // PERMC_CODEGEN_TARGETS_ARM_PLAN_VECTORMOVES_H
