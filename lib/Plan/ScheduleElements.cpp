//===- ScheduleElements.cpp - elements one by one -------------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is not transposed in lanes: elements without fast dims, larger ones, and
// those that are a lane each. The latter make tiles where registers have
// several lanes.
//
//===----------------------------------------------------------------------===//

#include "CountedTile.h"
#include "ScheduleRules.h"

#include <algorithm>

using namespace permc;

namespace {

/// Elements along each side of a tile that are moved one by one.
constexpr int64_t maxElementMoves = 5;

class ElementRules : public ScheduleRules {
public:
  using ScheduleRules::ScheduleRules;

  void scheduleElements(std::optional<size_t> src, std::optional<size_t> dst) {
    schedule.kind = KernelKind::Scalar;
    if (!src || !dst) {
      for (size_t dim : outerOrder())
        addLoop(dim, 1);
      return;
    }
    schedule.tile[*src] = lineOf(dims[*src]);
    schedule.tile[*dst] = lineOf(dims[*dst]);
    if (fillsLane() && isRectangle({*src}, {*dst}))
      schedule.kind = KernelKind::TileTranspose;
    if (facts.loopTurn)
      countMoves();
    scheduleLoops(draft, {*src}, {*dst});
  }

private:
  /// What a line has, or all if a second tile would do most of it again.
  int64_t lineOf(const LoopDim &dim) const {
    const int64_t line =
        std::clamp<int64_t>(facts.lineBytes / element, 1, maxElementMoves);
    return dim.size < 2 * line ? dim.size : line;
  }

  /// Whether elements are lanes of a register. Side by side they are stored at
  /// once: half as many stores, which is what bounds them in the caches.
  bool fillsLane() const {
    return element == laneBytes && facts.vectorBytes > laneBytes &&
           !facts.wordTiles;
  }

  /// Takes the tile that executes the least: one that goes on in dst.
  void countMoves() {
    const std::vector<size_t> order = slowestFirst(&LoopDim::dstStride);
    const std::vector<size_t> growth(order.rbegin(), order.rend());
    Schedule counted = schedule;
    counted.tile.assign(dims.size(), 1);
    counted.srcReach = counted.dstReach = facts.vectorReach;
    schedule.tile =
        countedTile(problem, facts, std::move(counted), growth, order).tile;
  }
};

} // namespace

void permc::scheduleElements(ScheduleDraft &draft, std::optional<size_t> src,
                             std::optional<size_t> dst) {
  ElementRules(draft).scheduleElements(src, dst);
}
