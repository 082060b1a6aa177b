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

#include "permc/Plan/Panel.h"
#include "permc/Plan/Schedule.h"
#include "permc/Plan/Split.h"
#include "permc/Plan/StreamedLoops.h"
#include "permc/Plan/UnalignedSchedule.h"
#include "permc/Plan/WordTile.h"

#include "LoopOrder.h"
#include "SearchTile.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>
#include <ranges>

using namespace permc;

namespace {

/// More nested loops than this go into the flat counter: code size must not
/// grow with the rank.
constexpr unsigned maxNestedLoops = 6;

/// Loops inside a panel cannot go into the counter.
constexpr int64_t maxPanelLoops = 4;

/// What a micro kernel with a loop of its own moves at most: parts share pieces
/// of that size of a run, and of interleaved streams.
constexpr int64_t runPieceBytes = 64 << 10, streamPieceBytes = 16 << 10;

/// Moves of one run that are written out one after the other.
constexpr int64_t maxTileMoves = 16;

/// Structure moves of one tile; the loop round them costs as much as one.
constexpr int64_t maxStructureMoves = 8;

/// Registers of a tile that joins many streams.
constexpr int64_t maxJoinedRegisters = 32;

/// Columns of a tile that are gathered, two vectors each: fewer where there is
/// a second version of the code, for a src that is not aligned.
constexpr int64_t gatheredColumns = 8, alignedColumns = 4;

/// Elements along each side of a tile that are moved one by one.
constexpr int64_t maxElementMoves = 5;

/// Columns of a transposed tile: enough work between two turns of the loop.
constexpr int64_t columnElements = 16;

/// Tiles whose vectors are moved in pairs: the bytes of one, the elements along
/// a side, and addresses that run along with the loop.
constexpr int64_t maxPairBytes = 1 << 10, maxPairElements = 32;
constexpr int64_t maxAddresses = 20;

/// Columns that each have an address which runs along with the loop, beside the
/// one of the rows.
constexpr int64_t maxSteppingColumns = 16;

/// Instructions of a tile from which addresses step on.
constexpr int64_t maxSteppingInstructions = 320;

/// Fetching further ahead than this is not sure to be on a mapped page.
constexpr int64_t maxPrefetchBytes = 16 << 20;

/// Lines ahead in src that streamed tiles ask for.
constexpr int64_t tileLinesAhead = 3;

/// A run that does not fill whole lines ends in two that must be read first;
/// shorter ones are put together in panels.
constexpr int64_t minStreamedRunBytes = 512;

/// Moves and shuffles of one tile; each takes the back end some 0.04 ms.
constexpr size_t maxNetworkSteps = 700;
/// Of a tile that goes through a panel, which has no lines to fill: from here
/// on half of it runs as fast.
constexpr size_t maxPanelSteps = 200;

/// Rows of a tile are joined up to this size to fill whole lines.
constexpr int64_t maxLineRowBytes = 512;

/// Registers that a Shuffle network may fill.
constexpr int64_t maxShuffleRegisters = 16;

int64_t ceilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

class Scheduler {
public:
  Scheduler(const Problem &problem, const TargetFacts &facts,
            bool dstStartsLine = true)
      : problem(problem), facts(facts), dims(problem.loopDims()),
        element(problem.elementBytes()), dstStartsLine(dstStartsLine) {
    schedule.tile.assign(dims.size(), 1);
    schedule.vectorBytes = moveBytes();
  }

  Schedule run() {
    std::optional<size_t> src = fastDim(dims, &LoopDim::srcStride, element);
    std::optional<size_t> dst = fastDim(dims, &LoopDim::dstStride, element);
    if (dims.empty() || (src && src == dst))
      scheduleRuns(src);
    else if (src && dst && tryInterleave(*src, *dst, &LoopDim::srcStride))
      scheduleLoops({*dst}, {*dst});
    else if (src && dst && tryInterleave(*dst, *src, &LoopDim::dstStride))
      scheduleLoops({*src}, {*src});
    else if (src && dst && tryGather(*src, *dst))
      scheduleLoops({*src}, {*dst});
    else if (src && dst && transposesInRegisters())
      scheduleLanes(*src, *dst);
    else
      scheduleElements(src, dst);
    joinPieces();
    chooseUnits();
    prefetchStores();
    chooseReach();
    return schedule;
  }

  Schedule runOneByOne() {
    scheduleElements(std::nullopt, std::nullopt);
    chooseUnits();
    return schedule;
  }

private:
  /// Odd elements have to be spread over units, byte by byte.
  bool transposesInRegisters() const {
    if (facts.vectorBytes < laneBytes || facts.wordTiles || element > 8)
      return false;
    return std::has_single_bit(uint64_t(element)) || facts.byteShuffle;
  }

  int64_t moveBytes() const {
    return facts.vectorBytes ? facts.vectorBytes : facts.wordBytes;
  }

  /// Dims from the slowest on one side to the fastest.
  std::vector<size_t> slowestFirst(int64_t LoopDim::*stride) const {
    return permc::slowestFirst(dims, stride);
  }

  /// The order of loops that are not the tiles' own. Streamed stores are whole
  /// lines anyway, and what counts is that src is read in long stretches.
  std::vector<size_t> outerOrder() const {
    if (schedule.streaming)
      return slowestFirst(&LoopDim::srcStride);
    std::vector<size_t> order = slowestFirst(&LoopDim::dstStride);
    std::ranges::stable_sort(order, std::ranges::greater(), [&](size_t dim) {
      return cachedDistance(dims[dim]);
    });
    return order;
  }

  void addLoop(size_t dim, int64_t step) {
    if (step < dims[dim].size)
      schedule.loops.push_back({static_cast<int64_t>(dim), step});
  }

  //===--- runs -----------------------------------------------------------===//

  void scheduleRuns(std::optional<size_t> run) {
    bool single = dims.size() <= 1;
    schedule.kind = single ? KernelKind::Copy : KernelKind::BlockCopy;
    if (!run)
      return;
    int64_t tile = runTile(dims[*run].size);
    schedule.tile[*run] = tile;
    if (streams() && dims[*run].size * element >= minStreamedRunBytes) {
      schedule.streaming = true;
      schedule.tile[*run] = tile = runTile(dims[*run].size);
      if (isWorthFetching(*run))
        schedule.prefetchBytes = fetchedAheadBytes;
    } else if (streams() && !tryStreamRuns(*run) && tryPanels()) {
      return;
    }
    if (facts.scalableVectors && tile < dims[*run].size &&
        !schedule.streaming) {
      schedule.scalable = true;
      schedule.tile[*run] = tile = runTile(dims[*run].size);
    }
    if (!schedule.streaming && !schedule.scalable)
      unrollNext(*run, tile * element);
    const std::optional<size_t> next = runsInBlocks(*run);
    for (size_t dim : outerOrder())
      if (dim != *run)
        addLoop(dim, dim == next ? runsOfBlock(*run) : schedule.tile[dim]);
    if (next)
      addLoop(*next, 1);
    addLoop(*run, tile);
  }

  /// The dim that follows short runs in dst, if some of them are streamed one
  /// after the other: single ones are too little to write in one place.
  std::optional<size_t> runsInBlocks(size_t run) const {
    if (!schedule.streaming || !facts.channelBytes || runsOfBlock(run) < 2)
      return std::nullopt;
    const int64_t bytes = dims[run].size * element;
    for (size_t dim = 0; dim < dims.size(); ++dim)
      if (dims[dim].dstStride == bytes && dims[dim].size > runsOfBlock(run) &&
          schedule.tile[dim] == 1)
        return dim;
    return std::nullopt;
  }

  int64_t runsOfBlock(size_t run) const {
    constexpr int64_t most = 8, blockBytes = 2 << 10;
    return std::min(blockBytes / (dims[run].size * element), most);
  }

  /// Whether pages ahead will be read: of a long run, or of those that follow
  /// one another in src.
  bool isWorthFetching(size_t run) const {
    const int64_t bytes = dims[run].size * element;
    bool followed =
        std::any_of(dims.begin(), dims.end(),
                    [&](const LoopDim &dim) { return dim.srcStride == bytes; });
    return bytes >= (followed ? minFetchedRunBytes : 4 * fetchedAheadBytes);
  }

  /// Streams short runs straight from registers, if they are whole lines.
  /// Single lines are better put together in panels.
  bool tryStreamRuns(size_t run) {
    return dims[run].size * element > facts.lineBytes && tryStreamTiles();
  }

  /// Elements of a run that one micro kernel moves: all of a short run, an even
  /// share of a long one, in whole vectors where elements allow it.
  int64_t runTile(int64_t size) const {
    int64_t most = std::max<int64_t>(maxTileMoves * moveBytes() / element, 1);
    if (schedule.streaming || schedule.scalable)
      most = std::max<int64_t>(runPieceBytes / element, 1);
    if (size <= most)
      return size;
    int64_t tile = ceilDiv(size, ceilDiv(size, most));
    int64_t whole = std::max<int64_t>(moveBytes() / element, 1);
    return ceilDiv(tile, whole) * whole;
  }

  /// Gives a micro kernel of few moves several runs, so that the loop round it
  /// does not cost as much as they do.
  void unrollNext(size_t run, int64_t runBytes) {
    int64_t moves = ceilDiv(runBytes, moveBytes());
    std::vector<size_t> order = slowestFirst(&LoopDim::dstStride);
    auto next = std::find_if(order.rbegin(), order.rend(),
                             [&](size_t dim) { return dim != run; });
    if (next == order.rend() || schedule.tile[run] != dims[run].size)
      return;
    int64_t most = std::min(facts.vectorRegisters, maxTileMoves);
    int64_t count = std::min(dims[*next].size, most / std::min(moves, most));
    // Only what divides: runs are not to be copied twice.
    while (count > 1 && dims[*next].size % count != 0)
      --count;
    schedule.tile[*next] = std::max<int64_t>(count, 1);
  }

  //===--- tiles ----------------------------------------------------------===//

  /// Dims that follow one another in memory on one side, fastest first, as many
  /// as it takes to fill `wanted` bytes.
  std::vector<size_t> chain(size_t fast, int64_t LoopDim::*stride,
                            int64_t wanted) const {
    std::vector<size_t> chain{fast};
    int64_t bytes = element * dims[fast].size;
    while (bytes < wanted) {
      auto next =
          std::find_if(dims.begin(), dims.end(), [&](const LoopDim &dim) {
            return dim.*stride == bytes && dim.size > 1;
          });
      if (next == dims.end())
        break;
      chain.push_back(next - dims.begin());
      bytes *= next->size;
    }
    return chain;
  }

  void scheduleLanes(size_t src, size_t dst) {
    std::optional<Choice> shuffle = chooseShuffle(src, dst);
    std::vector<size_t> columns = chain(src, &LoopDim::srcStride, laneBytes);
    std::vector<size_t> rows = chain(dst, &LoopDim::dstStride, laneBytes);
    if (haveCommonDim(columns, rows) || !isRectangle(columns, rows)) {
      columns = {src};
      rows = {dst};
    }
    // A src that overlaps itself can defy even that.
    if (!isRectangle(columns, rows)) {
      if (shuffle)
        return take(*shuffle);
      return scheduleElements(src, dst);
    }
    schedule.kind = KernelKind::TileTranspose;
    auto unit = static_cast<int64_t>(std::bit_ceil(uint64_t(element)));
    // A register takes more rows than a lane if there are any.
    std::vector<size_t> few = rows;
    rows = moreRows(columns, rows, facts.vectorBytes);
    schedule.vectorBytes = registerBytes(rows, unit);
    fillTile(columns, columnElements);
    evenColumns(columns);
    fillTile(rows, schedule.vectorBytes / unit);
    if (!isCompact()) {
      schedule.tile.assign(dims.size(), 1);
      fillTile(columns, columnElements);
      evenColumns(columns);
      fillTile(rows = few, schedule.vectorBytes / unit);
    }
    while (!isCompact() && halveTile()) {
    }
    // NEON's moves of several registers are chosen by what addresses cost, and
    // for two dims only; a tile that has others is searched for where there are
    // none. Its registers are short: rows of two are tried.
    const bool searched =
        facts.halfVectors && dims.size() > 2 && !movesSeveral(columns, rows);
    if (searched)
      schedule =
          searchTile(columns, moreRows(columns, few, 2 * facts.vectorBytes));
    else if (!facts.halfVectors && !streams())
      schedule = searchTile(columns, moreRows(columns, few, facts.vectorBytes));
    if (isSmall())
      for (size_t dim = 0; dim < dims.size(); ++dim)
        schedule.tile[dim] = dims[dim].size;
    if (facts.halfVectors && fitsHalfVectors(columns) && fitsHalfVectors(rows))
      schedule.vectorBytes = laneBytes / 2;
    if (facts.loadsHalves && element == laneBytes / 2 && isSmall())
      schedule.vectorBytes = element;
    if (shuffle && shuffle->cost <= workPerByte())
      return take(*shuffle);
    if (!searched)
      chooseSeveral(columns, rows);
    if (!streams() || avoidsChannels(columns.back(), rows.back()) ||
        !scheduleWholeLines(columns, rows))
      scheduleLoops(columns, rows);
  }

  /// Moves of several registers, for a tile of two dims.
  void chooseSeveral(const std::vector<size_t> &columns,
                     const std::vector<size_t> &rows) {
    if (columns.size() > 1 || rows.size() > 1 || streams())
      return;
    if (facts.vectorPairs)
      choosePairs(columns.front(), rows.front());
    chooseSteps(columns.front(), rows.front());
  }

  /// Whether that would change the schedule.
  bool movesSeveral(const std::vector<size_t> &columns,
                    const std::vector<size_t> &rows) {
    const Schedule before = schedule;
    chooseSeveral(columns, rows);
    const bool several = schedule.vectorPairs || schedule.stepping;
    schedule = before;
    return several;
  }

  /// Moves vectors in pairs, in tiles of which each side has an even number of
  /// them, if that takes fewer instructions in all.
  void choosePairs(size_t column, size_t row) {
    const int64_t step = 2 * laneBytes / element;
    if (!std::has_single_bit(uint64_t(element)) ||
        2 * step > facts.vectorRegisters || schedule.vectorBytes != laneBytes)
      return;
    Schedule best = schedule;
    int64_t least = instructions(best, column, row);
    // Rows by an address that steps along; each column has its own, which is
    // the more to make the fewer rows there are.
    Schedule steps = schedule;
    steps.vectorPairs = true;
    steps.stepping = 2;
    steps.tile[column] = steps.tile[row] = step;
    if (facts.vectorsPerStep >= 2 && step <= maxSteppingColumns &&
        step <= dims[column].size && step <= dims[row].size &&
        instructions(steps, column, row) < least) {
      least = instructions(steps, column, row);
      best = steps;
    }
    for (int64_t columns = step; columns <= maxPairElements; columns += step)
      for (int64_t rows = step; rows * columns * element <= maxPairBytes;
           rows += step) {
        if (columns > dims[column].size || rows > dims[row].size)
          continue;
        Schedule pairs = schedule;
        pairs.vectorPairs = true;
        pairs.tile[column] = columns;
        pairs.tile[row] = rows;
        if (pairAddresses(pairs, column, row) > maxAddresses)
          continue;
        int64_t count = instructions(pairs, column, row);
        if (count < least) {
          least = count;
          best = pairs;
        }
      }
    schedule = best;
  }

  /// Moves several vectors of a row and whole columns, from which addresses
  /// step on, if that takes fewer instructions in all.
  void chooseSteps(size_t column, size_t row) {
    if (!std::has_single_bit(uint64_t(element)) ||
        schedule.vectorBytes != laneBytes)
      return;
    const int64_t units = laneBytes / element, size = dims[column].size;
    Schedule best = schedule;
    int64_t least = instructions(best, column, row);
    for (int64_t down = 1; down <= facts.vectorsPerStep; ++down) {
      Schedule steps = schedule;
      steps.vectorPairs = false;
      steps.stepping =
          std::min(facts.vectorsPerStep, vectorsBesideColumns(down));
      steps.tile[row] = down * units;
      if (steps.stepping < 2 || steps.tile[row] > dims[row].size)
        continue;
      for (int64_t columns = 2 * units; columns < size + units;
           columns += units) {
        steps.tile[column] = std::min(columns, size);
        // What the last load is moved back over must be there.
        if (columns > size && size <= steps.stepping * units)
          break;
        if (tileInstructions(steps, column, row) > maxSteppingInstructions)
          break;
        int64_t count = instructions(steps, column, row);
        // More code must be worth it.
        if (count < least - least / 50) {
          least = count;
          best = steps;
        }
      }
    }
    schedule = best;
  }

  /// How many vectors of each row fit the registers, if a column has `down` of
  /// them. Rows stay until all their columns are made; meanwhile one column is
  /// stored and the next made, of two registers a round each.
  int64_t vectorsBesideColumns(int64_t down) const {
    int64_t rows = down * laneBytes / element;
    return (facts.vectorRegisters - 2 * zipRounds() * down) / rows;
  }

  int64_t zipRounds() const {
    return std::countr_zero(uint64_t(laneBytes / element));
  }

  /// About what a transpose of two dims executes.
  int64_t instructions(const Schedule &tiles, size_t column, size_t row) const {
    return ceilDiv(dims[column].size, tiles.tile[column]) *
           ceilDiv(dims[row].size, tiles.tile[row]) *
           tileInstructions(tiles, column, row);
  }

  /// ... for one tile: zips, moves, addresses that run along and the loop.
  int64_t tileInstructions(const Schedule &tiles, size_t column,
                           size_t row) const {
    int64_t columns = tiles.tile[column], rows = tiles.tile[row];
    int64_t vectors = ceilDiv(columns * rows * element, laneBytes);
    int64_t rounds = zipRounds();
    int64_t moves = tiles.vectorPairs ? vectors : 2 * vectors;
    int64_t addresses = tiles.vectorPairs ? pairAddresses(tiles, column, row)
                                          : vectorAddresses(tiles, column, row);
    if (tiles.stepping && tiles.vectorPairs) {
      // Two rows are loaded by halves, which do not step. The addresses of the
      // columns are made before the loop along the rows.
      moves += 5;
      addresses = ceilDiv(3 * columns, ceilDiv(dims[row].size, rows));
    } else if (tiles.stepping) {
      int64_t loads =
          ceilDiv(ceilDiv(columns * element, laneBytes), tiles.stepping);
      moves = columns + rows * loads;
      // A store of one vector does not step its address on.
      addresses = rows * element == laneBytes ? columns : 0;
    }
    constexpr int64_t loop = 2;
    return vectors * rounds + moves + addresses + loop;
  }

  /// Offsets are multiples of a vector: other rows and columns each have an
  /// address, made when it is wanted.
  int64_t vectorAddresses(const Schedule &tiles, size_t column,
                          size_t row) const {
    auto addresses = [](int64_t count, int64_t stride) {
      return stride % laneBytes == 0 ? 1 : count;
    };
    return addresses(tiles.tile[row], dims[row].srcStride) +
           addresses(tiles.tile[column], dims[column].dstStride);
  }

  /// How many addresses it takes to reach all of a tile in pairs.
  int64_t pairAddresses(const Schedule &tiles, size_t column,
                        size_t row) const {
    auto addresses = [&](int64_t count, int64_t stride, int64_t width) {
      if (stride % laneBytes != 0)
        return count;
      int64_t last = width - 2 * laneBytes;
      int64_t perAddress =
          1 + facts.pairReach.back / stride +
          std::max<int64_t>(facts.pairReach.ahead - last, 0) / stride;
      return ceilDiv(count, perAddress);
    };
    int64_t columns = tiles.tile[column], rows = tiles.tile[row];
    return addresses(rows, dims[row].srcStride, columns * element) +
           addresses(columns, dims[column].dstStride, rows * element);
  }

  /// Fixed networks are told how far the addresses of their moves reach.
  void chooseReach() {
    if (!hasFixedMoves(schedule))
      return;
    schedule.srcReach = schedule.dstReach =
        schedule.vectorPairs ? facts.pairReach : facts.vectorReach;
  }

  /// The width of registers that rows fill best. One of 64 bytes takes as long
  /// to shuffle as two of half its size. Larger elements take so few shuffles
  /// that the moves count, and rows of several dims are cut to fit.
  int64_t registerBytes(const std::vector<size_t> &rows, int64_t unit) const {
    int64_t full = facts.vectorBytes, half = full / 2;
    int64_t bytes = unit * dims[rows.front()].size;
    bool filled =
        bytes > full && ceilDiv(bytes, half) >= 2 * ceilDiv(bytes, full);
    if (element >= 4 || half < 32 || rows.size() > 1 || filled || streams())
      return full;
    return half;
  }

  /// The rows' chain made longer, if it stays a rectangle with the columns.
  std::vector<size_t> moreRows(const std::vector<size_t> &columns,
                               const std::vector<size_t> &rows,
                               int64_t wanted) const {
    std::vector<size_t> more = chain(rows.front(), &LoopDim::dstStride, wanted);
    bool fits = more.size() > rows.size() && !haveCommonDim(columns, more) &&
                isRectangle(columns, more);
    return fits ? more : rows;
  }

  Schedule searchTile(const std::vector<size_t> &columns,
                      const std::vector<size_t> &rows) const {
    std::vector<size_t> more =
        chain(columns.front(), &LoopDim::srcStride, columnElements * element);
    bool fits = more.size() > columns.size() && !haveCommonDim(more, rows) &&
                isRectangle(more, rows);
    return permc::searchTile(problem, facts, schedule, fits ? more : columns,
                             rows);
  }

  /// Whether a few registers of one lane hold all: no loop is worth its start.
  bool isSmall() const {
    constexpr int64_t maxLanes = 16;
    return facts.vectorBytes == laneBytes && dims.size() == 2 &&
           dims[0].size * dims[1].size <= maxLanes * laneBytes / element;
  }

  /// Whether half a lane holds what the tile has of a chain.
  bool fitsHalfVectors(const std::vector<size_t> &chain) const {
    int64_t bytes = element;
    for (size_t dim : chain)
      bytes *= schedule.tile[dim];
    return std::has_single_bit(uint64_t(element)) && bytes <= laneBytes / 2;
  }

  /// Whether the tile's code stays small, and so does the time to make it.
  bool isCompact(size_t mostSteps = maxNetworkSteps) const {
    Result<Network> network = tileNetwork(problem, schedule);
    return network && network->steps.size() <= mostSteps;
  }

  /// Halves the tile along the dim in which it is longest, while it has one.
  bool halveTile() {
    int64_t &longest = *std::ranges::max_element(schedule.tile);
    if (longest <= 2)
      return false;
    longest = ceilDiv(longest, 2);
    return true;
  }

  static bool haveCommonDim(const std::vector<size_t> &a,
                            const std::vector<size_t> &b) {
    return std::any_of(a.begin(), a.end(), [&](size_t dim) {
      return std::find(b.begin(), b.end(), dim) != b.end();
    });
  }

  /// A transposed tile tells rows from columns by their strides.
  bool isRectangle(const std::vector<size_t> &columns,
                   const std::vector<size_t> &rows) const {
    auto isRow = [&](size_t dim) {
      return dims[dim].dstStride < dims[dim].srcStride;
    };
    return std::all_of(rows.begin(), rows.end(), isRow) &&
           std::none_of(columns.begin(), columns.end(), isRow);
  }

  /// Takes whole dims of a chain but for the last. Of that it takes all if that
  /// is not much, or what makes a multiple of `count` elements, or what fits.
  void fillTile(const std::vector<size_t> &chain, int64_t count) {
    int64_t inner = 1;
    for (size_t i = 0; i + 1 < chain.size(); ++i) {
      schedule.tile[chain[i]] = dims[chain[i]].size;
      inner *= dims[chain[i]].size;
    }
    int64_t size = dims[chain.back()].size;
    int64_t even = count / std::gcd(count, inner);
    bool small = even * inner <= 4 * count && even <= size;
    int64_t last = small ? even : std::max<int64_t>(count / inner, 1);
    if (chain.size() > 1 && inner * size <= 4 * count)
      last = size;
    schedule.tile[chain.back()] = std::min(last, size);
  }

  /// The last tile is moved back over its neighbour, and should not do much of
  /// it again. A dim that is a little longer than a tile is taken whole, of
  /// another an even share, both in whole lanes.
  void evenColumns(const std::vector<size_t> &columns) {
    int64_t &tile = schedule.tile[columns.back()];
    int64_t size = dims[columns.back()].size;
    if (tile == size)
      return;
    if (columns.size() > 1)
      return shortenColumns(columns);
    int64_t lane = std::max<int64_t>(laneBytes / element, 1);
    int64_t share = ceilDiv(ceilDiv(size, ceilDiv(size, tile)), lane) * lane;
    bool whole = 2 * size <= 3 * tile && size % lane == 0;
    tile = whole ? size : std::min(share, tile);
  }

  /// Nearly twice `columnElements` columns take less code than the three or
  /// four times that make whole lanes, and run as fast.
  void shortenColumns(const std::vector<size_t> &columns) {
    int64_t inner = 1;
    for (size_t i = 0; i + 1 < columns.size(); ++i)
      inner *= schedule.tile[columns[i]];
    int64_t &tile = schedule.tile[columns.back()];
    int64_t two = 2 * columnElements, fitting = two / inner;
    if (tile * inner > two && 16 * fitting * inner >= 15 * two)
      tile = fitting;
  }

  /// A tile that loops are to be put round.
  struct Choice {
    Schedule schedule;
    std::vector<size_t> columns, rows;
    double cost;
  };

  void take(const Choice &choice) {
    schedule = choice.schedule;
    scheduleLoops(choice.columns, choice.rows);
  }

  /// Lanes of both sides from dims they share, or whole registers where the
  /// machine shuffles across them: what takes less work for a byte.
  std::optional<Choice> chooseShuffle(size_t src, size_t dst) {
    std::optional<Choice> best;
    for (int64_t lane : {laneBytes, facts.vectorBytes}) {
      std::vector<size_t> columns = chain(src, &LoopDim::srcStride, lane);
      std::vector<size_t> rows = chain(dst, &LoopDim::dstStride, lane);
      auto compare = [&] {
        double cost = workPerByte();
        if (!best || cost < best->cost)
          best = {schedule, columns, rows, cost};
      };
      Schedule before = schedule;
      if (haveCommonDim(columns, rows) && tryShuffle(columns, rows, lane)) {
        compare();
        if (lane == laneBytes && takeAllInLanes())
          compare();
      }
      schedule = before;
      if (!facts.wideShuffleBytes ||
          (element & -element) < facts.wideShuffleBytes)
        break;
    }
    return best;
  }

  /// Makes a shuffle's tile of all there is, if a few lanes hold that.
  bool takeAllInLanes() {
    constexpr int64_t mostLanes = 4;
    int64_t bytes = element;
    for (size_t dim = 0; dim < dims.size() && bytes <= mostLanes * laneBytes;
         ++dim)
      bytes *= schedule.tile[dim] = dims[dim].size;
    schedule.vectorBytes = laneBytes;
    return bytes <= mostLanes * laneBytes;
  }

  /// Of what tiles do, what they do twice at the ends of dims included.
  double workPerByte() const {
    Result<Network> network = tileNetwork(problem, schedule);
    if (!network)
      return std::numeric_limits<double>::infinity();
    double work = tileWork(*network) / static_cast<double>(element);
    for (size_t dim = 0; dim < dims.size(); ++dim)
      work *= static_cast<double>(ceilDiv(dims[dim].size, schedule.tile[dim])) /
              static_cast<double>(dims[dim].size);
    return work;
  }

  /// The last dim of each chain is cut so that whole lanes come out; one of
  /// them feeds the lanes of a register.
  bool tryShuffle(const std::vector<size_t> &columns,
                  const std::vector<size_t> &rows, int64_t lane) {
    if (!facts.byteShuffle && element < 4)
      return false;
    Dims tile(dims.size(), 1);
    for (const std::vector<size_t> *chain : {&columns, &rows})
      for (size_t i = 0; i + 1 < chain->size(); ++i)
        tile[(*chain)[i]] = dims[(*chain)[i]].size;
    cutLast(columns, lane, tile);
    cutLast(rows, lane, tile);
    int64_t bytes = element;
    for (int64_t size : tile)
      bytes *= size;
    if (bytes > maxShuffleRegisters * lane)
      return false;
    bool wide = lane > laneBytes;
    schedule.kind = wide ? KernelKind::WideShuffle : KernelKind::Shuffle;
    schedule.vectorBytes = wide ? lane : feedLanes(columns, rows, tile);
    schedule.tile = tile;
    return true;
  }

  /// Takes more of a dim, for each lane of a register as much. Returns the
  /// bytes of all lanes.
  int64_t feedLanes(const std::vector<size_t> &columns,
                    const std::vector<size_t> &rows, Dims &tile) const {
    size_t feed = rows.back();
    if (std::find(rows.begin(), rows.end() - 1, columns.back()) ==
            rows.end() - 1 &&
        tile[columns.back()] > tile[feed])
      feed = columns.back();
    int64_t lanes = facts.vectorBytes / laneBytes;
    while (lanes > 1 && tile[feed] * lanes > dims[feed].size)
      lanes /= 2;
    tile[feed] *= lanes;
    return lanes * laneBytes;
  }

  /// Streams that lie interleaved on the side of the strides `inside`, and each
  /// contiguous along `along` on the other, by structure moves.
  bool tryInterleave(size_t streams, size_t along, int64_t LoopDim::*inside) {
    int64_t count = dims[streams].size;
    bool known = count == 2 || count == 4 || joinsMany(count, inside) ||
                 (count == 3 && facts.structuresOfThree);
    int64_t perMove = facts.vectorBytes / element;
    if (!known || element > facts.structureBytes ||
        !std::has_single_bit(uint64_t(element)) ||
        dims[along].*inside != count * element || dims[along].size < perMove)
      return false;
    schedule.kind = KernelKind::Interleave;
    schedule.tile[streams] = count;
    int64_t size = dims[along].size;
    if (joinsMany(count, inside)) {
      schedule.tile[along] = std::min(
          size, perMove * std::max<int64_t>(maxJoinedRegisters / count, 1));
      schedule.tables = tablesFor(dims[streams], dims[along]);
      schedule.vectorsPerLoad = loadedAtOnce(dims[streams], dims[along]);
      return true;
    }
    schedule.tile[along] = std::min(size, perMove * maxStructureMoves);
    if (facts.scalableVectors && schedule.tile[along] < size) {
      // The tile's own loop has no remainder; pieces are for parts to share.
      schedule.scalable = true;
      schedule.tile[along] = ceilDiv(size, evenPieces(size, count * element));
    }
    return true;
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

  /// How many of such streams are loaded at once.
  int64_t loadedAtOnce(const LoopDim &streams, const LoopDim &along) const {
    bool follow = streams.srcStride == laneBytes &&
                  along.size * element == laneBytes &&
                  streams.size % facts.vectorsPerLoad == 0;
    return follow && facts.vectorsPerLoad > 1 ? facts.vectorsPerLoad : 0;
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

  /// Columns of some elements by loads that take each from its own row.
  bool tryGather(size_t column, size_t row) {
    if (!facts.gatherLoads)
      return false;
    int64_t perGather = element == 4 ? 4 : 8;
    schedule.kind = KernelKind::Gather;
    int64_t columns = dims[column].size;
    // All of few columns: a loop of two turns takes as long as one of them.
    int64_t most = element == 1 || columns <= gatheredColumns ? gatheredColumns
                                                              : alignedColumns;
    schedule.tile[column] = ceilDiv(columns, ceilDiv(columns, most));
    schedule.tile[row] =
        std::clamp<int64_t>(dims[row].size, perGather, 2 * perGather);
    if (schedule.tile[row] <= dims[row].size && gatherTile(problem, schedule))
      return true;
    schedule.tile.assign(dims.size(), 1);
    return false;
  }

  /// How much of a chain's last dim makes whole lanes.
  void cutLast(const std::vector<size_t> &chain, int64_t lane,
               Dims &tile) const {
    size_t last = chain.back();
    int64_t inner = element;
    for (size_t i = 0; i + 1 < chain.size(); ++i)
      inner *= dims[chain[i]].size;
    int64_t whole = lane / std::gcd(lane, inner);
    tile[last] = std::max(tile[last], std::min(whole, dims[last].size));
  }

  /// Other dims and blocks of the src-fast dim in outer order, then the tiles:
  /// along the columns innermost, which is along src.
  void scheduleLoops(const std::vector<size_t> &columns,
                     const std::vector<size_t> &rows) {
    size_t column = columns.back(), row = rows.back();
    if (streams() && !avoidsChannels(column, row) && tryStreamTiles()) {
      if (column != row)
        return scheduleStreamedTiles(column, row);
    } else if (streams() && tryPanels(column, row)) {
      return;
    }
    const Dims &tile = schedule.tile;
    const bool alongDst = column != row && goesAlongDst(column, row);
    const bool blocksRows = alongDst && this->blocksRows();
    for (size_t dim : outerOrder()) {
      if (dim == row && blocksRows)
        addLoop(dim, rowBlockOf(row));
      else if (dim == column && column != row)
        addLoop(dim, blocksRows ? openColumns(column) : blockOf(column));
      else if (dim != row && dim != column)
        addLoop(dim, tile[dim]);
    }
    if (alongDst) {
      addLoop(column, tile[column]);
      return addLoop(row, tile[row]);
    }
    addLoop(row, tile[row]);
    if (column != row)
      addLoop(column, tile[column]);
  }

  /// Whether the next tile is the next one in dst. Lines of dst that two share
  /// are then still in the first cache; but so should those of src be when the
  /// next columns need what is left of them.
  bool goesAlongDst(size_t column, size_t row) const {
    if (schedule.stepping && schedule.vectorPairs)
      return true; // each column has an address
    if (facts.holdsBoth(problem.bytesMoved()))
      return false;
    if (!blocksRows())
      return !startsOnLines(column);
    constexpr int64_t few = 128;
    const int64_t src = placesFor(dims[row].srcStride);
    return src > few || src > placesFor(dims[column].dstStride);
  }

  /// Whether rows are left for other columns. What hardly fits the caches is
  /// better written in long pieces.
  bool blocksRows() const {
    constexpr int64_t wellCached = 8 << 20;
    return facts.l1Ways && problem.bytesMoved() <= wellCached;
  }

  /// How many lines so far apart have a place in the first cache.
  int64_t placesFor(int64_t stride) const {
    const int64_t way = facts.l1Bytes / facts.l1Ways;
    return facts.l1Ways * way / std::gcd(way, stride);
  }

  /// So many columns that their pages of dst are few.
  int64_t openColumns(size_t column) const {
    constexpr int64_t pages = 256;
    return std::max<int64_t>(pages / schedule.tile[column], 2) *
           schedule.tile[column];
  }

  /// A block of some lines of each row of dst, in whole tiles.
  int64_t rowBlockOf(size_t row) const {
    constexpr int64_t lines = 4;
    int64_t elements = lines * facts.lineBytes / dims[row].dstStride;
    int64_t tile = schedule.tile[row];
    return std::max<int64_t>(elements / tile, 2) * tile;
  }

  bool startsOnLines(size_t column) const {
    return dims[column].dstStride % facts.lineBytes == 0;
  }

  /// Streams the tile as it stands, if it is made of whole lines.
  bool tryStreamTiles() {
    schedule.streaming = true;
    schedule.streaming = dstStartsLine && streamsTiles(problem, schedule);
    return schedule.streaming;
  }

  /// Rows joined and cut so that they fill whole lines of dst.
  bool scheduleWholeLines(const std::vector<size_t> &columns,
                          std::vector<size_t> rows) {
    Dims tile = schedule.tile;
    for (int64_t wanted = facts.vectorBytes; wanted <= maxLineRowBytes;
         wanted *= 2) {
      rows = moreRows(columns, rows, wanted);
      int64_t inner = element;
      for (size_t i = 0; i + 1 < rows.size(); ++i) {
        schedule.tile[rows[i]] = dims[rows[i]].size;
        inner *= dims[rows[i]].size;
      }
      int64_t whole = facts.lineBytes / std::gcd(facts.lineBytes, inner);
      int64_t fitting = ceilDiv(facts.vectorBytes, inner * whole) * whole;
      schedule.tile[rows.back()] = std::min(fitting, dims[rows.back()].size);
      if (tryStreamTiles() && isCompact()) {
        scheduleStreamedTiles(columns.back(), rows.back());
        return true;
      }
    }
    schedule.tile = tile;
    schedule.streaming = false;
    return false;
  }

  void scheduleStreamedTiles(size_t column, size_t row) {
    if (sweepsRows(column, row))
      return scheduleSweeps(column, row);
    const bool alongRows = goesAlongRows(column, row);
    StreamedLoops loops(dims, element, schedule.tile, facts);
    std::span<const Loop> chosen = alongRows
                                       ? loops.chooseAlongRows(column, row)
                                       : loops.choose(column, row);
    schedule.loops.assign(chosen.begin(), chosen.end());
    if (!alongRows && staysInChannel(column, row)) {
      StreamedLoops blocks(dims, element, schedule.tile, facts);
      chosen = blocks.chooseRowBlocks(row);
      schedule.loops.assign(chosen.begin(), chosen.end());
    }
    // Tiles of less than a line ask for each several times.
    const bool fewer =
        alongRows ||
        schedule.tile[column] * dims[column].srcStride < facts.lineBytes;
    if (!schedule.loops.empty())
      schedule.prefetchBytes =
          facts.lineBytes * (fewer ? tileLinesAhead - 1 : tileLinesAhead);
  }

  /// Whether rows are written from one end to the other, a few at a time: long
  /// ones, and shorter ones whose lines are all in one channel.
  bool sweepsRows(size_t column, size_t row) const {
    constexpr int64_t longLines = 20, oneChannelLines = 6, nearBytes = 1 << 10;
    const int64_t rowBytes = dims[row].size * dims[row].dstStride,
                  lines = rowBytes / facts.lineBytes;
    if (!facts.l1Ways || rowsCompete(row) || dims[column].srcStride != element)
      return false;
    const bool isBlocked = dims[row].size > StreamedLoops::maxSweptRows;
    // Lines of 8 elements are used up in one go.
    if (isBlocked && (sharesChannel(column) || element == 8))
      return false;
    // Short columns of rows that lie far apart are better read with what
    // follows them.
    const bool isNear = dims[column].size * element >= nearBytes ||
                        dims[row].srcStride <= nearBytes;
    return (isNear && lines >= longLines) ||
           (sharesChannel(column) && lines >= oneChannelLines);
  }

  void scheduleSweeps(size_t column, size_t row) {
    // Half a line of src. Of lines that are near and share more than a channel
    // half as many.
    constexpr int64_t least = 8, most = 16;
    int64_t columns = std::clamp(facts.lineBytes / 2 / element, least, most);
    const int64_t apart = dims[column].dstStride;
    if (element > 1 &&
        (apart == 2 * facts.channelBytes || apart == 4 * facts.channelBytes))
      columns /= 2;
    int64_t &tile = schedule.tile[column];
    tile = std::min(tile, columns);
    StreamedLoops loops(dims, element, schedule.tile, facts);
    std::span<const Loop> chosen = loops.chooseSweeps(column, row);
    schedule.loops.assign(chosen.begin(), chosen.end());
    schedule.prefetchBytes = facts.lineBytes;
  }

  /// Whether the lines of a column in dst are all in one channel of the memory.
  bool sharesChannel(size_t column) const {
    return facts.channelBytes &&
           dims[column].dstStride % facts.channelBytes == 0;
  }

  /// Whether the loops lead from one line of a channel to the next, though
  /// tiles leave nothing of a column for later.
  bool staysInChannel(size_t column, size_t row) const {
    if (!sharesChannel(column) || schedule.tile[column] < dims[column].size ||
        schedule.loops.empty())
      return false;
    const auto last = static_cast<size_t>(schedule.loops.back().dim);
    return last != row && sharesChannel(last);
  }

  /// Whether rows of src compete for the fewest places of the first cache that
  /// there can be.
  bool rowsCompete(size_t row) const {
    return facts.l1Ways && placesFor(dims[row].srcStride) == facts.l1Ways;
  }

  /// Whether such columns are left after each tile: if the lines asked for in
  /// other rows of src are still in the caches when their turn comes.
  bool goesAlongRows(size_t column, size_t row) const {
    // Rows a multiple of the latter apart have few places in the second cache.
    constexpr int64_t maxOpenRows = 1024, farBytes = 16 << 10;
    return sharesChannel(column) && dims[row].size <= maxOpenRows &&
           schedule.tile[column] < dims[column].size &&
           dims[row].srcStride % farBytes != 0;
  }

  /// The dim that follows a column in src, if the column is short. Where rows
  /// compete it must not be so short that a tile has all of it.
  std::optional<size_t> nextInSrc(size_t column, size_t row) const {
    constexpr int64_t shortLines = 4;
    const int64_t bytes = dims[column].size * dims[column].srcStride;
    if (bytes >= shortLines * facts.lineBytes ||
        (rowsCompete(row) && schedule.tile[column] == dims[column].size))
      return std::nullopt;
    for (size_t dim = 0; dim < dims.size(); ++dim)
      if (dims[dim].srcStride == bytes && dims[dim].size > 1 && dim != row)
        return dim;
    return std::nullopt;
  }

  /// Whether they go through panels, whose rows are in all channels.
  bool avoidsChannels(size_t column, size_t row) const {
    constexpr int64_t longBytes = 4 << 10;
    const int64_t rowBytes = dims[row].size * dims[row].dstStride;
    if (!sharesChannel(column) || goesAlongRows(column, row) ||
        sweepsRows(column, row))
      return false;
    if (rowsCompete(row) && nextInSrc(column, row))
      return rowBytes % (facts.channelBytes / 2) == 0;
    if (rowsCompete(row))
      return rowBytes >= longBytes &&
             dims[column].size * dims[column].srcStride >= longBytes;
    return rowBytes >= longBytes;
  }

  /// The panel of such columns: a line of each row of src. Of rows that compete
  /// for places in the cache it is more, by tiles of few of them, for what is
  /// read of a line later is read again.
  PanelNeighbours channelPanel(size_t column, size_t row, Dims &panel) {
    const bool compete = rowsCompete(row);
    int64_t stretch = facts.lineBytes, rowBytes = facts.channelBytes;
    if (compete) {
      constexpr int64_t side = 128;
      stretch = std::min(side * element, facts.channelBytes);
      rowBytes = std::max(stretch, facts.channelBytes / 2);
    }
    const std::optional<size_t> next = nextInSrc(column, row);
    if (compete && element < 4 && schedule.tile[row] % 2 == 0) {
      schedule.tile[column] *= next ? 1 : 2;
      schedule.tile[row] /= 2;
    }
    auto take = [&](size_t dim, int64_t elements) {
      int64_t tile = schedule.tile[dim];
      panel[dim] = std::min(ceilDiv(elements, tile) * tile, dims[dim].size);
    };
    take(column, next ? dims[column].size : stretch / dims[column].srcStride);
    take(row, rowBytes / dims[row].dstStride);
    if (!next)
      return {column, row};
    panel[*next] = 2;
    if (!compete)
      take(row, longestRow(row, panel));
    return {next, row};
  }

  /// Elements of a row in whole lines, as many as a panel can have.
  int64_t longestRow(size_t row, const Dims &panel) const {
    int64_t others = element;
    for (size_t dim = 0; dim < dims.size(); ++dim)
      others *= dim == row ? 1 : panel[dim];
    const int64_t lines =
        facts.lineBytes / std::gcd(facts.lineBytes, dims[row].dstStride);
    const int64_t unit = std::lcm(lines, schedule.tile[row]);
    return std::max(maxPanelBytes / others / unit, int64_t{1}) * unit;
  }

  void scheduleStreamedLoops(std::optional<size_t> column,
                             std::optional<size_t> row) {
    StreamedLoops loops(dims, element, innermost(schedule), facts);
    // Half words of rows that compete are better left for the next rows.
    const bool alongRows = column && row && !schedule.panel.empty() &&
                           schedule.kind == KernelKind::TileTranspose &&
                           element == 2 && rowsCompete(*row) &&
                           schedule.tile[*column] > 1;
    for (const Loop &loop : alongRows ? loops.chooseAlongRows(*column, *row)
                                      : loops.choose(column, row))
      schedule.loops.push_back(loop);
  }

  bool streams() const {
    int64_t bytes = element;
    for (const LoopDim &dim : dims)
      bytes *= dim.size;
    return facts.streamingStores && bytes >= facts.streamBytes;
  }

  /// Moves the tiles through panels whose rows are streamed. The columns of
  /// large tiles are halved.
  bool tryPanels(std::optional<size_t> column = std::nullopt,
                 std::optional<size_t> row = std::nullopt) {
    Dims panel = schedule.tile;
    std::optional<PanelNeighbours> next =
        column && row && avoidsChannels(*column, *row)
            ? channelPanel(*column, *row, panel)
            : growPanel(dims, element, panel, facts);
    if (!next || loopsInside(panel) > maxPanelLoops)
      return false;
    // Beside the tiles of an aligned dst there is little room for others.
    const bool fewest =
        !dstStartsLine && schedule.kind == KernelKind::TileTranspose;
    while (column && hasTwoLanes(*column) &&
           (fewest || !isCompact(maxPanelSteps)))
      schedule.tile[*column] = ceilDiv(schedule.tile[*column], 2);
    schedule.panel = panel;
    schedule.streaming = true;
    if (facts.cutsAtLines && next->dst && !streamsWholeRows())
      cutAtLines(*next->dst);
    schedulePanelLoops(next->src, next->dst);
    schedule.doubleBuffered = doubleBuffers();
    return true;
  }

  /// Whether rows of a panel go out between the tiles of the next. Bytes take
  /// so many shuffles that stores wait for them, not they for stores; short
  /// rows and many loops cost branches that are hard to foretell; of whole rows
  /// nothing is gained; and of ragged parts the code is there twice.
  bool doubleBuffers() const {
    constexpr int64_t minBytes = 2, maxLoops = 2, minRowLines = 10;
    const PanelStage stage = panelStage(problem, schedule);
    return facts.doubleBuffers && schedule.wholeLines &&
           schedule.kind == KernelKind::TileTranspose && element >= minBytes &&
           loopsInside(schedule.panel) <= maxLoops &&
           stage.rowBytes >= minRowLines * facts.lineBytes &&
           2 * stage.bufferBytes <= maxBufferBytes &&
           !chooseSplit(problem, schedule).dstStride;
  }

  /// Whether all rows of all panels are whole lines anyway.
  bool streamsWholeRows() const {
    int64_t row = panelStage(problem, schedule).rowBytes;
    return dstStartsLine && row % facts.lineBytes == 0 &&
           std::ranges::all_of(dims, [&](const LoopDim &dim) {
             return dim.dstStride < row || dim.dstStride % facts.lineBytes == 0;
           });
  }

  /// Makes them so, if the line that each row has twice is not much of it: a
  /// part of a line that is stored has to be read first.
  void cutAtLines(size_t open) {
    constexpr int64_t least = 4;
    int64_t &panel = schedule.panel[open];
    const int64_t tile = schedule.tile[open],
                  line = ceilDiv(facts.lineBytes, dims[open].dstStride),
                  size = dims[open].size - line;
    if (panel < least * line || panel == tile || panel > size)
      return;
    const int64_t share = ceilDiv(size, ceilDiv(size, panel));
    panel = std::min(panel, ceilDiv(share, tile) * tile);
    schedule.wholeLines = true;
  }

  /// Whether half of the tile's columns still fill a lane.
  bool hasTwoLanes(size_t column) const {
    return schedule.tile[column] > 1 &&
           schedule.tile[column] * dims[column].srcStride >= 2 * laneBytes;
  }

  int64_t loopsInside(const Dims &panel) const {
    int64_t loops = 0;
    for (size_t dim = 0; dim < dims.size(); ++dim)
      loops += schedule.tile[dim] < panel[dim];
    return loops;
  }

  /// Panels follow one another along src.
  void schedulePanelLoops(std::optional<size_t> column,
                          std::optional<size_t> row) {
    const Dims &panel = schedule.panel;
    scheduleStreamedLoops(column, row);
    // The rows of a block would end in parts of lines.
    if (schedule.wholeLines)
      std::erase_if(schedule.loops, [&](const Loop &loop) {
        return loop.dim == static_cast<int64_t>(*row) &&
               loop.step > panel[*row];
      });
    prefetchNextStep();
    for (size_t dim : slowestFirst(&LoopDim::srcStride))
      if (schedule.tile[dim] < panel[dim])
        schedule.loops.push_back(
            {static_cast<int64_t>(dim), schedule.tile[dim]});
  }

  /// What the last loop so far will read after its next step is fetched now.
  void prefetchNextStep() {
    if (schedule.loops.empty())
      return;
    const Loop &loop = schedule.loops.back();
    int64_t ahead = loop.step * dims[loop.dim].srcStride;
    if (ahead <= maxPrefetchBytes)
      schedule.prefetchBytes = ahead;
  }

  /// Lines of dst that the next tile is stored to.
  void prefetchStores() {
    if (!schedule.panel.empty())
      return prefetchRowEnds();
    if (schedule.streaming || copiesRuns(schedule) || schedule.loops.empty())
      return;
    const Loop &loop = schedule.loops.back();
    int64_t ahead = loop.step * dims[loop.dim].dstStride;
    if (facts.asksForDst(ahead, problem.bytesMoved()))
      schedule.prefetchDstBytes = ahead;
  }

  /// Rows of a panel that are whole lines are streamed, and nothing is read.
  void prefetchRowEnds() {
    if (facts.prefetchesStores && !schedule.wholeLines && !streamsWholeRows())
      schedule.prefetchDstBytes = panelStage(problem, schedule).rowBytes - 1;
  }

  /// A block of a tiled dim: some lines of it, in whole tiles.
  int64_t blockOf(size_t dim) const {
    int64_t elements = facts.blockLines * facts.lineBytes / element;
    int64_t tile = schedule.tile[dim];
    return std::max<int64_t>(elements / tile, 2) * tile;
  }

  //===--- elements -------------------------------------------------------===//

  /// Elements that do not go through lanes are moved one by one, a line of
  /// each side at a time.
  void scheduleElements(std::optional<size_t> src, std::optional<size_t> dst) {
    schedule.kind = KernelKind::Scalar;
    auto lineOf = [&](size_t dim) {
      int64_t line =
          std::clamp<int64_t>(facts.lineBytes / element, 1, maxElementMoves);
      return std::min(dims[dim].size, line);
    };
    if (!src || !dst) {
      for (size_t dim : outerOrder())
        addLoop(dim, 1);
      return;
    }
    schedule.tile[*src] = lineOf(*src);
    schedule.tile[*dst] = lineOf(*dst);
    scheduleLoops({*src}, {*dst});
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

  const Problem &problem;
  const TargetFacts &facts;
  std::vector<LoopDim> dims;
  int64_t element;
  bool dstStartsLine; ///< or it is not known to
  Schedule schedule;
};

} // namespace

Schedule permc::chooseSchedule(const Problem &canonical,
                               const TargetFacts &facts) {
  if (canonical.isEmpty()) {
    Schedule nothing;
    nothing.tile = canonical.outShape();
    return nothing;
  }
  if (facts.wordTiles && facts.vectorBytes == 0)
    return chooseWordSchedule(canonical, facts);
  Schedule schedule = Scheduler(canonical, facts).run();
  if (facts.wordTiles && schedule.kind == KernelKind::Scalar)
    return chooseWordSchedule(canonical, facts);
  // Strides can be odder than the rules foresee; one element at a time is
  // always right.
  if (checkSchedule(canonical, schedule))
    return chooseWordsForPieces(canonical, schedule, facts).value_or(schedule);
  return Scheduler(canonical, facts).runOneByOne();
}

/// Where tiles are moved along their rows to lines, two tiles of each row take
/// ordinary stores: few of many if rows are this long.
static constexpr int64_t minMovedRowBytes = 1280;

/// Large blocks of malloc begin 16 bytes behind a page: so much in front of a
/// line.
static constexpr int64_t mallocLead = streamLineBytes - 16;

/// More parts than this are not missed.
static constexpr int64_t manyParts = 64;

/// Whether the schedule's tiles go on along a row of dst that is long, and can
/// be moved along it by as much as dst may be off.
static bool canBeMoved(const Problem &canonical, const Schedule &schedule) {
  const std::vector<LoopDim> dims = canonical.loopDims();
  return std::ranges::any_of(schedule.loops, [&](const Loop &loop) {
    const LoopDim &dim = dims[static_cast<size_t>(loop.dim)];
    return mallocLead % dim.dstStride == 0 &&
           dim.size * dim.dstStride >= minMovedRowBytes;
  });
}

std::optional<Schedule> permc::chooseUnaligned(const Problem &canonical,
                                               const Schedule &schedule,
                                               const TargetFacts &facts) {
  if (canonical.isEmpty() || !streamsTiles(canonical, schedule) ||
      canBeMoved(canonical, schedule))
    return std::nullopt;
  Schedule other = Scheduler(canonical, facts, /*dstStartsLine=*/false).run();
  if (!other.streaming || !checkSchedule(canonical, other))
    return std::nullopt;
  const int64_t parts = chooseSplit(canonical, schedule).mostParts;
  if (chooseSplit(canonical, schedule, &other).mostParts <
      std::min(parts, manyParts))
    return std::nullopt;
  return other;
}

bool permc::movesToLines(const Problem &canonical, const Schedule &schedule) {
  // The two ends of all rows are done after the rest: few of many tiles, or
  // while a cache has what they share lines with. Loops of unknown length cost
  // more than they gain where there is little to do.
  constexpr int64_t minBytes = 16 << 10, cachedBytes = 512 << 10;
  const int64_t minTiles = canonical.bytesMoved() <= cachedBytes ? 8 : 24;
  if (schedule.kind != KernelKind::TileTranspose || schedule.streaming ||
      schedule.vectorBytes != streamLineBytes ||
      canonical.bytesMoved() < minBytes)
    return false;
  Schedule streamed = schedule;
  streamed.streaming = true;
  if (!streamsTiles(canonical, streamed))
    return false;
  const std::vector<LoopDim> dims = canonical.loopDims();
  return std::ranges::any_of(schedule.loops, [&](const Loop &loop) {
    const LoopDim &dim = dims[static_cast<size_t>(loop.dim)];
    return dim.dstStride == canonical.elementBytes() &&
           dim.size >= minTiles * schedule.tile[static_cast<size_t>(loop.dim)];
  });
}
