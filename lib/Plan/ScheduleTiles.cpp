//===- ScheduleTiles.cpp - TileTranspose ----------------------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tile is a few registers of rows, which are contiguous in dst, and some
// columns, which are in src. Both take in the dims next to the fast one until a
// lane is full. It is then made smaller if its network has too many steps, and
// compared with others: the tile of the least work, one that is moved several
// vectors at a time, and a shuffle.
//
//===----------------------------------------------------------------------===//

#include "permc/Plan/CeilDiv.h"
#include "permc/Plan/LoopOrder.h"
#include "permc/Plan/TargetPlanner.h"

#include "ScheduleRules.h"
#include "SearchTile.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

using namespace permc;

namespace {

/// Columns of a transposed tile: enough work between two turns of the loop.
constexpr int64_t columnElements = 16;

class TileRules : public ScheduleRules {
public:
  using ScheduleRules::ScheduleRules;

  void scheduleOver(size_t src, size_t dst) {
    const std::vector<TileChoice> shuffles = proposeShuffles(draft, src, dst);
    std::vector<size_t> columns = chain(src, &LoopDim::srcStride, laneBytes);
    std::vector<size_t> rows = chain(dst, &LoopDim::dstStride, laneBytes);
    if (haveCommonDim(columns, rows) || !isRectangle(columns, rows)) {
      columns = {src};
      rows = {dst};
    }
    // A src that overlaps itself can defy even that.
    if (!isRectangle(columns, rows)) {
      if (!shuffles.empty())
        return take(*leastWork(shuffles));
      return scheduleElements(draft, src, dst);
    }
    schedule.kernel = micro::TileTranspose{};
    const std::vector<size_t> few = rows;
    if (draft.ranks())
      return rank(columns, few, shuffles);
    rows = fillRegisters(columns, few, registerBytes(few));
    const bool searched = search(columns, rows, few);
    fitSmall(columns, rows);
    if (const auto shuffle = leastWork(shuffles);
        shuffle && workOf(problem, shuffle->schedule, facts) <=
                       workOf(problem, schedule, facts))
      return take(*shuffle);
    if (!searched)
      schedule = withSeveralMoves(columns, rows);
    scheduleLoops(draft, columns, rows);
  }

private:
  /// Proposes tiles and nests round them, and those of a shuffle; the least
  /// cost is taken.
  void rank(const std::vector<size_t> &columns, const std::vector<size_t> &few,
            const std::vector<TileChoice> &shuffles) {
    const std::vector<size_t> wide = moreRows(columns, few, facts.vectorBytes),
                              more = searchedColumns(columns, wide);
    const Schedule empty = schedule;
    const auto round = [&](const Schedule &tile, Nests number) {
      schedule = tile;
      proposeLoops(draft, {slowestTaken(more)}, {slowestTaken(wide)}, number);
    };
    for (const Schedule &tile : proposeTiles(columns, few, more, wide))
      round(tile, Nests::Few);
    for (const Schedule &tile : bestTiles())
      round(tile, Nests::All);
    if (draft.mayStream()) {
      schedule = empty;
      fillRegisters(columns, few, facts.vectorBytes);
      if (tryWholeLines(draft, columns, wide))
        draft.propose(schedule);
    }
    for (const TileChoice &shuffle : shuffles) {
      schedule = shuffle.schedule;
      proposeLoops(draft, shuffle.columns, shuffle.rows);
    }
    takeLeastCost(draft);
  }

  /// Tiles that fill registers of either width, and those of the least work of
  /// each height and width.
  std::vector<Schedule> proposeTiles(const std::vector<size_t> &columns,
                                     const std::vector<size_t> &few,
                                     const std::vector<size_t> &more,
                                     const std::vector<size_t> &wide) {
    std::vector<Schedule> tiles;
    auto add = [&](const Schedule &tile) {
      if (std::ranges::find(tiles, tile) == tiles.end())
        tiles.push_back(tile);
    };
    const Schedule empty = schedule;
    for (int64_t bytes : {registerBytes(wide), facts.vectorBytes}) {
      schedule = empty;
      fillRegisters(columns, few, bytes);
      while (!isCompact(maxTileSteps) && halveTile()) {
      }
      add(schedule);
    }
    if (isSmall()) {
      for (size_t dim = 0; dim < dims.size(); ++dim)
        schedule.tile[dim] = dims[dim].size;
      add(schedule);
    }
    for (const Schedule &tile : leastWork(tileShapes(
             problem, facts, tiles.front(), more, wide, maxTileSteps)))
      add(tile);
    return tiles;
  }

  /// Of tiles with as many rows in registers of one width those of the least
  /// work, and of them the best: more alike would be no more choice.
  std::vector<Schedule> leastWork(const std::vector<Schedule> &shapes) {
    constexpr size_t mostAlike = 2, mostTiles = 8;
    std::vector<std::pair<double, size_t>> order;
    for (size_t i = 0; i < shapes.size(); ++i)
      order.emplace_back(draft.model.workOfTiles(shapes[i], maxTileSteps), i);
    std::ranges::sort(order);
    std::vector<Schedule> best;
    for (auto [work, i] : order) {
      const Schedule &shape = shapes[i];
      const auto alike = std::ranges::count_if(best, [&](const Schedule &one) {
        return one.vectorBytes == shape.vectorBytes &&
               rowBytes(one) == rowBytes(shape);
      });
      if (std::isfinite(work) && static_cast<size_t>(alike) < mostAlike &&
          best.size() < mostTiles)
        best.push_back(shape);
    }
    return best;
  }

  /// Contiguous bytes of dst that a tile stores.
  int64_t rowBytes(const Schedule &tile) const {
    int64_t bytes = element;
    for (size_t dim : chain(dstFast(), &LoopDim::dstStride, facts.vectorBytes))
      bytes *= tile.tile[dim];
    return bytes;
  }

  size_t dstFast() const {
    return *fastDim(dims, &LoopDim::dstStride, element);
  }

  /// The tiles of the best proposals.
  std::vector<Schedule> bestTiles() const {
    constexpr size_t mostTiles = 3;
    std::vector<Schedule> tiles;
    for (auto [ns, i] : draft.leastFirst()) {
      const Schedule &one = draft.proposals[i].schedule;
      Schedule tile = schedule;
      tile.tile = one.tile;
      tile.vectorBytes = one.vectorBytes;
      if (tiles.size() < mostTiles &&
          std::ranges::find(tiles, tile) == tiles.end())
        tiles.push_back(tile);
    }
    return tiles;
  }

  /// Fills the tile. A register takes more rows than the few of a lane if there
  /// are any. Returns those that it took.
  std::vector<size_t> fillRegisters(const std::vector<size_t> &columns,
                                    const std::vector<size_t> &few,
                                    int64_t bytes) {
    auto unit = static_cast<int64_t>(std::bit_ceil(uint64_t(element)));
    std::vector<size_t> rows = moreRows(columns, few, facts.vectorBytes);
    schedule.vectorBytes = bytes;
    schedule.tile.assign(dims.size(), 1);
    auto fill = [&] {
      fillTile(columns, columnElements);
      evenColumns(columns);
      fillTile(rows, schedule.vectorBytes / unit);
    };
    fill();
    if (!isCompact()) {
      schedule.tile.assign(dims.size(), 1);
      rows = few;
      fill();
    }
    while (!isCompact() && halveTile()) {
    }
    return rows;
  }

  /// The shuffle of the fewest instructions.
  std::optional<TileChoice>
  leastWork(const std::vector<TileChoice> &shuffles) const {
    std::optional<TileChoice> best;
    double least = 0;
    for (const TileChoice &one : shuffles)
      if (const double work = workOf(problem, one.schedule, facts);
          !best || work < least) {
        best = one;
        least = work;
      }
    return best;
  }

  /// Takes the tile of the least work. NEON's moves of several registers are
  /// chosen by what addresses cost, and for two dims only; there a tile that
  /// has others is searched for if there are no such moves. Returns whether it
  /// was.
  bool search(const std::vector<size_t> &columns,
              const std::vector<size_t> &rows, const std::vector<size_t> &few) {
    if (!facts.halfVectors) {
      schedule = searchTile(columns, moreRows(columns, few, facts.vectorBytes));
      return false;
    }
    if (dims.size() <= 2)
      return false;
    const Schedule several = withSeveralMoves(columns, rows);
    const auto &moves = fieldsOf<micro::TileTranspose>(several);
    if (moves.vectorPairs || moves.stepping)
      return false;
    // Registers are short: rows of two are tried.
    schedule =
        searchTile(columns, moreRows(columns, few, 2 * facts.vectorBytes));
    return true;
  }

  /// Moves of several registers, for a tile of two dims.
  Schedule withSeveralMoves(const std::vector<size_t> &columns,
                            const std::vector<size_t> &rows) const {
    if (!facts.planner || columns.size() > 1 || rows.size() > 1)
      return schedule;
    return facts.planner->joinMoves(problem, facts, schedule, columns.front(),
                                    rows.front());
  }

  /// One tile of all there is, if that is little, and moves no wider than it.
  void fitSmall(const std::vector<size_t> &columns,
                const std::vector<size_t> &rows) {
    if (isSmall())
      for (size_t dim = 0; dim < dims.size(); ++dim)
        schedule.tile[dim] = dims[dim].size;
    if (facts.halfVectors && fitsHalfVectors(columns) && fitsHalfVectors(rows))
      schedule.vectorBytes = laneBytes / 2;
    if (facts.loadsHalves && element == laneBytes / 2 && isSmall())
      schedule.vectorBytes = element;
  }

  /// The width of registers that rows fill best. One of 64 bytes takes as long
  /// to shuffle as two of half its size. Larger elements take so few shuffles
  /// that the moves count, and rows of several dims are cut to fit.
  int64_t registerBytes(const std::vector<size_t> &rows) const {
    const auto unit = static_cast<int64_t>(std::bit_ceil(uint64_t(element)));
    int64_t full = facts.vectorBytes, half = full / 2;
    int64_t bytes = unit * dims[rows.front()].size;
    bool filled =
        bytes > full && ceilDiv(bytes, half) >= 2 * ceilDiv(bytes, full);
    if (element >= 4 || half < 32 || rows.size() > 1 || filled)
      return full;
    return half;
  }

  Schedule searchTile(const std::vector<size_t> &columns,
                      const std::vector<size_t> &rows) const {
    return permc::searchTile(problem, facts, schedule,
                             searchedColumns(columns, rows), rows);
  }

  /// The columns' chain made longer, if it stays a rectangle with the rows.
  std::vector<size_t> searchedColumns(const std::vector<size_t> &columns,
                                      const std::vector<size_t> &rows) const {
    std::vector<size_t> more =
        chain(columns.front(), &LoopDim::srcStride, columnElements * element);
    const bool fits = more.size() > columns.size() &&
                      !haveCommonDim(more, rows) && isRectangle(more, rows);
    return fits ? more : columns;
  }

  /// The last dim of a chain that the tile has more than one element of.
  size_t slowestTaken(const std::vector<size_t> &chain) const {
    auto taken = std::find_if(chain.rbegin(), chain.rend(), [&](size_t dim) {
      return schedule.tile[dim] > 1;
    });
    return taken == chain.rend() ? chain.front() : *taken;
  }

  /// Whether a few registers of one lane hold all: no loop is worth its start.
  bool isSmall() const {
    constexpr int64_t maxLanes = 16;
    return facts.vectorBytes == laneBytes && dims.size() == 2 &&
           dims[0].size * dims[1].size <= maxLanes * laneBytes / element;
  }

  /// Whether half a lane holds what the tile has of a chain.
  bool fitsHalfVectors(const std::vector<size_t> &chain) const {
    int64_t bytes = element;
    for (size_t dim : chain)
      bytes *= schedule.tile[dim];
    return std::has_single_bit(uint64_t(element)) && bytes <= laneBytes / 2;
  }

  /// Halves the tile along the dim in which it is longest, while it has one.
  bool halveTile() {
    int64_t &longest = *std::ranges::max_element(schedule.tile);
    if (longest <= 2)
      return false;
    longest = ceilDiv(longest, 2);
    return true;
  }

  /// Takes whole dims of a chain but for the last. Of that it takes all if that
  /// is not much, or what makes a multiple of `count` elements, or what fits.
  void fillTile(const std::vector<size_t> &chain, int64_t count) {
    int64_t inner = 1;
    for (size_t i = 0; i + 1 < chain.size(); ++i) {
      schedule.tile[chain[i]] = dims[chain[i]].size;
      inner *= dims[chain[i]].size;
    }
    int64_t size = dims[chain.back()].size;
    int64_t even = count / std::gcd(count, inner);
    bool small = even * inner <= 4 * count && even <= size;
    int64_t last = small ? even : std::max<int64_t>(count / inner, 1);
    if (chain.size() > 1 && inner * size <= 4 * count)
      last = size;
    schedule.tile[chain.back()] = std::min(last, size);
  }

  /// The last tile is moved back over its neighbour, and should not do much of
  /// it again. A dim that is a little longer than a tile is taken whole, of
  /// another an even share, both in whole lanes.
  void evenColumns(const std::vector<size_t> &columns) {
    int64_t &tile = schedule.tile[columns.back()];
    int64_t size = dims[columns.back()].size;
    if (tile == size || columns.size() > 1)
      return;
    int64_t lane = std::max<int64_t>(laneBytes / element, 1);
    int64_t share = ceilDiv(ceilDiv(size, ceilDiv(size, tile)), lane) * lane;
    bool whole = 2 * size <= 3 * tile && size % lane == 0;
    tile = whole ? size : std::min(share, tile);
  }

  void take(const TileChoice &choice) {
    schedule = choice.schedule;
    scheduleLoops(draft, choice.columns, choice.rows);
  }
};

} // namespace

void permc::scheduleTiles(ScheduleDraft &draft, size_t src, size_t dst) {
  TileRules(draft).scheduleOver(src, dst);
}
