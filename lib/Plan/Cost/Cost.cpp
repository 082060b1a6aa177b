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
#include <map>
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

/// How much longer lines take that are streamed in several parts.
constexpr double splitLines = 1.5;

/// The share of all sets that counts as few.
constexpr double fewSets = 0.25;

/// A line from the second cache takes so much longer than in a row of others,
/// for what waits for it.
constexpr double nearWait = 3;

/// Instructions of a turn of a loop.
constexpr double turnInstructions = 3;

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
  double l1 = 0, l2 = 0, l3 = 0, pages = 0, nearPages = 0;
};

/// What is known of a tile whatever its nest is.
struct CountedTile {
  bool isNetwork = false;
  TileWork work;
};

/// Tiles that were counted, by all that decides on their networks.
using TileKey = std::vector<int64_t>;
using TileTable = std::map<TileKey, CountedTile>;

class Prediction {
public:
  Prediction(const Problem &problem, const Schedule &schedule, const Isa &isa,
             const Machine &machine, TileTable &known)
      : problem(problem), schedule(schedule), isa(isa), machine(machine),
        dims(problem.loopDims()), element(problem.elementBytes()),
        bytes(static_cast<double>(problem.bytesMoved())),
        lineBytes(static_cast<double>(machine.lineBytes)) {
    if (!schedule.panel.empty())
      stage = panelStage(problem, schedule);
    tile = countTile(known);
    makeLevels();
  }

  std::optional<Cost> run() {
    // Runs of many vectors are loops of their own.
    if (!tile.isNetwork && !copiesRuns(schedule))
      return std::nullopt;
    const Misses src = missesOf(&Level::src), dst = missesOf(&Level::dst);
    Cost cost;
    cycles = tileCycles();
    cost.work = machine.cycleNs * cycles;
    cost.read = readNs(src);
    cost.write = schedule.streaming ? streamNs() : cachedWriteNs(dst);
    cost.tlb = machine.tlbMissNs * (src.pages + dst.pages) +
               machine.cycleNs * secondTlbCycles * dst.nearPages;
    const double emptied = stage ? emptyNs() : 0;
    const double fill = normed(cost.work, cost.read + cost.tlb),
                 drain = stage ? normed(emptied, cost.write) : cost.write;
    const double total =
        schedule.streaming
            ? std::max(fill, drain) +
                  (1 - overlapOfStreams()) * std::min(fill, drain)
            : normed(cost.work + emptied, cost.read + cost.write + cost.tlb);
    cost.work += emptied;
    cost.overlap = cost.work + cost.read + cost.write + cost.tlb - total;
    return cost;
  }

private:
  /// The dst strides of a panel's buffer are part of a network.
  TileKey keyOf() const {
    TileKey key = schedule.tile;
    key.insert(key.end(),
               {static_cast<int64_t>(schedule.kind), schedule.vectorBytes,
                static_cast<int64_t>(schedule.streaming)});
    if (stage)
      for (const LoopDim &dim : stage->problem.loopDims())
        key.push_back(dim.dstStride);
    return key;
  }

  CountedTile countTile(TileTable &known) const {
    auto [place, isNew] = known.try_emplace(keyOf());
    CountedTile &counted = place->second;
    if (!isNew)
      return counted;
    Result<Network> network =
        stage ? unprovenNetwork(stage->problem, stage->schedule)
              : unprovenNetwork(problem, schedule);
    if (!network)
      return counted;
    counted.isNetwork = true;
    counted.work = tileWork(*network, alignment(&LoopDim::srcStride),
                            stage ? laneBytes : alignment(&LoopDim::dstStride),
                            isa, machine);
    return counted;
  }

  //===--- the nest -------------------------------------------------------===//

  void makeLevels() {
    const std::vector<Loop> &loops = schedule.loops;
    Dims box = schedule.tile, step = schedule.tile, range(loops.size());
    std::vector<double> turns(loops.size());
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

  /// ... and its turns each time: in the mean, for the last block of a dim has
  /// what is left.
  double turnsOf(size_t loop, int64_t range) const {
    const auto dim = static_cast<size_t>(schedule.loops[loop].dim);
    const int64_t step = schedule.loops[loop].step,
                  blocks = ceilDiv(dims[dim].size, range);
    if (stage || dims[dim].size % range == 0)
      return static_cast<double>(ceilDiv(range, step));
    const int64_t last = dims[dim].size % range;
    return static_cast<double>((blocks - 1) * ceilDiv(range, step) +
                               ceilDiv(last, step)) /
           static_cast<double>(blocks);
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

  double tileCycles() {
    TileWork work = tile.work;
    if (!tile.isNetwork) {
      double vectors =
          static_cast<double>(element) / static_cast<double>(isa.vectorBytes);
      for (int64_t size : schedule.tile)
        vectors *= static_cast<double>(size);
      work.cycles = vectors * (isa.vectorBytes > 32 ? machine.wideStoreCycles
                                                    : machine.storeCycles);
      work.instructions = 2 * vectors;
    }
    // A prefetch is a load as far as ports go.
    if (schedule.prefetchBytes)
      work.cycles += machine.loadCycles * levels.front().src.lines;
    if (schedule.prefetchDstBytes)
      work.cycles += machine.loadCycles * levels.front().dst.lines;
    instructions = tiles * work.instructions + turnInstructions * allTurns;
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

  /// What the lines of one side's box take of the sets that they fall into, of
  /// a cache of so many bytes.
  double pressureOf(const Footprint &side, double cacheBytes) const {
    return side.lines / side.sets * lineBytes / cacheBytes;
  }

  /// The share of a side's lines that are still there when a loop comes back to
  /// them. Lines of the other side compete where they fall into the same sets:
  /// all of those of a panel or of the last cache, which are spread evenly.
  double kept(size_t level, Footprint Level::*side, double cacheBytes,
              bool isLast = false) const {
    const Level &box = levels[level];
    const Footprint &own = box.*side,
                    &other = side == &Level::src ? box.dst : box.src;
    if (isLast || stage) {
      double lines = isLast ? box.src.lines : box.src.lines / box.src.sets;
      if (stage)
        lines += linesOfPanel(box);
      if (!schedule.streaming && (isLast || !stage))
        lines += box.dst.lines;
      return hitShare(lines * lineBytes / cacheBytes);
    }
    const double alone = pressureOf(own, cacheBytes);
    if (schedule.streaming)
      return hitShare(alone);
    // Rows of 2^n elements and nearly so many put both sides into the same few.
    const double shared =
        std::max(own.sets, other.sets) <= fewSets ? 1 : other.sets;
    return (1 - shared) * hitShare(alone) +
           shared * hitShare(alone + pressureOf(other, cacheBytes));
  }

  /// Lines of the buffer that a box of a panel fills.
  double linesOfPanel(const Level &box) const {
    const double share = std::min(
        box.dst.lines / std::max(levels[panelLevel].dst.lines, 1.0), 1.0);
    return share * static_cast<double>(stage->bufferBytes) / lineBytes;
  }

  double pagesOf(size_t level) const {
    return levels[level].src.pages + levels[level].dst.pages;
  }

  Misses missesOf(Footprint Level::*side) const {
    const auto l1 = static_cast<double>(machine.l1Bytes),
               l2 = static_cast<double>(machine.l2Bytes),
               l3 = static_cast<double>(machine.l3Bytes),
               pages = static_cast<double>(machine.tlbPages);
    const Footprint &first = levels.front().*side;
    Misses misses{first.lines, first.lines, first.lines, first.pages,
                  first.pages};
    for (size_t i = 0; i + 1 < levels.size(); ++i) {
      const Footprint &out = levels[i + 1].*side;
      auto leave = [&](double &missed, double hit, double distinct) {
        const double again = levels[i].turns * missed;
        missed = hit * std::min(distinct, again) + (1 - hit) * again;
      };
      leave(misses.l1, kept(i, side, l1), out.lines);
      leave(misses.l2, kept(i, side, l2), out.lines);
      leave(misses.l3, kept(i, side, l3, /*isLast=*/true), out.lines);
      leave(misses.pages, hitShare(pagesOf(i) / pages), out.pages);
      leave(misses.nearPages, hitShare(pagesOf(i) / pagesAtHand), out.pages);
    }
    // Calls follow one another.
    const double both = schedule.streaming ? bytes : 2 * bytes;
    misses.l1 *= 1 - hitShare(both / l1);
    misses.l2 = std::min(misses.l2 * (1 - hitShare(both / l2)), misses.l1);
    misses.l3 = std::min(misses.l3 * (1 - hitShare(both / l3)), misses.l2);
    misses.pages *= 1 - hitShare(pagesOf(levels.size() - 1) / pages);
    misses.nearPages *= 1 - hitShare(pagesOf(levels.size() - 1) / pagesAtHand);
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

  /// Nanoseconds of a line that comes in no order. Misses overlap with others
  /// within what the core looks ahead, or, where they are rare, with the work
  /// that is in flight meanwhile.
  double randomNs(double ns, double latencyNs, double misses) const {
    const double window = machine.windowInstructions / instructions,
                 overlapped = latencyNs / std::max(misses * window, 1.0),
                 exposed = latencyNs - machine.cycleNs * cycles * window;
    return std::max(std::min(overlapped, exposed), ns);
  }

  double readNs(const Misses &misses) const {
    double known = regular(&Level::src);
    if (schedule.prefetchBytes || schedule.prefetchPanelBytes)
      known += (1 - known) * prefetchGain;
    const double l3Random = randomNs(machine.l3RandomNs, machine.l3LatencyNs,
                                     misses.l2),
                 memoryRandom = randomNs(machine.memoryRandomNs,
                                         machine.memoryLatencyNs, misses.l3);
    double time = nearWait * misses.l1 * machine.l2Ns +
                  misses.l2 * between(machine.l3Ns, l3Random, known) +
                  misses.l3 * between(machine.memoryNs, memoryRandom, known);
    // The panel's own lines, if the first cache does not hold them.
    if (stage)
      time += (1 - hitShare(static_cast<double>(stage->bufferBytes) /
                            static_cast<double>(machine.l1Bytes))) *
              2 * copied() / lineBytes * machine.l2Ns;
    return time;
  }

  double cachedWriteNs(const Misses &misses) const {
    const double known = regular(&Level::dst);
    // A line that is written comes to the first cache and leaves it again; and
    // what comes from memory in no order goes back so.
    return 2 * nearWait * misses.l1 * machine.l2Ns +
           misses.l2 * between(machine.l3Ns, machine.l3RandomNs, known) +
           misses.l3 * between(machine.memoryNs + machine.writeBackNs,
                               2 * machine.memoryRandomNs, known);
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
    if (stage || copiesRuns(schedule) || !machine.combiningBytes ||
        schedule.vectorBytes >= machine.lineBytes)
      return false;
    for (size_t dim = 0; dim < dims.size(); ++dim)
      if (const int64_t apart = dims[dim].dstStride;
          schedule.tile[dim] > 1 && apart >= machine.lineBytes &&
          (apart >= pageBytes || apart % machine.combiningBytes == 0))
        return true;
    return false;
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

  double overlapOfStreams() const {
    if (!stage)
      return schedule.prefetchBytes ? aheadOverlap : directOverlap;
    return schedule.prefetchPanelBytes ? rowsOverlap
           : schedule.prefetchBytes    ? tilesOverlap
                                       : panelOverlap;
  }

  const Problem &problem;
  const Schedule &schedule;
  const Isa &isa;
  const Machine &machine;
  const std::vector<LoopDim> dims;
  const int64_t element;
  const double bytes, lineBytes;
  std::optional<PanelStage> stage;
  CountedTile tile;
  double tiles = 1, allTurns = 0, starts = 0, instructions = 0, cycles = 0;
  std::vector<Level> levels; ///< innermost first; the last is all
  size_t panelLevel = 0;     ///< where a panel is full
};

} // namespace

struct CostModel::Tiles {
  TileTable known;
};

CostModel::CostModel(const Problem &canonical, const Isa &isa,
                     const Machine &machine)
    : problem(canonical), isa(isa), machine(machine),
      tiles(std::make_unique<Tiles>()) {}

CostModel::~CostModel() = default;

std::optional<Cost> CostModel::cost(const Schedule &schedule) {
  if (machine.cycleNs == 0 || problem.isEmpty() || schedule.scalable ||
      schedule.kind == KernelKind::Interleave ||
      schedule.kind == KernelKind::Gather)
    return std::nullopt;
  return Prediction(problem, schedule, isa, machine, tiles->known).run();
}

std::optional<Cost> permc::cost(const Problem &canonical,
                                const Schedule &schedule, const Isa &isa,
                                const Machine &machine) {
  return CostModel(canonical, isa, machine).cost(schedule);
}

std::vector<Schedule> permc::leastCostFirst(const Problem &canonical,
                                            const TargetFacts &facts,
                                            std::vector<Schedule> schedules) {
  std::vector<std::pair<double, size_t>> order;
  CostModel model(canonical, facts, facts);
  for (size_t i = 0; i < schedules.size(); ++i) {
    const auto its = model.cost(schedules[i]);
    const double time =
        its ? its->total() : std::numeric_limits<double>::infinity();
    order.emplace_back(
        std::isnan(time) ? std::numeric_limits<double>::infinity() : time, i);
  }
  std::ranges::sort(order);
  std::vector<Schedule> sorted;
  for (auto [time, i] : order)
    sorted.push_back(std::move(schedules[i]));
  return sorted;
}
