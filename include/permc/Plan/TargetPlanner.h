//===- TargetPlanner.h - schedules of one family of targets -----*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rules of lib/Plan are for vectors and caches. A family whose machines
// move words, split streams or gather columns, or whose tiles are chosen by the
// instructions they execute, brings a TargetPlanner, and the facts of its
// targets name it. The rules ask it where it may know better:
//
//   choose      before them, in place of all rules
//   tryTile     a tile of own moves for two fast dims, which gets loops
//   growTile    how much of runs and of single elements a tile has
//   joinMoves   several registers in one move
//   finish      behind them: what tiles leave at the end of dims
//   improve     another schedule than the one that they have chosen
//
// All of it depends on the facts that come with the question, not on those of
// the target: without some of a machine's instructions (dims that come with the
// call) or with other caches a planner has to do as well.
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_PLAN_TARGETPLANNER_H
#define PERMC_PLAN_TARGETPLANNER_H

#include "permc/Plan/ScheduleReasons.h"

#include <optional>
#include <string>
#include <vector>

namespace permc {

/// A tile in a target's own moves.
struct OwnMoves {
  Schedule schedule;  ///< without loops
  size_t column, row; ///< dims that the innermost loops go along
  std::string reason; ///< as it follows "d1 is contiguous in src, d0 in dst"
};

class TargetPlanner {
public:
  virtual ~TargetPlanner() = default;

  /// What tells it from others, for caches of kernels.
  virtual std::string name() const = 0;

  virtual std::optional<ExplainedSchedule> choose(const Problem &,
                                                  const TargetFacts &) const {
    return std::nullopt;
  }

  /// For the dim that is contiguous in src and another that is in dst.
  virtual std::optional<OwnMoves> tryTile(const Problem &, const TargetFacts &,
                                          size_t /*src*/,
                                          size_t /*dst*/) const {
    return std::nullopt;
  }

  /// Whether tiles are chosen by the instructions that all of them and the
  /// loops round them execute: small tensors are worth more code, and elements
  /// are moved as they are.
  virtual bool countsInstructions() const { return false; }

  /// The tile of a schedule that moves runs or elements as they are, and has
  /// one of them so far: with more dims, which are taken in the order `growth`.
  /// The loops are in the order `loops`, outermost first. Asked for where
  /// instructions are counted.
  virtual Dims growTile(const Problem &, const TargetFacts &,
                        const Schedule &schedule,
                        const std::vector<size_t> & /*growth*/,
                        const std::vector<size_t> & /*loops*/) const {
    return schedule.tile;
  }

  /// Another tile for a TileTranspose without loops of two dims, one contiguous
  /// in src and one in dst.
  virtual Schedule joinMoves(const Problem &, const TargetFacts &,
                             Schedule schedule, size_t /*column*/,
                             size_t /*row*/) const {
    return schedule;
  }

  virtual Schedule finish(const Problem &, const TargetFacts &,
                          Schedule schedule) const {
    return schedule;
  }

  /// What is chosen so far passes checkSchedule. Not called for problems with
  /// views.
  virtual std::optional<ExplainedSchedule>
  improve(const Problem &, const TargetFacts &,
          const ExplainedSchedule & /*chosen*/) const {
    return std::nullopt;
  }
};

/// The loops of the rules round a tile that is neither theirs nor what
/// `tryTile` gives them, for planners to compare.
ExplainedSchedule scheduleOwnMoves(const Problem &canonical,
                                   const TargetFacts &facts, OwnMoves moves);

} // namespace permc

#endif // PERMC_PLAN_TARGETPLANNER_H
