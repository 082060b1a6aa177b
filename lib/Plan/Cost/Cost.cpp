//===- Cost.cpp - how long a schedule takes -------------------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tile of a schedule is a network of moves, which are counted; what is
// round it is NestCost.cpp's.
//
//===----------------------------------------------------------------------===//

#include "permc/Plan/Cost.h"

#include "TileWork.h"

#include "permc/Plan/CeilDiv.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

using namespace permc;

namespace {

/// What is known of a tile whatever its nest is.
struct CountedTile {
  size_t steps = 0; ///< 0: it is no network
  TileWork work;
};

/// Tiles that were counted, by all that decides on their networks.
using TileKey = std::vector<int64_t>;
using TileTable = std::map<TileKey, CountedTile>;

/// A schedule of a problem as the cost of nests sees it.
class ScheduleCost {
public:
  ScheduleCost(const Problem &problem, const std::vector<LoopDim> &dims,
               const Schedule &schedule, const Isa &isa, const Machine &machine)
      : problem(problem), dims(dims), schedule(schedule), isa(isa),
        machine(machine) {
    if (schedule.panel)
      stage = panelStage(problem, schedule);
  }

  std::optional<Cost> run(const NestCost &nests, TileTable &known) const {
    const CountedTile tile = countTile(known);
    // Runs of many vectors are loops of their own.
    if (tile.steps == 0 && !copiesRuns(schedule))
      return std::nullopt;
    NestView nest{.tile = schedule.tile,
                  .loops = schedule.loops,
                  .work = tile.steps ? tile.work : workOfRun(),
                  .vectorBytes = schedule.vectorBytes,
                  .moveBytes = isa.vectorBytes,
                  .copiesRuns = copiesRuns(schedule),
                  .streaming = schedule.streaming,
                  .prefetchBytes = schedule.prefetch.srcBytes,
                  .prefetchDstBytes = schedule.prefetch.dstBytes};
    if (!stage)
      return nests.of(nest);
    nest.prefetchPanelBytes = schedule.panel->prefetchBytes;
    const PanelView panel{.extent = schedule.panel->extent,
                          .rowBytes = stage->rowBytes,
                          .bufferBytes = stage->bufferBytes,
                          .wholeLines = schedule.panel->wholeLines,
                          .open = stage->open,
                          .openUnits = stage->lineUnits};
    nest.panel = &panel;
    return nests.of(nest);
  }

  CountedTile countTile(TileTable &known) const {
    auto [place, isNew] = known.try_emplace(keyOf());
    CountedTile &counted = place->second;
    if (!isNew)
      return counted;
    Result<Network> network =
        stage ? unprovenNetwork(stage->problem, stage->schedule)
              : unprovenNetwork(problem, schedule);
    if (!network)
      return counted;
    counted.steps = network->steps.size();
    counted.work = tileWork(*network, alignment(&LoopDim::srcStride),
                            stage ? laneBytes : alignment(&LoopDim::dstStride),
                            isa, machine);
    return counted;
  }

private:
  /// The dst strides of a panel's buffer are part of a network.
  TileKey keyOf() const {
    TileKey key = schedule.tile;
    key.insert(key.end(), {static_cast<int64_t>(schedule.kernel.index()),
                           schedule.vectorBytes,
                           static_cast<int64_t>(schedule.streaming)});
    if (stage)
      for (const LoopDim &dim : stage->problem.loopDims())
        key.push_back(dim.dstStride);
    return key;
  }

  int64_t alignment(int64_t LoopDim::*stride) const {
    return tileAlignment(dims, schedule.tile, stride, machine);
  }

  TileWork workOfRun() const {
    double vectors = static_cast<double>(problem.elementBytes()) /
                     static_cast<double>(isa.vectorBytes);
    for (int64_t size : schedule.tile)
      vectors *= static_cast<double>(size);
    return {.cycles = vectors * (isa.vectorBytes > 32 ? machine.wideStoreCycles
                                                      : machine.storeCycles),
            .instructions = 2 * vectors};
  }

  const Problem &problem;
  const std::vector<LoopDim> &dims;
  const Schedule &schedule;
  const Isa &isa;
  const Machine &machine;
  std::optional<PanelStage> stage;
};

} // namespace

struct CostModel::Tiles {
  Tiles(const Problem &problem, const Machine &machine)
      : dims(problem.loopDims()),
        nests({dims, problem.elementBytes(), problem.bytesMoved()}, machine) {}

  const std::vector<LoopDim> dims;
  const NestCost nests;
  TileTable known;
};

CostModel::CostModel(const Problem &canonical, const Isa &isa,
                     const Machine &machine)
    : problem(canonical), isa(isa), machine(machine),
      tiles(std::make_unique<Tiles>(canonical, machine)) {}

CostModel::~CostModel() = default;

std::optional<Cost> CostModel::cost(const Schedule &schedule) {
  if (machine.cycleNs == 0 || problem.isEmpty() || isScalable(schedule) ||
      is<micro::Interleave>(schedule) || is<micro::Gather>(schedule))
    return std::nullopt;
  return ScheduleCost(problem, tiles->dims, schedule, isa, machine)
      .run(tiles->nests, tiles->known);
}

double CostModel::workOfTiles(const Schedule &schedule, size_t mostSteps) {
  const CountedTile tile =
      ScheduleCost(problem, tiles->dims, schedule, isa, machine)
          .countTile(tiles->known);
  if (tile.steps == 0 || tile.steps > mostSteps)
    return std::numeric_limits<double>::infinity();
  double all = tile.work.cycles + machine.turnCycles;
  for (size_t dim = 0; dim < tiles->dims.size(); ++dim)
    all *=
        static_cast<double>(ceilDiv(tiles->dims[dim].size, schedule.tile[dim]));
  return all + tile.work.start;
}

std::optional<Cost> permc::cost(const Problem &canonical,
                                const Schedule &schedule, const Isa &isa,
                                const Machine &machine) {
  return CostModel(canonical, isa, machine).cost(schedule);
}

std::vector<Schedule> permc::leastCostFirst(const Problem &canonical,
                                            const TargetFacts &facts,
                                            std::vector<Schedule> schedules) {
  std::vector<std::pair<double, size_t>> order;
  CostModel model(canonical, facts, facts);
  for (size_t i = 0; i < schedules.size(); ++i) {
    const auto its = model.cost(schedules[i]);
    const double time =
        its ? its->total() : std::numeric_limits<double>::infinity();
    order.emplace_back(
        std::isnan(time) ? std::numeric_limits<double>::infinity() : time, i);
  }
  std::ranges::sort(order);
  std::vector<Schedule> sorted;
  for (auto [time, i] : order)
    sorted.push_back(std::move(schedules[i]));
  return sorted;
}
