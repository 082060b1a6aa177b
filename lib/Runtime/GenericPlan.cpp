//===- GenericPlan.cpp - loops round a generic kernel ---------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rules of lib/Plan/ChooseSchedule.cpp, for kernels that are there already.
// That chooser makes and proves a network for each tile it considers, which
// takes longer than most calls of the shim; here a tile is picked from a list.
// What kernels with tables can do is a little different too: any dims that
// follow one another in memory are one dim to them.
//
//   the fast dim stays          Run kernels, or long runs streamed
//   few elements of it, then    Split or Join
//   the other side's fast dim
//   two dims                    Transpose or Elements over the chains of dims
//                               that begin with these two
//   anything else               Run kernels, one element a run
//
//===----------------------------------------------------------------------===//

#include "GenericPlan.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <numeric>

using namespace permc;

namespace {

/// A run that does not fill whole lines ends in two that must be read first;
/// shorter ones are put together in panels.
constexpr int64_t minStreamedRunBytes = 512;

/// A long run is cut into blocks of this size.
constexpr int64_t runBlockBytes = 64 << 10;

/// What one call of a kernel moves, about.
constexpr int64_t unitBytes = 64 << 10;

/// Streamed tiles read at least this much of a src row before the next.
constexpr int64_t stretchBytes = 1 << 10;

/// Rows of a tile are joined up to this size to fill whole lines.
constexpr int64_t maxLineRowBytes = 512;

/// Blocks of the columns: this many lines of each src row.
constexpr int64_t blockLines = 16;

/// A panel: bytes of each src row by bytes of each dst row. As in
/// lib/Plan/ChoosePanel.cpp, dst rows want to be longer, and all of it is to
/// stay in the nearest cache beside what is read and fetched.
constexpr int64_t panelSrcBytes = 128;
constexpr int64_t minPanelRowBytes = 256;
constexpr int64_t maxPanelRowBytes = 4 << 10;
constexpr int64_t panelsInCache = 3;

/// What is read of each src row before the panels' rows move on: the lines that
/// two neighbours in dst share are still in the cache then.
constexpr int64_t panelBlockBytes = 1 << 10;

/// Pieces of a run whose loop goes along the run.
constexpr int64_t longRunPieces = 4;

constexpr int64_t offsetBytes = sizeof(intptr_t);

int64_t ceilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

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
          GenericPlan &plan, int64_t wholeBytes)
      : kernels(kernels), facts(kernels.facts), plan(plan),
        element(problem.element), count(problem.rank) {
    plan.bytes = element;
    for (unsigned i = 0; i < count; ++i) {
      dims[i] = problem.loopDim(i);
      plan.bytes *= dims[i].size;
    }
    streams = facts.streamingStores && kernels.stream() &&
              std::max(plan.bytes, wholeBytes) >= facts.streamBytes;
  }

  void run() {
    plan.call = KernelCall();
    plan.loopCount = 0;
    plan.aligned = nullptr;
    plan.stream = kernels.stream();
    plan.fences = plan.panelIsRun = false;
    plan.innerColumns = 1;
    plan.innerColumnStride = 0;
    plan.repeat = KernelLoop();
    plan.body = GenericPlan::Body::Kernel;
    int src = fastDim(&LoopDim::srcStride), dst = fastDim(&LoopDim::dstStride);
    if (src == dst)
      planRuns(src);
    else if (src < 0 || dst < 0 || element > 16 || !planTiles(src, dst))
      planRuns(-1);
    // A loop without a stride goes by its table. Kernels of runs do not look.
    const KernelLoop &inner = plan.call.loops[1];
    int64_t ahead = int64_t(inner.step) * inner.dst;
    if (plan.body == GenericPlan::Body::Kernel &&
        facts.asksForDst(ahead, plan.bytes))
      plan.call.ahead = intptr_t(ahead);
    plan.asksForRowEnds = plan.body == GenericPlan::Body::Panels &&
                          facts.prefetchesStores && !plan.panelIsRun &&
                          !panelRowsAreLines();
    plan.units = 1;
    for (unsigned i = 0; i < plan.loopCount; ++i)
      plan.units *= plan.loops[i].count;
  }

private:
  using Stride = int64_t LoopDim::*;

  /// Rows of whole lines are streamed, and nothing of dst is read.
  bool panelRowsAreLines() const {
    int64_t row = plan.call.loops[0].size;
    for (unsigned i = 0; i < plan.loopCount; ++i)
      if (plan.loops[i].ranged == 0)
        row = plan.loops[i].block;
    int64_t rowBytes = row * plan.call.loops[0].dst;
    for (unsigned i = 0; i < count; ++i)
      if (dims[i].dstStride >= rowBytes &&
          dims[i].dstStride % facts.lineBytes != 0)
        return false;
    return rowBytes % facts.lineBytes == 0;
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
    block = std::min(block, size); // or a step could overflow
    int64_t blocks = size / block, steps = block / inner;
    plan.loops[plan.loopCount++] = {blocks,      steps * src,
                                    steps * dst, ranged,
                                    block,       size - (blocks - 1) * block};
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
    if (streams && bytes < minStreamedRunBytes && planRunPanels(bytes, taken))
      return;
    if (streams && isWholeLines(bytes, taken))
      return planLineRuns(bytes, taken);
    if (streams && bytes >= minStreamedRunBytes)
      return planStreamedRuns(bytes, taken);
    plan.call.bytes = intptr_t(bytes);
    if (bytes > kernels.widest() * KernelTable::maxPieces)
      return planLongRuns(bytes, taken);
    int64_t width =
        std::min<int64_t>(std::bit_floor(uint64_t(bytes)), kernels.widest());
    plan.kernel = kernels.run(width, ceilDiv(bytes, width));
    unsigned order[maxRank];
    unsigned loops = slowestFirst(&LoopDim::dstStride, taken, order);
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
    // Ordinary stores if dst turns out not to be aligned.
    plan.call.bytes = intptr_t(facts.lineBytes);
    int64_t width = std::min(kernels.widest(), facts.lineBytes);
    plan.kernel = kernels.run(width, facts.lineBytes / width);
    plan.aligned = kernels.lines();
    unsigned order[maxRank];
    unsigned loops = slowestFirst(&LoopDim::srcStride, taken, order);
    planAlongRuns(bytes, facts.lineBytes, order, loops);
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
    plan.fences = true;
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

  /// Short runs put together in a buffer: those that follow one another in dst
  /// are a row of it, those that do so in src are its columns.
  bool planRunPanels(int64_t bytes, uint64_t taken) {
    int row = dimWith(&LoopDim::dstStride, bytes, taken),
        column = dimWith(&LoopDim::srcStride, bytes, taken);
    if (row < 0 || column < 0 || row == column)
      return false;
    taken |= uint64_t{1} << row | uint64_t{1} << column;
    // Of few runs together and the next dim a row can be made all the same.
    int64_t step = bytes;
    KernelLoop repeat;
    if (bytes * dims[row].size < minPanelRowBytes) {
      repeat = loopOf(dims[row].size, 1, dims[row].srcStride, bytes);
      step = bytes * dims[row].size;
      row = dimWith(&LoopDim::dstStride, step, taken);
      if (row < 0)
        return false;
      taken |= uint64_t{1} << row;
    }
    int64_t rowBytes =
        std::clamp(panelBytes() / 4, minPanelRowBytes, maxPanelRowBytes);
    int64_t rowBlock = evenShare(dims[row].size, ceilDiv(rowBytes, step));
    int64_t most = lastBlock(dims[row].size, rowBlock) * step;
    if (most < minPanelRowBytes)
      return false;
    setPanelRow(most);
    plan.panelColumns =
        std::min(std::max<int64_t>(panelBytes() / plan.panelRowBytes, 1),
                 dims[column].size);
    if (plan.panelRowBytes * plan.panelColumns > GenericPlan::bufferBytes)
      return false;
    plan.body = GenericPlan::Body::Panels;
    plan.fences = true;
    plan.repeat = repeat;
    plan.call.bytes = intptr_t(bytes);
    int64_t width =
        std::min<int64_t>(std::bit_floor(uint64_t(bytes)), kernels.widest());
    plan.kernel = kernels.run(width, ceilDiv(bytes, width));
    plan.call.loops[0] = loopOf(dims[row].size, 1, dims[row].srcStride, step);
    plan.call.loops[1] =
        loopOf(dims[column].size, 1, bytes, plan.panelRowBytes);
    plan.columnStride = dims[column].dstStride;
    unsigned order[maxRank];
    addOuter(order, slowestFirst(&LoopDim::srcStride, taken, order));
    addBlocks(1, std::max(plan.panelColumns, panelBlockBytes / bytes), bytes,
              plan.columnStride);
    addBlocks(0, rowBlock, dims[row].srcStride, step);
    return true;
  }

  /// A dim that is not taken and has this stride, or -1.
  int dimWith(Stride stride, int64_t bytes, uint64_t taken) const {
    for (unsigned i = 0; i < count; ++i)
      if (!(taken >> i & 1) && dims[i].*stride == bytes)
        return int(i);
    return -1;
  }

  int64_t panelBytes() const { return facts.l1Bytes / panelsInCache; }

  /// A line more than it needs, or all rows could meet in the same lines of the
  /// cache.
  void setPanelRow(int64_t most) {
    plan.panelRowBytes = (ceilDiv(most, facts.lineBytes) + 1) * facts.lineBytes;
  }

  /// The largest block of a loop: the last one takes what is left.
  static int64_t lastBlock(int64_t size, int64_t block) {
    int64_t blocks = std::max<int64_t>(size / block, 1);
    return std::max(std::min(block, size), size - (blocks - 1) * block);
  }

  /// Whether rows of so many bytes in dst are whole lines wherever they are.
  bool isWholeLines(int64_t bytes, uint64_t taken) const {
    if (bytes % facts.lineBytes != 0)
      return false;
    for (unsigned i = 0; i < count; ++i)
      if (!(taken >> i & 1) && dims[i].dstStride % facts.lineBytes != 0)
        return false;
    return true;
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
    extend(columns, &LoopDim::srcStride, 16 * element, rows);
    const TileKernel *tile = pickTile(rows.size, columns.size, false);
    if (!tile)
      return false;
    plan.kernel = tile->plain;
    planTileLoops(rows, columns, *tile);
    return true;
  }

  /// The tile with the fewest moves for so many rows and columns, or null.
  const TileKernel *pickTile(int64_t rows, int64_t columns,
                             bool streaming) const {
    const TileKernel *best = nullptr;
    int64_t leastMoves = 0;
    for (const KernelTable::Tiles *tiles :
         {&kernels.transposes(element), &kernels.elements(element)}) {
      for (const TileKernel &tile : *tiles) {
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
      if (best)
        return best;
    }
    return nullptr;
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
    bool streaming = plan.aligned != nullptr;
    // Lines of dst that neighbouring rows share are best filled at once.
    bool rowsInside =
        !streaming && dims[columns.last].dstStride % facts.lineBytes != 0;
    int rowsAt = rowsInside ? 1 : 0, columnsAt = 1 - rowsAt;
    plan.call.loops[rowsAt] = rowLoop(rows, tile.rows);
    plan.call.loops[columnsAt] = columnLoop(columns, tile.columns);
    int64_t columnBlock =
        blockOf(columns, tile.columns, blockLines * facts.lineBytes / element);
    int64_t rowBlock = blockOf(
        rows, tile.rows,
        std::max(unitBytes / (std::min(columnBlock, columns.size) * element),
                 4 * facts.lineBytes));

    unsigned order[maxRank];
    auto by = [&](const LoopDim &dim) {
      return streaming ? dim.srcStride : cachedDistance(dim);
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

  //===--- streamed tiles -------------------------------------------------===//

  bool planStreamedTiles(Chain rows, const Chain &columns) {
    Chain longer = columns;
    for (int64_t wanted = facts.lineBytes; wanted <= maxLineRowBytes;
         wanted *= 2) {
      extend(rows, &LoopDim::dstStride, wanted, columns);
      if (!isWholeLines(rows.size * element, rows.set))
        continue;
      extend(longer, &LoopDim::srcStride, stretchBytes, rows);
      const TileKernel *tile = pickTile(rows.size, longer.size, true);
      if (!tile || !tile->plain || !hasWholeBlocks(rows, tile->rows))
        continue;
      plan.aligned = tile->streaming;
      plan.kernel = tile->plain;
      planTileLoops(rows, longer, *tile);
      return true;
    }
    return planContiguousPanels(rows, columns) || planPanels(rows, columns);
  }

  /// Columns that follow one another in dst: a panel is one run.
  bool planContiguousPanels(const Chain &rows, const Chain &columns) {
    int64_t columnBytes = rows.size * element;
    if (columns.count > 1 || dims[columns.last].dstStride != columnBytes ||
        columnBytes >= minPanelRowBytes || rows.size > maxJoined)
      return false;
    const TileKernel *tile = pickTile(rows.size, columns.size, false);
    if (!tile)
      return false;
    plan.kernel = tile->plain;
    plan.call.loops[0] = rowLoop(rows, tile->rows);
    plan.call.loops[1] = columnLoop(columns, tile->columns);
    return planRunOfPanel(columnBytes, element, tile->columns,
                          rows.set | columns.set);
  }

  /// A panel that is one run of dst. The kernel's inner loop goes along it, in
  /// steps of `bytes` bytes, of which `srcBytes` follow one another in src.
  bool planRunOfPanel(int64_t bytes, int64_t srcBytes, int64_t step,
                      uint64_t taken) {
    KernelLoop &loop = plan.call.loops[1];
    int64_t fitting = std::max(panelBytes() / bytes, step);
    plan.panelColumns = std::min<int64_t>(fitting - fitting % step, loop.size);
    if (plan.panelColumns * bytes < minPanelRowBytes ||
        plan.panelColumns * bytes > GenericPlan::bufferBytes)
      return false;
    plan.body = GenericPlan::Body::Panels;
    plan.fences = true;
    plan.panelIsRun = true;
    plan.panelRowBytes = plan.columnStride = bytes;
    unsigned order[maxRank];
    addOuter(order, slowestFirst(&LoopDim::srcStride, taken, order));
    addBlocks(1, std::max(plan.panelColumns, unitBytes / bytes), srcBytes,
              bytes);
    return true;
  }

  /// Whether blocks of a chain can be made of whole tiles.
  bool hasWholeBlocks(const Chain &chain, int64_t tile) const {
    if (chain.count == 1 || chain.size <= maxJoined)
      return chain.size % tile == 0;
    return blockOf(chain, tile, maxJoined) % tile == 0;
  }

  bool planPanels(Chain rows, Chain columns) {
    extend(columns, &LoopDim::srcStride, 16 * element, rows);
    int64_t panelColumns = panelSrcBytes / element;
    if (panelBytes() / panelColumns < minPanelRowBytes)
      panelColumns /= 2;
    int64_t rowBytes =
        std::clamp(panelBytes() / std::min(panelColumns, columns.size),
                   minPanelRowBytes, maxPanelRowBytes);
    extend(rows, &LoopDim::dstStride, rowBytes, columns);
    if (rows.size * element < minPanelRowBytes || columns.count > 2)
      return false;
    const TileKernel *tile = pickTile(rows.size, columns.size, false);
    if (!tile)
      return false;
    // Even shares, so that the last is not much larger than the others.
    int64_t rowBlock =
        blockOf(rows, tile->rows, evenShare(rows.size, rowBytes / element));
    if (std::min(rowBlock, rows.size) * element < 2 * facts.lineBytes)
      return false; // less than a kernel streams
    setPanelRow(lastBlock(rows.size, rowBlock) * element);
    plan.panelColumns = wholeColumns(columns, tile->columns, panelColumns);
    if (plan.panelRowBytes * plan.panelColumns > GenericPlan::bufferBytes)
      return false;
    plan.body = GenericPlan::Body::Panels;
    plan.fences = true;
    plan.kernel = tile->plain;
    planPanelLoops(rows, columns, *tile, rowBlock);
    return true;
  }

  /// Columns of a panel or of a block of panels: `wanted` or so, of whole inner
  /// dims, and a tile at least.
  static int64_t wholeColumns(const Chain &columns, int64_t tile,
                              int64_t wanted) {
    if (columns.count == 1)
      return std::max<int64_t>(wanted / tile, 1) * tile;
    return std::max(wanted / columns.inner, ceilDiv(tile, columns.inner)) *
           columns.inner;
  }

  void planPanelLoops(const Chain &rows, const Chain &columns,
                      const TileKernel &tile, int64_t rowBlock) {
    plan.call.loops[0] = rowLoop(rows, tile.rows);
    // The kernel writes to the buffer.
    plan.call.loops[1] =
        loopOf(columns.size, tile.columns, element, plan.panelRowBytes);
    fillTable(plan.columns, tile.columns, plan.panelRowBytes);
    plan.columnStride = dims[columns.last].dstStride;
    plan.innerColumns = columns.inner;
    plan.innerColumnStride = dims[columns.dims[0]].dstStride;
    unsigned order[maxRank];
    unsigned loops =
        slowestFirst(&LoopDim::srcStride, rows.set | columns.set, order);
    addOuter(order, loops);
    addChainBlocks(
        1, columns,
        std::max(plan.panelColumns,
                 wholeColumns(columns, tile.columns,
                              blockLines * facts.lineBytes / element)));
    addChainBlocks(0, rows, rowBlock);
  }

  /// Blocks of `wanted` or less, of which the last, that takes what is left, is
  /// the least larger. All of it if that is not two blocks.
  static int64_t evenShare(int64_t size, int64_t wanted) {
    if (size < 2 * wanted)
      return size;
    int64_t best = wanted;
    const int64_t step = std::max<int64_t>(wanted / 64, 1);
    for (int64_t block = wanted; 4 * block > 3 * wanted; block -= step)
      if (size % block < size % best)
        best = block;
    return best;
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
    if (streams && isStreamable(*tile, channels, groups, split))
      plan.aligned = tile->streaming;
    else if (streams && !split) {
      plan.call.loops[1] = loopOf(dims[groups].size, tile->rows, element,
                                  channels.size * element);
      if (planRunOfPanel(channels.size * element, element, tile->rows, taken))
        return true;
    }
    planInterleaveLoops(groups, taken, *tile);
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
                           const TileKernel &tile) {
    const LoopDim &dim = dims[groups];
    plan.call.loops[1] =
        loopOf(dim.size, tile.rows, dim.srcStride, dim.dstStride);
    unsigned order[maxRank];
    unsigned loops = slowestFirst(
        plan.aligned ? &LoopDim::srcStride : &LoopDim::dstStride, taken, order);
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
  bool streams;
};

} // namespace

void permc::makeGenericPlan(const FixedProblem &canonical,
                            const KernelTable &kernels, GenericPlan &plan,
                            int64_t wholeBytes) {
  Planner(canonical, kernels, plan, wholeBytes).run();
}
