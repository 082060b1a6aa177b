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
//   ... or what the target's planner has for them (TargetPlanner.h)
//   elements no lane holds,
//   or no fast dim         -> Scalar: elements one by one
//
// Dims that src repeats or reverses are planned for as if it did not, but for
// runs along them, which are Shuffles (ScheduleViews.cpp).
//
// The loops go through dst in its own order, outermost first, but for dims that
// are much nearer in src (cachedDistance). In the caches the src-fast dim is
// blocked, so that all dst rows of a block stay there while their lines fill
// up, or the dst-fast one, where the lines of src share fewer sets.
//
//===----------------------------------------------------------------------===//

#include "permc/Plan/Schedule.h"

#include "permc/Plan/Alternatives.h"
#include "permc/Plan/CeilDiv.h"
#include "permc/Plan/Cost.h"
#include "permc/Plan/LoopOrder.h"
#include "permc/Plan/Split.h"
#include "permc/Plan/TargetPlanner.h"

#include "ScheduleRules.h"

#include <algorithm>
#include <bit>

using namespace permc;

namespace {

class Scheduler : public ScheduleRules {
public:
  using ScheduleRules::ScheduleRules;

  /// With a tile that is given, or by the rules.
  void run(std::optional<OwnMoves> moves = std::nullopt) {
    given = std::move(moves);
    draft.reasons.kind = scheduleKind();
    complete();
    draft.reasons.stores = explainStores();
    draft.reasons.panels = explainPanels();
  }

  /// What follows from tile and loops.
  void complete() {
    joinPieces();
    chooseUnits();
    chooseReach();
    if (facts.planner)
      schedule = facts.planner->finish(problem, facts, std::move(schedule));
  }

  void runOneByOne() {
    draft.reasons.kind = "no tile suits these strides";
    scheduleElements(draft, std::nullopt, std::nullopt);
    chooseUnits();
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

private:
  /// The kernel kind decides on all that follows. Returns what decided on it.
  std::string scheduleKind() {
    std::optional<size_t> src = fastDim(dims, &LoopDim::srcStride, element);
    std::optional<size_t> dst = fastDim(dims, &LoopDim::dstStride, element);
    if (dims.empty() || (src && src == dst)) {
      scheduleRuns(draft, src);
      return src ? spellDim(*src) + " is contiguous in src and in dst"
                 : "there is one element";
    }
    if (!src || !dst) {
      scheduleElements(draft, src, dst);
      return std::string("no dim is contiguous in ") + (src ? "dst" : "src");
    }
    return spellDim(*src) + " is contiguous in src, " + spellDim(*dst) +
           " in dst" + scheduleFastDims(*src, *dst);
  }

  /// The kind for two fast dims. Returns what else decided on it.
  std::string scheduleFastDims(size_t src, size_t dst) {
    if (!given && facts.planner)
      given = facts.planner->tryTile(problem, facts, src, dst);
    if (given) {
      schedule = std::move(given->schedule);
      scheduleLoops(draft, {given->column}, {given->row});
      return "; " + given->reason;
    }
    if (transposesInRegisters()) {
      scheduleTiles(draft, src, dst);
      return explainTiles();
    }
    scheduleElements(draft, src, dst);
    return "; elements of " + std::to_string(element) +
           (element == 1 ? " byte" : " bytes") +
           (is<micro::TileTranspose>(schedule)
                ? " are put side by side in registers"
                : " are not transposed in registers");
  }

  static std::string spellDim(size_t dim) { return "d" + std::to_string(dim); }

  /// What scheduleTiles took in place of a tile of the fast dims.
  std::string explainTiles() const {
    if (is<micro::Shuffle>(schedule))
      return "; a shuffle of all that fills a vector is no more work than "
             "tiles";
    if (is<micro::Scalar>(schedule))
      return "; src overlaps itself";
    return "";
  }

  std::string explainStores() const {
    const int64_t bytes = problem.bytesMoved(), least = facts.streamedBytes();
    if (!facts.streamingStores)
      return "";
    if (schedule.streaming && bytes < least)
      return "the least predicted time";
    // Some tiles are not streamed whatever their number.
    if (!schedule.streaming && bytes >= least)
      return "";
    return std::to_string(bytes) + " bytes; tensors of " +
           std::to_string(least) + " and more are streamed";
  }

  std::string explainPanels() const {
    if (!schedule.panel)
      return "";
    if (!schedule.streaming)
      return "lines of the buffer share no sets of the first cache";
    return copiesRuns(schedule)
               ? "runs are too short to be streamed one by one"
               : "rows go out in longer stretches than those of tiles";
  }

  /// Odd elements have to be spread over units, byte by byte.
  bool transposesInRegisters() const {
    if (facts.vectorBytes < laneBytes || facts.wordTiles || element > 8)
      return false;
    return std::has_single_bit(uint64_t(element)) || facts.byteShuffle;
  }

  /// Pieces that no parts can share are one: each would have a remainder.
  void joinPieces() {
    if (!isScalable(schedule) || schedule.loops.empty())
      return;
    const auto [along, piece] = schedule.loops.back();
    if (piece == 1)
      return;
    // A few are not worth their remainders if parts have fringes besides.
    constexpr int64_t worthFringes = 8;
    const Split split = chooseSplit(problem, schedule);
    const bool isFew = ceilDiv(dims[along].size, piece) < worthFringes;
    if (split.mostParts > 1 && !(split.isRagged() && isFew))
      return;
    schedule.tile[along] = dims[along].size;
    schedule.loops.pop_back();
  }

  /// Whether whole lines are cut along a dim.
  bool isOpenRow(int64_t dim) const {
    return schedule.panel && schedule.panel->wholeLines &&
           panelStage(problem, schedule).open == dim;
  }

  /// Fixed networks are told how far the addresses of their moves reach.
  void chooseReach() {
    if (!hasFixedMoves(schedule))
      return;
    auto &moves = *getIf<micro::FixedMoves>(schedule);
    moves.srcReach = moves.dstReach =
        movesVectorPairs(schedule) ? facts.pairReach : facts.vectorReach;
  }

  std::optional<OwnMoves> given;
};

} // namespace

static ExplainedSchedule explainByRules(const Problem &canonical,
                                        const TargetFacts &facts,
                                        bool dstStartsLine);

/// By the rules for a problem without views, unless it is runs that are turned
/// round. One by one if there is no such problem.
static ExplainedSchedule explainView(const Problem &canonical,
                                     const TargetFacts &facts,
                                     bool dstStartsLine) {
  const TargetFacts plain = factsForViews(facts);
  ScheduleDraft draft(canonical, plain, dstStartsLine);
  if (tryTurnedRuns(draft)) {
    draft.reasons.kind = "src repeats or reverses what is contiguous in dst";
    Scheduler(draft).chooseUnits();
    return {std::move(draft.schedule), std::move(draft.reasons)};
  }
  if (std::optional<Problem> forwards = withoutViews(canonical)) {
    ExplainedSchedule chosen = explainByRules(*forwards, plain, dstStartsLine);
    if (!chosen.schedule.streaming || checkSchedule(canonical, chosen.schedule))
      return chosen;
    // Runs that are streamed go one way.
    TargetFacts cached = plain;
    cached.streamingStores = false;
    return explainByRules(*forwards, cached, dstStartsLine);
  }
  Scheduler(draft).runOneByOne();
  return {std::move(draft.schedule), std::move(draft.reasons)};
}

static ExplainedSchedule explainByRules(const Problem &canonical,
                                        const TargetFacts &facts,
                                        bool dstStartsLine) {
  if (canonical.hasView())
    return explainView(canonical, facts, dstStartsLine);
  ScheduleDraft draft(canonical, facts, dstStartsLine);
  Scheduler(draft).run();
  return {std::move(draft.schedule), std::move(draft.reasons)};
}

Schedule permc::scheduleByRules(const Problem &canonical,
                                const TargetFacts &facts, bool dstStartsLine) {
  return explainByRules(canonical, facts, dstStartsLine).schedule;
}

std::vector<Schedule> permc::candidates(const Problem &canonical,
                                        const TargetFacts &facts, size_t most) {
  std::vector<Schedule> found{chooseSchedule(canonical, facts)};
  if (canonical.isEmpty() || canonical.hasView() || facts.cycleNs == 0)
    return found;
  ScheduleDraft draft(canonical, facts, /*dstStartsLine=*/true);
  Scheduler(draft).run();
  for (auto [ns, i] : draft.leastFirst()) {
    if (found.size() >= most)
      break;
    // As the chosen one is completed.
    draft.schedule = draft.proposals[i].schedule;
    Scheduler(draft).complete();
    if (std::ranges::find(found, draft.schedule) == found.end() &&
        checkSchedule(canonical, draft.schedule))
      found.push_back(draft.schedule);
  }
  return found;
}

ExplainedSchedule permc::scheduleOwnMoves(const Problem &canonical,
                                          const TargetFacts &facts,
                                          OwnMoves moves) {
  ScheduleDraft draft(canonical, facts, /*dstStartsLine=*/true);
  Scheduler(draft).run(std::move(moves));
  return {std::move(draft.schedule), std::move(draft.reasons)};
}

static ExplainedSchedule scheduleOneByOne(const Problem &canonical,
                                          const TargetFacts &facts) {
  ScheduleDraft draft(canonical, facts, /*dstStartsLine=*/true);
  Scheduler(draft).runOneByOne();
  return {std::move(draft.schedule), std::move(draft.reasons)};
}

ExplainedSchedule permc::explainSchedule(const Problem &canonical,
                                         const TargetFacts &facts) {
  if (canonical.isEmpty()) {
    Schedule nothing;
    nothing.tile = canonical.outShape();
    return {nothing, {.kind = "there is nothing to move"}};
  }
  const TargetPlanner *planner = facts.planner;
  if (planner)
    if (auto own = planner->choose(canonical, facts))
      return *own;
  ExplainedSchedule chosen =
      explainByRules(canonical, facts, /*dstStartsLine=*/true);
  // Strides can be odder than the rules foresee; one element at a time is
  // always right.
  if (!checkSchedule(canonical, chosen.schedule))
    return scheduleOneByOne(canonical, facts);
  if (planner && !canonical.hasView())
    if (auto better = planner->improve(canonical, facts, chosen))
      return *better;
  return chosen;
}

Schedule permc::chooseSchedule(const Problem &canonical,
                               const TargetFacts &facts) {
  return explainSchedule(canonical, facts).schedule;
}
