//===- ChooseLastTiles.h - when a last tile is smaller ----------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_CODEGEN_TARGETS_ARM_PLAN_CHOOSELASTTILES_H
#define PERMC_CODEGEN_TARGETS_ARM_PLAN_CHOOSELASTTILES_H

#include "permc/Plan/Schedule.h"

namespace permc {

/// The schedule with smaller last tiles (LastTiles.h) wherever these take
/// notably fewer instructions in all, along dims that parts do not share, and
/// the target has a use for them.
Schedule withLastTiles(const Problem &canonical, Schedule schedule,
                       const TargetFacts &facts);

} // namespace permc

#endif // PERMC_CODEGEN_TARGETS_ARM_PLAN_CHOOSELASTTILES_H
