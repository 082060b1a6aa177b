//===- ScheduleRules.h - what the rules of a schedule share -----*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A schedule is made by rules, in files of one idea each:
//
//   ChooseSchedule.cpp      the kernel kind, and what is fixed at the end
//   ScheduleRuns.cpp        Copy, BlockCopy
//   ScheduleTiles.cpp       TileTranspose
//   ScheduleShuffles.cpp    Shuffle, WideShuffle
//   ScheduleElements.cpp    Scalar
//   ScheduleViews.cpp       ... of dims that src repeats or reverses
//   ScheduleLoops.cpp       the loops round tiles of any kind
//   ScheduleStreams.cpp     ... of whole lines, which are streamed
//   SchedulePanels.cpp      ... that go through panels
//
// Each is a class with one base, which others know by a function or two. What a
// family of targets knows better is behind permc/Plan/TargetPlanner.h.
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_LIB_PLAN_SCHEDULERULES_H
#define PERMC_LIB_PLAN_SCHEDULERULES_H

#include "permc/Plan/Cost.h"
#include "permc/Plan/Panel.h"
#include "permc/Plan/Schedule.h"
#include "permc/Plan/ScheduleReasons.h"

#include <optional>
#include <vector>

namespace permc {

/// A schedule that may be taken, and its predicted nanoseconds.
struct Proposal {
  Schedule schedule;
  double ns;
};

/// A schedule in the making, and what it is made for.
struct ScheduleDraft {
  ScheduleDraft(const Problem &problem, const TargetFacts &facts,
                bool dstStartsLine);

  int64_t moveBytes() const {
    return facts.vectorBytes ? facts.vectorBytes : facts.wordBytes;
  }

  const Problem &problem;
  const TargetFacts &facts;
  const std::vector<LoopDim> dims;
  const int64_t element;
  const bool dstStartsLine; ///< or it is not known to
  Schedule schedule;
  ScheduleReasons reasons;

  /// Whether schedules are ranked by their cost: of machines with times, unless
  /// instructions are counted.
  bool ranks() const;
  /// Whether non-temporal stores are worth a look: whoever reads what the last
  /// cache could have kept must fetch it from memory.
  bool mayStream() const {
    const int64_t bytes = problem.bytesMoved();
    return facts.streamingStores && bytes >= facts.streamedBytes();
  }
  /// What was proposed so far, each once.
  std::vector<Proposal> proposals;
  void propose(const Schedule &schedule);
  /// Their times and places, the least first, and of equals what was proposed
  /// first.
  std::vector<std::pair<double, size_t>> leastFirst() const;

  CostModel model;
};

/// Gives rules the names of what is in a draft, and what several of them ask.
/// Columns are the dims of a tile that are contiguous in src, rows those that
/// are in dst, fastest first.
class ScheduleRules {
public:
  explicit ScheduleRules(ScheduleDraft &draft)
      : draft(draft), problem(draft.problem), facts(draft.facts),
        dims(draft.dims), element(draft.element), schedule(draft.schedule) {}

protected:
  using Stride = int64_t LoopDim::*;

  /// Moves and shuffles of one tile; each takes the back end some 0.04 ms.
  static constexpr size_t maxNetworkSteps = 700;

  /// Whether the tile's code stays small, and so does the time to make it.
  bool isCompact(size_t mostSteps = maxNetworkSteps) const;

  /// Whether the target's planner takes tiles by their instructions.
  bool countsInstructions() const;

  /// The tile of `counted` as such a planner makes it.
  Dims grownTile(Schedule counted, const std::vector<size_t> &growth,
                 const std::vector<size_t> &order) const;

  //===--- loops ----------------------------------------------------------===//

  /// Dims from the slowest on one side to the fastest.
  std::vector<size_t> slowestFirst(Stride stride) const;

  /// The order of loops that are not the tiles' own. Streamed stores are whole
  /// lines anyway, and what counts is that src is read in long stretches.
  std::vector<size_t> outerOrder() const;

  void addLoop(size_t dim, int64_t step);

  //===--- dims of a tile -------------------------------------------------===//

  /// Dims that follow one another in memory on one side, fastest first, as many
  /// as it takes to fill `wanted` bytes.
  std::vector<size_t> chain(size_t fast, Stride stride, int64_t wanted) const;

  /// The rows' chain made longer, if it stays a rectangle with the columns.
  std::vector<size_t> moreRows(const std::vector<size_t> &columns,
                               const std::vector<size_t> &rows,
                               int64_t wanted) const;

  /// A transposed tile tells rows from columns by their strides.
  bool isRectangle(const std::vector<size_t> &columns,
                   const std::vector<size_t> &rows) const;

  static bool haveCommonDim(const std::vector<size_t> &a,
                            const std::vector<size_t> &b);

  ScheduleDraft &draft;
  const Problem &problem;
  const TargetFacts &facts;
  const std::vector<LoopDim> &dims;
  const int64_t element;
  Schedule &schedule;
};

//===--- what makes a tile ------------------------------------------------===//

/// By all rules.
Schedule scheduleByRules(const Problem &canonical, const TargetFacts &facts,
                         bool dstStartsLine);

/// Contiguous runs along a dim, or one element if there is none.
void scheduleRuns(ScheduleDraft &draft, std::optional<size_t> run);

/// Tiles over the dims that are fast in src and in dst.
void scheduleTiles(ScheduleDraft &draft, size_t src, size_t dst);

/// A tile that loops are to be put round.
struct TileChoice {
  Schedule schedule;
  std::vector<size_t> columns, rows;
};

/// Lanes of both sides from dims they share, and whole registers where the
/// machine shuffles across them.
std::vector<TileChoice> proposeShuffles(const ScheduleDraft &draft, size_t src,
                                        size_t dst);

/// Elements that do not go through lanes are moved one by one, a line of each
/// side at a time.
void scheduleElements(ScheduleDraft &draft, std::optional<size_t> src,
                      std::optional<size_t> dst);

//===--- views ------------------------------------------------------------===//

/// The nearest problem whose src has positive strides only. What the rules
/// choose for it is for the problem itself, if checkSchedule says so. None if
/// that would reach too far.
std::optional<Problem> withoutViews(const Problem &problem);

/// Without the moves that know of no views.
TargetFacts factsForViews(TargetFacts facts);

/// Runs along a dim that src repeats, or has in the opposite order, through
/// registers: a tile and its loops. False if they are no such runs.
bool tryTurnedRuns(ScheduleDraft &draft);

//===--- what moves it ----------------------------------------------------===//

/// Puts loops round the draft's tile: of those that are worth a look the ones
/// of the least cost.
void scheduleLoops(ScheduleDraft &draft, const std::vector<size_t> &columns,
                   const std::vector<size_t> &rows);

/// How many nests are proposed: those that leave out least, to tell tiles
/// apart, or all that are worth a look.
enum class Nests { Few, All };

/// Proposes loops round the draft's tile.
void proposeLoops(ScheduleDraft &draft, const std::vector<size_t> &columns,
                  const std::vector<size_t> &rows, Nests number = Nests::All);

/// Proposes the draft's tile, which is streamed, along src.
void proposeStreamedRuns(ScheduleDraft &draft, size_t run);

/// Takes the proposal of the least cost that can be carried out. False if there
/// is none.
bool takeLeastCost(ScheduleDraft &draft);

/// Streams the tile as it stands, if it is made of whole lines.
bool tryStreamTiles(ScheduleDraft &draft);

/// Rows joined and cut so that they fill whole lines of dst, and loops.
bool tryWholeLines(ScheduleDraft &draft, const std::vector<size_t> &columns,
                   const std::vector<size_t> &rows);

/// The loops round tiles that are streamed.
void scheduleStreamedTiles(ScheduleDraft &draft, size_t column, size_t row);

/// Proposes panels of some sizes, through which the draft's tiles are moved and
/// whose rows are streamed.
void proposePanels(ScheduleDraft &draft,
                   std::optional<size_t> column = std::nullopt,
                   std::optional<size_t> row = std::nullopt);

} // namespace permc

#endif // PERMC_LIB_PLAN_SCHEDULERULES_H
