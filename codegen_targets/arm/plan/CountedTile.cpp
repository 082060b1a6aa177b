//===- CountedTile.cpp - the tile that executes the least -----------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs and elements that are moved as they are take so few instructions that
// the loops round them count as much. A compiler unrolls short loops whole; a
// tile that has all of a short dim does the same, and one that divides a longer
// dim, or leaves little of it to be done twice, costs a turn for many moves.
//
//===----------------------------------------------------------------------===//

#include "CountedTile.h"

#include "WordSteps.h"

#include "permc/Plan/CeilDiv.h"
#include "permc/Plan/LastTiles.h"
#include "permc/Plan/LoopOrder.h"

#include <algorithm>
#include <set>
#include <span>

using namespace permc;

/// Moves of one tile, loads and stores together: more is too much code. Pairs
/// of words have code for buffers that are not aligned besides.
static constexpr size_t maxMoves = 128, maxPairMoves = 100;

/// What more code must save at least: a share of all, one in so many.
static constexpr int64_t worthCode = 25;

/// Where counting ends: no machine holds so much.
static constexpr int64_t mostInstructions = int64_t{1} << 60;

/// Addresses of a tile that needs one of src and one of dst.
static constexpr int64_t oneEach = 2;

using StepKind = Network::StepKind;

namespace {

/// Counts what one micro kernel executes.
class TileCount {
public:
  TileCount(const ArmFacts &facts, const Schedule &schedule,
            const Network &network, int64_t element)
      : facts(facts), schedule(schedule),
        reach(fieldsOf<micro::FixedMoves>(schedule)),
        stepping(fieldsOf<micro::TileTranspose>(schedule).stepping),
        network(network), element(element),
        isFar(addressesOf(StepKind::Load, facts.wordReach) +
                  addressesOf(StepKind::Store, facts.wordReach) >
              facts.stillRegisters) {}

  /// Moves that step leave their addresses where the next tile wants them.
  int64_t addresses() const {
    if (stepping)
      return 0;
    return addressesOf(StepKind::Load, reach.srcReach) +
           addressesOf(StepKind::Store, reach.dstReach);
  }

  int64_t instructions() const {
    const int64_t inMemory =
        std::max<int64_t>(addresses() - facts.addressRegisters, 0);
    return moves() + shuffles() + facts.addressFromMemory * inMemory;
  }

private:
  /// Places that an offset reaches have one address.
  int64_t addressesOf(StepKind kind, Reach reach) const {
    if (reach == Reach{})
      return 1;
    std::set<int64_t> offsets;
    for (const Network::Step &step : network.steps)
      if (step.kind == kind)
        offsets.insert(step.offset);
    int64_t count = 0, start = 0, origin = 0;
    for (int64_t offset : offsets)
      if (count == 0 || offset - origin > reach.ahead) {
        ++count;
        start = origin = offset;
      } else if (offset - start <= reach.back) {
        origin = offset;
      }
    return count;
  }

  int64_t moves() const {
    if (stepping)
      return steppingMoves(StepKind::Load, stepping) +
             steppingMoves(StepKind::Store, facts.vectorsPerStep);
    if (copiesRuns(schedule) && pairAlignment(schedule))
      return wordsOfRuns();
    return movesOfKind(StepKind::Load, reach.srcReach) +
           movesOfKind(StepKind::Store, reach.dstReach);
  }

  /// Up to so many vectors that follow one another are one move.
  int64_t steppingMoves(StepKind kind, int64_t most) const {
    int64_t count = 0, end = -1, vectors = 0;
    for (const Network::Step &step : network.steps) {
      if (step.kind != kind)
        continue;
      vectors = step.offset == end && vectors < most ? vectors + 1 : 1;
      count += vectors == 1;
      end = step.offset + step.bytes;
    }
    return count;
  }

  /// Two neighbours are one instruction where there are pairs. What is not
  /// within the reach of an offset takes an addition. Where vectors have no
  /// offsets a move steps its address to the next, by a register if it does not
  /// follow.
  int64_t movesOfKind(StepKind kind, Reach reach) const {
    int64_t count = 0, end = 0, before = 0;
    bool mayPair = false;
    std::set<int64_t> steps;
    for (const Network::Step &step : network.steps) {
      if (step.kind != kind)
        continue;
      const bool isVector =
                     facts.vectorBytes && step.bytes >= facts.vectorBytes / 2,
                 follows = step.offset == end;
      end = step.offset + step.bytes;
      if (facts.vectorPairs && isVector && follows && mayPair) {
        mayPair = false;
        continue;
      }
      mayPair = isVector && step.offset % step.bytes == 0 &&
                step.offset <= facts.pairReach.ahead;
      count += isStructure(step) ? structureMoves(step) : 1;
      if (!facts.vectorBytes)
        count += wordAddress(step, reach);
      else if (isStructure(step))
        count += !follows;
      else if (facts.vectorReach == Reach{})
        count += isVector
                     ? !follows && steps.insert(step.offset - before).second
                     : isPiece(step);
      else
        count += facts.nearReach && step.offset % step.bytes != 0 &&
                 step.offset > facts.nearReach;
      before = step.offset;
    }
    return count;
  }

  /// Whether a move splits or joins streams, with all its shuffles.
  bool isStructure(const Network::Step &step) const {
    return is<micro::Interleave>(schedule) && step.bytes > schedule.vectorBytes;
  }

  /// More than four registers of half the width are two moves, where structure
  /// moves are of so many only.
  int64_t structureMoves(const Network::Step &step) const {
    return facts.zipsBoth ? ceilDiv(step.bytes, 2 * facts.vectorBytes) : 1;
  }

  /// Whether a store is of less than half a register.
  bool isPiece(const Network::Step &step) const {
    return step.kind == StepKind::Store && step.bytes < laneBytes / 2 &&
           network.steps[step.a].kind == StepKind::Shuffle;
  }

  /// What the address of plain words takes. Several are loaded from one that is
  /// made for them. What no offset reaches, and has no address that runs along,
  /// takes it from memory, unless there are few.
  int64_t wordAddress(const Network::Step &step, Reach reach) const {
    if (step.bytes > 2 * facts.wordBytes)
      return 1;
    return reach == Reach{} && step.offset > facts.wordReach.ahead && isFar ? 2
                                                                            : 0;
  }

  /// Runs of more than two pairs are moved several words at once, from
  /// addresses that are made for each.
  int64_t wordsOfRuns() const {
    const int64_t few = 4 * pairAlignment(schedule),
                  atOnce = facts.wordsPerRunMove * pairAlignment(schedule);
    int64_t count = 0, run = 0, from = 0, to = 0;
    auto endRun = [&] {
      count += run > few ? 2 * ceilDiv(run, atOnce) + 2
                         : 2 * ceilDiv(run, 2 * pairAlignment(schedule));
      run = 0;
    };
    for (const Network::Step &step : network.steps) {
      if (step.kind != StepKind::Store)
        continue;
      const int64_t src = network.steps[step.a].offset;
      if (src != from || step.offset != to)
        endRun();
      run += step.bytes;
      from = src + step.bytes;
      to = step.offset + step.bytes;
    }
    endRun();
    return count;
  }

  /// Plain words trade bytes in two instructions, and half words in one. What
  /// is at the bottom of a word is there already, and whole ones are just other
  /// registers.
  int64_t shuffles() const {
    if (is<micro::Interleave>(schedule))
      return 0;
    if (facts.vectorBytes)
      return vectorShuffles();
    int64_t count = 0;
    for (const Network::Step &step : network.steps) {
      if (step.kind != StepKind::Shuffle || element >= facts.wordBytes)
        continue;
      if (step.a == step.b)
        count += step.mask.front() * step.unitBytes % facts.wordBytes != 0;
      else
        count += step.unitBytes == 1 ? 2 : 1;
    }
    return count;
  }

  /// Halves that are loaded to their places are no shuffle, nor are registers
  /// that are moved together.
  int64_t vectorShuffles() const {
    if (schedule.vectorBytes == element)
      return 0;
    auto isTogether = [](const Network::Step &step) {
      return step.bytes > laneBytes;
    };
    int64_t count = 0;
    std::set<std::pair<int, int>> zips;
    for (const Network::Step &step : network.steps)
      if (step.kind == StepKind::Shuffle && !isTogether(step) &&
          !isTogether(network.steps[step.a])) {
        ++count;
        zips.insert({step.a, step.b});
      }
    // Of elements of half a register a zip is copies.
    const bool both = facts.zipsBoth && element < laneBytes / 2;
    return both ? static_cast<int64_t>(zips.size()) : count;
  }

  const ArmFacts &facts;
  const Schedule &schedule;
  const micro::FixedMoves &reach;
  const int64_t stepping;
  const Network &network;
  const int64_t element;
  const bool isFar; ///< addresses are many
};

class CountedTile {
public:
  CountedTile(const Problem &problem, const ArmFacts &facts, Schedule schedule,
              const std::vector<size_t> &order)
      : problem(problem), facts(facts), dims(problem.loopDims()), order(order),
        schedule(std::move(schedule)) {}

  Schedule growAlong(const std::vector<size_t> &growth) {
    addLoops();
    for (size_t dim : growth) {
      takeCheapest(dim);
      if (schedule.tile[dim] < dims[dim].size)
        break;
    }
    return std::move(schedule);
  }

private:
  void addLoops() {
    schedule.loops.clear();
    for (size_t dim : order)
      if (schedule.tile[dim] < dims[dim].size)
        schedule.loops.push_back(
            {static_cast<int64_t>(dim), schedule.tile[dim]});
  }

  void takeCheapest(size_t dim) {
    int64_t best = 1;
    std::optional<int64_t> least = countInstructions(problem, facts, schedule);
    const int64_t size = dims[dim].size;
    for (int64_t share = 2; share <= size; ++share) {
      // Of the shares that make as many tiles the smallest.
      if (share != ceilDiv(size, ceilDiv(size, share)))
        continue;
      schedule.tile[dim] = share;
      addLoops();
      std::optional<int64_t> count =
          countInstructions(problem, facts, schedule);
      if (!count)
        break;
      if (!least || *count < *least - *least / worthCode) {
        best = share;
        least = count;
      }
    }
    schedule.tile[dim] = best;
    addLoops();
  }

  const Problem &problem;
  const ArmFacts &facts;
  const std::vector<LoopDim> dims;
  const std::vector<size_t> &order;
  Schedule schedule;
};

} // namespace

/// What tiles of so many instructions and the loops round them execute. Some
/// addresses run along with the innermost one.
static int64_t withLoops(const std::vector<LoopDim> &dims,
                         const ArmFacts &facts, const Schedule &schedule,
                         int64_t count, int64_t addresses) {
  bool isInnermost = true;
  for (size_t i = schedule.loops.size(); i-- > 0;) {
    const Loop &loop = schedule.loops[i];
    // Inside blocks it goes through one of them.
    int64_t size = dims[loop.dim].size;
    for (const Loop &outer : std::span(schedule.loops).first(i))
      if (outer.dim == loop.dim)
        size = outer.step;
    int64_t turn = facts.loopTurn + (isInnermost ? addresses : oneEach);
    if (size % loop.step != 0)
      turn += facts.movedBack;
    // Of what no machine holds the count may end somewhere.
    if (__builtin_mul_overflow(ceilDiv(size, loop.step), count + turn, &count))
      return mostInstructions;
    count = std::min(count, mostInstructions) + facts.loopTurn +
            (isInnermost ? addresses : 0);
    isInnermost = false;
  }
  return count;
}

/// What a tile executes whose moves step their addresses (WordSteps.h).
static int64_t steppingInstructions(const std::vector<LoopDim> &dims,
                                    const Schedule &schedule,
                                    const Network &network) {
  std::optional<TileStep> next;
  if (!schedule.loops.empty()) {
    const Loop &loop = schedule.loops.back();
    next = {loop.step * dims[loop.dim].srcStride,
            loop.step * dims[loop.dim].dstStride};
  }
  return wordSteps(network, fieldsOf<micro::TileTranspose>(schedule).stepReach,
                   next)
      .instructions();
}

static std::optional<int64_t> countNest(const Problem &problem,
                                        const ArmFacts &facts,
                                        const Schedule &schedule) {
  int64_t bytes = problem.elementBytes();
  for (int64_t size : schedule.tile)
    bytes *= size;
  const std::vector<LoopDim> dims = problem.loopDims();
  if (is<micro::Gather>(schedule)) {
    Result<GatherTile> tile = gatherTile(problem, schedule);
    if (!tile)
      return std::nullopt;
    const auto columns = static_cast<int64_t>(tile->columns.size());
    return withLoops(dims, facts, schedule,
                     facts.gatherCost * columns *
                         ceilDiv(tile->rows, tile->perGather),
                     oneEach);
  }
  // Halves of registers all wait until two of a column are there.
  if (is<micro::TileTranspose>(schedule) &&
      schedule.vectorBytes == laneBytes / 2 &&
      problem.elementBytes() == laneBytes / 2 && facts.vectorBytes &&
      bytes > facts.freeHalves * schedule.vectorBytes)
    return std::nullopt;
  const size_t most = pairAlignment(schedule) ? maxPairMoves : maxMoves;
  // Before the network is made of it.
  if (bytes > static_cast<int64_t>(most) * schedule.vectorBytes)
    return std::nullopt;
  Result<Network> network = is<micro::WordTranspose>(schedule)
                                ? tileNetwork(problem, schedule)
                                : unprovenNetwork(problem, schedule);
  if (!network ||
      network->count(StepKind::Load) + network->count(StepKind::Store) > most)
    return std::nullopt;
  if (stepsWords(schedule))
    return withLoops(dims, facts, schedule,
                     steppingInstructions(dims, schedule, *network), 0);
  const TileCount tile(facts, schedule, *network, problem.elementBytes());
  return withLoops(dims, facts, schedule, tile.instructions(),
                   tile.addresses());
}

std::optional<int64_t> permc::countInstructions(const Problem &problem,
                                                const ArmFacts &facts,
                                                const Schedule &schedule) {
  if (fieldsOf<micro::TileTranspose>(schedule).lastTile.empty())
    return countNest(problem, facts, schedule);
  int64_t count = 0;
  for (const TiledPiece &piece : piecesOf(problem, schedule, {})) {
    std::optional<int64_t> nest =
        countNest(piece.problem, facts, piece.schedule);
    if (!nest)
      return std::nullopt;
    count += *nest + facts.nestStart;
  }
  return count;
}

std::optional<int64_t> permc::countIfLess(const Problem &problem,
                                          const ArmFacts &facts,
                                          const Schedule &schedule,
                                          int64_t most) {
  std::optional<int64_t> count = countInstructions(problem, facts, schedule);
  // Counting takes less time than the proof, and mostly ends it.
  if (!count || *count >= most || !checkSchedule(problem, schedule))
    return std::nullopt;
  return count;
}

Schedule permc::countedTile(const Problem &problem, const ArmFacts &facts,
                            Schedule schedule,
                            const std::vector<size_t> &growth,
                            const std::vector<size_t> &order) {
  return CountedTile(problem, facts, std::move(schedule), order)
      .growAlong(growth);
}

/// Elements one by one, in the order of dst. Those of 8 bytes can be loaded to
/// halves of registers, two of which are one store, if registers hold a tile.
static std::vector<Schedule> elementTiles(const Problem &problem,
                                          const ArmFacts &facts) {
  const std::vector<LoopDim> dims = problem.loopDims();
  const int64_t element = problem.elementBytes();
  const std::vector<size_t> order = slowestFirst(dims, &LoopDim::dstStride);
  micro::FixedMoves reach;
  reach.srcReach = reach.dstReach = facts.vectorReach;
  Schedule single;
  single.kernel = micro::Scalar{{reach}};
  single.vectorBytes = facts.vectorBytes;
  single.tile.assign(dims.size(), 1);
  std::vector<Schedule> tiles = {countedTile(
      problem, facts, single, {order.rbegin(), order.rend()}, order)};
  const std::optional<size_t> src = fastDim(dims, &LoopDim::srcStride, element);
  if (facts.loadsHalves && element == laneBytes / 2 && src) {
    Schedule halves = single;
    halves.kernel = micro::TileTranspose{{reach}};
    halves.vectorBytes = element;
    tiles.push_back(
        countedTile(problem, facts, halves, {order.back(), *src}, order));
  }
  return tiles;
}

std::optional<Schedule> permc::chooseElements(const Problem &problem,
                                              const ArmFacts &facts,
                                              const Schedule &schedule) {
  if (!facts.loopTurn || !facts.halfVectors || isScalable(schedule) ||
      copiesRuns(schedule) || is<micro::Scalar>(schedule))
    return std::nullopt;
  std::optional<int64_t> least = countInstructions(problem, facts, schedule);
  if (!least)
    return std::nullopt;
  *least -= *least / worthOther;
  std::optional<Schedule> best;
  for (Schedule &tiles : elementTiles(problem, facts)) {
    if (tiles.loops.size() > maxNestedLoops)
      continue;
    auto count = countIfLess(problem, facts, tiles, *least);
    if (!count)
      continue;
    least = count;
    best = std::move(tiles);
  }
  return best;
}
