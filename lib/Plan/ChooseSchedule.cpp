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
#include "permc/Plan/LastTiles.h"
#include "permc/Plan/LoopOrder.h"
#include "permc/Plan/Split.h"
#include "permc/Plan/WordTile.h"

#include "CountedTile.h"
#include "ScheduleRules.h"

#include <algorithm>
#include <bit>

using namespace permc;

namespace {

class Scheduler : public ScheduleRules {
public:
  using ScheduleRules::ScheduleRules;

  void run() {
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
    schedule = withLastTiles(problem, std::move(schedule), facts);
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
    if (tryInterleave(draft, src, dst, &LoopDim::srcStride)) {
      scheduleLoops(draft, {dst}, {dst});
      return "; structure moves take apart what is along " + spellDim(src);
    }
    if (tryInterleave(draft, dst, src, &LoopDim::dstStride)) {
      scheduleLoops(draft, {src}, {src});
      return "; structure moves join what is along " + spellDim(dst);
    }
    if (tryGather(draft, src, dst)) {
      scheduleLoops(draft, {src}, {dst});
      return "; the target gathers columns";
    }
    if (transposesInRegisters()) {
      scheduleTiles(draft, src, dst);
      return explainTiles();
    }
    scheduleElements(draft, src, dst);
    return "; elements of " + std::to_string(element) +
           (element == 1 ? " byte" : " bytes") +
           (schedule.kind == KernelKind::TileTranspose
                ? " are put side by side in registers"
                : " are not transposed in registers");
  }

  static std::string spellDim(size_t dim) { return "d" + std::to_string(dim); }

  /// What scheduleTiles took in place of a tile of the fast dims.
  std::string explainTiles() const {
    switch (schedule.kind) {
    case KernelKind::Shuffle:
    case KernelKind::WideShuffle:
      return "; a shuffle of all that fills a vector is no more work than "
             "tiles";
    case KernelKind::Scalar:
      return "; src overlaps itself";
    default:
      return "";
    }
  }

  std::string explainStores() const {
    const int64_t bytes = problem.bytesMoved(), least = facts.streamBytes;
    if (!draft.mayStream())
      return "";
    if (bytes < least)
      return "the least predicted time";
    // Some tiles are not streamed whatever their number.
    if (!schedule.streaming)
      return "";
    return std::to_string(bytes) + " bytes; tensors of " +
           std::to_string(least) + " and more are streamed";
  }

  std::string explainPanels() const {
    if (schedule.panel.empty())
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
    if (!schedule.scalable || schedule.loops.empty())
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
    return schedule.wholeLines && panelStage(problem, schedule).open == dim;
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
  for (Schedule &other :
       leastCostFirst(canonical, facts, std::move(draft.proposals))) {
    if (found.size() >= most)
      break;
    // As the chosen one is completed.
    draft.schedule = std::move(other);
    Scheduler(draft).complete();
    if (std::ranges::find(found, draft.schedule) == found.end() &&
        checkSchedule(canonical, draft.schedule))
      found.push_back(draft.schedule);
  }
  return found;
}

/// Streams of less than a register, split or joined by structure moves of half
/// of one or regrouped by two of them, if that executes less than what `chosen`
/// does.
static std::optional<ExplainedSchedule>
chooseShortStreams(const Problem &canonical, const TargetFacts &facts,
                   const Schedule &chosen) {
  if (!facts.loopTurn || !facts.halfVectors || !facts.structureBytes ||
      (chosen.kind != KernelKind::TileTranspose &&
       chosen.kind != KernelKind::Shuffle))
    return std::nullopt;
  std::optional<int64_t> least = countInstructions(canonical, facts, chosen);
  std::optional<ExplainedSchedule> best;
  for (bool regroups : {false, true}) {
    ScheduleDraft draft(canonical, facts, /*dstStartsLine=*/true);
    draft.halfStreams = !regroups;
    draft.regroups = regroups;
    Scheduler(draft).run();
    if (draft.schedule.kind != KernelKind::Interleave)
      continue;
    auto count = countIfLess(canonical, facts, draft.schedule,
                             least.value_or(INT64_MAX));
    if (!count)
      continue;
    least = count;
    best = {std::move(draft.schedule), std::move(draft.reasons)};
  }
  return best;
}

static ExplainedSchedule scheduleOneByOne(const Problem &canonical,
                                          const TargetFacts &facts) {
  ScheduleDraft draft(canonical, facts, /*dstStartsLine=*/true);
  Scheduler(draft).runOneByOne();
  return {std::move(draft.schedule), std::move(draft.reasons)};
}

/// On machines that move words, which know of no views: each element by itself,
/// and loops as for any strides that are not contiguous.
static ExplainedSchedule scheduleViewOneByOne(const Problem &canonical,
                                              const TargetFacts &facts) {
  Schedule schedule;
  schedule.kind = KernelKind::Scalar;
  schedule.tile.assign(canonical.rank(), 1);
  schedule.vectorBytes = facts.wordBytes;
  const std::vector<LoopDim> dims = canonical.loopDims();
  for (size_t dim : slowestFirst(dims, &LoopDim::dstStride))
    if (dims[dim].size > 1)
      schedule.loops.push_back({static_cast<int64_t>(dim), 1});
  // C counts units in its outermost loop (WordSchedule.cpp).
  if (!facts.largeWordTiles && !schedule.loops.empty())
    schedule.unitLoops = 1;
  while (facts.largeWordTiles &&
         schedule.loops.size() - schedule.unitLoops > maxNestedLoops)
    ++schedule.unitLoops;
  return {std::move(schedule), {.kind = "src repeats or reverses a dim"}};
}

ExplainedSchedule permc::explainSchedule(const Problem &canonical,
                                         const TargetFacts &facts) {
  if (canonical.isEmpty()) {
    Schedule nothing;
    nothing.tile = canonical.outShape();
    return {nothing, {.kind = "there is nothing to move"}};
  }
  if (facts.wordTiles && canonical.hasView())
    return scheduleViewOneByOne(canonical, facts);
  if (facts.wordTiles && facts.vectorBytes == 0)
    return {chooseWordSchedule(canonical, facts),
            {.kind = "the target moves words"}};
  ExplainedSchedule chosen =
      explainByRules(canonical, facts, /*dstStartsLine=*/true);
  if (facts.wordTiles && chosen.schedule.kind == KernelKind::Scalar)
    return {chooseWordSchedule(canonical, facts),
            {.kind = chosen.reasons.kind + "; words are moved instead"}};
  // Strides can be odder than the rules foresee; one element at a time is
  // always right.
  if (!checkSchedule(canonical, chosen.schedule))
    return scheduleOneByOne(canonical, facts);
  if (canonical.hasView())
    return chosen;
  if (auto streams = chooseShortStreams(canonical, facts, chosen.schedule))
    return *streams;
  if (auto words = chooseWordsForPieces(canonical, chosen.schedule, facts))
    return {std::move(*words),
            {.kind = "vectors of a tile would be moved in pieces"}};
  if (auto elements = chooseElements(canonical, facts, chosen.schedule))
    return {std::move(*elements),
            {.kind = "elements one by one take fewer instructions"}};
  if (auto words = chooseWordsForGather(canonical, chosen.schedule, facts))
    return {std::move(*words),
            {.kind = "words take fewer instructions than gathers"}};
  return chosen;
}

Schedule permc::chooseSchedule(const Problem &canonical,
                               const TargetFacts &facts) {
  return explainSchedule(canonical, facts).schedule;
}
