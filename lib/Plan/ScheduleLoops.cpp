//===- ScheduleLoops.cpp - loops round tiles ------------------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is streamed goes its own ways; CachedLoops.h says how the rest does.
//
//===----------------------------------------------------------------------===//

#include "permc/Plan/CachedLoops.h"

#include "Planner/CachedNests.h"
#include "ScheduleRules.h"

using namespace permc;

namespace {

class LoopRules : public ScheduleRules {
public:
  using ScheduleRules::ScheduleRules;

  void scheduleRound(const std::vector<size_t> &columns,
                     const std::vector<size_t> &rows) {
    const size_t column = columns.back(), row = rows.back();
    if (streams()) {
      if (tryPanelsForParts(draft, column, row))
        return;
      if (tryStreamTiles(draft)) {
        if (column != row)
          return scheduleStreamedTiles(draft, column, row);
      } else if (tryPanels(draft, column, row)) {
        return;
      }
    }
    if (column != row)
      return scheduleCachedTiles(column, row);
    for (size_t dim : outerOrder())
      if (dim != row)
        addLoop(dim, schedule.tile[dim]);
    addLoop(row, schedule.tile[row]);
  }

private:
  /// Columns that share few sets of the first cache are no more than keep
  /// their lines until the next tile writes to them: twice as fast on Zen 3.
  void limitColumns(size_t column) {
    if (!facts.l1Ways)
      return;
    int64_t &columns = schedule.tile[column];
    const int64_t most = facts.linesHeld(dims[column].dstStride) / 2;
    // Whole registers remain.
    while (columns > most &&
           columns * element % (2 * schedule.vectorBytes) == 0)
      columns /= 2;
  }

  void scheduleCachedTiles(size_t column, size_t row) {
    limitColumns(column);
    CachedLoops loops(dims, element, schedule.tile, problem.bytesMoved(),
                      facts);
    // Where moves step on by themselves each column has an address.
    const bool alongDst = (schedule.stepping && schedule.vectorPairs) ||
                          loops.goesAlongDst(column, row);
    for (const Loop &loop : loops.choose(column, row, alongDst))
      schedule.loops.push_back(loop);
    schedule.prefetchBytes = loops.srcAhead(column, row);
    if (foreseesConflicts())
      schedule = leastCachedNest(problem, facts, schedule, column, row);
  }

  /// Whether it is known which sets lines fall into, and there is more than the
  /// first cache holds of them, but not so much that tiles wait for the memory:
  /// of that the cost model knows nothing, nor of more dims than a matrix has.
  bool foreseesConflicts() const {
    constexpr int64_t mostBytes = 9 << 20;
    return dims.size() == 2 && problem.bytesMoved() <= mostBytes &&
           facts.l1Ways && facts.l2Ways && !schedule.streaming &&
           schedule.kind == KernelKind::TileTranspose && !schedule.stepping &&
           !schedule.vectorPairs && !schedule.pairAlignment &&
           !facts.holdsBoth(problem.bytesMoved());
  }
};

} // namespace

void permc::scheduleLoops(ScheduleDraft &draft,
                          const std::vector<size_t> &columns,
                          const std::vector<size_t> &rows) {
  LoopRules(draft).scheduleRound(columns, rows);
}
