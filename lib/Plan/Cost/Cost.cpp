//===- Cost.cpp - how long a schedule takes -------------------------------===//
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

#include "permc/Plan/Cost.h"

#include "Footprint.h"
#include "TileWork.h"

#include "../SearchTile.h"

#include "permc/Plan/CeilDiv.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

using namespace permc;

namespace {

/// What a cache holds ends softly: replacement is not perfect, and others use
/// it too.
constexpr double sharpness = 4;

/// Instructions and misses overlap in part: between 1, where they do not at
/// all, and infinity, where the longer of both is the time.
constexpr double overlapNorm = 1.3;

/// How much of what would come out of order comes in time by prefetches.
constexpr double prefetchGain = 0.5;

/// How much of reading and of emptying panels goes on at the same time: by
/// prefetches of tiles, and of rows as well.
constexpr double tilesOverlap = 0.5, rowsOverlap = 0.6;

/// Bytes that are still on their way to memory when a panel is empty.
constexpr double writeQueueBytes = 1000;

/// The share of accesses that a cache serves under so much pressure.
double hitShare(double pressure) {
  return 1 / (1 + std::pow(pressure, sharpness));
}

double normed(double a, double b) {
  return std::pow(std::pow(a, overlapNorm) + std::pow(b, overlapNorm),
                  1 / overlapNorm);
}

/// A box and the loop round it.
struct Level {
  double turns = 1;
  Footprint src, dst;
};

/// Lines that a side fetches to the first cache, to the second, from memory,
/// and pages that are not remembered.
struct Misses {
  double l1 = 0, l2 = 0, l3 = 0, pages = 0;
};

class Prediction {
public:
  Prediction(const Problem &problem, const Schedule &schedule, const Isa &isa,
             const Machine &machine)
      : schedule(schedule), isa(isa), machine(machine),
        dims(problem.loopDims()), element(problem.elementBytes()),
        bytes(static_cast<double>(problem.bytesMoved())),
        lineBytes(static_cast<double>(machine.lineBytes)) {
    if (!schedule.panel.empty())
      stage = panelStage(problem, schedule);
    network = stage ? unprovenNetwork(stage->problem, stage->schedule)
                    : unprovenNetwork(problem, schedule);
    makeLevels();
  }

  std::optional<Cost> run() {
    // Runs of many vectors are loops of their own.
    if (!network && !copiesRuns(schedule))
      return std::nullopt;
    const Misses src = missesOf(&Level::src), dst = missesOf(&Level::dst);
    Cost cost;
    cost.work = machine.cycleNs * tileCycles();
    cost.read = readNs(src);
    cost.write = schedule.streaming ? streamNs() : cachedWriteNs(dst);
    cost.tlb = machine.tlbMissNs * (src.pages + dst.pages);
    const double emptied = stage ? emptyNs() : 0;
    const double fill = normed(cost.work, cost.read + cost.tlb),
                 drain = stage ? normed(emptied, cost.write) : cost.write;
    const double total =
        schedule.streaming
            ? std::max(fill, drain) +
                  (1 - panelOverlap()) * std::min(fill, drain)
            : normed(cost.work + emptied, cost.read + cost.write + cost.tlb);
    cost.work += emptied;
    cost.overlap = cost.work + cost.read + cost.write + cost.tlb - total;
    return cost;
  }

private:
  //===--- the nest -------------------------------------------------------===//

  void makeLevels() {
    const std::vector<Loop> &loops = schedule.loops;
    Dims box = schedule.tile, step = schedule.tile, range(loops.size());
    std::vector<double> turns(loops.size());
    for (size_t i = 0; i < loops.size(); ++i) {
      range[i] = rangeOf(i);
      turns[i] = static_cast<double>(ceilDiv(range[i], loops[i].step));
      starts += tiles;
      tiles *= turns[i];
      allTurns += tiles;
    }
    for (size_t i = loops.size(); i-- > 0;) {
      addLevel(box, step, turns[i]);
      const auto dim = static_cast<size_t>(loops[i].dim);
      if (stage && loops[i].step < schedule.panel[dim])
        panelLevel = levels.size();
      box[dim] = std::min(range[i], dims[dim].size);
      step[dim] = range[i];
    }
    Dims all;
    for (const LoopDim &dim : dims)
      all.push_back(dim.size);
    addLevel(all, all, 1);
  }

  /// Elements that a loop goes through.
  int64_t rangeOf(size_t loop) const {
    const auto dim = static_cast<size_t>(schedule.loops[loop].dim);
    int64_t range = dims[dim].size;
    for (size_t i = 0; i < loop; ++i)
      if (schedule.loops[i].dim == schedule.loops[loop].dim)
        range = schedule.loops[i].step;
    const bool isInside =
        stage && schedule.loops[loop].step < schedule.panel[dim];
    return isInside && stage->open == dim ? range + stage->lineUnits : range;
  }

  void addLevel(const Dims &box, const Dims &step, double turns) {
    auto print = [&](int64_t LoopDim::*stride) {
      return footprintOf(dims, box, step, stride, element, machine);
    };
    levels.push_back(
        {turns, print(&LoopDim::srcStride), print(&LoopDim::dstStride)});
  }

  //===--- instructions ---------------------------------------------------===//

  int64_t alignment(int64_t LoopDim::*stride) const {
    return tileAlignment(dims, schedule.tile, stride, machine);
  }

  double tileCycles() const {
    TileWork work;
    if (network) {
      work = tileWork(*network, alignment(&LoopDim::srcStride),
                      stage ? laneBytes : alignment(&LoopDim::dstStride), isa,
                      machine);
    } else {
      double vectors =
          static_cast<double>(element) / static_cast<double>(isa.vectorBytes);
      for (int64_t size : schedule.tile)
        vectors *= static_cast<double>(size);
      work.cycles = vectors * (isa.vectorBytes > 32 ? machine.wideStoreCycles
                                                    : machine.storeCycles);
    }
    // A prefetch is a load as far as ports go.
    if (schedule.prefetchBytes)
      work.cycles += machine.loadCycles * levels.front().src.lines;
    if (schedule.prefetchDstBytes)
      work.cycles += machine.loadCycles * levels.front().dst.lines;
    return tiles * work.cycles + work.start + allTurns * machine.turnCycles +
           starts * machine.startCycles;
  }

  /// Rows of panels are loaded and stored by vectors.
  double emptyNs() const {
    const double rows = copied() / static_cast<double>(stage->rowBytes),
                 vectors = copied() / static_cast<double>(isa.vectorBytes),
                 panels = copied() / static_cast<double>(stage->bufferBytes);
    const double store =
        isa.vectorBytes > 32 ? machine.wideStoreCycles : machine.storeCycles;
    return machine.cycleNs * (vectors * store + rows * machine.startCycles) +
           panels * machine.panelSwitchNs;
  }

  /// Bytes that go through panels: those at the ends of dims twice.
  double copied() const {
    double all = bytes;
    for (size_t dim = 0; dim < dims.size(); ++dim) {
      const int64_t panel = schedule.panel[dim];
      all *= static_cast<double>(ceilDiv(dims[dim].size, panel) * panel) /
             static_cast<double>(dims[dim].size);
    }
    return all;
  }

  //===--- caches ---------------------------------------------------------===//

  /// What the lines of a box take of a cache of so many bytes. Those of the
  /// last one are spread over its sets whatever their distance.
  double pressure(size_t level, double cacheBytes, bool isLast = false) const {
    const Level &box = levels[level];
    double lines = box.src.lines / (isLast ? 1 : box.src.sets);
    if (stage) {
      const double share = std::min(
          box.dst.lines / std::max(levels[panelLevel].dst.lines, 1.0), 1.0);
      lines += share * static_cast<double>(stage->bufferBytes) / lineBytes;
    } else if (!schedule.streaming) {
      lines += box.dst.lines / (isLast ? 1 : box.dst.sets);
    }
    return lines * lineBytes / cacheBytes;
  }

  double pagesOf(size_t level) const {
    return levels[level].src.pages + levels[level].dst.pages;
  }

  Misses missesOf(Footprint Level::*side) const {
    const auto l1 = static_cast<double>(machine.l1Bytes),
               l2 = static_cast<double>(machine.l2Bytes),
               l3 = static_cast<double>(machine.l3Bytes),
               pages = static_cast<double>(machine.tlbPages);
    const Footprint &tile = levels.front().*side;
    Misses misses{tile.lines, tile.lines, tile.lines, tile.pages};
    for (size_t i = 0; i + 1 < levels.size(); ++i) {
      const Footprint &out = levels[i + 1].*side;
      auto leave = [&](double &missed, double pressure, double distinct) {
        const double again = levels[i].turns * missed, hit = hitShare(pressure);
        missed = hit * std::min(distinct, again) + (1 - hit) * again;
      };
      leave(misses.l1, pressure(i, l1), out.lines);
      leave(misses.l2, pressure(i, l2), out.lines);
      leave(misses.l3, pressure(i, l3, /*isLast=*/true), out.lines);
      leave(misses.pages, pagesOf(i) / pages, out.pages);
    }
    // Calls follow one another.
    const double both = schedule.streaming ? bytes : 2 * bytes;
    misses.l1 *= 1 - hitShare(both / l1);
    misses.l2 = std::min(misses.l2 * (1 - hitShare(both / l2)), misses.l1);
    misses.l3 = std::min(misses.l3 * (1 - hitShare(both / l3)), misses.l2);
    misses.pages *= 1 - hitShare(pagesOf(levels.size() - 1) / pages);
    return misses;
  }

  //===--- memory ---------------------------------------------------------===//

  /// The share of lines that the machine's own prefetching brings: of long
  /// runs, if not too many of them take turns.
  double regular(Footprint Level::*side) const {
    double best = 0, streams = 1;
    for (const Level &level : levels) {
      const Footprint &box = level.*side;
      best = std::max(
          best, box.runBytes / (box.runBytes + machine.prefetchLead) /
                    (1 + std::pow(streams / machine.prefetchedStreams, 2)));
      streams = std::max(streams, box.runs);
    }
    return best;
  }

  double readNs(const Misses &misses) const {
    double known = regular(&Level::src);
    if (schedule.prefetchBytes || schedule.prefetchPanelBytes)
      known += (1 - known) * prefetchGain;
    double time =
        misses.l1 * machine.l2Ns +
        misses.l2 * between(machine.l3Ns, machine.l3RandomNs, known) +
        misses.l3 * between(machine.memoryNs, machine.memoryRandomNs, known);
    // The panel's own lines, if the first cache does not hold them.
    if (stage)
      time += (1 - hitShare(static_cast<double>(stage->bufferBytes) /
                            static_cast<double>(machine.l1Bytes))) *
              2 * copied() / lineBytes * machine.l2Ns;
    return time;
  }

  double cachedWriteNs(const Misses &misses) const {
    const double known = regular(&Level::dst);
    return misses.l1 * machine.l2Ns +
           misses.l2 * between(machine.l3Ns, machine.l3RandomNs, known) +
           misses.l3 *
               (between(machine.memoryNs, machine.memoryRandomNs, known) +
                machine.writeBackNs);
  }

  static double between(double ordered, double random, double known) {
    return ordered + (random - ordered) * (1 - known);
  }

  double streamNs() const {
    return bytes / lineBytes * machine.streamedNs +
           partialLines() * machine.partialNs;
  }

  /// Lines that rows of what is streamed fill in part only.
  double partialLines() const {
    const Dims &box = innermost(schedule);
    int64_t row = element;
    std::vector<size_t> order(dims.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::sort(order, {},
                      [&](size_t dim) { return dims[dim].dstStride; });
    for (size_t dim : order) {
      if (dims[dim].dstStride != row)
        break;
      row *= schedule.wholeLines ? dims[dim].size : box[dim];
      if (box[dim] < dims[dim].size && !schedule.wholeLines)
        break;
    }
    int64_t begins = machine.lineBytes;
    for (size_t dim = 0; dim < dims.size(); ++dim)
      if (dims[dim].size > 1 && dims[dim].dstStride >= row)
        begins = std::gcd(begins, dims[dim].dstStride);
    if (!schedule.wholeLines)
      begins = std::gcd(begins, row);
    if (begins >= machine.lineBytes)
      return 0;
    return 2 * bytes / static_cast<double>(row);
  }

  double panelOverlap() const {
    if (!stage)
      return 1;
    const double prefetched = schedule.prefetchPanelBytes ? rowsOverlap
                              : schedule.prefetchBytes    ? tilesOverlap
                                                          : 0;
    return prefetched + (1 - prefetched) *
                            std::min(writeQueueBytes / static_cast<double>(
                                                           stage->bufferBytes),
                                     1.0);
  }

  const Schedule &schedule;
  const Isa &isa;
  const Machine &machine;
  const std::vector<LoopDim> dims;
  const int64_t element;
  const double bytes, lineBytes;
  std::optional<PanelStage> stage;
  Result<Network> network = Error{Cause::BadSchedule, ""};
  double tiles = 1, allTurns = 0, starts = 0;
  std::vector<Level> levels; ///< innermost first; the last is all
  size_t panelLevel = 0;     ///< where a panel is full
};

} // namespace

std::optional<Cost> permc::cost(const Problem &canonical,
                                const Schedule &schedule, const Isa &isa,
                                const Machine &machine) {
  if (machine.cycleNs == 0 || canonical.isEmpty() || schedule.scalable ||
      schedule.kind == KernelKind::Interleave ||
      schedule.kind == KernelKind::Gather)
    return std::nullopt;
  return Prediction(canonical, schedule, isa, machine).run();
}

std::vector<Schedule> permc::leastCostFirst(const Problem &canonical,
                                            const TargetFacts &facts,
                                            std::vector<Schedule> schedules) {
  std::vector<std::pair<double, size_t>> order;
  for (size_t i = 0; i < schedules.size(); ++i) {
    const auto its = cost(canonical, schedules[i], facts, facts);
    order.emplace_back(
        its ? its->total() : std::numeric_limits<double>::infinity(), i);
  }
  std::ranges::sort(order);
  std::vector<Schedule> sorted;
  for (auto [time, i] : order)
    sorted.push_back(std::move(schedules[i]));
  return sorted;
}
