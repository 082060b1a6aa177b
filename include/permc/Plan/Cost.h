//===- Cost.h - how long a schedule takes -----------------------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A prediction from a problem, a schedule and physical quantities of a machine.
// It is good for telling schedules of one problem apart, and for an idea of the
// time: docs/design.md says how good.
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_PLAN_COST_H
#define PERMC_PLAN_COST_H

#include "permc/Plan/NestCost.h"
#include "permc/Plan/Schedule.h"

#include <memory>
#include <optional>

namespace permc {

/// Costs of many schedules of one problem: what tiles they share is counted
/// once.
class CostModel {
public:
  /// All must outlive this object.
  CostModel(const Problem &canonical, const Isa &isa, const Machine &machine);
  ~CostModel();

  std::optional<Cost> cost(const Schedule &schedule);

  /// Cycles of all tiles of a schedule, what they do twice at the ends of dims
  /// included, and of a loop that has a turn for each. Infinity if they are no
  /// network of at most so many steps.
  double workOfTiles(const Schedule &schedule, size_t mostSteps);

private:
  struct Tiles;
  const Problem &problem;
  const Isa &isa;
  const Machine &machine;
  std::unique_ptr<Tiles> tiles;
};

/// What the moves of a network take, as a tile that begins at multiples of
/// `srcAlignment` and `dstAlignment`.
TileWork tileWork(const Network &network, int64_t srcAlignment,
                  int64_t dstAlignment, const Isa &isa, const Machine &machine);

/// None for a machine without times, and for micro kernels that are not a fixed
/// network of moves.
std::optional<Cost> cost(const Problem &canonical, const Schedule &schedule,
                         const Isa &isa, const Machine &machine);

/// Schedules of one problem in the order of their costs, those without one last
/// and as they are.
std::vector<Schedule> leastCostFirst(const Problem &canonical,
                                     const TargetFacts &facts,
                                     std::vector<Schedule> schedules);

} // namespace permc

#endif // PERMC_PLAN_COST_H
