//===- ArmPlanner.h - schedules of ARM and Cortex-M -------------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Cores that have no caches to count on, or such as nobody has told of: tiles
// are chosen by their instructions. Each kind of moves has its file:
//
//   CountedTile.h    what a schedule executes, and the tile that does the least
//   Structures.h     streams by structure moves (ld3, st4), gathers
//   VectorMoves.h    several vectors in one move (ldp, ld1 of four)
//   ChooseLastTiles.h  tiles of another size at the end of dims
//   LargeWords.h     tiles of plain words (Cortex-M)
//   WordSteps.h      ... whose moves step their addresses (ldm, strd)
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_CODEGEN_TARGETS_ARM_PLAN_ARMPLANNER_H
#define PERMC_CODEGEN_TARGETS_ARM_PLAN_ARMPLANNER_H

#include "ArmFacts.h"

#include "permc/Plan/TargetPlanner.h"

namespace permc {

class ArmPlanner : public TargetPlanner {
public:
  ArmPlanner(std::string target, const ArmCounts &counts)
      : target(std::move(target)), counts(counts) {}

  std::string name() const override { return target; }

  bool countsInstructions() const override { return counts.loopTurn != 0; }

  std::optional<ExplainedSchedule>
  choose(const Problem &problem, const TargetFacts &facts) const override;

  std::optional<OwnMoves> tryTile(const Problem &problem,
                                  const TargetFacts &facts, size_t src,
                                  size_t dst) const override;

  Dims growTile(const Problem &problem, const TargetFacts &facts,
                const Schedule &schedule, const std::vector<size_t> &growth,
                const std::vector<size_t> &order) const override;

  Schedule joinMoves(const Problem &problem, const TargetFacts &facts,
                     Schedule schedule, size_t column,
                     size_t row) const override;

  Schedule finish(const Problem &problem, const TargetFacts &facts,
                  Schedule schedule) const override;

  std::optional<ExplainedSchedule>
  improve(const Problem &problem, const TargetFacts &facts,
          const ExplainedSchedule &chosen) const override;

private:
  ArmFacts with(const TargetFacts &facts) const { return {facts, counts}; }

  const std::string target;
  const ArmCounts counts;
};

} // namespace permc

#endif // PERMC_CODEGEN_TARGETS_ARM_PLAN_ARMPLANNER_H
