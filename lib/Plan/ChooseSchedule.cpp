//===- ChooseSchedule.cpp - a schedule for a problem on a machine ---------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The choice is made from the two fast dims: the one that is contiguous in src
// and the one that is contiguous in dst.
//
//   the same dim           -> runs: Copy or BlockCopy
//   two dims               -> TileTranspose over these two, each joined by the
//                             dims next to it until a lane is full
//   ... that share a dim   -> Shuffle: the lanes of both sides overlap
//   ... one of them short  -> Interleave, where there are structure moves; so
//                             are rows of 8 to 32 elements
//   elements no lane holds,
//   or no fast dim         -> Scalar: elements one by one
//
// The loops go through dst in its own order, outermost first, but for dims that
// are much nearer in src (cachedDistance). In the caches the src-fast dim is
// blocked, so that all dst rows of a block stay there while their lines fill
// up, or the dst-fast one, where the lines of src compete less for places.
//
//===----------------------------------------------------------------------===//

#include "permc/Plan/Schedule.h"

#include "permc/Plan/LastTiles.h"
#include "permc/Plan/Split.h"
#include "permc/Plan/WordTile.h"

#include "LoopOrder.h"
#include "ScheduleRules.h"

#include <algorithm>
#include <bit>

using namespace permc;

namespace {

/// More nested loops than this go into the flat counter: code size must not
/// grow with the rank.
constexpr unsigned maxNestedLoops = 6;

class Scheduler : public ScheduleRules {
public:
  using ScheduleRules::ScheduleRules;

  /// The kernel kind decides on all that follows.
  void run() {
    std::optional<size_t> src = fastDim(dims, &LoopDim::srcStride, element);
    std::optional<size_t> dst = fastDim(dims, &LoopDim::dstStride, element);
    if (dims.empty() || (src && src == dst))
      scheduleRuns(draft, src);
    else if (src && dst &&
             tryInterleave(draft, *src, *dst, &LoopDim::srcStride))
      scheduleLoops(draft, {*dst}, {*dst});
    else if (src && dst &&
             tryInterleave(draft, *dst, *src, &LoopDim::dstStride))
      scheduleLoops(draft, {*src}, {*src});
    else if (src && dst && tryGather(draft, *src, *dst))
      scheduleLoops(draft, {*src}, {*dst});
    else if (src && dst && transposesInRegisters())
      scheduleTiles(draft, *src, *dst);
    else
      scheduleElements(draft, src, dst);
    joinPieces();
    chooseUnits();
    prefetchStores();
    chooseReach();
    schedule = withLastTiles(problem, std::move(schedule), facts);
  }

  void runOneByOne() {
    scheduleElements(draft, std::nullopt, std::nullopt);
    chooseUnits();
  }

private:
  /// Odd elements have to be spread over units, byte by byte.
  bool transposesInRegisters() const {
    if (facts.vectorBytes < laneBytes || facts.wordTiles || element > 8)
      return false;
    return std::has_single_bit(uint64_t(element)) || facts.byteShuffle;
  }

  /// Pieces that no parts can share are one: each would have a remainder.
  void joinPieces() {
    if (!schedule.scalable || schedule.loops.empty())
      return;
    const auto [along, piece] = schedule.loops.back();
    if (piece == 1 || chooseSplit(problem, schedule).mostParts > 1)
      return;
    schedule.tile[along] = dims[along].size;
    schedule.loops.pop_back();
  }

  /// Takes loops from the outside into the flat counter: as many as the bound
  /// on nesting asks for. Only the first loop of a dim can be part of it, and
  /// none inside a panel.
  void chooseUnits() {
    const std::vector<Loop> &loops = schedule.loops;
    unsigned units = 0;
    while (loops.size() - units > maxNestedLoops) {
      const Loop &loop = loops[units];
      bool seen =
          std::any_of(loops.begin(), loops.begin() + units,
                      [&](const Loop &other) { return other.dim == loop.dim; });
      if (seen || loop.step < innermost(schedule)[loop.dim] ||
          isOpenRow(loop.dim))
        break;
      ++units;
    }
    schedule.unitLoops = units;
  }

  /// Whether whole lines are cut along a dim.
  bool isOpenRow(int64_t dim) const {
    return schedule.wholeLines && panelStage(problem, schedule).open == dim;
  }

  /// Lines of dst that the next tile is stored to.
  void prefetchStores() {
    if (schedule.streaming || copiesRuns(schedule) || schedule.loops.empty())
      return;
    const Loop &loop = schedule.loops.back();
    int64_t ahead = loop.step * dims[loop.dim].dstStride;
    if (facts.asksForDst(ahead, problem.bytesMoved()))
      schedule.prefetchDstBytes = ahead;
  }

  /// Fixed networks are told how far the addresses of their moves reach.
  void chooseReach() {
    if (!hasFixedMoves(schedule))
      return;
    schedule.srcReach = schedule.dstReach =
        schedule.vectorPairs ? facts.pairReach : facts.vectorReach;
  }
};

} // namespace

Schedule permc::scheduleByRules(const Problem &canonical,
                                const TargetFacts &facts, bool dstStartsLine) {
  ScheduleDraft draft(canonical, facts, dstStartsLine);
  Scheduler(draft).run();
  return std::move(draft.schedule);
}

static Schedule scheduleOneByOne(const Problem &canonical,
                                 const TargetFacts &facts) {
  ScheduleDraft draft(canonical, facts, /*dstStartsLine=*/true);
  Scheduler(draft).runOneByOne();
  return std::move(draft.schedule);
}

Schedule permc::chooseSchedule(const Problem &canonical,
                               const TargetFacts &facts) {
  if (canonical.isEmpty()) {
    Schedule nothing;
    nothing.tile = canonical.outShape();
    return nothing;
  }
  if (facts.wordTiles && facts.vectorBytes == 0)
    return chooseWordSchedule(canonical, facts);
  Schedule schedule = scheduleByRules(canonical, facts, /*dstStartsLine=*/true);
  if (facts.wordTiles && schedule.kind == KernelKind::Scalar)
    return chooseWordSchedule(canonical, facts);
  // Strides can be odder than the rules foresee; one element at a time is
  // always right.
  if (checkSchedule(canonical, schedule))
    return chooseWordsForPieces(canonical, schedule, facts).value_or(schedule);
  return scheduleOneByOne(canonical, facts);
}
