//===- CachedCost.cpp - the time of a nest in the caches ------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A sum of what the caches do (CacheReplay.h) and what the tiles do. By least
// squares on 1,342 measured schedules of 33 matrices of 70 KB to 8 MB, elements
// of 1 to 8 bytes, on one Zen 4; rounded. What a panel takes to start was not
// in that fit: it is an earlier figure of Zen 3, and copied lines count less
// for it. Within 16 % in the median of these same schedules; others were not
// predicted. Each figure is what comes on top of what overlaps with it, and so
// less than the time of that alone.
//
//===----------------------------------------------------------------------===//

#include "CachedCost.h"

#include "CacheReplay.h"

#include "../SearchTile.h"

#include "permc/Plan/CeilDiv.h"

#include <limits>

using namespace permc;

/// Nanoseconds.
static constexpr double cycleOfWork = 0.05, startOfTile = 1.0, loadMiss = 0.3,
                        storeMiss = 0.45, l2Miss = 0.65, overcommit = 0.95,
                        splitStore = 0.65, startOfPanel = 40, copiedLine = 0.75;

/// Cycles of the busiest unit, about: two loads and two shuffles in one, a
/// store, or a shuffle of more than half a line.
static double cyclesOf(const Network &network) {
  constexpr int64_t easyBytes = 32;
  double cycles = 0;
  for (const Network::Step &step : network.steps)
    cycles += step.kind == Network::StepKind::Store ||
                      (step.kind == Network::StepKind::Shuffle &&
                       step.bytes > easyBytes)
                  ? 1
                  : 0.5;
  return cycles;
}

/// How much of a tensor is moved, where the last tile of a dim is moved back.
static double movedShare(const Problem &problem, const Schedule &schedule) {
  double share = 1;
  const std::vector<LoopDim> dims = problem.loopDims();
  for (size_t dim = 0; dim < dims.size(); ++dim) {
    const int64_t step = innermost(schedule)[dim], tile = schedule.tile[dim];
    share *= static_cast<double>(ceilDiv(dims[dim].size, step) *
                                 ceilDiv(step, tile) * tile) /
             static_cast<double>(dims[dim].size);
  }
  return share;
}

double permc::cachedCost(const Problem &problem, const Schedule &schedule,
                         const TargetFacts &facts) {
  std::optional<PanelStage> stage;
  if (!schedule.panel.empty())
    stage = panelStage(problem, schedule);
  Result<Network> network =
      stage ? unprovenNetwork(stage->problem, stage->schedule)
            : unprovenNetwork(problem, schedule);
  if (!network)
    return std::numeric_limits<double>::infinity();
  const CacheCounts seen = replayCaches(problem, schedule, facts);
  const double time =
      seen.tiles * (startOfTile + cycleOfWork * cyclesOf(*network)) +
      loadMiss * seen.loadMisses + storeMiss * seen.storeMisses +
      l2Miss * seen.l2Misses + overcommit * seen.overcommitted +
      splitStore * seen.splitStores + startOfPanel * seen.panels +
      copiedLine * seen.copiedLines;
  return time * static_cast<double>(facts.lineBytes) / seen.bytes *
         movedShare(problem, schedule);
}

double permc::leastCachedCost() { return loadMiss + storeMiss; }
