//===- ChooseLastTiles.cpp - when a last tile is smaller ------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ChooseLastTiles.h"

#include "permc/Plan/CeilDiv.h"
#include "permc/Plan/LastTiles.h"
#include "permc/Plan/Split.h"

#include <algorithm>
#include <bit>

using namespace permc;

/// Smaller last tiles are code of their own: they must save this share of all
/// that is done, in percent, and what a nest of loops takes to start.
static constexpr int64_t worthPercent = 2, nestStart = 10;

namespace {

class LastTiles {
public:
  LastTiles(const Problem &problem, const TargetFacts &facts, Schedule schedule)
      : facts(facts), problem(problem), dims(problem.loopDims()),
        split(chooseSplit(problem, schedule)), schedule(std::move(schedule)) {}

  Schedule run() {
    const std::optional<int64_t> whole = instructions(schedule.tile);
    if (!whole)
      return schedule;
    Dims last = schedule.tile;
    for (size_t dim = 0; dim < dims.size(); ++dim)
      if (dims[dim].size % schedule.tile[dim] != 0 && !isShared(dim))
        last[dim] = cheapest(dim, *whole);
    if (last == schedule.tile)
      return schedule;
    auto &tiles = std::get<micro::TileTranspose>(schedule.kernel);
    tiles.lastTile = std::move(last);
    // There may be no network for what is left of two dims.
    if (!checkSchedule(problem, schedule))
      tiles.lastTile.clear();
    return schedule;
  }

private:
  bool isShared(size_t dim) const {
    return split.mostParts > 1 && (dim == split.dim || dim == split.outer);
  }

  /// What the last tile along a dim should have: a power of two of bytes, for
  /// which there are moves, or what is left.
  int64_t cheapest(size_t dim, int64_t whole) const {
    const int64_t tile = schedule.tile[dim], rest = dims[dim].size % tile,
                  element = problem.elementBytes();
    const auto power =
        static_cast<int64_t>(std::bit_ceil(uint64_t(rest * element)) / element);
    int64_t best = tile, least = whole;
    for (int64_t last : {rest, power}) {
      Dims tiles = schedule.tile;
      tiles[dim] = last;
      if (last >= tile)
        continue;
      if (auto count = instructions(tiles); count && *count < least) {
        best = last;
        least = *count;
      }
    }
    // Not integers: there are tensors that no machine has.
    double visits = 1;
    for (size_t other = 0; other < dims.size(); ++other)
      if (other != dim)
        visits *= static_cast<double>(
            ceilDiv(dims[other].size, schedule.tile[other]));
    const double all = static_cast<double>(ceilDiv(dims[dim].size, tile)) *
                       visits * static_cast<double>(whole),
                 saved = visits * static_cast<double>(whole - least) -
                         static_cast<double>(nestStart);
    return 100 * saved >= static_cast<double>(worthPercent) * all ? best : tile;
  }

  /// About what one tile executes.
  std::optional<int64_t> instructions(const Dims &tile) const {
    const Schedule tiles = pieceSchedule(problem, schedule, tile);
    Result<Network> network = tileNetwork(problem, tiles);
    if (!network)
      return std::nullopt;
    const auto &joined = fieldsOf<micro::TileTranspose>(tiles);
    const bool several = joined.vectorPairs || joined.stepping,
               isWhole = std::has_single_bit(uint64_t(problem.elementBytes()));
    int64_t moves = 0, shuffles = 0, moved = 0;
    for (const Network::Step &step : network->steps) {
      if (step.kind == Network::StepKind::Shuffle) {
        // A part of a register is a matter of its move.
        shuffles += step.a != step.b || !isWhole;
        continue;
      }
      // Offsets are multiples of what is moved.
      const bool needsAddress =
          facts.vectorReach != Reach{} && step.offset % step.bytes != 0;
      moves += needsAddress ? 2 : 1;
      moved += step.bytes;
    }
    return shuffles + (several ? moved / (2 * laneBytes) : moves);
  }

  const TargetFacts &facts;
  const Problem &problem;
  const std::vector<LoopDim> dims;
  const Split split;
  Schedule schedule;
};

} // namespace

Schedule permc::withLastTiles(const Problem &canonical, Schedule schedule,
                              const TargetFacts &facts) {
  if (!facts.ownLastTiles || !is<micro::TileTranspose>(schedule) ||
      schedule.streaming || schedule.panel || pairAlignment(schedule))
    return schedule;
  return LastTiles(canonical, facts, std::move(schedule)).run();
}
