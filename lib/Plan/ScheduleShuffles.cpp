//===- ScheduleShuffles.cpp - Shuffle and WideShuffle ---------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The dims that fill a lane in src and those that do in dst overlap: a tile of
// small dims, all of whose lanes one network fills from all others.
//
//===----------------------------------------------------------------------===//

#include "ScheduleRules.h"

#include <algorithm>
#include <numeric>

using namespace permc;

namespace {

/// Registers that a Shuffle network may fill.
constexpr int64_t maxShuffleRegisters = 16;

class ShuffleRules : public ScheduleRules {
public:
  using ScheduleRules::ScheduleRules;

  std::vector<TileChoice> propose(size_t src, size_t dst) {
    std::vector<TileChoice> found;
    for (int64_t lane : {laneBytes, facts.vectorBytes}) {
      std::vector<size_t> columns = chain(src, &LoopDim::srcStride, lane);
      std::vector<size_t> rows = chain(dst, &LoopDim::dstStride, lane);
      Schedule before = schedule;
      if (haveCommonDim(columns, rows) && tryShuffle(columns, rows, lane)) {
        found.push_back({schedule, columns, rows});
        if (lane == laneBytes && takeAllInLanes())
          found.push_back({schedule, columns, rows});
      }
      schedule = before;
      if (!facts.wideShuffleBytes ||
          (element & -element) < facts.wideShuffleBytes)
        break;
    }
    return found;
  }

private:
  /// Makes a shuffle's tile of all there is, if a few lanes hold that.
  bool takeAllInLanes() {
    // Where loops are counted more lanes are worth their code.
    const int64_t mostLanes = countsInstructions() ? 8 : 4;
    int64_t bytes = element;
    for (size_t dim = 0; dim < dims.size() && bytes <= mostLanes * laneBytes;
         ++dim)
      bytes *= schedule.tile[dim] = dims[dim].size;
    schedule.vectorBytes = laneBytes;
    return bytes <= mostLanes * laneBytes;
  }

  /// The last dim of each chain is cut so that whole lanes come out; one of
  /// them feeds the lanes of a register.
  bool tryShuffle(const std::vector<size_t> &columns,
                  const std::vector<size_t> &rows, int64_t lane) {
    if (!facts.byteShuffle && element < 4)
      return false;
    Dims tile(dims.size(), 1);
    for (const std::vector<size_t> *chain : {&columns, &rows})
      for (size_t i = 0; i + 1 < chain->size(); ++i)
        tile[(*chain)[i]] = dims[(*chain)[i]].size;
    cutLast(columns, lane, tile);
    cutLast(rows, lane, tile);
    int64_t bytes = element;
    for (int64_t size : tile)
      bytes *= size;
    if (bytes > maxShuffleRegisters * lane)
      return false;
    bool wide = lane > laneBytes;
    if (wide)
      schedule.kernel = micro::WideShuffle{};
    else
      schedule.kernel = micro::Shuffle{};
    schedule.vectorBytes = wide ? lane : feedLanes(columns, rows, tile);
    schedule.tile = tile;
    return true;
  }

  /// Takes more of a dim, for each lane of a register as much. Returns the
  /// bytes of all lanes.
  int64_t feedLanes(const std::vector<size_t> &columns,
                    const std::vector<size_t> &rows, Dims &tile) const {
    size_t feed = rows.back();
    if (std::find(rows.begin(), rows.end() - 1, columns.back()) ==
            rows.end() - 1 &&
        tile[columns.back()] > tile[feed])
      feed = columns.back();
    int64_t lanes = facts.vectorBytes / laneBytes;
    while (lanes > 1 && tile[feed] * lanes > dims[feed].size)
      lanes /= 2;
    tile[feed] *= lanes;
    return lanes * laneBytes;
  }

  /// How much of a chain's last dim makes whole lanes.
  void cutLast(const std::vector<size_t> &chain, int64_t lane,
               Dims &tile) const {
    size_t last = chain.back();
    int64_t inner = element;
    for (size_t i = 0; i + 1 < chain.size(); ++i)
      inner *= dims[chain[i]].size;
    int64_t whole = lane / std::gcd(lane, inner);
    tile[last] = std::max(tile[last], std::min(whole, dims[last].size));
  }
};

} // namespace

std::vector<TileChoice> permc::proposeShuffles(const ScheduleDraft &draft,
                                               size_t src, size_t dst) {
  ScheduleDraft own(draft.problem, draft.facts, draft.dstStartsLine);
  return ShuffleRules(own).propose(src, dst);
}
