//===- SearchTile.cpp - the tile that takes the least work ----------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tile takes whole dims of a chain from the fastest on, and a share of the
// next. All tiles of a dim are of one size, the last moved back to end with it:
// shares that come out even do little twice.
//
// That each step takes as long as any other was found by measuring some 150
// tiles of 1 to 8 bytes in matrices like 37x53 and 64x64 (Sapphire Rapids): of
// the tiles of one matrix, the one of the least work was the fastest in all
// cases but those of 8 bytes in half registers, and within 3 % otherwise. The
// numbers for larger tensors are from random ones of 30 KB to 10 MB: 11 and 5 %
// faster in the mean, none more than 5 % slower.
//
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

/// Steps of a tile: compiling must stay quick, and more gain little. Those of
/// panels, which streamed tensors have, wait for the memory besides.
static constexpr size_t maxSteps = 400, maxStreamedSteps = 200;

/// Columns of a tile: less is too little work between two turns of the loop.
static constexpr int64_t minColumns = 8, maxColumns = 32;

/// Registers of rows of a tile.
static constexpr int64_t maxRowRegisters = 6;

/// Beyond the first cache tiles wait for lines, and what counts is how many
/// instructions are in the way of the next miss: what a wide shuffle counts,
/// a turn of the loop, and what the work of another tile may be at most.
static constexpr double wideShuffleAway = 1.5, turnAway = 4, worthAway = 0.85;

/// So many steps of code count as much as the work of a tile: more where the
/// first cache holds both tensors. NEON's registers
/// are short, so that a tile of as many bytes is more steps; there the numbers
/// are the best of seven pairs that were tried on the instructions of 40 random
/// tensors of rank 3 to 5.
static constexpr double cachedCodeSteps = 2000, codeSteps = 1000,
                        shortCodeSteps = 4000;
static constexpr double worthShort = 0.95;

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

class TileSearch {
public:
  using Chain = std::span<const size_t>;

  TileSearch(const Problem &problem, const TargetFacts &facts,
             Schedule schedule)
      : problem(problem), facts(facts), dims(problem.loopDims()),
        element(problem.elementBytes()), tried(std::move(schedule)),
        best(tried), least(costOfAll(std::numeric_limits<size_t>::max())) {
    if (facts.halfVectors)
      least *= worthShort;
    else if (!inFirstCache())
      least *= worthAway;
  }

  Schedule run(Chain columns, Chain rows) {
    for (int64_t bytes : registers())
      for (size_t i = 1; i <= rows.size(); ++i)
        for (int64_t share : rowShares(rows.first(i), bytes)) {
          tried.vectorBytes = bytes;
          tryColumns(columns, rows.first(i), share);
        }
    return best;
  }

private:
  void tryColumns(Chain columns, Chain rows, int64_t rowShare) {
    for (size_t i = 1; i <= columns.size(); ++i)
      for (int64_t share : columnShares(columns.first(i))) {
        std::ranges::fill(tried.tile, 1);
        take(rows, rowShare);
        take(columns.first(i), share);
        compare(columns.first(i), rows);
      }
  }

  bool inFirstCache() const { return facts.holdsBoth(problem.bytesMoved()); }

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
      tried.tile[dim] = dims[dim].size;
    tried.tile[chain.back()] = share;
  }

  void compare(Chain columns, Chain rows) {
    const bool streamed =
        facts.streamingStores && problem.bytesMoved() >= facts.streamedBytes();
    const size_t mostSteps = streamed ? maxStreamedSteps : maxSteps;
    // To make a network takes most of the search's time.
    if (fewestSteps(columns, rows) > mostSteps)
      return;
    double cost = costOfAll(mostSteps);
    if (cost >= least)
      return;
    least = cost;
    best = tried;
  }

  int64_t elementsOf(Chain chain) const {
    int64_t elements = 1;
    for (size_t dim : chain)
      elements *= tried.tile[dim];
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
    return static_cast<size_t>(ceilDiv(of * by * element, tried.vectorBytes) *
                               (1 + std::bit_width(uint64_t(mixed))));
  }

  double costOfAll(size_t mostSteps) const {
    Result<Network> network = unprovenNetwork(problem, tried);
    if (!network || network->steps.size() > mostSteps)
      return std::numeric_limits<double>::infinity();
    return withCode(
        inFirstCache()
            ? allTilesWork(problem, tried.tile, *network, facts, facts)
            : instructionsAway(problem, tried.tile, *network, wideShuffleAway,
                               turnAway),
        network->steps.size());
  }

  /// More code must be worth it.
  double withCode(double work, size_t steps) const {
    const double most = facts.halfVectors ? shortCodeSteps
                        : inFirstCache()  ? cachedCodeSteps
                                          : codeSteps;
    return work * (1 + static_cast<double>(steps) / most);
  }

  const Problem &problem;
  const TargetFacts &facts;
  const std::vector<LoopDim> dims;
  const int64_t element;
  Schedule tried, best;
  double least; ///< what others must cost less than
};

} // namespace

Schedule permc::searchTile(const Problem &problem, const TargetFacts &facts,
                           Schedule schedule,
                           const std::vector<size_t> &columns,
                           const std::vector<size_t> &rows) {
  return TileSearch(problem, facts, std::move(schedule)).run(columns, rows);
}
