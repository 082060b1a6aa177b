//===- Structures.h - structure moves and gathers ---------------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_CODEGEN_TARGETS_ARM_PLAN_STRUCTURES_H
#define PERMC_CODEGEN_TARGETS_ARM_PLAN_STRUCTURES_H

#include "ArmFacts.h"

#include "permc/Plan/TargetPlanner.h"

namespace permc {

/// Streams that lie interleaved on one side, and contiguous on the other. `src`
/// is the dim that is contiguous in src, `dst` the one in dst.
std::optional<OwnMoves> tryStreams(const Problem &problem,
                                   const ArmFacts &facts, size_t src,
                                   size_t dst);

/// Columns of some elements by loads that take each from its own row.
std::optional<OwnMoves> tryGather(const Problem &problem,
                                  const TargetFacts &facts, size_t src,
                                  size_t dst);

/// Streams of less than a register, split or joined by structure moves of half
/// of one or regrouped by two of them, if that executes less than what `chosen`
/// does.
std::optional<ExplainedSchedule> chooseShortStreams(const Problem &problem,
                                                    const ArmFacts &facts,
                                                    const Schedule &chosen);

} // namespace permc

#endif // PERMC_CODEGEN_TARGETS_ARM_PLAN_STRUCTURES_H
