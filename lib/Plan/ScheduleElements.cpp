//===- ScheduleElements.cpp - elements one by one -------------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
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
    auto lineOf = [&](size_t dim) {
      int64_t line =
          std::clamp<int64_t>(facts.lineBytes / element, 1, maxElementMoves);
      return std::min(dims[dim].size, line);
    };
    if (!src || !dst) {
      for (size_t dim : outerOrder())
        addLoop(dim, 1);
      return;
    }
    schedule.tile[*src] = lineOf(*src);
    schedule.tile[*dst] = lineOf(*dst);
    if (facts.loopTurn)
      countMoves();
    scheduleLoops(draft, {*src}, {*dst});
  }

private:
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
