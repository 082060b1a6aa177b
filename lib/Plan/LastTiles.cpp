//===- LastTiles.cpp - tiles of another size at the end of a dim ----------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "permc/Plan/LastTiles.h"

#include "permc/Plan/LoopOrder.h"

#include <algorithm>

using namespace permc;

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

Schedule permc::pieceSchedule(const Problem &piece, const Schedule &whole,
                              const Dims &tile) {
  Schedule schedule = whole;
  auto &moves = std::get<micro::TileTranspose>(schedule.kernel);
  moves.lastTile.clear();
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
  if (moves.vectorPairs || moves.stepping)
    moves.srcReach = moves.dstReach = {};
  moves.vectorPairs = false;
  moves.stepping = 0;
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
  const Dims lastTile = fieldsOf<micro::TileTranspose>(schedule).lastTile;
  Schedule whole = schedule;
  if (auto *tiles = getIf<micro::TileTranspose>(whole))
    tiles->lastTile.clear();
  std::vector<TiledPiece> pieces;
  pieces.push_back(
      {canonical, std::move(whole), Dims(schedule.tile.size(), 0)});
  for (size_t dim = 0; dim < lastTile.size(); ++dim) {
    const int64_t tile = schedule.tile[dim], last = lastTile[dim];
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
