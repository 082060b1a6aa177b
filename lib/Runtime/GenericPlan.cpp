//===- GenericPlan.cpp - loops round a generic kernel ---------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rules of lib/Plan/ScheduleRules.h, for kernels that are there already.
// Those make and prove a network for each tile that is considered, which takes
// longer than most calls of the shim; here a tile is picked from a list.
// What kernels with tables can do is a little different too: any dims that
// follow one another in memory are one dim to them.
//
//   the fast dim stays          Run kernels, or long runs streamed
//   few elements of it, then    Split or Join
//   the other side's fast dim
//   two dims                    Transpose over the chains of dims that begin
//                               with these two, or WideMoves.h
//   no fast dim on one side,    see StridedPlan.cpp
//   or one that src repeats
//   or reverses
//   anything else               Run kernels, one element a run
//
// What is streamed but does not come out in whole lines goes through a panel,
// and moving a block into the panel's buffer is one more problem of these
// kinds.
//
//===----------------------------------------------------------------------===//

#include "GenericPlan.h"
#include "StridedPlan.h"
#include "WideMoves.h"

#include "permc/Plan/CeilDiv.h"
#include "permc/Plan/Nest.h"
#include "permc/Plan/Panel.h"
#include "permc/Plan/StreamedLoops.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <limits>
#include <numeric>

using namespace permc;

namespace {

/// A long run is cut into blocks of this size.
constexpr int64_t runBlockBytes = 64 << 10;

/// What one call of a kernel moves, about.
constexpr int64_t unitBytes = 64 << 10;

/// Pieces of a run whose loop goes along the run.
constexpr int64_t longRunPieces = 4;

/// Columns of a tile: enough for most kernels.
constexpr int64_t minColumns = 16;

constexpr int64_t offsetBytes = sizeof(intptr_t);

/// Offsets within a tensor fit a pointer: the shim takes no other.
KernelLoop loopOf(int64_t size, int64_t step, int64_t src, int64_t dst) {
  return {intptr_t(size), intptr_t(step), intptr_t(src), intptr_t(dst), 0, 0};
}

/// Dims that follow one another in memory on one side, fastest first, and of
/// the last of them so much that `size` elements are in a block.
struct Chain {
  unsigned dims[maxRank];
  unsigned count = 0;
  int64_t size = 1;  ///< elements in all
  int64_t inner = 1; ///< elements of all dims but the last
  uint64_t set = 0;  ///< of dims
  unsigned last = 0; ///< dim

  bool has(unsigned dim) const { return set >> dim & 1; }
  void add(unsigned dim, int64_t dimSize) {
    dims[count++] = last = dim;
    set |= uint64_t{1} << dim;
    inner = size;
    size *= dimSize;
  }
};

class Planner {
public:
  Planner(const FixedProblem &problem, const KernelTable &kernels,
          GenericPlan &plan, bool dstStartsLine, int64_t wholeBytes)
      : kernels(kernels), facts(kernels.facts), plan(plan),
        element(problem.element), count(problem.rank) {
    plan.bytes = element;
    plan.srcStart = plan.dstStart = 0;
    for (unsigned i = 0; i < count; ++i) {
      dims[i] = problem.loopDim(i);
      plan.bytes *= dims[i].size;
      hasView |= dims[i].srcStride < 1;
    }
    moved = std::max(plan.bytes, wholeBytes);
    streams = facts.streamingStores && kernels.stream() &&
              moved >= facts.streamedBytes() && (!hasView || hasLongRuns());
    plan.streams = streams;
    plan.dstStartsLine = dstStartsLine;
  }

  void run() {
    plan.loopCount = 0;
    plan.body = GenericPlan::Body::Kernel;
    planMoves();
    takeBatch();
    if (facts.holdsBoth(plan.bytes) && plan.body == GenericPlan::Body::Kernel &&
        !usesWideMoves)
      putLongLoopInside();
    plan.call.rows = plan.rows;
    plan.call.columns = plan.columns;
    plan.call.shuffle = &plan.shuffle;
    plan.call.blocks = &plan.blockShuffle;
    plan.units = 1;
    for (unsigned i = 0; i < plan.loopCount; ++i)
      plan.units *= plan.loops[i].count;
  }

private:
  using Stride = int64_t LoopDim::*;

  void planMoves() {
    plan.call = KernelCall();
    if (!inPanel && planStrided({dims, count}, element, facts, plan))
      return;
    if (planSmallBlocks())
      return;
    if (hasView)
      turnColumns();
    int src = fastDim(&LoopDim::srcStride), dst = fastDim(&LoopDim::dstStride);
    if (src == dst)
      planRuns(src);
    else if (src < 0 || dst < 0 || element > 16 || !planTiles(src, dst))
      planRuns(-1);
  }

  /// Of views only runs are streamed: rows that are repeated, or in another
  /// order.
  bool hasLongRuns() const {
    const int run = fastDim(&LoopDim::dstStride);
    return run >= 0 && dims[run].srcStride == element &&
           dims[run].size * element >= minStreamedRunBytes;
  }

  int fastDim(Stride stride) const {
    for (unsigned i = count; i-- > 0;)
      if (dims[i].*stride == element)
        return int(i);
    return -1;
  }

  //===--- loops ----------------------------------------------------------===//

  /// Dims that are in none of the kernel's loops, the slowest by a stride or
  /// another distance first.
  template <typename Distance>
  unsigned slowestFirst(Distance distance, uint64_t taken,
                        unsigned *order) const {
    unsigned found = 0;
    for (unsigned i = 0; i < count; ++i) {
      if (taken >> i & 1)
        continue;
      unsigned place = found++;
      for (; place > 0 && std::invoke(distance, dims[order[place - 1]]) <
                              std::invoke(distance, dims[i]);
           --place)
        order[place] = order[place - 1];
      order[place] = i;
    }
    return found;
  }

  void addLoop(unsigned dim) {
    plan.loops[plan.loopCount++] = {dims[dim].size, dims[dim].srcStride,
                                    dims[dim].dstStride};
  }

  /// Blocks of one of the kernel's loops. `src` and `dst` are for `inner` units
  /// of the loop's size.
  void addBlocks(int ranged, int64_t block, int64_t src, int64_t dst,
                 int64_t inner = 1) {
    int64_t size = plan.call.loops[ranged].size;
    if (size < 2 * block)
      return;
    int64_t blocks = size / block, steps = block / inner;
    plan.loops[plan.loopCount++] = {blocks,      steps * src,
                                    steps * dst, ranged,
                                    block,       size - (blocks - 1) * block};
  }

  /// Gives the kernel the innermost loop of its units. Blocks of its own loops
  /// change their sizes, which is not for it to do.
  void takeBatch() {
    if (plan.loopCount == 0)
      return;
    const NestLoop &loop = plan.loops[plan.loopCount - 1];
    if (plan.body == GenericPlan::Body::StreamBlocks || loop.ranged >= 0)
      return;
    plan.call.loops[2] = loopOf(loop.count, 1, loop.src, loop.dst);
    --plan.loopCount;
  }

  /// A loop takes longer to enter than to go on. In the first cache the order
  /// of moves is no matter.
  void putLongLoopInside() {
    KernelLoop &outer = plan.call.loops[0], &inner = plan.call.loops[1];
    if (ceilDiv(outer.size, outer.step) <= ceilDiv(inner.size, inner.step))
      return;
    std::swap(outer, inner);
    for (NestLoop &loop : std::span(plan.loops, plan.loopCount))
      if (loop.ranged >= 0)
        loop.ranged = 1 - loop.ranged;
  }

  /// Gives the kernel one of the dims as its outer loop.
  void takeLoop(unsigned dim) {
    plan.call.loops[0] =
        loopOf(dims[dim].size, 1, dims[dim].srcStride, dims[dim].dstStride);
  }

  //===--- runs -----------------------------------------------------------===//

  /// Runs along `run`, or of one element.
  void planRuns(int run) {
    plan.call = KernelCall();
    int64_t bytes = run < 0 ? element : element * dims[run].size;
    uint64_t taken = run < 0 ? 0 : uint64_t{1} << run;
    // Single lines are better put together.
    if (streams && bytes > facts.lineBytes && isWholeLines(bytes, taken))
      return planLineRuns(bytes, taken);
    int64_t elements = bytes / element;
    if (streams && bytes < minStreamedRunBytes &&
        planPanels(elements, elements))
      return;
    if (streams && bytes >= minStreamedRunBytes)
      return planStreamedRuns(bytes, taken);
    plan.call.bytes = intptr_t(bytes);
    if (bytes > kernels.widest() * KernelTable::maxPieces)
      return planLongRuns(bytes, taken);
    int64_t width =
        std::min<int64_t>(std::bit_floor(uint64_t(bytes)), kernels.widest());
    plan.kernel = kernels.run(width, ceilDiv(bytes, width));
    unsigned order[maxRank];
    unsigned loops = slowestFirst(
        inPanel ? &LoopDim::srcStride : &LoopDim::dstStride, taken, order);
    for (unsigned inner = 2; inner-- > 0 && loops > 0;) {
      unsigned dim = order[--loops];
      plan.call.loops[inner] =
          loopOf(dims[dim].size, 1, dims[dim].srcStride, dims[dim].dstStride);
    }
    addOuter(order, loops);
    // A unit is more than one run.
    for (int ranged : {0, 1}) {
      KernelLoop &loop = plan.call.loops[ranged];
      int64_t each = ranged ? bytes : bytes * plan.call.loops[1].size;
      if (loop.size * each > 2 * unitBytes)
        addBlocks(ranged, std::max<int64_t>(unitBytes / each, 1), loop.src,
                  loop.dst);
    }
  }

  void addOuter(const unsigned *order, unsigned loops) {
    for (unsigned i = 0; i < loops; ++i)
      addLoop(order[i]);
  }

  /// The kernel's inner loop goes along the run.
  void planLongRuns(int64_t bytes, uint64_t taken) {
    plan.call.bytes = intptr_t(longRunPieces * kernels.widest());
    plan.kernel = kernels.run(kernels.widest(), longRunPieces);
    unsigned order[maxRank];
    unsigned loops = slowestFirst(&LoopDim::dstStride, taken, order);
    planAlongRuns(bytes, plan.call.bytes, order, loops);
  }

  void planLineRuns(int64_t bytes, uint64_t taken) {
    const int64_t step = linesAtOnce(bytes / facts.lineBytes) * facts.lineBytes;
    plan.call.bytes = intptr_t(step);
    plan.kernel = kernels.lines(step / facts.lineBytes);
    unsigned order[maxRank];
    unsigned loops = slowestFirst(&LoopDim::srcStride, taken, order);
    planAlongRuns(bytes, step, order, loops);
  }

  /// Of so many lines: the last step is moved back and should not do much of
  /// the one before again, and each costs about as much as half a line.
  int64_t linesAtOnce(int64_t lines) const {
    int64_t best = 1, least = 3 * lines;
    const int64_t most = kernels.widest() * KernelTable::maxPieces;
    for (int64_t some = 2; some <= std::min(lines, maxStreamedLines) &&
                           some * facts.lineBytes <= most;
         ++some) {
      int64_t cost = ceilDiv(lines, some) * (2 * some + 1);
      if (cost <= least) {
        best = some;
        least = cost;
      }
    }
    return best;
  }

  void planAlongRuns(int64_t bytes, int64_t step, const unsigned *order,
                     unsigned loops) {
    plan.call.loops[1] = loopOf(bytes, step, 1, 1);
    if (loops > 0 && bytes * 2 < runBlockBytes)
      takeLoop(order[--loops]);
    addOuter(order, loops);
    if (bytes >= 2 * runBlockBytes)
      return addBlocks(1, runBlockBytes, 1, 1);
    KernelLoop &loop = plan.call.loops[0];
    if (loop.size * bytes > 2 * unitBytes)
      addBlocks(0, std::max<int64_t>(unitBytes / bytes, 1), loop.src, loop.dst);
  }

  void planStreamedRuns(int64_t bytes, uint64_t taken) {
    plan.kernel = kernels.stream();
    unsigned order[maxRank];
    unsigned loops = slowestFirst(&LoopDim::srcStride, taken, order);
    if (bytes < 2 * runBlockBytes) {
      plan.call.bytes = intptr_t(bytes);
      if (loops > 0)
        takeLoop(order[--loops]);
      addOuter(order, loops);
      const KernelLoop &loop = plan.call.loops[0];
      return addBlocks(0, std::max<int64_t>(unitBytes / bytes, 1), loop.src,
                       loop.dst);
    }
    plan.body = GenericPlan::Body::StreamBlocks;
    plan.call.loops[1] = loopOf(bytes, 1, 1, 1);
    addOuter(order, loops);
    addBlocks(1, runBlockBytes, 1, 1);
  }

  /// Whether rows of so many bytes in dst are whole lines wherever they are.
  bool isWholeLines(int64_t bytes, uint64_t taken) const {
    if (!plan.dstStartsLine || bytes % facts.lineBytes != 0)
      return false;
    for (unsigned i = 0; i < count; ++i)
      if (!(taken >> i & 1) && dims[i].dstStride % facts.lineBytes != 0)
        return false;
    return true;
  }

  //===--- views ----------------------------------------------------------===//

  /// Columns of tiles follow one another in src, but lie anywhere in dst: what
  /// is reversed in src is taken from its end.
  void turnColumns() {
    for (unsigned i = 0; i < count; ++i) {
      LoopDim &dim = dims[i];
      if (dim.srcStride != -element || dim.dstStride == element)
        continue;
      plan.srcStart += (dim.size - 1) * dim.srcStride;
      plan.dstStart += (dim.size - 1) * dim.dstStride;
      dim = {dim.size, -dim.srcStride, -dim.dstStride};
    }
  }

  //===--- tiles ----------------------------------------------------------===//

  /// Adds dims to a chain until it has `wanted` bytes; `other` keeps its dims.
  void extend(Chain &chain, Stride stride, int64_t wanted,
              const Chain &other) const {
    while (chain.size * element < wanted && chain.size < 2 * maxJoined) {
      int next = following(chain, stride);
      if (next < 0 || other.has(unsigned(next)))
        return;
      // Of a large dim the chain takes blocks.
      if (chain.count > 0 && chain.size * 2 > maxJoined)
        return;
      chain.add(unsigned(next), dims[next].size);
    }
  }

  /// The dims that follow one another in memory from the first element on.
  Chain allInOrder(Stride stride) const {
    Chain chain;
    for (int dim; (dim = following(chain, stride)) >= 0;)
      chain.add(unsigned(dim), dims[dim].size);
    return chain;
  }

  /// The dim that comes next in memory, or -1.
  int following(const Chain &chain, Stride stride) const {
    for (unsigned i = 0; i < count; ++i)
      if (!chain.has(i) && dims[i].*stride == chain.size * element)
        return int(i);
    return -1;
  }

  bool planTiles(int src, int dst) {
    Chain rows, columns;
    rows.add(unsigned(dst), dims[dst].size);
    columns.add(unsigned(src), dims[src].size);
    if (planInterleave(columns, unsigned(dst), true) ||
        planInterleave(rows, unsigned(src), false))
      return true;
    extend(rows, &LoopDim::dstStride, laneBytes, columns);
    extend(columns, &LoopDim::srcStride, laneBytes, rows);
    extend(rows, &LoopDim::dstStride, facts.vectorBytes, columns);
    if (streams && planStreamedTiles(rows, columns))
      return true;
    extend(columns, &LoopDim::srcStride, minColumns * element, rows);
    const TileKernel *tile = pickTile(rows.size, columns.size, false);
    if ((!tile || prefersWideMoves(rows.size * columns.size * element)) &&
        hasWideRows(rows)) {
      planWideMoves(rows, columns);
      return true;
    }
    if (!tile)
      return false;
    plan.kernel = tile->plainFor(rows.count == 1);
    // What the first cache holds needs no blocks, which take a call each.
    if (facts.cycleNs > 0 && !inPanel && !hasView && rows.count == 1 &&
        columns.count == 1 && !facts.holdsBoth(plan.bytes)) {
      if (!planConflicting(rows, columns, *tile))
        planCachedNest(columns.last, rows.last, *tile);
    } else
      planTileLoops(rows, columns, *tile);
    return true;
  }

  /// The tile with the fewest moves for so many rows and columns, or null.
  const TileKernel *pickTile(int64_t rows, int64_t columns,
                             bool streaming) const {
    const TileKernel *best = nullptr;
    int64_t leastMoves = 0;
    for (const TileKernel &tile : kernels.transposes(element)) {
      if (tile.rows > rows || tile.columns > columns ||
          !(streaming ? tile.streaming : tile.plain))
        continue;
      int64_t moves = tileMoves(tile) * ceilDiv(rows, tile.rows) *
                      ceilDiv(columns, tile.columns);
      if (!best || moves < leastMoves) {
        best = &tile;
        leastMoves = moves;
      }
    }
    return best;
  }

  /// Loads of a lane, stores, and what a turn of the loop costs.
  int64_t tileMoves(const TileKernel &tile) const {
    int64_t lanes = ceilDiv(tile.columns * element, laneBytes);
    return tile.rows * lanes +
           tile.columns * ceilDiv(tile.rows * element, kernels.widest()) + 8;
  }

  /// The kernel's loop along the rows of a tile.
  KernelLoop rowLoop(const Chain &rows, int64_t step) {
    KernelLoop loop = loopOf(rows.size, step, 0, element);
    if (rows.count == 1) {
      loop.src = intptr_t(dims[rows.last].srcStride);
      fillTable(plan.rows, step, loop.src);
    } else {
      loop.rows = offsetBytes;
      fillJoined(plan.rows, rows, &LoopDim::srcStride);
    }
    return loop;
  }

  KernelLoop columnLoop(const Chain &columns, int64_t step) {
    KernelLoop loop = loopOf(columns.size, step, element, 0);
    if (columns.count == 1) {
      loop.dst = intptr_t(dims[columns.last].dstStride);
      fillTable(plan.columns, step, loop.dst);
    } else {
      loop.columns = offsetBytes;
      fillJoined(plan.columns, columns, &LoopDim::dstStride);
    }
    return loop;
  }

  static void fillTable(intptr_t *table, int64_t entries, int64_t stride) {
    for (int64_t i = 0; i < entries; ++i)
      table[i] = intptr_t(i * stride);
  }

  /// Offsets of as much of a chain as the last block of it can have.
  void fillJoined(intptr_t *table, const Chain &chain, Stride stride) {
    int64_t entries = std::min(chain.size, 2 * maxJoined);
    int64_t filled = 1;
    table[0] = 0;
    for (unsigned i = 0; i < chain.count; ++i) {
      const LoopDim &dim = dims[chain.dims[i]];
      int64_t inner = filled;
      for (int64_t j = 1; j < dim.size && filled < entries; ++j)
        for (int64_t k = 0; k < inner && filled < entries; ++k)
          table[filled++] = table[k] + intptr_t(j * (dim.*stride));
    }
  }

  /// Elements of a chain's block: `wanted` or so, in whole tiles where that is
  /// possible and in whole inner dims where it is not.
  int64_t blockOf(const Chain &chain, int64_t tile, int64_t wanted) const {
    if (chain.count == 1)
      return std::max<int64_t>(wanted / tile, 1) * tile;
    if (chain.size <= maxJoined)
      return chain.size;
    int64_t whole = tile / std::gcd(tile, chain.inner);
    int64_t outer = std::min(wanted, maxJoined) / chain.inner;
    if (outer > whole)
      outer -= outer % whole;
    return std::max(outer, ceilDiv(tile, chain.inner)) * chain.inner;
  }

  /// Adds the blocks of a chain as a loop.
  void addChainBlocks(int ranged, const Chain &chain, int64_t block) {
    const LoopDim &dim = dims[chain.last];
    addBlocks(ranged, block, dim.srcStride, dim.dstStride, chain.inner);
  }

  void planTileLoops(const Chain &rows, const Chain &columns,
                     const TileKernel &tile) {
    // Lines of dst that neighbouring rows share are best filled at once.
    bool rowsInside = dims[columns.last].dstStride % facts.lineBytes != 0;
    int rowsAt = rowsInside ? 1 : 0, columnsAt = 1 - rowsAt;
    plan.call.loops[rowsAt] = rowLoop(rows, tile.rows);
    plan.call.loops[columnsAt] = columnLoop(columns, tile.columns);
    // A panel is small enough for rows of src to be read in one go.
    const int64_t wanted = inPanel || facts.holdsBoth(plan.bytes)
                               ? columns.size
                               : facts.blockLines * facts.lineBytes / element;
    int64_t columnBlock = blockOf(columns, tile.columns, wanted);
    int64_t rowBlock = blockOf(
        rows, tile.rows,
        std::max(unitBytes / (std::min(columnBlock, columns.size) * element),
                 4 * facts.lineBytes));

    unsigned order[maxRank];
    auto by = [&](const LoopDim &dim) {
      return inPanel ? dim.srcStride : cachedDistance(dim);
    };
    unsigned loops = slowestFirst(by, rows.set | columns.set, order);
    // The columns' blocks come where their dim does.
    bool placed = false;
    for (unsigned i = 0; i < loops; ++i) {
      if (!placed && by(dims[order[i]]) < by(dims[columns.last])) {
        addChainBlocks(columnsAt, columns, columnBlock);
        placed = true;
      }
      addLoop(order[i]);
    }
    if (!placed)
      addChainBlocks(columnsAt, columns, columnBlock);
    addChainBlocks(rowsAt, rows, rowBlock);
  }

  /// The nest of the least cost round tiles of two dims. The kernel takes the
  /// innermost loops.
  void planCachedNest(unsigned column, unsigned row, const TileKernel &tile) {
    int64_t step[maxRank];
    std::fill_n(step, count, 1);
    step[row] = tile.rows;
    step[column] = tile.columns;
    const RankedNest best =
        leastCostNest(view(), viewOf(tile, step), column, row, facts, tries());
    fillTable(plan.rows, tile.rows, dims[row].srcStride);
    fillTable(plan.columns, tile.columns, dims[column].dstStride);
    addBlockNest(best.nest.list(), step);
    plan.call.ahead = intptr_t(best.prefetchBytes);
    // The cost does not see that elements which are put together byte by byte
    // wait for each line.
    constexpr int64_t longLines = 4;
    if (facts.hidesFewMisses(element) && plan.bytes > facts.l2Bytes &&
        dims[column].size * element >= longLines * facts.lineBytes)
      plan.call.ahead =
          intptr_t(std::max(2 * tile.columns * element, facts.lineBytes));
    takeInnerLoops();
  }

  ProblemView view() const { return {{dims, count}, element, plan.bytes}; }

  NestView viewOf(const TileKernel &tile, const int64_t *step) const {
    return {.tile = {step, count},
            .loops = {},
            .work = tile.work,
            .vectorBytes = kernels.widest(),
            .moveBytes = kernels.widest()};
  }

  /// Nests to try: to plan takes a few hundredths of the call then.
  size_t tries() const {
    constexpr int64_t bytesEach = 64 << 10;
    return static_cast<size_t>(
        std::clamp<int64_t>(plan.bytes / bytesEach, 2, maxTries));
  }
  static constexpr int64_t maxTries = 6;

  /// What a tile has of each dim, and its tables.
  void fillSteps(unsigned column, unsigned row, const TileKernel &tile,
                 int64_t *step) {
    std::fill_n(step, count, 1);
    step[row] = tile.rows;
    step[column] = tile.columns;
    fillTable(plan.rows, tile.rows, dims[row].srcStride);
    fillTable(plan.columns, tile.columns, dims[column].dstStride);
  }

  //===--- tiles with set conflicts ---------------------------------------===//

  /// Lines of the first cache that are touched, by sets.
  class SetLines {
  public:
    explicit SetLines(const TargetFacts &facts)
        : line(facts.lineBytes), ways(facts.l1Ways ? facts.l1Ways : usualWays),
          sets(std::clamp(facts.l1Bytes / line / ways, int64_t{1}, maxSets)) {}

    /// Returns how many lines the set of this one has now.
    int64_t touch(int64_t at) {
      return ++lines[uint64_t(at / line) % uint64_t(sets)];
    }

    /// So many rows of `bytes` bytes, a stride apart. Returns the lines of the
    /// set that has most of all.
    int64_t touchRows(int64_t rows, int64_t stride, int64_t bytes) {
      for (int64_t i = 0; i < rows; ++i)
        for (int64_t at = i * stride / line;
             at <= (i * stride + bytes - 1) / line; ++at)
          most = std::max(most, touch(at * line));
      return most;
    }

    int64_t lineCount() const { return sets * ways; }

    const int64_t line, ways;

  private:
    static constexpr int64_t maxSets = 128, usualWays = 8;
    const int64_t sets;
    int64_t most = 0;
    uint8_t lines[maxSets] = {};
  };

  /// Tiles whose rows in src and columns in dst have about as many lines in one
  /// set of the first cache as it holds, or more, as rows of 2^n elements and
  /// nearly so many do. Both sides begin with a page, for all that is known.
  /// False if there is nothing to gain.
  bool planConflicting(const Chain &rows, const Chain &columns,
                       const TileKernel &tile) {
    const LoopDim &row = dims[rows.last], &column = dims[columns.last];
    // One column after the other has no conflicts.
    constexpr int64_t manyRows = 64;
    const int64_t ofDst = SetLines(facts).touchRows(
        tile.columns, column.dstStride, tile.rows * element);
    if (element == 8 && column.dstStride % facts.lineBytes != 0 &&
        4 * ofDst >= 3 * facts.l1Ways &&
        heldPlaces(nullptr, row.srcStride, row.size) >=
            std::min(row.size, manyRows)) {
      planWideMoves(rows, columns);
      return true;
    }
    SetLines lines(facts);
    const int64_t ofSrc =
        lines.touchRows(tile.rows, row.srcStride, tile.columns * element);
    const int64_t ofBoth =
        lines.touchRows(tile.columns, column.dstStride, tile.rows * element);
    return 4 * ofBoth > 5 * facts.l1Ways && 2 * ofSrc >= facts.l1Ways &&
           planStaged(columns.last, rows.last);
  }

  /// The largest tile whose rows do not conflict.
  const TileKernel *pickRowsHeld(int64_t rows, int64_t columns,
                                 int64_t srcStride) const {
    const TileKernel *tile = nullptr;
    for (int64_t most = facts.lineBytes; !tile && most > 1; most /= 2)
      if (SetLines(facts).touchRows(most, srcStride, 1) <= facts.l1Ways)
        tile = pickTile(std::min(rows, most), columns, false);
    return tile;
  }

  /// Blocks of tiles through a buffer.
  bool planStaged(unsigned column, unsigned row) {
    const int64_t rowBytes = (element < 8 ? 4 : 8) * facts.lineBytes,
                  someColumns = element < 8 ? 64 : 32;
    const int64_t rows = std::min(dims[row].size, rowBytes / element),
                  columns = std::min(dims[column].size, someColumns),
                  srcStride = dims[row].srcStride;
    const TileKernel *tile = pickRowsHeld(rows, columns, srcStride);
    if (!tile || 2 * rows * element < facts.lineBytes)
      return false;
    // An odd number of lines: columns of the buffer do not conflict.
    const int64_t stride =
        (ceilDiv(rows * element, facts.lineBytes) | 1) * facts.lineBytes;
    planCopies(rows * element, columns, stride, dims[column].dstStride);
    plan.kernel = tile->plainFor(/*evenRows=*/true);
    fillTable(plan.rows, tile->rows, srcStride);
    fillTable(plan.columns, tile->columns, stride);
    plan.call.loops[0] = loopOf(rows, tile->rows, srcStride, element);
    plan.call.loops[1] = loopOf(columns, tile->columns, element, stride);
    int64_t extent[maxRank];
    std::fill_n(extent, count, 1);
    extent[row] = rows;
    extent[column] = columns;
    // Panels one after the other along dst.
    const NestMaker nests(view(), {extent, count}, column, row,
                          facts.lineBytes);
    addBlockNest(nests.make(nests.byDistance(), {.alongDst = true})->list(),
                 extent);
    plan.body = GenericPlan::Body::Staged;
    return true;
  }

  /// Runs of so many bytes from a buffer to dst.
  void planCopies(int64_t bytes, int64_t runs, int64_t src, int64_t dst) {
    const int64_t widest = kernels.widest(),
                  width = std::min<int64_t>(std::bit_floor(uint64_t(bytes)),
                                            widest);
    KernelCall &call = plan.staging.call;
    call = KernelCall();
    call.loops[0] = loopOf(runs, 1, src, dst);
    int64_t pieces = ceilDiv(bytes, width);
    call.bytes = intptr_t(bytes);
    if (pieces > KernelTable::maxPieces) {
      pieces = longRunPieces;
      call.bytes = intptr_t(pieces * width);
      call.loops[1] = loopOf(bytes, call.bytes, 1, 1);
    }
    plan.staging.out = kernels.run(width, pieces);
  }

  //===--- small blocks ---------------------------------------------------===//

  /// A batch of blocks that are contiguous on both sides. Vectors of bytes are
  /// best filled by two of src, so small blocks are taken together.
  bool planSmallBlocks() {
    if (streams || inPanel || hasView || !canShuffleBlocks() ||
        facts.vectorBytes != BlockShuffle::vectorBytes || count < 3)
      return false;
    for (unsigned batch = 0; batch < count; ++batch) {
      const int64_t bytes = plan.bytes / dims[batch].size;
      if (bytes > BlockShuffle::maxBytes || dims[batch].srcStride != bytes ||
          dims[batch].dstStride != bytes)
        continue;
      const int64_t together = std::clamp(2 * BlockShuffle::vectorBytes / bytes,
                                          int64_t{1}, dims[batch].size);
      // The strides of a view may agree by chance.
      const Chain src = allInOrder(&LoopDim::srcStride),
                  dst = allInOrder(&LoopDim::dstStride);
      if (src.count != count || dst.count != count)
        return false;
      fillJoined(plan.columns, dst, &LoopDim::srcStride);
      plan.blockShuffle.assign(
          {plan.columns, size_t(together * bytes / element)}, element);
      plan.kernel = shuffledBlocks(plan.blockShuffle.vectorCount());
      plan.call.loops[1] = loopOf(dims[batch].size, together, bytes, bytes);
      return true;
    }
    return false;
  }

  //===--- wide moves -----------------------------------------------------===//

  /// Tiles join four elements of 16 bytes, and take 5 to 7 bytes apart. Where
  /// loads and stores hardly wait that costs more than it gains.
  bool prefersWideMoves(int64_t matrixBytes) const {
    return matrixBytes <= facts.l2Bytes / 2 &&
           (element == laneBytes || (element > 4 && element < 8));
  }

  /// Whether a row may be read in moves that are wider than an element.
  bool hasWideRows(const Chain &rows) const {
    return std::has_single_bit(uint64_t(element)) ||
           std::all_of(rows.dims, rows.dims + rows.count, [&](unsigned dim) {
             return dims[dim].srcStride >= element;
           });
  }

  void planWideMoves(const Chain &rows, const Chain &columns) {
    usesWideMoves = true;
    plan.kernel = wideMoves(element);
    KernelLoop &across = plan.call.loops[0], &along = plan.call.loops[1];
    across = columnLoop(columns, 1);
    along = rowLoop(rows, 1);
    unsigned order[maxRank];
    addOuter(order,
             slowestFirst(cachedDistance, rows.set | columns.set, order));
    addChainBlocks(0, columns, blockOf(columns, 1, columns.size));
    addChainBlocks(1, rows, blockOf(rows, 1, rows.size));
    along.step =
        heldPlaces(along.rows ? plan.rows : nullptr, along.src, rows.size);
    across.step = heldPlaces(across.columns ? plan.columns : nullptr,
                             across.dst, columns.size);
  }

  /// Of so many places, by a table or a stride apart, the first cache holds a
  /// line each while they are gone along: half of it, and of each of its sets.
  int64_t heldPlaces(const intptr_t *table, int64_t stride,
                     int64_t places) const {
    if (facts.holdsBoth(plan.bytes))
      return places;
    SetLines lines(facts);
    const int64_t most = std::min(places, lines.lineCount() / 2);
    for (int64_t i = 1; i < most; ++i)
      if (lines.touch(table ? table[i] : i * stride) > lines.ways / 2)
        return i;
    return most;
  }

  //===--- streamed tiles -------------------------------------------------===//

  bool planStreamedTiles(Chain rows, const Chain &columns) {
    if (facts.splitsLines(dims[columns.last].dstStride) &&
        planPanels(minColumns, facts.vectorBytes / element))
      return true;
    for (int64_t wanted = facts.lineBytes; wanted <= maxLineRowBytes;
         wanted *= 2) {
      Chain longer = columns;
      extend(rows, &LoopDim::dstStride, wanted, columns);
      if (!isWholeLines(rows.size * element, rows.set))
        continue;
      if (rows.count == 1 && columns.count == 1 &&
          planTileNest(columns.last, rows.last))
        return true;
      extend(longer, &LoopDim::srcStride, StreamedLoops::minStretchBytes, rows);
      const TileKernel *tile = pickTile(rows.size, longer.size, true);
      if (!tile || !hasWholeBlocks(rows, tile->rows))
        continue;
      plan.kernel = tile->streamingFor(rows.count == 1);
      planTileBlocks(rows, columns, longer, *tile);
      return true;
    }
    return planPanels(minColumns, facts.vectorBytes / element);
  }

  /// Loops as the compiler puts them round tiles of two dims. The kernel takes
  /// the innermost.
  bool planTileNest(unsigned column, unsigned row) {
    const TileKernel *tile = pickTile(dims[row].size, dims[column].size, true);
    if (!tile || dims[row].size % tile->rows != 0)
      return false;
    int64_t step[maxRank];
    fillSteps(column, row, *tile, step);
    plan.kernel = tile->streamingFor(/*evenRows=*/true);
    StreamedLoops loops({dims, count}, element, {step, count}, facts);
    addBlockNest(loops.choose(column, row), step);
    plan.call.ahead = intptr_t(loops.srcAhead(column));
    takeInnerLoops();
    return true;
  }

  /// Gives the kernel the last loops of the block nest.
  void takeInnerLoops() {
    BlockNest &blocks = plan.blocks;
    plan.body = GenericPlan::Body::Blocks;
    for (int slot : {1, 0, 2}) {
      if (blocks.loopCount == 0)
        return;
      const Loop &loop = blocks.loops[blocks.loopCount - 1];
      // Blocks of a dim that another loop goes along. Batches have steps of
      // one.
      if (std::ranges::count(blocks.kernelDims, int(loop.dim)) > 0 ||
          (slot == 2 && loop.step != 1))
        return;
      const LoopDim &dim = dims[loop.dim];
      plan.call.loops[slot] =
          loopOf(dim.size, loop.step, dim.srcStride, dim.dstStride);
      blocks.kernelDims[slot] = int(loop.dim);
      --blocks.loopCount;
    }
  }

  /// The kernel goes along the columns, in src, and then on to the next rows.
  void planTileBlocks(const Chain &rows, const Chain &columns,
                      const Chain &longer, const TileKernel &tile) {
    int64_t extent[maxRank];
    std::fill_n(extent, count, 1);
    plan.call.loops[0] = rowLoop(rows, tile.rows);
    plan.call.loops[1] = columnLoop(longer, tile.columns);
    cut(longer,
        longer.count == 1
            ? evenBlock(longer, tile.columns, tile.columns,
                        StreamedLoops::blockLines * facts.lineBytes / element)
            : evenBlock(longer, tile.columns, 1, maxJoined),
        1, extent);
    int64_t whole = tile.rows / std::gcd<int64_t>(tile.rows, rows.inner);
    cut(rows,
        rows.count == 1 ? rows.size
                        : evenBlock(rows, tile.rows, whole, maxJoined),
        0, extent);
    // Tiles of less than a line would prefetch each again and again.
    if (tile.columns * element >= facts.lineBytes)
      plan.call.ahead = intptr_t(tile.columns * element);
    plan.body = GenericPlan::Body::Blocks;
    StreamedLoops loops({dims, count}, element, {extent, count}, facts);
    addBlockNest(loops.choose(columns.last, rows.last), extent);
  }

  /// Elements of a chain, `most` or so, in blocks that overlap least: all have
  /// one size. Of the chain's last dim they have a multiple of `unit`.
  int64_t evenBlock(const Chain &chain, int64_t tile, int64_t unit,
                    int64_t most) const {
    if (chain.size <= most)
      return chain.size;
    const int64_t size = dims[chain.last].size;
    const int64_t largest = std::max(most / chain.inner / unit, int64_t{1});
    int64_t best = 0, leastTiles = 0;
    for (int64_t units = largest; units > largest / 2; --units) {
      const int64_t block = units * unit;
      const int64_t tiles =
          ceilDiv(size, block) * ceilDiv(block * chain.inner, tile);
      if (best == 0 || tiles < leastTiles) {
        best = block;
        leastTiles = tiles;
      }
    }
    return std::min(best, size) * chain.inner;
  }

  /// Gives one of the kernel's loops a block of a chain.
  void cut(const Chain &chain, int64_t block, int loop, int64_t *extent) {
    plan.call.loops[loop].size = intptr_t(block);
    for (unsigned i = 0; i < chain.count; ++i)
      extent[chain.dims[i]] = dims[chain.dims[i]].size;
    extent[chain.last] = block / chain.inner;
  }

  void addBlockNest(std::span<const Loop> loops, const int64_t *extent) {
    BlockNest &blocks = plan.blocks;
    std::ranges::fill(blocks.kernelDims, -1);
    blocks.loopCount = 0;
    for (size_t i = 0; i < loops.size(); ++i)
      // Blocks with nothing between them and their own steps are none.
      if (i + 1 == loops.size() || loops[i].dim != loops[i + 1].dim)
        blocks.loops[blocks.loopCount++] = loops[i];
    blocks.rank = count;
    for (unsigned i = 0; i < count; ++i) {
      blocks.dims[i] = dims[i];
      blocks.last[i] = dims[i].size - extent[i];
    }
  }

  /// Whether blocks of a chain can be made of whole tiles.
  bool hasWholeBlocks(const Chain &chain, int64_t tile) const {
    if (chain.count == 1 || chain.size <= maxJoined)
      return chain.size % tile == 0;
    return tile / std::gcd(tile, chain.inner) * chain.inner <= maxJoined;
  }

  //===--- panels ---------------------------------------------------------===//

  /// Blocks through a buffer, which have so many elements that follow one
  /// another in src, and in dst, at least.
  bool planPanels(int64_t columns, int64_t rows) {
    int64_t extent[maxRank];
    std::fill_n(extent, count, 1);
    startPanel(&LoopDim::srcStride, columns, extent);
    startPanel(&LoopDim::dstStride, rows, extent);
    int64_t tile[maxRank];
    std::copy_n(extent, count, tile);
    std::optional<PanelNeighbours> next =
        growPanel({dims, count}, element, {extent, count}, facts);
    return next && planPanelNest(*next, tile, extent);
  }

  /// Blocks of `extent`, made of tiles of `tile` at least, and their loops.
  bool planPanelNest(const PanelNeighbours &next, const int64_t *tile,
                     int64_t *extent) {
    int64_t step[maxRank], stride[maxRank];
    cutPanel(next, tile, extent, step);
    if (!placeRows(extent, stride))
      return false;
    placeStretches(extent);
    StreamedLoops loops({dims, count}, element, {step, count}, facts);
    addBlockNest(loops.choose(next.src, next.dst), extent);
    if (plan.panel.cutDim >= 0)
      dropRowBlocks();
    const PanelPrefetch prefetch = prefetchOf(plan.blocks);
    plan.panel.ahead = prefetch.byRows;
    // What is left is to move a block to the buffer.
    unsigned kept = 0;
    for (unsigned i = 0; i < count; ++i)
      if (extent[i] > 1)
        dims[kept++] = {extent[i], dims[i].srcStride, stride[i]};
    count = kept;
    streams = false;
    inPanel = true;
    planMoves();
    plan.call.ahead = intptr_t(prefetch.byTiles);
    plan.body = GenericPlan::Body::Panels;
    return true;
  }

  PanelPrefetch prefetchOf(const BlockNest &panels) const {
    const int src = fastDim(&LoopDim::srcStride),
              row = fastDim(&LoopDim::dstStride);
    std::optional<size_t> ofTiles;
    if (src != row && row >= 0)
      ofTiles = size_t(row);
    return prefetchPanels({dims, count}, element,
                          {panels.loops, panels.loopCount}, ofTiles, facts);
  }

  /// Rows of panels are made to end where lines do. `step` is how far panels
  /// are apart.
  void cutPanel(const PanelNeighbours &next, const int64_t *tile,
                int64_t *extent, int64_t *step) {
    PanelRows &panel = plan.panel;
    panel.cutDim = -1;
    std::copy_n(extent, count, step);
    const Chain row = contiguous(extent, &LoopDim::dstStride);
    if (!next.dst || isWholeLines(row.size * element, row.set))
      return;
    const size_t open = *next.dst;
    const int64_t cut =
        panelCutAtLines(dims[open], tile[open], extent[open], facts);
    if (cut == 0)
      return;
    panel.cutDim = int(open);
    panel.step = step[open] = cut;
    panel.line = ceilDiv(facts.lineBytes, dims[open].dstStride);
    extent[open] = cut + panel.line;
  }

  /// The rows of a block would end in parts of lines.
  void dropRowBlocks() {
    BlockNest &blocks = plan.blocks;
    const PanelRows &panel = plan.panel;
    auto *end = std::remove_if(
        blocks.loops, blocks.loops + blocks.loopCount, [&](const Loop &loop) {
          return loop.dim == panel.cutDim && loop.step > panel.step;
        });
    blocks.loopCount = unsigned(end - blocks.loops);
  }

  void startPanel(Stride stride, int64_t wanted, int64_t *extent) const {
    Chain chain;
    for (int dim;
         chain.size < wanted && (dim = following(chain, stride)) >= 0;) {
      int64_t &some = extent[dim];
      some = std::max(some, std::min(dims[dim].size, wanted / chain.size));
      chain.add(unsigned(dim), dims[dim].size);
    }
  }

  /// What of a block is contiguous on one side.
  Chain contiguous(const int64_t *extent, Stride stride) const {
    Chain chain;
    for (int dim; (dim = following(chain, stride)) >= 0;)
      chain.add(unsigned(dim), extent[dim]);
    return chain;
  }

  /// The buffer's strides, and the loops that take its rows to dst.
  bool placeRows(const int64_t *extent, int64_t *stride) {
    PanelRows &panel = plan.panel;
    const Chain row = contiguous(extent, &LoopDim::dstStride);
    const int64_t rowBytes = row.size * element;
    panel.stream = kernels.stream();
    panel.bytes = rowBytes;
    panel.rowDim = row.count > 0 ? int(row.last) : -1;
    panel.rows = PieceLoops();
    panel.prefetchesEnds = panel.cutDim < 0 && !isWholeLines(rowBytes, row.set);
    // A line more than it needs, or all rows could meet in the same lines of
    // the cache.
    int64_t bytes = (ceilDiv(rowBytes, facts.lineBytes) + 1) * facts.lineBytes;
    for (unsigned i = 0; i < count; ++i)
      stride[i] = dims[i].dstStride;
    unsigned order[maxRank];
    for (unsigned i = slowestFirst(&LoopDim::dstStride, row.set, order);
         i-- > 0;) {
      const unsigned dim = order[i];
      if (extent[dim] == 1)
        continue;
      stride[dim] = bytes;
      panel.rows.add({extent[dim], bytes, dims[dim].dstStride});
      bytes *= extent[dim];
    }
    return bytes <= GenericPlan::bufferBytes;
  }

  /// What of a block follows one another in src is prefetched together.
  void placeStretches(const int64_t *extent) {
    PanelRows &panel = plan.panel;
    const Chain stretch = contiguous(extent, &LoopDim::srcStride);
    const int64_t bytes = stretch.size * element;
    panel.stretchBytes = prefetchPiece(bytes);
    panel.stretches = PieceLoops();
    if (panel.stretchBytes < bytes)
      panel.stretches.add(
          {ceilDiv(bytes, panel.stretchBytes), panel.stretchBytes, 0});
    unsigned order[maxRank];
    for (unsigned i = slowestFirst(&LoopDim::srcStride, stretch.set, order);
         i-- > 0;)
      if (extent[order[i]] > 1)
        panel.stretches.add({extent[order[i]], dims[order[i]].srcStride, 0});
  }

  //===--- interleaves ----------------------------------------------------===//

  /// Few elements that are contiguous on one side, `channels`, followed there
  /// by the fast dim of the other side, `groups`.
  bool planInterleave(Chain channels, unsigned groups, bool split) {
    Stride together = split ? &LoopDim::srcStride : &LoopDim::dstStride;
    Stride apart = split ? &LoopDim::dstStride : &LoopDim::srcStride;
    if (element > 8)
      return false;
    int next = following(channels, together);
    while (next >= 0 && unsigned(next) != groups &&
           channels.size * element < maxInterleavedBytes) {
      channels.add(unsigned(next), dims[next].size);
      next = following(channels, together);
    }
    if (next < 0 || unsigned(next) != groups ||
        channels.size * element > maxInterleavedBytes)
      return false;
    const TileKernel *tile =
        pickInterleave(split ? kernels.splits(element) : kernels.joins(element),
                       channels.size, dims[groups].size);
    if (!tile)
      return false;
    plan.kernel = tile->plain;
    fillJoined(split ? plan.columns : plan.rows, channels, apart);
    uint64_t taken = channels.set | uint64_t{1} << groups;
    const bool isStreamed =
        streams && isStreamable(*tile, channels, groups, split);
    if (isStreamed)
      plan.kernel = tile->streaming;
    else if (streams && planPanels(minColumns, facts.vectorBytes / element))
      return true;
    planInterleaveLoops(groups, taken, *tile, isStreamed);
    return true;
  }

  const TileKernel *pickInterleave(const KernelTable::Tiles &tiles,
                                   int64_t channels, int64_t groups) const {
    const TileKernel *best = nullptr;
    for (const TileKernel &tile : tiles)
      if (tile.plain && tile.columns == channels && tile.rows <= groups &&
          (!best || tile.rows > best->rows))
        best = &tile;
    return best;
  }

  bool isStreamable(const TileKernel &tile, const Chain &channels,
                    unsigned groups, bool split) const {
    if (!tile.streaming || dims[groups].size % tile.rows != 0)
      return false;
    uint64_t inRow = uint64_t{1} << groups;
    int64_t rowBytes = dims[groups].size * element;
    if (!split) {
      inRow |= channels.set;
      rowBytes *= channels.size;
    }
    return isWholeLines(rowBytes, inRow);
  }

  void planInterleaveLoops(unsigned groups, uint64_t taken,
                           const TileKernel &tile, bool isStreamed) {
    const LoopDim &dim = dims[groups];
    plan.call.loops[1] =
        loopOf(dim.size, tile.rows, dim.srcStride, dim.dstStride);
    unsigned order[maxRank];
    unsigned loops = slowestFirst(isStreamed || inPanel ? &LoopDim::srcStride
                                                        : &LoopDim::dstStride,
                                  taken, order);
    int64_t each = dim.size * tile.columns * element;
    if (loops > 0 && each * 2 < unitBytes)
      takeLoop(order[--loops]);
    addOuter(order, loops);
    KernelLoop &outer = plan.call.loops[0];
    if (outer.size * each > 2 * unitBytes && each < unitBytes)
      addBlocks(0, std::max<int64_t>(unitBytes / each, 1), outer.src,
                outer.dst);
    int64_t groupBytes = tile.columns * element;
    if (each > 2 * unitBytes)
      addBlocks(1, unitBytes / groupBytes / tile.rows * tile.rows,
                dim.srcStride, dim.dstStride);
  }

  static constexpr int64_t laneBytes = 16;
  static constexpr int64_t maxJoined = GenericPlan::maxJoined;

  const KernelTable &kernels;
  const TargetFacts &facts;
  GenericPlan &plan;
  int64_t element;
  unsigned count;
  LoopDim dims[maxRank]; ///< in output order
  /// Of all parts, where this is one of them.
  int64_t moved;
  bool streams;
  bool hasView = false;       ///< src repeats or reverses a dim
  bool usesWideMoves = false; ///< its loops are not to be swapped
  bool inPanel = false; ///< dst is a buffer, which the nearest cache holds
};

} // namespace

void permc::makeGenericPlan(const FixedProblem &canonical,
                            const KernelTable &kernels, GenericPlan &plan,
                            bool dstStartsLine, int64_t wholeBytes) {
  Planner(canonical, kernels, plan, dstStartsLine, wholeBytes).run();
}
