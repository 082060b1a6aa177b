//===- LastTiles.cpp - tiles of another size at the end of a dim ----------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "permc/Plan/LastTiles.h"

#include "permc/Plan/CeilDiv.h"
#include "permc/Plan/LoopOrder.h"
#include "permc/Plan/Split.h"

#include <algorithm>
#include <bit>

using namespace permc;

/// Smaller last tiles are code of their own: they must save this share of all
/// that is done, in percent, and what a nest of loops takes to start.
static constexpr int64_t worthPercent = 2, nestStart = 10;

/// Sets what a dim (in output order) has in a problem.
static Problem resized(const Problem &problem, const Dims &sizes) {
  Dims shape(sizes.size());
  for (size_t dim = 0; dim < sizes.size(); ++dim)
    shape[problem.perm()[dim]] = sizes[dim];
  // A part of a valid problem is valid.
  return *Problem::makeWithByteStrides(problem.elementBytes(), std::move(shape),
                                       problem.perm(), problem.srcByteStrides(),
                                       problem.dstByteStrides());
}

/// Bytes of a tile that follow one another in dst.
static int64_t columnBytes(const Problem &problem, const Schedule &schedule) {
  const std::vector<LoopDim> dims = problem.loopDims();
  int64_t bytes = problem.elementBytes();
  for (size_t dim = 0; dim < dims.size(); ++dim)
    if (isRow(dims[dim]))
      bytes *= schedule.tile[dim];
  return bytes;
}

/// The schedule of a piece with other tiles. Only whole ones are moved several
/// vectors at a time.
static Schedule pieceSchedule(const Problem &piece, const Schedule &whole,
                              const Dims &tile) {
  Schedule schedule = whole;
  schedule.lastTile.clear();
  schedule.tile = tile;
  const std::vector<LoopDim> dims = piece.loopDims();
  schedule.loops.clear();
  schedule.unitLoops = 0;
  for (size_t i = 0; i < whole.loops.size(); ++i) {
    const Loop &loop = whole.loops[i];
    if (loop.step >= dims[static_cast<size_t>(loop.dim)].size)
      continue;
    schedule.loops.push_back(loop);
    if (i < whole.unitLoops)
      ++schedule.unitLoops;
  }
  if (tile == whole.tile)
    return schedule;
  if (schedule.vectorPairs || schedule.stepping)
    schedule.srcReach = schedule.dstReach = {};
  schedule.vectorPairs = false;
  schedule.stepping = 0;
  if (columnBytes(piece, schedule) <= laneBytes / 2)
    schedule.vectorBytes = std::min(schedule.vectorBytes, laneBytes / 2);
  return schedule;
}

int64_t TiledPiece::offset(int64_t LoopDim::*stride) const {
  const std::vector<LoopDim> dims = problem.loopDims();
  int64_t bytes = 0;
  for (size_t dim = 0; dim < dims.size(); ++dim)
    bytes += start[dim] * dims[dim].*stride;
  return bytes;
}

std::vector<TiledPiece> permc::piecesOf(const Problem &canonical,
                                        const Schedule &schedule,
                                        std::span<const int64_t> boxed) {
  Schedule whole = schedule;
  whole.lastTile.clear();
  std::vector<TiledPiece> pieces;
  pieces.push_back(
      {canonical, std::move(whole), Dims(schedule.tile.size(), 0)});
  for (size_t dim = 0; dim < schedule.lastTile.size(); ++dim) {
    const int64_t tile = schedule.tile[dim], last = schedule.lastTile[dim];
    if (last == tile ||
        std::ranges::find(boxed, static_cast<int64_t>(dim)) != boxed.end())
      continue;
    for (size_t i = 0, count = pieces.size(); i < count; ++i) {
      TiledPiece &first = pieces[i];
      Dims sizes = first.problem.outShape(), tiles = first.schedule.tile;
      TiledPiece end = first;
      end.start[dim] = sizes[dim] - last;
      sizes[dim] -= sizes[dim] % tile;
      first.problem = resized(canonical, sizes);
      first.schedule = pieceSchedule(first.problem, first.schedule, tiles);
      sizes[dim] = tiles[dim] = last;
      end.problem = resized(canonical, sizes);
      end.schedule = pieceSchedule(end.problem, end.schedule, tiles);
      pieces.push_back(std::move(end));
    }
  }
  return pieces;
}

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
    schedule.lastTile = std::move(last);
    // There may be no network for what is left of two dims.
    if (!checkSchedule(problem, schedule))
      schedule.lastTile.clear();
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
    int64_t visits = 1;
    for (size_t other = 0; other < dims.size(); ++other)
      if (other != dim)
        visits *= ceilDiv(dims[other].size, schedule.tile[other]);
    const int64_t all = ceilDiv(dims[dim].size, tile) * visits * whole,
                  saved = visits * (whole - least) - nestStart;
    return 100 * saved >= worthPercent * all ? best : tile;
  }

  /// About what one tile executes.
  std::optional<int64_t> instructions(const Dims &tile) const {
    const Schedule tiles = pieceSchedule(problem, schedule, tile);
    Result<Network> network = tileNetwork(problem, tiles);
    if (!network)
      return std::nullopt;
    const bool several = tiles.vectorPairs || tiles.stepping,
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
  if (!facts.ownLastTiles || schedule.kind != KernelKind::TileTranspose ||
      schedule.streaming || !schedule.panel.empty() || schedule.pairAlignment)
    return schedule;
  return LastTiles(canonical, facts, std::move(schedule)).run();
}
