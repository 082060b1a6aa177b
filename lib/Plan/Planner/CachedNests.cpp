//===- CachedNests.cpp - the nest of the least cost in the caches ---------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Candidates are the rules' tile and a few others, along src and along dst,
// with blocks of either side or without, and panels of some sizes. The cost
// model ranks them. Most tensors have no set conflicts, and the rules' choice
// is near the least there can be: then nothing else is looked at.
//
//===----------------------------------------------------------------------===//

#include "CachedNests.h"

#include "../Cost/CachedCost.h"
#include "../SearchTile.h"

#include <algorithm>
#include <bit>
#include <span>

using namespace permc;

namespace {

/// A candidate must be so much better than the rules' choice: the model is not
/// that good.
constexpr double worthChanging = 0.85;

/// What is within this factor of the least possible cost is good enough.
constexpr double goodEnough = 1.8;

/// Bytes of a tile along src and along dst. Small elements take many shuffles
/// for each register, and few rows of them few sets.
struct TileBytes {
  int64_t alongSrc, alongDst;
};
constexpr TileBytes ofBytes[] = {{32, 8}, {32, 16}, {16, 16}},
                    ofHalfWords[] = {{64, 16}, {32, 32}, {16, 32}},
                    ofWords[] = {{64, 32}, {32, 32}, {32, 64}};

std::span<const TileBytes> tileSizes(int64_t element) {
  return element == 1   ? std::span(ofBytes)
         : element == 2 ? std::span(ofHalfWords)
                        : std::span(ofWords);
}

/// Elements of a block of either side.
constexpr int64_t blockElements = 64;

class NestSearch {
public:
  NestSearch(const Problem &problem, const TargetFacts &facts, Schedule chosen,
             size_t column, size_t row)
      : problem(problem), facts(facts), dims(problem.loopDims()),
        element(problem.elementBytes()), column(column), row(row),
        best(std::move(chosen)), least(cachedCost(problem, best, facts)) {
    for (const Loop &loop : best.loops)
      if (!isOfTile(loop.dim))
        outer.push_back(loop);
  }

  Schedule run() {
    if (least <= goodEnough * leastCachedCost())
      return best;
    least *= worthChanging;
    const Schedule chosen = best;
    for (const Schedule &tile : tiles(chosen)) {
      proposeNests(tile);
      proposePanels(tile);
    }
    return best;
  }

private:
  bool isOfTile(int64_t dim) const {
    return dim == static_cast<int64_t>(column) ||
           dim == static_cast<int64_t>(row);
  }

  /// The rules' tile, and those of other sizes if it has two dims.
  std::vector<Schedule> tiles(const Schedule &chosen) const {
    std::vector<Schedule> found;
    Schedule tile = chosen;
    tile.loops.clear();
    found.push_back(tile);
    for (size_t dim = 0; dim < dims.size(); ++dim)
      if (tile.tile[dim] > 1 && dim != column && dim != row)
        return found;
    for (const TileBytes &size : tileSizes(element)) {
      tile.tile[column] = size.alongSrc / element;
      tile.tile[row] = size.alongDst / element;
      if (std::has_single_bit(uint64_t(element)) && element <= 8 &&
          tile.tile[column] <= dims[column].size &&
          tile.tile[row] <= dims[row].size && tile.tile != chosen.tile)
        found.push_back(tile);
    }
    return found;
  }

  void proposeNests(const Schedule &tile) {
    for (auto [first, second] :
         {std::pair(column, row), std::pair(row, column)}) {
      Schedule nest = tile;
      nest.loops = outer;
      addLoop(nest, first, nest.tile[first]);
      addLoop(nest, second, nest.tile[second]);
      consider(nest);
      // The same within blocks of what the inner loop goes along.
      if (blockElements <= nest.tile[second] ||
          blockElements % nest.tile[second] != 0)
        continue;
      nest.loops = outer;
      addLoop(nest, second, blockElements);
      addLoop(nest, first, nest.tile[first]);
      addLoop(nest, second, nest.tile[second]);
      consider(nest);
    }
  }

  /// Rows of src are used up a few at a time, for they may share sets; those of
  /// the panel do not.
  void proposePanels(const Schedule &tile) {
    for (int64_t columns : {32, 64})
      for (int64_t rows : {64, 128}) {
        Schedule panels = tile;
        panels.prefetchBytes = 0;
        panels.panel = tile.tile;
        panels.loops = outer;
        if (!growTo(panels, column, columns) || !growTo(panels, row, rows))
          continue;
        addLoop(panels, column, panels.panel[column]);
        addLoop(panels, row, panels.panel[row]);
        for (size_t dim : {row, column})
          if (tile.tile[dim] < panels.panel[dim])
            panels.loops.push_back({static_cast<int64_t>(dim), tile.tile[dim]});
        if (hasPanelBytes(panels))
          consider(panels);
      }
  }

  /// Gives a panel so many elements of a dim, in whole tiles, or all of it.
  bool growTo(Schedule &panels, size_t dim, int64_t elements) const {
    int64_t &panel = panels.panel[dim];
    if (elements >= dims[dim].size)
      panel = dims[dim].size;
    else if (elements % panel == 0)
      panel = elements;
    else
      return false;
    return true;
  }

  /// Enough to be worth its two stages, and no more than the first cache holds.
  bool hasPanelBytes(const Schedule &panels) const {
    constexpr int64_t minPanelBytes = 2 << 10;
    const PanelStage stage = panelStage(problem, panels);
    return stage.bufferBytes >= minPanelBytes &&
           stage.bufferBytes <= 2 * facts.l1Bytes &&
           stage.rowBytes <= maxCopiedRowBytes;
  }

  void addLoop(Schedule &nest, size_t dim, int64_t step) const {
    if (step < dims[dim].size)
      nest.loops.push_back({static_cast<int64_t>(dim), step});
  }

  void consider(const Schedule &candidate) {
    const double cost = cachedCost(problem, candidate, facts);
    if (cost >= least || !checkSchedule(problem, candidate))
      return;
    least = cost;
    best = candidate;
  }

  const Problem &problem;
  const TargetFacts &facts;
  const std::vector<LoopDim> dims;
  const int64_t element;
  const size_t column, row;
  std::vector<Loop> outer; ///< along other dims
  Schedule best;
  double least;
};

} // namespace

Schedule permc::leastCachedNest(const Problem &problem,
                                const TargetFacts &facts, Schedule chosen,
                                size_t column, size_t row) {
  return NestSearch(problem, facts, std::move(chosen), column, row).run();
}
