//===- SearchTile.cpp - tiles of even shares ------------------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tile takes whole dims of a chain from the fastest on, and a share of the
// next. All tiles of a dim are of one size, the last moved back to end with it:
// shares that come out even do little twice.
//===----------------------------------------------------------------------===//

#include "SearchTile.h"

#include "Cost/TileWork.h"

#include "permc/Plan/CeilDiv.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <optional>
#include <span>

using namespace permc;

/// Columns of a tile: less is too little work between two turns of the loop.
static constexpr int64_t minColumns = 8, maxColumns = 32;

/// Registers of rows of a tile.
static constexpr int64_t maxRowRegisters = 6;

/// Where instructions are counted and the first cache does not hold all: what a
/// wide shuffle counts, and a turn of the loop.
static constexpr double wideShuffleAway = 1.5, turnAway = 4;

/// So many steps of code count as much as the work of a tile, and another tile
/// must be so much better: the best of seven pairs that were tried on the
/// instructions of 40 random tensors of rank 3 to 5 on NEON.
static constexpr double codeSteps = 4000, worthIt = 0.95;

/// Shares of a dim that are tried.
static constexpr size_t maxShares = 4;

/// Instructions of all tiles and of so many round each, about.
static double instructionsAway(const Problem &problem, const Dims &tile,
                               const Network &network, double wideShuffle,
                               double turn) {
  constexpr int64_t easyBytes = 32;
  double all = turn;
  for (const Network::Step &step : network.steps)
    all += step.kind == Network::StepKind::Shuffle && step.bytes > easyBytes
               ? wideShuffle
               : 1;
  const std::vector<LoopDim> dims = problem.loopDims();
  for (size_t dim = 0; dim < dims.size(); ++dim)
    all *= static_cast<double>(ceilDiv(dims[dim].size, tile[dim]));
  return all;
}

double permc::workOf(const Problem &problem, const Schedule &schedule,
                     const TargetFacts &facts) {
  Result<Network> network = unprovenNetwork(problem, schedule);
  if (!network)
    return std::numeric_limits<double>::infinity();
  return facts.holdsBoth(problem.bytesMoved())
             ? allTilesWork(problem, schedule.tile, *network, facts, facts)
             : instructionsAway(problem, schedule.tile, *network,
                                /*wideShuffle=*/2, /*turn=*/0);
}

namespace {

class Shapes {
public:
  using Chain = std::span<const size_t>;

  Shapes(const Problem &problem, const TargetFacts &facts,
         const Schedule &schedule, size_t mostSteps)
      : facts(facts), dims(problem.loopDims()), element(problem.elementBytes()),
        mostSteps(mostSteps), shape(schedule) {}

  std::vector<Schedule> run(Chain columns, Chain rows) {
    for (int64_t bytes : registers())
      for (size_t i = 1; i <= rows.size(); ++i)
        for (int64_t share : rowShares(rows.first(i), bytes)) {
          shape.vectorBytes = bytes;
          takeColumns(columns, rows.first(i), share);
        }
    return std::move(found);
  }

private:
  void takeColumns(Chain columns, Chain rows, int64_t rowShare) {
    for (size_t i = 1; i <= columns.size(); ++i)
      for (int64_t share : columnShares(columns.first(i))) {
        std::ranges::fill(shape.tile, 1);
        take(rows, rowShare);
        take(columns.first(i), share);
        // To make a network takes most of the time of planning.
        if (fewestSteps(columns.first(i), rows) <= mostSteps)
          found.push_back(shape);
      }
  }

  /// Elements of 8 bytes take so few shuffles that the moves count.
  std::vector<int64_t> registers() const {
    const int64_t full = facts.vectorBytes, half = full / 2;
    if (half >= 2 * laneBytes && element <= 4)
      return {half, full};
    return {full};
  }

  int64_t inner(Chain chain) const {
    int64_t elements = 1;
    for (size_t dim : chain.first(chain.size() - 1))
      elements *= dims[dim].size;
    return elements;
  }

  /// Shares of a chain's last dim that make `fewest` to `most` elements, or
  /// what comes nearest.
  std::vector<int64_t> shares(Chain chain, int64_t fewest, int64_t most) const {
    const int64_t size = dims[chain.back()].size, each = inner(chain);
    std::vector<int64_t> found;
    int64_t tiles = std::min(size, ceilDiv(size * each, most));
    while (found.size() < maxShares) {
      const int64_t share = ceilDiv(size, tiles);
      if (!found.empty() && share * each < fewest)
        break;
      found.push_back(share);
      if (share == 1)
        break;
      // The fewest tiles that have less: there may be as many as elements.
      tiles = ceilDiv(size, share - 1);
    }
    return found;
  }

  /// Even shares of the columns, and of one dim those in whole lanes too.
  std::vector<int64_t> columnShares(Chain columns) const {
    std::vector<int64_t> found = shares(columns, minColumns, maxColumns);
    const int64_t lane = std::max(laneBytes / element, minColumns);
    if (columns.size() > 1)
      return found;
    const int64_t size = dims[columns.back()].size;
    for (int64_t whole = lane; whole <= std::min(maxColumns, size);
         whole += lane)
      found.push_back(whole);
    // A little more than a tile has is all of it: nothing is done twice.
    if (!facts.halfVectors && size > maxColumns && size < maxColumns + lane)
      found.push_back(size);
    return found;
  }

  /// Rows of one dim fill a register each, or stay below it together; some
  /// registers and a little more are all of it.
  std::vector<int64_t> rowShares(Chain rows, int64_t bytes) const {
    const int64_t units = bytes / std::bit_ceil(uint64_t(element)),
                  most = maxRowRegisters * units, size = dims[rows.back()].size;
    if (rows.size() > 1)
      return shares(rows, units / 2, most);
    if (size > units && size < most)
      return {units, size};
    return {std::min(units, size)};
  }

  void take(Chain chain, int64_t share) {
    for (size_t dim : chain)
      shape.tile[dim] = dims[dim].size;
    shape.tile[chain.back()] = share;
  }

  int64_t elementsOf(Chain chain) const {
    int64_t elements = 1;
    for (size_t dim : chain)
      elements *= shape.tile[dim];
    return elements;
  }

  /// No network of the tile has fewer: each byte is loaded and stored, and a
  /// shuffle at most doubles the number of rows that a register has parts of.
  size_t fewestSteps(Chain columns, Chain rows) const {
    if (facts.halfVectors) // whose moves do some of it
      return 0;
    const int64_t of = elementsOf(columns), by = elementsOf(rows),
                  lane = laneBytes / std::bit_ceil(uint64_t(element)),
                  mixed = std::min({of, by, lane});
    return static_cast<size_t>(ceilDiv(of * by * element, shape.vectorBytes) *
                               (1 + std::bit_width(uint64_t(mixed))));
  }

  const TargetFacts &facts;
  const std::vector<LoopDim> dims;
  const int64_t element;
  const size_t mostSteps;
  Schedule shape;
  std::vector<Schedule> found;
};

} // namespace

std::vector<Schedule>
permc::tileShapes(const Problem &problem, const TargetFacts &facts,
                  const Schedule &schedule, const std::vector<size_t> &columns,
                  const std::vector<size_t> &rows, size_t mostSteps) {
  return Shapes(problem, facts, schedule, mostSteps).run(columns, rows);
}

/// Instructions of all tiles of a schedule; more code must be worth it.
static double countedWork(const Problem &problem, const TargetFacts &facts,
                          const Schedule &schedule, size_t mostSteps) {
  Result<Network> network = unprovenNetwork(problem, schedule);
  if (!network || network->steps.size() > mostSteps)
    return std::numeric_limits<double>::infinity();
  const double work =
      facts.holdsBoth(problem.bytesMoved())
          ? allTilesWork(problem, schedule.tile, *network, facts, facts)
          : instructionsAway(problem, schedule.tile, *network, wideShuffleAway,
                             turnAway);
  return work * (1 + static_cast<double>(network->steps.size()) / codeSteps);
}

Schedule permc::searchTile(const Problem &problem, const TargetFacts &facts,
                           const Schedule &schedule,
                           const std::vector<size_t> &columns,
                           const std::vector<size_t> &rows) {
  Schedule best = schedule;
  double least = worthIt * countedWork(problem, facts, schedule,
                                       std::numeric_limits<size_t>::max());
  for (Schedule &shape :
       tileShapes(problem, facts, schedule, columns, rows, maxTileSteps))
    if (const double its = countedWork(problem, facts, shape, maxTileSteps);
        its < least) {
      least = its;
      best = std::move(shape);
    }
  return best;
}
