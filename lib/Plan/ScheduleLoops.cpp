//===- ScheduleLoops.cpp - loops round tiles ------------------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For machines with times, generators propose nests that stay in the caches,
// nests that are streamed, and panels; the one of the least cost is taken.
// Others, which have instructions to count and no caches to speak of, have the
// one nest below.
//
//===----------------------------------------------------------------------===//

#include "permc/Plan/Nest.h"
#include "permc/Plan/StreamedLoops.h"

#include "Planner/Nests.h"
#include "ScheduleRules.h"

#include <algorithm>

using namespace permc;

namespace {

class LoopRules : public ScheduleRules {
public:
  using ScheduleRules::ScheduleRules;

  void scheduleRound(const std::vector<size_t> &columns,
                     const std::vector<size_t> &rows) {
    if (draft.ranks()) {
      propose(columns, rows, Nests::All);
      takeLeastCost(draft);
      return;
    }
    const size_t column = columns.back(), row = rows.back();
    if (column != row)
      return schedulePlainNest(column, row);
    for (size_t dim : outerOrder())
      if (dim != row)
        addLoop(dim, schedule.tile[dim]);
    addLoop(row, schedule.tile[row]);
  }

  /// What is worth a look round the tile as it stands, which is left as it is.
  void propose(const std::vector<size_t> &columns,
               const std::vector<size_t> &rows, Nests number) {
    const size_t column = columns.back(), row = rows.back();
    const Schedule tile = schedule;
    take(proposeNests(problem, facts, tile, column, row, number));
    // A buffer pays where rows drive each other out of the first cache.
    if (column != row && is<micro::TileTranspose>(tile) &&
        (facts.sharesSets(dims[row].srcStride) ||
         facts.sharesSets(dims[column].dstStride)))
      take(proposeCopiedPanels(problem, facts, tile, column, row));
    if (draft.mayStream()) {
      proposeStreams(column, row);
      schedule = tile;
      if (copiesRuns(tile))
        proposePanels(draft);
      else
        proposePanels(draft, column, row);
    }
    schedule = tile;
  }

  /// What is streamed is whole lines in any order: src is read in long
  /// stretches.
  void proposeStreamedRuns(size_t run) {
    for (size_t dim : slowestFirst(&LoopDim::srcStride))
      if (dim != run)
        addLoop(dim, schedule.tile[dim]);
    addLoop(run, schedule.tile[run]);
    draft.propose(schedule);
  }

private:
  void take(const std::vector<Schedule> &some) {
    for (const Schedule &one : some)
      draft.propose(one);
  }

  /// Tiles of whole lines, along src innermost and along dst.
  void proposeStreams(size_t column, size_t row) {
    // Long runs are streamed whole (ScheduleRuns.cpp).
    const bool isLongRun =
        copiesRuns(schedule) && dims[row].size * element >= minStreamedRunBytes;
    if (isLongRun || !tryStreamTiles(draft))
      return;
    if (column == row)
      return proposeStreamedRuns(row);
    scheduleStreamedTiles(draft, column, row);
    draft.propose(schedule);
    const size_t count = schedule.loops.size();
    if (count < 2)
      return;
    std::swap(schedule.loops[count - 1], schedule.loops[count - 2]);
    draft.propose(schedule);
  }

  /// Where nothing is known of caches some lines of src rows are moved before
  /// the next rows, and lines of dst that tiles share are filled at once.
  void schedulePlainNest(size_t column, size_t row) {
    const bool fits = facts.holdsBoth(problem.bytesMoved());
    // Where moves step on by themselves each column has an address.
    const auto &moves = fieldsOf<micro::TileTranspose>(schedule);
    const bool alongDst =
        (moves.stepping && moves.vectorPairs) ||
        (!fits && dims[column].dstStride % facts.lineBytes != 0);
    const NestMaker maker({dims, element, problem.bytesMoved()}, schedule.tile,
                          column, row, facts.lineBytes);
    NestBlocks blocks{.columnLines = fits ? 0 : facts.blockLines,
                      .alongDst = alongDst};
    std::optional<Nest> nest = maker.make(maker.byDistance(), blocks);
    if (!nest) {
      blocks.columnLines = 0;
      nest = maker.make(maker.byDistance(), blocks);
    }
    schedule.loops.assign(nest->loops, nest->loops + nest->count);
  }
};

} // namespace

void permc::scheduleLoops(ScheduleDraft &draft,
                          const std::vector<size_t> &columns,
                          const std::vector<size_t> &rows) {
  LoopRules(draft).scheduleRound(columns, rows);
}

void permc::proposeLoops(ScheduleDraft &draft,
                         const std::vector<size_t> &columns,
                         const std::vector<size_t> &rows, Nests number) {
  LoopRules(draft).propose(columns, rows, number);
}

void permc::proposeStreamedRuns(ScheduleDraft &draft, size_t run) {
  LoopRules(draft).proposeStreamedRuns(run);
}
