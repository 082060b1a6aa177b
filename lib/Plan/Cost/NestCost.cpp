//===- NestCost.cpp - how long a nest takes -------------------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From the tile outwards, each loop of the nest makes a larger box. A line of
// the box inside that the cache still holds when the loop comes back to it is
// not fetched again: whether it does is a matter of how many lines the box has
// and how many sets of the cache these fall into. Misses of all boxes, times
// what a line takes from where it is, are the time of reading and writing.
//
//===----------------------------------------------------------------------===//

#include "permc/Plan/NestCost.h"

#include "permc/Plan/CeilDiv.h"
#include "permc/Plan/Schedule.h"

#include <algorithm>
#include <cmath>

using namespace permc;

namespace {

/// Instructions and misses overlap in part: between 1, where they do not at
/// all, and infinity, where the longer of both is the time.
constexpr double overlapNorm = 1.3;

/// How much of what would come out of order comes in time by prefetches.
constexpr double prefetchGain = 0.6;

/// How much of reading and of non-temporal stores goes on at the same time:
/// straight from registers, without prefetches and with; through panels,
/// without, with those of tiles, and with those of rows as well.
constexpr double directOverlap = 0.55, aheadOverlap = 0.65, panelOverlap = 0.15,
                 tilesOverlap = 0.4, rowsOverlap = 0.45;

/// Pages whose addresses the core has at hand, and cycles until it has asked
/// the second TLB for another: about the same of all cores of the last ten
/// years.
constexpr double pagesAtHand = 64, secondTlbCycles = 4;

/// Cycles until a line of the second cache is there: 12 to 15 of all cores of
/// the last ten years.
constexpr double l2LatencyCycles = 14;

/// How much of a set's ways the lines of one tile can count on: others use the
/// cache as well.
constexpr double tileShare = 0.8;

/// How much longer lines take that are streamed in several parts.
constexpr double splitLines = 1.5;

/// The share of all sets that counts as few.
constexpr double fewSets = 0.25;

/// Instructions of a turn of a loop.
constexpr double turnInstructions = 3;

/// The share of accesses that a cache serves under so much pressure. What it
/// holds ends softly: replacement is not perfect, and others use it too.
double hitShare(double pressure) {
  const double square = pressure * pressure;
  return 1 / (1 + square * square);
}

double normed(double a, double b) {
  return std::pow(std::pow(a, overlapNorm) + std::pow(b, overlapNorm),
                  1 / overlapNorm);
}

/// A box and the loop round it.
struct Level {
  double turns;
  Footprint src, dst;
};

/// Lines that a side fetches to the first cache, to the second, from memory,
/// and pages that are not remembered.
struct Misses {
  double l1 = 0, l2 = 0, l3 = 0, pages = 0, nearPages = 0;
};

/// Loops of a nest: each dim in blocks, by panels and by tiles.
constexpr size_t maxLevels = 4 * maxRank;

} // namespace

/// One nest of a problem.
class permc::NestPrediction {
public:
  NestPrediction(const NestCost &model, const NestView &nest)
      : nest(nest), panel(nest.panel), machine(model.machine),
        srcSide(model.src), dstSide(model.dst), dims(model.problem.dims),
        element(model.problem.element),
        bytes(static_cast<double>(model.problem.bytes)),
        lineBytes(static_cast<double>(machine.lineBytes)) {
    makeLevels();
  }

  Cost run() {
    const Misses src = missesOf(&Level::src), dst = missesOf(&Level::dst);
    Cost cost;
    cycles = tileCycles();
    cost.work = machine.cycleNs * cycles;
    cost.read = readNs(src);
    cost.write = nest.streaming ? streamNs() : cachedWriteNs(dst);
    cost.tlb = machine.tlbMissNs * (src.pages + dst.pages) +
               machine.cycleNs * secondTlbCycles * dst.nearPages;
    const double emptied = panel ? emptyNs() : 0;
    const double fill = normed(cost.work, cost.read + cost.tlb),
                 drain = panel ? normed(emptied, cost.write) : cost.write;
    const double total =
        nest.streaming
            ? std::max(fill, drain) +
                  (1 - overlapOfStreams()) * std::min(fill, drain)
            : normed(cost.work + emptied, cost.read + cost.write + cost.tlb);
    cost.work += emptied;
    cost.overlap = cost.work + cost.read + cost.write + cost.tlb - total;
    return cost;
  }

private:
  //===--- the nest -------------------------------------------------------===//

  void makeLevels() {
    const std::span<const Loop> loops = nest.loops;
    int64_t box[maxRank], step[maxRank], range[maxLevels];
    double turns[maxLevels];
    std::ranges::copy(nest.tile, box);
    std::ranges::copy(nest.tile, step);
    for (size_t i = 0; i < loops.size(); ++i) {
      range[i] = rangeOf(i);
      turns[i] = turnsOf(i, range[i]);
      starts += tiles;
      tiles *= turns[i];
      allTurns += tiles;
    }
    for (size_t i = loops.size(); i-- > 0;) {
      addLevel(box, step, turns[i]);
      const auto dim = static_cast<size_t>(loops[i].dim);
      if (panel && loops[i].step < panel->extent[dim])
        panelLevel = levelCount;
      box[dim] = std::min(range[i], dims[dim].size);
      step[dim] = range[i];
    }
    for (size_t dim = 0; dim < dims.size(); ++dim)
      box[dim] = dims[dim].size;
    addLevel(box, box, 1);
  }

  /// Elements that a loop goes through.
  int64_t rangeOf(size_t loop) const {
    const auto dim = static_cast<size_t>(nest.loops[loop].dim);
    int64_t range = dims[dim].size;
    for (size_t i = 0; i < loop; ++i)
      if (nest.loops[i].dim == nest.loops[loop].dim)
        range = nest.loops[i].step;
    const bool isInside = panel && nest.loops[loop].step < panel->extent[dim];
    return isInside && panel->open == dim ? range + panel->openUnits : range;
  }

  /// ... and its turns each time: in the mean, for the last block of a dim has
  /// what is left.
  double turnsOf(size_t loop, int64_t range) const {
    const auto dim = static_cast<size_t>(nest.loops[loop].dim);
    const int64_t step = nest.loops[loop].step,
                  blocks = ceilDiv(dims[dim].size, range);
    if (panel || dims[dim].size % range == 0)
      return static_cast<double>(ceilDiv(range, step));
    const int64_t last = dims[dim].size % range;
    return static_cast<double>((blocks - 1) * ceilDiv(range, step) +
                               ceilDiv(last, step)) /
           static_cast<double>(blocks);
  }

  void addLevel(const int64_t *box, const int64_t *step, double turns) {
    const std::span<const int64_t> extent(box, dims.size()),
        steps(step, dims.size());
    levels[levelCount++] = {turns, srcSide.footprint(extent, steps),
                            dstSide.footprint(extent, steps)};
  }

  //===--- instructions ---------------------------------------------------===//

  double tileCycles() {
    TileWork work = nest.work;
    // A prefetch is a load as far as ports go.
    if (nest.prefetchBytes)
      work.cycles += machine.loadCycles * levels[0].src.lines;
    if (nest.prefetchDstBytes)
      work.cycles += machine.loadCycles * levels[0].dst.lines;
    instructions = tiles * work.instructions + turnInstructions * allTurns;
    return tiles * work.cycles + work.start + allTurns * machine.turnCycles +
           starts * machine.startCycles;
  }

  /// Rows of panels are loaded and stored by vectors.
  double emptyNs() const {
    const double rows = copied() / static_cast<double>(panel->rowBytes),
                 vectors = copied() / static_cast<double>(nest.moveBytes),
                 panels = copied() / static_cast<double>(panel->bufferBytes);
    const double store =
        nest.moveBytes > 32 ? machine.wideStoreCycles : machine.storeCycles;
    return machine.cycleNs * (vectors * store + rows * machine.startCycles) +
           panels * machine.panelSwitchNs;
  }

  /// Bytes that go through panels: those at the ends of dims twice.
  double copied() const {
    double all = bytes;
    for (size_t dim = 0; dim < dims.size(); ++dim) {
      const int64_t each = panel->extent[dim];
      all *= static_cast<double>(ceilDiv(dims[dim].size, each)) *
             static_cast<double>(each) / static_cast<double>(dims[dim].size);
    }
    return all;
  }

  //===--- caches ---------------------------------------------------------===//

  /// A cache, and which share of its sets a box fills evenly; the last one's
  /// are spread by a hash.
  struct Cache {
    double bytes;
    double Footprint::*sets;

    double setsOf(const Footprint &box) const { return sets ? box.*sets : 1; }
  };

  /// What the lines of one side's box take of the sets that they fall into.
  double pressureOf(const Footprint &side, const Cache &cache) const {
    return side.lines / cache.setsOf(side) * lineBytes / cache.bytes;
  }

  /// The share of a side's lines that are still there when a loop comes back to
  /// them. Lines of the other side compete where they fall into the same sets:
  /// all of those of a panel or of the last cache, which are spread evenly.
  double kept(size_t level, Footprint Level::*side, const Cache &cache) const {
    const Level &box = levels[level];
    const Footprint &own = box.*side,
                    &other = side == &Level::src ? box.dst : box.src;
    if (!cache.sets || panel) {
      double lines = box.src.lines / cache.setsOf(box.src);
      if (panel)
        lines += linesOfPanel(box);
      if (!nest.streaming && !panel)
        lines += box.dst.lines;
      return hitShare(lines * lineBytes / cache.bytes);
    }
    const double alone = pressureOf(own, cache);
    if (nest.streaming)
      return hitShare(alone);
    // Rows of 2^n elements and nearly so many put both sides into the same few.
    const double ofOther = cache.setsOf(other),
                 shared = std::max(cache.setsOf(own), ofOther) <= fewSets
                              ? 1
                              : ofOther;
    return (1 - shared) * hitShare(alone) +
           shared * hitShare(alone + pressureOf(other, cache));
  }

  /// Lines of the buffer that a box of a panel fills.
  double linesOfPanel(const Level &box) const {
    const double share = std::min(
        box.dst.lines / std::max(levels[panelLevel].dst.lines, 1.0), 1.0);
    return share * static_cast<double>(panel->bufferBytes) / lineBytes;
  }

  double pagesOf(size_t level) const {
    return levels[level].src.pages + levels[level].dst.pages;
  }

  Misses missesOf(Footprint Level::*side) const {
    const Cache l1{static_cast<double>(machine.l1Bytes), &Footprint::l1Sets},
        l2{static_cast<double>(machine.l2Bytes), &Footprint::l2Sets},
        l3{static_cast<double>(machine.l3Bytes), nullptr};
    const auto pages = static_cast<double>(machine.tlbPages);
    const Footprint &first = levels[0].*side;
    Misses misses{first.lines, first.lines, first.lines, first.pages,
                  first.pages};
    for (size_t i = 0; i + 1 < levelCount; ++i) {
      const Footprint &out = levels[i + 1].*side;
      auto leave = [&](double &missed, double hit, double distinct) {
        const double again = levels[i].turns * missed;
        missed = hit * std::min(distinct, again) + (1 - hit) * again;
      };
      leave(misses.l1, kept(i, side, l1), out.lines);
      leave(misses.l2, kept(i, side, l2), out.lines);
      leave(misses.l3, kept(i, side, l3), out.lines);
      leave(misses.pages, hitShare(pagesOf(i) / pages), out.pages);
      leave(misses.nearPages, hitShare(pagesOf(i) / pagesAtHand), out.pages);
    }
    // Calls follow one another.
    const double both = nest.streaming ? bytes : 2 * bytes;
    misses.l1 *= 1 - hitShare(both / l1.bytes);
    misses.l2 =
        std::min(misses.l2 * (1 - hitShare(both / l2.bytes)), misses.l1);
    misses.l3 =
        std::min(misses.l3 * (1 - hitShare(both / l3.bytes)), misses.l2);
    misses.pages *= 1 - hitShare(pagesOf(levelCount - 1) / pages);
    misses.nearPages *= 1 - hitShare(pagesOf(levelCount - 1) / pagesAtHand);
    return misses;
  }

  //===--- memory ---------------------------------------------------------===//

  /// The share of lines that the machine's own prefetching brings: of long
  /// runs, if not too many of them take turns.
  double regular(Footprint Level::*side) const {
    double best = 0, streams = 1;
    for (const Level &level : std::span(levels, levelCount)) {
      const Footprint &box = level.*side;
      best = std::max(
          best, box.runBytes / (box.runBytes + machine.prefetchLead) /
                    (1 + std::pow(streams / machine.prefetchedStreams, 2)));
      streams = std::max(streams, box.runs);
    }
    return best;
  }

  /// Nanoseconds of a line that comes in no order. Misses overlap with others
  /// within what the core looks ahead, or, where they are rare, with the work
  /// that is in flight meanwhile.
  double randomNs(double ns, double latencyNs, double misses) const {
    const double window = machine.windowInstructions / instructions,
                 overlapped = latencyNs / std::max(misses * window, 1.0),
                 exposed = latencyNs - machine.cycleNs * cycles * window;
    return std::max(std::min(overlapped, exposed), ns);
  }

  /// The share of prefetched lines that the next tiles come to. Those past the
  /// end of the innermost loop are of rows that come much later.
  double usedPrefetches() const {
    if (panel)
      return nest.prefetchBytes || nest.prefetchPanelBytes;
    if (!nest.prefetchBytes || nest.loops.empty())
      return 0;
    const auto range =
        static_cast<double>(rangeOf(nest.loops.size() - 1) * element);
    return std::max(0.0, 1 - static_cast<double>(nest.prefetchBytes) / range);
  }

  double readNs(const Misses &misses) const {
    double known = regular(&Level::src);
    known += (1 - known) * prefetchGain * usedPrefetches();
    const double l3Random = randomNs(machine.l3RandomNs, machine.l3LatencyNs,
                                     misses.l2),
                 memoryRandom = randomNs(machine.memoryRandomNs,
                                         machine.memoryLatencyNs, misses.l3);
    double time = misses.l1 * machine.l2RandomNs +
                  misses.l2 * between(machine.l3Ns, l3Random, known) +
                  misses.l3 * between(machine.memoryNs, memoryRandom, known);
    // The panel's own lines, if the first cache does not hold them.
    if (panel)
      time += (1 - hitShare(static_cast<double>(panel->bufferBytes) /
                            static_cast<double>(machine.l1Bytes))) *
              2 * copied() / lineBytes * machine.l2Ns;
    return time;
  }

  double cachedWriteNs(const Misses &misses) const {
    const double known = regular(&Level::dst);
    // A line that is written comes to the first cache and leaves it again; and
    // what comes from memory in no order goes back so.
    return misses.l1 * (2 * machine.l2RandomNs + waitOfStores()) +
           misses.l2 * between(machine.l3Ns, machine.l3RandomNs, known) +
           misses.l3 * between(machine.memoryNs + machine.writeBackNs,
                               2 * machine.memoryRandomNs, known);
  }

  /// Stores retire in order. Where a tile has more lines of a set than the
  /// first cache holds, those that are asked for ahead are gone again when
  /// their turn comes, and each waits for the second cache.
  double waitOfStores() const {
    if (panel)
      return 0;
    const Cache l1{static_cast<double>(machine.l1Bytes), &Footprint::l1Sets};
    const Footprint &src = levels[0].src, &dst = levels[0].dst;
    const bool meets = std::max(l1.setsOf(src), l1.setsOf(dst)) <= fewSets;
    const double pressure =
        pressureOf(dst, l1) + (meets ? pressureOf(src, l1) : 0);
    const double gone =
        std::max(0.0, 1 - tileShare * tileShare / (pressure * pressure));
    return gone * l2LatencyCycles * machine.cycleNs;
  }

  static double between(double ordered, double random, double known) {
    return ordered + (random - ordered) * (1 - known);
  }

  double streamNs() const {
    return bytes / lineBytes * machine.streamedNs *
               (splitsLines() ? splitLines : 1) +
           partialLines() * machine.partialNs;
  }

  /// Whether a tile streams lines in several parts, far apart one after the
  /// other: buffers for so many lines that fill up there are few.
  bool splitsLines() const {
    if (panel || nest.copiesRuns || !machine.combiningBytes ||
        nest.vectorBytes >= machine.lineBytes)
      return false;
    for (size_t dim = 0; dim < dims.size(); ++dim)
      if (const int64_t apart = dims[dim].dstStride;
          nest.tile[dim] > 1 && apart >= machine.lineBytes &&
          (apart >= pageBytes || apart % machine.combiningBytes == 0))
        return true;
    return false;
  }

  /// Lines that rows of what is streamed fill in part only.
  double partialLines() const {
    const std::span<const int64_t> box = panel ? panel->extent : nest.tile;
    int64_t row = element;
    for (const TensorSide::Dim &dim : dstSide.nearestFirst()) {
      if (dim.stride != row)
        break;
      row *= wholeLines() ? dim.size : box[dim.index];
      if (box[dim.index] < dim.size && !wholeLines())
        break;
    }
    int64_t begins = machine.lineBytes;
    for (size_t dim = 0; dim < dims.size(); ++dim)
      if (dims[dim].size > 1 && dims[dim].dstStride >= row)
        begins = std::gcd(begins, dims[dim].dstStride);
    if (!wholeLines())
      begins = std::gcd(begins, row);
    if (begins >= machine.lineBytes)
      return 0;
    return 2 * bytes / static_cast<double>(row);
  }

  double overlapOfStreams() const {
    if (!panel)
      return nest.prefetchBytes ? aheadOverlap : directOverlap;
    return nest.prefetchPanelBytes ? rowsOverlap
           : nest.prefetchBytes    ? tilesOverlap
                                   : panelOverlap;
  }

  bool wholeLines() const { return panel && panel->wholeLines; }

  const NestView &nest;
  const PanelView *const panel;
  const Machine &machine;
  const TensorSide &srcSide, &dstSide;
  const std::span<const LoopDim> dims;
  const int64_t element;
  const double bytes, lineBytes;
  double tiles = 1, allTurns = 0, starts = 0, instructions = 0, cycles = 0;
  Level levels[maxLevels + 1]; ///< innermost first; the last is all
  size_t levelCount = 0;
  size_t panelLevel = 0; ///< where a panel is full
};

NestCost::NestCost(const ProblemView &problem, const Machine &machine)
    : problem(problem), machine(machine),
      src(problem.dims, &LoopDim::srcStride, problem.element, machine),
      dst(problem.dims, &LoopDim::dstStride, problem.element, machine) {}

Cost NestCost::of(const NestView &nest) const {
  return NestPrediction(*this, nest).run();
}
