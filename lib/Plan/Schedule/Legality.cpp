//===- Legality.cpp - what a schedule must fulfil -------------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Schedules can be written by hand. What passes here visits every element,
// stays within both buffers and becomes code of bounded size, of instructions
// that the machine has.
//
//===----------------------------------------------------------------------===//

#include "permc/Plan/Legality.h"

#include "permc/Plan/LastTiles.h"
#include "permc/Plan/WordTile.h"

#include <algorithm>
#include <bit>

using namespace permc;

static Error badSchedule(std::string message) {
  return {Cause::BadSchedule, std::move(message)};
}

/// The loops of one dim must step ever finer and end with its tile.
static Status checkLoopsOfDim(const Schedule &schedule, int64_t dim,
                              int64_t size) {
  int64_t tile = schedule.tile[dim];
  std::string where =
      "dim " + std::to_string(dim) + " of size " + std::to_string(size);
  if (tile < 1 || tile > size)
    return badSchedule("a tile of " + std::to_string(tile) + " along " + where +
                       "; expected 1 to " + std::to_string(size));
  int64_t panel = innermost(schedule)[dim];
  if (panel < tile || panel > size)
    return badSchedule("a panel of " + std::to_string(panel) + " along " +
                       where + "; expected " + std::to_string(tile) + " to " +
                       std::to_string(size));
  int64_t step = size;
  bool entersPanel = panel == size;
  for (unsigned i = 0; i < schedule.loops.size(); ++i) {
    const Loop &loop = schedule.loops[i];
    if (loop.dim != dim)
      continue;
    if (loop.step >= step || loop.step % tile != 0 || loop.step < 1)
      return badSchedule(
          "a loop with the step " + std::to_string(loop.step) + " along " +
          where + "; expected a multiple of the tile " + std::to_string(tile) +
          ", below " + std::to_string(step));
    // A block must end where one of its own steps ends.
    if (step != size && step % loop.step != 0)
      return badSchedule("a loop with the step " + std::to_string(loop.step) +
                         " inside one with the step " + std::to_string(step) +
                         " along " + where + "; expected it to divide");
    if (i < schedule.unitLoops && step != size)
      return badSchedule("the second loop along " + where + " counts units");
    if (i < schedule.unitLoops && loop.step < panel)
      return badSchedule("a loop inside the panel along " + where +
                         " counts units");
    entersPanel |= loop.step == panel;
    step = loop.step;
  }
  if (schedule.panel && !entersPanel)
    return badSchedule("no loop along " + where + " steps by its panel " +
                       std::to_string(panel));
  if (step != tile)
    return badSchedule("the last step along " + where + " is " +
                       std::to_string(step) + "; expected the tile " +
                       std::to_string(tile));
  return Done{};
}

/// A tile that is one contiguous run on both sides; `what` says whose.
static Status checkRun(const Problem &problem, const Schedule &schedule,
                       const std::string &what) {
  std::vector<LoopDim> dims = problem.loopDims();
  for (size_t dim = 0; dim < dims.size(); ++dim)
    if (schedule.tile[dim] > 1 &&
        (dims[dim].srcStride != problem.elementBytes() ||
         dims[dim].dstStride != problem.elementBytes()))
      return badSchedule("a " + what + " tile along dim " +
                         std::to_string(dim) +
                         ", which is not contiguous on both sides");
  return Done{};
}

/// Tiles that are loops over vectors of unknown length.
static Status checkScalable(const Problem &problem, const Schedule &schedule) {
  if (schedule.streaming || schedule.panel)
    return badSchedule("a scalable schedule that streams");
  if (schedule.vectorBytes != laneBytes)
    return badSchedule("scalable vectors of " +
                       std::to_string(schedule.vectorBytes) +
                       " bytes at least; expected 16");
  if (copiesRuns(schedule))
    return checkRun(problem, schedule, "scalable");
  if (std::ranges::count_if(schedule.tile,
                            [](int64_t size) { return size > 1; }) != 2)
    return badSchedule("a scalable interleave tile over several batches of "
                       "streams; expected one");
  Result<InterleaveTile> tile = interleaveTile(problem, schedule);
  return tile ? Status(Done{}) : Status(tile.error());
}

Status permc::checkStreamedRun(const Problem &problem,
                               const Schedule &schedule) {
  if (auto ok = checkRun(problem, schedule, "streamed"); !ok)
    return ok;
  int64_t bytes = problem.elementBytes();
  for (int64_t size : schedule.tile)
    bytes *= size;
  if (bytes < 128 || schedule.vectorBytes < laneBytes)
    return badSchedule("a streamed run of " + std::to_string(bytes) +
                       " bytes by moves of " +
                       std::to_string(schedule.vectorBytes) +
                       "; expected 128 or more by 16 or more");
  return Done{};
}

/// Rows that are cut at lines go on along one dim, in one loop of its own, and
/// the last panel of it must find its line within the dim.
static Status checkWholeLines(const Problem &problem,
                              const Schedule &schedule) {
  const Dims &panel = schedule.panel->extent;
  const PanelStage stage = panelStage(problem, schedule);
  if (!stage.open)
    return badSchedule("whole lines of a panel that has no rows");
  const size_t open = *stage.open;
  const int64_t size = problem.loopDims()[open].size;
  const std::string where =
      "dim " + std::to_string(open) + " of size " + std::to_string(size);
  if (stage.extent[open] > size || schedule.tile[open] == panel[open])
    return badSchedule("whole lines of a panel of " +
                       std::to_string(panel[open]) + " along " + where +
                       "; expected more than a tile, and " +
                       std::to_string(stage.lineUnits) + " less than the dim");
  for (size_t i = 0; i < schedule.loops.size(); ++i) {
    const Loop &loop = schedule.loops[i];
    if (loop.dim == static_cast<int64_t>(open) &&
        (loop.step > panel[open] || i < schedule.unitLoops))
      return badSchedule("whole lines of panels in blocks or units along " +
                         where);
  }
  return Done{};
}

/// A panel is a buffer on the stack, and its rows are runs of dst that are
/// streamed, or short ones that are copied.
static Status checkPanel(const Problem &problem, const Schedule &schedule) {
  int64_t bytes = problem.elementBytes();
  for (int64_t size : schedule.panel->extent)
    if (__builtin_mul_overflow(bytes, size, &bytes))
      bytes = INT64_MAX / 2;
  if (bytes > maxPanelBytes)
    return badSchedule("a panel of " + std::to_string(bytes) +
                       " bytes; expected at most " +
                       std::to_string(maxPanelBytes));
  if (!schedule.streaming && schedule.panel->wholeLines)
    return badSchedule("whole lines of a panel that is not streamed");
  if (schedule.panel->wholeLines)
    if (auto ok = checkWholeLines(problem, schedule); !ok)
      return ok;
  const PanelStage stage = panelStage(problem, schedule);
  const int64_t row = stage.rowBytes;
  if (!schedule.streaming &&
      (row > maxCopiedRowBytes || schedule.vectorBytes < laneBytes))
    return badSchedule("a panel whose rows of " + std::to_string(row) +
                       " bytes are copied by moves of " +
                       std::to_string(schedule.vectorBytes) +
                       "; expected at most " +
                       std::to_string(maxCopiedRowBytes) + " by 16 or more");
  if (schedule.streaming && (row < 128 || schedule.vectorBytes < laneBytes))
    return badSchedule("a panel whose rows have " + std::to_string(row) +
                       " contiguous bytes of dst, by moves of " +
                       std::to_string(schedule.vectorBytes) +
                       "; expected 128 or more by 16 or more");
  return Done{};
}

/// Pairs of words are aligned only if each tile starts aligned.
static Status checkPairs(const Problem &problem, const Schedule &schedule) {
  int64_t alignment = pairAlignment(schedule);
  bool moves =
      !is<micro::TileTranspose>(schedule) || alignment == maxWordAlignment;
  constexpr int64_t maxAlignment = 32;
  // Loads of more words than two are taken apart by a transpose.
  bool wide = is<micro::WordTranspose>(schedule) &&
              schedule.vectorBytes == maxWordLoad &&
              problem.elementBytes() % alignment == 0;
  wide |= stepsWords(schedule);
  if (!moves || schedule.streaming || alignment > maxAlignment ||
      (alignment != schedule.vectorBytes / 2 && !wide))
    return badSchedule(
        "pairs aligned to " + std::to_string(alignment) + " in a " +
        kernelName(schedule) + " of " + std::to_string(schedule.vectorBytes) +
        " bytes; expected a copy, block_copy, scalar, "
        "tile_transpose or word_transpose of twice the alignment, a "
        "tile_transpose of 16 bytes or a word_transpose of 32, that does not "
        "stream");
  if (!startsAligned(problem, schedule, alignment))
    return badSchedule("pairs aligned to " + std::to_string(alignment) +
                       " in tiles that may start elsewhere");
  return Done{};
}

/// Addresses of a limited reach are those of fixed moves. A transposed tile of
/// vector pairs needs them: its moves are not to reach further.
static Status checkReach(const Schedule &schedule) {
  constexpr int64_t most = 1 << 20;
  const auto &moves = fieldsOf<micro::FixedMoves>(schedule);
  const auto &tiles = fieldsOf<micro::TileTranspose>(schedule);
  const bool src = moves.srcReach != Reach{}, dst = moves.dstReach != Reach{};
  for (const Reach &reach : {moves.srcReach, moves.dstReach, tiles.stepReach})
    if (reach.back < 0 || reach.back > most || reach.ahead < 0 ||
        reach.ahead > most)
      return badSchedule("addresses that reach " + std::to_string(reach.back) +
                         " bytes back and " + std::to_string(reach.ahead) +
                         " ahead; expected 0 to " + std::to_string(most));
  if (src != dst)
    return badSchedule("addresses of a limited reach on one side only");
  if (tiles.stepReach != Reach{} && !stepsWords(schedule))
    return badSchedule("stores that step in a tile_transpose of " +
                       std::to_string(schedule.vectorBytes) +
                       " bytes; expected a tile_transpose of 16 in pairs of "
                       "words");
  if (src && !hasFixedMoves(schedule))
    return badSchedule("addresses of a limited reach in a " +
                       std::string(isScalable(schedule) ? "scalable "
                                   : schedule.streaming ? "streaming "
                                                        : "stepping ") +
                       kernelName(schedule) +
                       "; expected a fixed network of another kind");
  if (tiles.vectorPairs && !tiles.stepping && !src)
    return badSchedule("vector pairs in a tile_transpose whose addresses reach "
                       "anywhere; expected a tile_transpose of limited reach");
  return Done{};
}

/// Tiles whose addresses step from row to row and from column to column are
/// nothing else besides.
static Status checkStepping(const Schedule &schedule) {
  const char *other = pairAlignment(schedule) ? "pairs"
                      : schedule.streaming    ? "streaming"
                      : schedule.prefetch.srcBytes || schedule.prefetch.dstBytes
                          ? "a prefetch"
                          : nullptr;
  if (!other)
    return Done{};
  return badSchedule(std::string("addresses that step along in a "
                                 "tile_transpose with ") +
                     other +
                     "; expected a tile_transpose without streaming or "
                     "prefetch");
}

/// Tables join 16 streams or 32, or, of one register, 16 that have one each and
/// follow one another.
static Status checkTables(const InterleaveTile &tile,
                          const micro::Interleave &moves) {
  constexpr int64_t several = 4, least = 16;
  if (moves.scalable || (moves.tables != 1 && moves.tables != several))
    return badSchedule("tables of " + std::to_string(moves.tables) +
                       " vectors; expected 1 or 4, and no scalable vectors");
  const std::vector<int64_t> &streams = tile.streams;
  const bool many = !tile.splits && streams.size() >= least;
  const bool follow = many && streams.size() == least &&
                      streams[1] - streams[0] == laneBytes &&
                      tile.elements * tile.elementBytes == laneBytes;
  if (tile.elementBytes > 2 || !(moves.tables == 1 ? follow : many))
    return badSchedule("tables of " + std::to_string(moves.tables) +
                       " vectors for " + std::to_string(streams.size()) +
                       " streams; expected 16 or more that are joined, of 1 or "
                       "2 bytes, or of one vector each without a gap");
  if (moves.lookupsAtOnce && moves.tables != several)
    return badSchedule("lookups at once in tables of one vector; expected "
                       "tables of 4");
  if (moves.vectorPairs && (moves.tables != several || streams.size() != least))
    return badSchedule("vector pairs of " + std::to_string(streams.size()) +
                       " streams and tables of " +
                       std::to_string(moves.tables) +
                       "; expected 16 and tables of 4");
  return Done{};
}

/// Streams that are loaded or stored at once are a register each and follow one
/// another, and there are as many loads as the machine has groups of registers.
static Status checkAtOnce(const InterleaveTile &tile,
                          const micro::Interleave &moves) {
  constexpr int64_t some = 4, mostStreams = 16;
  const int64_t loads = moves.vectorsPerLoad, stores = moves.vectorsPerStore;
  const auto streams = static_cast<int64_t>(tile.streams.size());
  if (!moves.scalable && !moves.tables && (!loads || !stores) &&
      tile.splits == (stores != 0) &&
      tile.streams[1] - tile.streams[0] == laneBytes &&
      tile.elements * tile.elementBytes == laneBytes && streams > 2 &&
      streams <= mostStreams && loads + stores == std::min(streams, some))
    return Done{};
  return badSchedule((stores ? "stores of " + std::to_string(stores)
                             : "loads of " + std::to_string(loads)) +
                     " vectors; expected all of 3 or 4 streams, or 4 of 8 or "
                     "16 that are joined, of one vector each without a gap");
}

/// One element of each stream that is joined is left behind whole registers.
static Status checkLastLane(const InterleaveTile &tile,
                            const micro::Interleave &moves) {
  constexpr size_t most = 4;
  const int64_t units = tile.vectorBytes / tile.elementBytes;
  if (!moves.scalable && !tile.splits && tile.streams.size() <= most &&
      tile.vectorBytes == laneBytes && tile.elements > units &&
      tile.elements % units == 1)
    return Done{};
  return badSchedule("a last lane; expected two to four streams that are "
                     "joined, of whole 16-byte vectors and one element each");
}

/// What an Interleave says fits its streams.
static Status checkStreams(const Problem &problem, const Schedule &schedule,
                           const micro::Interleave &moves) {
  if (moves.vectorPairs && !moves.tables)
    return badSchedule("vector pairs of streams without tables; expected "
                       "tables of 4");
  if (moves.structuresStep && (moves.scalable || moves.tables))
    return badSchedule("structure moves that step in an interleave of scalable "
                       "vectors or tables; expected neither");
  const bool sorts = moves.tables || moves.lookupsAtOnce,
             joinsMoves = moves.vectorsPerLoad || moves.vectorsPerStore;
  if (!sorts && !joinsMoves && !moves.lastLane)
    return Done{};
  Result<InterleaveTile> tile = interleaveTile(problem, schedule);
  if (!tile)
    return tile.error();
  if (sorts)
    if (auto ok = checkTables(*tile, moves); !ok)
      return ok;
  if (joinsMoves)
    if (auto ok = checkAtOnce(*tile, moves); !ok)
      return ok;
  return moves.lastLane ? checkLastLane(*tile, moves) : Status(Done{});
}

/// The registers of a transposed tile are half a lane at least, or words of
/// elements that are no larger.
static int64_t leastTransposed(int64_t element) {
  constexpr int64_t word = 4;
  const bool small = element <= word && std::has_single_bit(uint64_t(element));
  return small ? word : laneBytes / 2;
}

/// Moves other than single loads and stores go forwards in src.
static Status checkViews(const Problem &problem, const Schedule &schedule) {
  const bool steps = fieldsOf<micro::TileTranspose>(schedule).stepping;
  if (!problem.hasView() ||
      (!is<micro::Gather>(schedule) && !is<micro::WordTranspose>(schedule) &&
       !pairAlignment(schedule) && !steps && !isScalable(schedule)))
    return Done{};
  return badSchedule("a " + kernelName(schedule) +
                     (pairAlignment(schedule) ? " in pairs"
                      : steps                 ? " that steps along"
                      : isScalable(schedule)  ? " of scalable vectors"
                                              : "") +
                     " of a src that repeats or reverses a dim; expected "
                     "another kind, or none of these");
}

/// The micro kernel must exist and be of a size that code can have.
static Status checkTile(const Problem &problem, const Schedule &schedule) {
  if (auto ok = checkViews(problem, schedule); !ok)
    return ok;
  if (const auto *moves = getIf<micro::Interleave>(schedule))
    if (auto ok = checkStreams(problem, schedule, *moves); !ok)
      return ok;
  if (isScalable(schedule))
    return checkScalable(problem, schedule);
  if (schedule.panel) {
    if (pairAlignment(schedule))
      return badSchedule("pairs in a panel");
    if (auto ok = checkPanel(problem, schedule); !ok)
      return ok;
    PanelStage stage = panelStage(problem, schedule);
    return checkTile(stage.problem, stage.schedule);
  }
  // Streamed runs are copied by a loop of their own.
  int64_t maxTileBytes = schedule.streaming ? INT64_MAX : 16 << 10;
  int64_t bytes = problem.elementBytes();
  for (int64_t size : schedule.tile)
    if (__builtin_mul_overflow(bytes, size, &bytes))
      bytes = INT64_MAX;
  if (bytes > maxTileBytes)
    return badSchedule("a tile of " + std::to_string(bytes) +
                       " bytes; expected at most " +
                       std::to_string(maxTileBytes));
  bool streams =
      is<micro::FixedMoves>(schedule) && !is<micro::WordTranspose>(schedule);
  if (schedule.streaming && !streams)
    return badSchedule("a " + kernelName(schedule) +
                       " that streams without a panel");
  if (pairAlignment(schedule))
    if (auto ok = checkPairs(problem, schedule); !ok)
      return ok;
  if (is<micro::WordTranspose>(schedule))
    return checkWordTile(problem, schedule);
  if (is<micro::Gather>(schedule))
    if (Result<GatherTile> tile = gatherTile(problem, schedule); !tile)
      return tile.error();
  int64_t least = is<micro::Shuffle>(schedule) ? laneBytes : 1;
  if (is<micro::TileTranspose>(schedule))
    least = leastTransposed(problem.elementBytes());
  if (is<micro::Interleave>(schedule))
    least = laneBytes / 2;
  if (!std::has_single_bit(uint64_t(schedule.vectorBytes)) ||
      schedule.vectorBytes < least || schedule.vectorBytes > 64)
    return badSchedule("vectors of " + std::to_string(schedule.vectorBytes) +
                       " bytes; expected a power of two from " +
                       std::to_string(least) + " to 64");
  // Where dst does not begin with a line, tiles of runs are streamed as one.
  const bool turnedRuns = problem.hasView() && copiesRuns(schedule);
  if (schedule.streaming && (turnedRuns || !streamsTiles(problem, schedule)))
    return checkStreamedRun(problem, schedule);
  Result<Network> network = tileNetwork(problem, schedule);
  if (!network)
    return network.error();
  constexpr size_t maxSteps = 4096;
  if (network->steps.size() > maxSteps)
    return badSchedule("a tile of " + std::to_string(network->steps.size()) +
                       " moves and shuffles; expected at most " +
                       std::to_string(maxSteps));
  return Done{};
}

/// Last tiles are at least what others leave, and each piece is a schedule of
/// its own.
static Status checkLastTiles(const Problem &problem, const Schedule &schedule,
                             const Dims &lastTile) {
  const std::vector<LoopDim> dims = problem.loopDims();
  if (lastTile.size() != dims.size())
    return badSchedule("a last tile of rank " +
                       std::to_string(lastTile.size()) +
                       " for a problem of rank " + std::to_string(dims.size()));
  if (schedule.streaming || pairAlignment(schedule))
    return badSchedule("a last tile in a tile_transpose of pairs, or that "
                       "streams; expected neither");
  for (size_t dim = 0; dim < dims.size(); ++dim) {
    const int64_t last = lastTile[dim], tile = schedule.tile[dim],
                  rest = dims[dim].size % tile;
    if (last != tile && (rest == 0 || last < rest || last > tile))
      return badSchedule("a last tile of " + std::to_string(last) +
                         " along dim " + std::to_string(dim) + " of size " +
                         std::to_string(dims[dim].size) + "; expected " +
                         (rest == 0 ? "" : std::to_string(rest) + " to ") +
                         std::to_string(tile));
  }
  for (const TiledPiece &piece : piecesOf(problem, schedule))
    if (auto ok = checkSchedule(piece.problem, piece.schedule); !ok)
      return ok;
  return Done{};
}

Status permc::checkSchedule(const Problem &canonical,
                            const Schedule &schedule) {
  std::vector<LoopDim> dims = canonical.loopDims();
  if (schedule.tile.size() != dims.size())
    return badSchedule("a tile of rank " +
                       std::to_string(schedule.tile.size()) +
                       " for a problem of rank " + std::to_string(dims.size()));
  if (innermost(schedule).size() != dims.size())
    return badSchedule("a panel of rank " +
                       std::to_string(innermost(schedule).size()) +
                       " for a problem of rank " + std::to_string(dims.size()));
  if (schedule.prefetch.toL2 && !schedule.prefetch.srcBytes)
    return badSchedule("a prefetch to the second cache without a distance");
  if (schedule.prefetch.toL2 && copiesRuns(schedule))
    return badSchedule("a prefetch of runs to the second cache; expected one "
                       "of tiles");
  constexpr int64_t maxPrefetch = 1 << 28;
  for (int64_t ahead : {schedule.prefetch.srcBytes, schedule.prefetch.dstBytes,
                        schedule.panel ? schedule.panel->prefetchBytes : 0})
    if (ahead < 0 || ahead > maxPrefetch)
      return badSchedule("a prefetch " + std::to_string(ahead) +
                         " bytes ahead; expected 0 to " +
                         std::to_string(maxPrefetch));
  if (schedule.unitLoops > schedule.loops.size())
    return badSchedule(std::to_string(schedule.unitLoops) +
                       " unit loops out of " +
                       std::to_string(schedule.loops.size()) + " loops");
  const auto &tiles = fieldsOf<micro::TileTranspose>(schedule);
  if (tiles.stepping)
    if (auto ok = checkStepping(schedule); !ok)
      return ok;
  if (auto ok = checkReach(schedule); !ok)
    return ok;
  if (canonical.isEmpty())
    return Done{};
  for (const Loop &loop : schedule.loops)
    if (loop.dim < 0 || loop.dim >= static_cast<int64_t>(dims.size()))
      return badSchedule("a loop along dim " + std::to_string(loop.dim) +
                         " of a problem of rank " +
                         std::to_string(dims.size()));
  for (size_t dim = 0; dim < dims.size(); ++dim)
    if (auto ok = checkLoopsOfDim(schedule, dim, dims[dim].size); !ok)
      return ok;
  if (!tiles.lastTile.empty())
    if (auto ok = checkLastTiles(canonical, schedule, tiles.lastTile); !ok)
      return ok;
  return checkTile(canonical, schedule);
}

/// What a machine lacks for a schedule's micro kernel, and what it is that
/// would be needed; none if it has all of it.
static std::optional<std::string> findMissing(const Schedule &schedule,
                                              const Isa &isa,
                                              const std::string &machine) {
  const std::string on = " for " + machine;
  auto vectors = [](int64_t count) {
    return std::to_string(count) + " vectors";
  };
  const auto &streams = fieldsOf<micro::Interleave>(schedule);
  const auto &tiles = fieldsOf<micro::TileTranspose>(schedule);
  if (isScalable(schedule) && !isa.scalableVectors)
    return "a scalable schedule" + on + ", whose vectors are of one length";
  if (is<micro::Gather>(schedule) && !isa.gatherLoads)
    return "a gather" + on + ", which has no gather loads";
  if (movesVectorPairs(schedule) && !isa.vectorPairs)
    return "vector pairs" + on + ", which has none";
  if ((tiles.stepping || streams.structuresStep) && isa.vectorsPerStep < 2)
    return "addresses that step along" + on + ", which has no such moves";
  if (streams.tables > isa.tableVectors)
    return "tables of vectors" + on + ", which has none";
  if (streams.vectorsPerLoad > isa.vectorsPerStep &&
      streams.vectorsPerLoad != isa.vectorsPerLoad)
    return "loads of " + vectors(streams.vectorsPerLoad) + on +
           ", which has none";
  if (streams.vectorsPerStore && streams.vectorsPerStore > isa.vectorsPerStep)
    return "stores of " + vectors(streams.vectorsPerStore) + on +
           ", which has none";
  if (streams.lastLane && !isa.structuresOfLanes)
    return "stores of lanes" + on + ", which has none";
  if (fieldsOf<micro::FixedMoves>(schedule).srcReach != Reach{} &&
      isa.pairReach == Reach{} && isa.vectorReach == Reach{})
    return "addresses of a limited reach" + on + ", which makes its own";
  const bool severalWords = (is<micro::WordTranspose>(schedule) &&
                             schedule.vectorBytes == maxWordLoad) ||
                            stepsWords(schedule);
  if (severalWords && isa.wordsPerLoad * isa.wordBytes < schedule.vectorBytes)
    return "loads of several words" + on + ", which has none";
  const Reach step = tiles.stepReach, most = isa.stepReach;
  if (step.back > most.back || step.ahead > most.ahead)
    return "stores that step " + std::to_string(step.back) +
           " bytes back and " + std::to_string(step.ahead) + " ahead" + on +
           "; expected at most " + std::to_string(most.back) + " and " +
           std::to_string(most.ahead);
  return std::nullopt;
}

Status permc::checkSchedule(const Problem &canonical, const Schedule &schedule,
                            const Isa &isa, const std::string &machine) {
  if (auto ok = checkSchedule(canonical, schedule); !ok)
    return ok;
  if (auto missing = findMissing(schedule, isa, machine))
    return badSchedule(std::move(*missing));
  // A loop's counter runs up to a step past the end of its dim.
  if (isa.pointerBits <= 32)
    for (const Loop &loop : schedule.loops)
      if (canonical.loopDims()[loop.dim].size + loop.step > INT32_MAX)
        return badSchedule("a loop with the step " + std::to_string(loop.step) +
                           " counts beyond the 32 bits of " + machine);
  return Done{};
}
