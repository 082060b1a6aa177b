//===- Structures.cpp - structure moves and gathers -----------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Moves that bring elements to their places on the way: structure moves split
// or join interleaved streams (NEON's ld3 and st3), of which there are two to
// four, or 8 to 32 after some zips; gathers take each element of a column from
// its own row (Helium).
//
//===----------------------------------------------------------------------===//

#include "Structures.h"

#include "CountedTile.h"

#include "permc/Plan/CeilDiv.h"
#include "permc/Plan/LoopOrder.h"

#include <algorithm>
#include <bit>

using namespace permc;

namespace {

/// What a micro kernel with a loop of its own moves at most: parts share pieces
/// of that size.
constexpr int64_t streamPieceBytes = 16 << 10;

/// Structure moves of one tile; the loop round them costs as much as one.
constexpr int64_t maxStructureMoves = 8;

/// Streams that one structure move splits or joins.
constexpr int64_t mostAtOnce = 4;

/// Registers of a tile that joins many streams: usually, and at most.
constexpr int64_t joinedRegisters = 32, maxJoinedRegisters = 128;

/// Columns of a tile that are gathered, two vectors each: fewer where there is
/// a second version of the code, for a src that is not aligned.
constexpr int64_t gatheredColumns = 8, alignedColumns = 4;

/// One element of each dim, in moves of the widest kind.
Schedule emptySchedule(const Problem &problem, const TargetFacts &facts) {
  Schedule schedule;
  schedule.tile.assign(problem.rank(), 1);
  schedule.vectorBytes =
      facts.vectorBytes ? facts.vectorBytes : facts.wordBytes;
  return schedule;
}

/// How many elements of a stream a structure move takes: of a register of each,
/// of half of one, or of several streams that it regroups as they are.
enum class Streams { Whole, Halves, Regrouped };

class StructureRules {
public:
  StructureRules(const Problem &problem, const ArmFacts &facts, Streams kind)
      : problem(problem), facts(facts), dims(problem.loopDims()),
        element(problem.elementBytes()), kind(kind),
        schedule(emptySchedule(problem, facts)) {}

  std::optional<OwnMoves> run(size_t src, size_t dst) {
    if (tryInterleave(src, dst, &LoopDim::srcStride))
      return OwnMoves{std::move(schedule), dst, dst,
                      "structure moves take apart what is along d" +
                          std::to_string(src)};
    if (tryInterleave(dst, src, &LoopDim::dstStride))
      return OwnMoves{std::move(schedule), src, src,
                      "structure moves join what is along d" +
                          std::to_string(dst)};
    return std::nullopt;
  }

private:
  /// Streams that lie interleaved on the side of the strides `inside`, and each
  /// contiguous along `along` on the other.
  bool tryInterleave(size_t streams, size_t along, int64_t LoopDim::*inside) {
    int64_t count = dims[streams].size;
    bool known = count == 2 || count == 4 || joinsMany(count, inside) ||
                 (count == 3 && facts.structuresOfThree);
    if (kind == Streams::Regrouped)
      return tryRegroup(streams, along, inside);
    const int64_t bytes =
        kind == Streams::Halves ? facts.vectorBytes / 2 : facts.vectorBytes;
    const int64_t perMove = bytes / element;
    if (!known || element > facts.structureBytes ||
        !std::has_single_bit(uint64_t(element)) ||
        dims[along].*inside != count * element || dims[along].size < perMove ||
        (kind == Streams::Halves && count > mostAtOnce))
      return false;
    auto &moves = schedule.kernel.emplace<micro::Interleave>();
    schedule.vectorBytes = bytes;
    schedule.tile[streams] = count;
    int64_t size = dims[along].size;
    if (joinsMany(count, inside)) {
      schedule.tile[along] = joinedElements(count, size);
      moves.tables = tablesFor(dims[streams], dims[along]);
      moves.lookupsAtOnce = moves.tables > 1 && hasRegistersForLookups(count);
      moves.vectorPairs = joinsInPairs(streams, along);
      if (!moves.tables) {
        moves.vectorsPerLoad = loadedAtOnce(dims[streams], dims[along]);
        moves.structuresStep =
            stepIsWorth(count / 4 * (schedule.tile[along] / perMove));
      }
      return true;
    }
    schedule.tile[along] = std::min(size, perMove * maxStructureMoves);
    if (inside == &LoopDim::srcStride)
      moves.vectorsPerStore = storedAtOnce(dims[streams], dims[along]);
    else {
      moves.vectorsPerLoad = loadedAtOnce(dims[streams], dims[along]);
      // Structure moves have no offset. This one is where the last one ends,
      // which can step its address there.
      moves.lastLane = facts.structuresOfLanes && size > perMove &&
                       schedule.tile[along] == size && size % perMove == 1;
    }
    if (facts.loopTurn && schedule.tile[along] == size &&
        !moves.vectorsPerLoad && !moves.vectorsPerStore)
      takeBatches();
    if (facts.scalableVectors && schedule.tile[along] < size) {
      // The tile's own loop has no remainder; pieces are for parts to share.
      moves.scalable = true;
      schedule.tile[along] = ceilDiv(size, evenPieces(size, count * element));
    } else {
      const int64_t each = schedule.tile[along] / perMove + moves.lastLane;
      moves.structuresStep = stepIsWorth(each * batches());
    }
    return true;
  }

  /// Streams that are a unit of structure moves each, and as many more of them
  /// in a dim that is next on both sides.
  bool tryRegroup(size_t streams, size_t along, int64_t LoopDim::*inside) {
    const int64_t count = dims[streams].size,
                  stream = dims[along].size * element, all = count * stream;
    auto batch = std::ranges::find_if(dims, [&](const LoopDim &dim) {
      return dim.srcStride == all && dim.dstStride == all;
    });
    if (count > mostAtOnce || (count == 3 && !facts.structuresOfThree) ||
        stream > facts.structureBytes || stream <= element ||
        !std::has_single_bit(uint64_t(stream)) ||
        !std::has_single_bit(uint64_t(element)) || batch == dims.end() ||
        dims[along].*inside != count * element)
      return false;
    schedule.vectorBytes = facts.vectorBytes;
    if (batch->size * stream < facts.vectorBytes)
      schedule.vectorBytes /= 2;
    const int64_t perMove = schedule.vectorBytes / stream;
    if (batch->size < perMove)
      return false;
    auto &moves = schedule.kernel.emplace<micro::Interleave>();
    schedule.tile[streams] = count;
    schedule.tile[along] = dims[along].size;
    const int64_t taken = std::min(batch->size, perMove * maxStructureMoves);
    schedule.tile[static_cast<size_t>(batch - dims.begin())] = taken;
    moves.structuresStep = stepIsWorth(taken / perMove);
    return true;
  }

  /// Streams as a whole are a tile: takes as many of them as executes the
  /// least.
  void takeBatches() {
    const std::vector<size_t> order = slowestFirst(dims, &LoopDim::dstStride);
    std::vector<size_t> growth(order.rbegin(), order.rend());
    std::erase_if(growth, [&](size_t dim) { return schedule.tile[dim] > 1; });
    const Dims one = schedule.tile;
    schedule.tile = countedTile(problem, facts, schedule, growth, order).tile;
    if (!isNear(&LoopDim::srcStride) || !isNear(&LoopDim::dstStride))
      schedule.tile = one;
  }

  /// Whether all of the tile is within reach of one address: those of streams
  /// that run along by themselves would be too many for all batches.
  bool isNear(int64_t LoopDim::*stride) const {
    int64_t span = 0;
    for (size_t dim = 0; dim < dims.size(); ++dim)
      span += (schedule.tile[dim] - 1) * (dims[dim].*stride);
    return !facts.vectorReach.ahead || span <= facts.vectorReach.ahead;
  }

  /// How many times a tile has all streams.
  int64_t batches() const {
    int64_t count = 1;
    for (size_t dim = 0; dim < dims.size(); ++dim)
      if (dims[dim].srcStride != element && dims[dim].dstStride != element)
        count *= schedule.tile[dim];
    return count;
  }

  /// Whether so many streams are joined by zips and a structure store, with
  /// fewer rounds of zips than a transpose has.
  bool joinsMany(int64_t count, int64_t LoopDim::*inside) const {
    return inside == &LoopDim::dstStride && facts.vectorBytes == laneBytes &&
           count > 4 && count <= facts.vectorRegisters &&
           std::has_single_bit(uint64_t(count)) && element <= 4 &&
           count / 4 < laneBytes / element;
  }

  /// Of how many registers the tables are that join many streams. From 16 on
  /// there are two rounds of zips, which one of four registers does. Streams of
  /// one register that follow one another need no more than one, for loads
  /// bring together what belongs there; words must be several elements.
  int64_t tablesFor(const LoopDim &streams, const LoopDim &along) const {
    constexpr int64_t joined = 4, twoRounds = joined * joined;
    if (facts.tableVectors < joined || streams.size < twoRounds)
      return 0;
    bool blocks = streams.size == twoRounds && streams.srcStride == laneBytes &&
                  along.size * element == laneBytes;
    return blocks ? 1 : joined;
  }

  /// Whether what tables are looked up by can stay in registers beside so many
  /// streams and what is made of them.
  bool hasRegistersForLookups(int64_t streams) const {
    return 2 * streams <= facts.vectorRegisters;
  }

  /// How many elements of so many streams a tile has: with as many all tiles
  /// take the fewest instructions. A register is loaded and shuffled, and a
  /// quarter of what is stored.
  int64_t joinedElements(int64_t count, int64_t size) const {
    const int64_t perMove = facts.vectorBytes / element;
    auto cost = [&](int64_t elements) {
      const int64_t tiles = ceilDiv(size, elements),
                    registers = count * ceilDiv(elements, perMove);
      return tiles * (2 * registers + registers / 4 + facts.joinTurn) +
             (tiles > 1 ? facts.joinStart : 0);
    };
    int64_t best =
        std::min(size, perMove * std::max<int64_t>(joinedRegisters / count, 1));
    // So many fill the machine's registers: what is left of one tile would be
    // in the way of the next.
    if (count == joinedRegisters)
      return best;
    for (int64_t i = 1; i <= maxJoinedRegisters / count; ++i) {
      const int64_t other = std::min(size, i * perMove);
      // Moves without an offset: a tile that is moved back makes all its
      // addresses again.
      const bool makesAddresses =
          facts.vectorReach == Reach{} && size % other != 0;
      if (!makesAddresses && cost(other) < cost(best))
        best = other;
    }
    return best;
  }

  /// Whether two registers of some streams are one load, which takes registers
  /// that must be saved. All of them are to be within reach of one address.
  bool joinsInPairs(size_t streams, size_t along) const {
    constexpr int64_t four = 4, many = 16, atOnce = 2;
    const int64_t pair = 2 * laneBytes, bytes = schedule.tile[along] * element;
    if (!facts.vectorPairs ||
        fieldsOf<micro::Interleave>(schedule).tables != four ||
        dims[streams].size != many || bytes < pair)
      return false;
    const int64_t last = many - 1 - atOnce,
                  span = last * dims[streams].srcStride + bytes - pair;
    int64_t saved = many / 2 * (bytes / pair);
    for (size_t dim = 0; dim < dims.size(); ++dim)
      saved *= ceilDiv(dims[dim].size, schedule.tile[dim]);
    return saved > facts.savedRegisters &&
           span <= facts.pairReach.back + facts.pairReach.ahead;
  }

  /// Whether so many structure moves that follow one another are told to step.
  /// They have no offset; of two the back end lets one step by itself.
  bool stepIsWorth(int64_t moves) const {
    return facts.vectorsPerStep > 1 && moves > 2;
  }

  /// How many streams are loaded at once. Each is to be a register, with no gap
  /// to the next.
  int64_t loadedAtOnce(const LoopDim &streams, const LoopDim &along) const {
    if (streams.srcStride != laneBytes || along.size * element != laneBytes)
      return 0;
    const int64_t most = facts.vectorsPerLoad;
    return most > 1 && streams.size % most == 0 ? most : inOneStep(streams);
  }

  /// ... and stored.
  int64_t storedAtOnce(const LoopDim &streams, const LoopDim &along) const {
    const bool follow =
        streams.dstStride == laneBytes && along.size * element == laneBytes;
    return follow ? inOneStep(streams) : 0;
  }

  /// Two are a pair, which has an offset besides.
  int64_t inOneStep(const LoopDim &streams) const {
    const int64_t count = std::min(streams.size, facts.vectorsPerStep);
    return count > 2 && streams.size % count == 0 ? count : 0;
  }

  /// How many pieces for parts to share `size` elements make: equal ones, if
  /// their number can be near what is wanted. Of many it matters little.
  static int64_t evenPieces(int64_t size, int64_t bytes) {
    constexpr int64_t maxTries = 16;
    int64_t most = std::max<int64_t>(size * bytes / streamPieceBytes, 1);
    for (int64_t less = 0; less < std::min(maxTries, ceilDiv(most, 2)); ++less)
      if (size % (most - less) == 0)
        return most - less;
    return most;
  }

  const Problem &problem;
  const ArmFacts &facts;
  const std::vector<LoopDim> dims;
  const int64_t element;
  const Streams kind;
  Schedule schedule;
};

} // namespace

std::optional<OwnMoves> permc::tryStreams(const Problem &problem,
                                          const ArmFacts &facts, size_t src,
                                          size_t dst) {
  return StructureRules(problem, facts, Streams::Whole).run(src, dst);
}

std::optional<OwnMoves> permc::tryGather(const Problem &problem,
                                         const TargetFacts &facts, size_t src,
                                         size_t dst) {
  if (!facts.gatherLoads)
    return std::nullopt;
  const std::vector<LoopDim> dims = problem.loopDims();
  const int64_t element = problem.elementBytes(), rows = dims[dst].size,
                columns = dims[src].size, perGather = element == 4 ? 4 : 8;
  Schedule schedule = emptySchedule(problem, facts);
  schedule.kernel = micro::Gather{};
  // All of few columns: a loop of two turns takes as long as one of them.
  const int64_t most = element == 1 || columns <= gatheredColumns
                           ? gatheredColumns
                           : alignedColumns;
  schedule.tile[src] = ceilDiv(columns, ceilDiv(columns, most));
  schedule.tile[dst] = std::clamp<int64_t>(rows, perGather, 2 * perGather);
  if (schedule.tile[dst] > rows || !gatherTile(problem, schedule))
    return std::nullopt;
  return OwnMoves{std::move(schedule), src, dst, "the target gathers columns"};
}

std::optional<ExplainedSchedule>
permc::chooseShortStreams(const Problem &problem, const ArmFacts &facts,
                          const Schedule &chosen) {
  const std::vector<LoopDim> dims = problem.loopDims();
  const auto src = fastDim(dims, &LoopDim::srcStride, problem.elementBytes()),
             dst = fastDim(dims, &LoopDim::dstStride, problem.elementBytes());
  if (!facts.loopTurn || !facts.halfVectors || !facts.structureBytes || !src ||
      !dst ||
      (!is<micro::TileTranspose>(chosen) && !is<micro::Shuffle>(chosen)))
    return std::nullopt;
  std::optional<int64_t> least = countInstructions(problem, facts, chosen);
  std::optional<ExplainedSchedule> best;
  for (Streams kind : {Streams::Halves, Streams::Regrouped}) {
    auto moves = StructureRules(problem, facts, kind).run(*src, *dst);
    if (!moves)
      continue;
    ExplainedSchedule streams =
        scheduleOwnMoves(problem, facts, std::move(*moves));
    auto count = countIfLess(problem, facts, streams.schedule,
                             least.value_or(INT64_MAX));
    if (!count)
      continue;
    least = count;
    best = std::move(streams);
  }
  return best;
}
