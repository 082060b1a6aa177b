//===- CountedTile.h - the tile that executes the least ---------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_CODEGEN_TARGETS_ARM_PLAN_COUNTEDTILE_H
#define PERMC_CODEGEN_TARGETS_ARM_PLAN_COUNTEDTILE_H

#include "ArmFacts.h"

#include "permc/Plan/Schedule.h"

#include <optional>
#include <vector>

namespace permc {

/// What another kind of moves must save at least: one instruction in so many.
inline constexpr int64_t worthOther = 20;

/// About how many instructions all tiles of a schedule of fixed moves and the
/// loops round them execute, on a machine that counts them
/// (ArmCounts::loopTurn). None if a tile is too much code, or there is none.
std::optional<int64_t> countInstructions(const Problem &problem,
                                         const ArmFacts &facts,
                                         const Schedule &schedule);

/// The same of a schedule that is to take the place of another, if that is less
/// than `most` and the schedule can be carried out.
std::optional<int64_t> countIfLess(const Problem &problem,
                                   const ArmFacts &facts,
                                   const Schedule &schedule, int64_t most);

/// Gives the tile of a schedule of fixed moves as much more as makes all
/// execute the fewest instructions, and loops. Dims, of which the tile has one
/// place, are taken from `growth` in turn, each as a whole before the next.
/// `order` is that of the loops, outermost first.
Schedule countedTile(const Problem &problem, const ArmFacts &facts,
                     Schedule schedule, const std::vector<size_t> &growth,
                     const std::vector<size_t> &order);

/// Another schedule for what `schedule` moves through vectors, if that executes
/// less: elements moved one by one, two of a column stored at once.
std::optional<Schedule> chooseElements(const Problem &problem,
                                       const ArmFacts &facts,
                                       const Schedule &schedule);

} // namespace permc

#endif // PERMC_CODEGEN_TARGETS_ARM_PLAN_COUNTEDTILE_H
