//===- Schedule.cpp - how a canonical problem is carried out --------------===//
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
//   elements no lane holds,
//   or no fast dim         -> Scalar: elements one by one
//
// The loops go through dst in its own order, outermost first, so that a share
// of the units is one contiguous piece of a dense dst. The src-fast dim is
// blocked: all dst rows of a block stay in the cache while their lines fill up.
//
//===----------------------------------------------------------------------===//

#include "permc/Plan/Schedule.h"

#include "permc/Plan/WordTile.h"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>

using namespace permc;

static constexpr std::array<std::string_view, 6> kindNames = {
    "copy",    "block_copy", "tile_transpose",
    "shuffle", "scalar",     "word_transpose"};

std::string_view permc::kernelKindName(KernelKind kind) {
  return kindNames[static_cast<size_t>(kind)];
}

std::optional<KernelKind> permc::kernelKindFromName(std::string_view name) {
  auto it = std::find(kindNames.begin(), kindNames.end(), name);
  if (it == kindNames.end())
    return std::nullopt;
  return static_cast<KernelKind>(it - kindNames.begin());
}

namespace {

/// More nested loops than this go into the flat counter: code size must not
/// grow with the rank.
constexpr unsigned maxNestedLoops = 6;

/// A unit below this many bytes would spend its time finding its place.
constexpr int64_t minUnitBytes = 16 << 10;

/// A long run is cut into pieces of this size, so that parts can share it.
constexpr int64_t runPieceBytes = 64 << 10;

/// Moves of one run that are written out one after the other.
constexpr int64_t maxTileMoves = 16;

/// Elements along each side of a tile that are moved one by one.
constexpr int64_t maxElementMoves = 5;

/// Columns of a transposed tile: enough work between two turns of the loop.
constexpr int64_t columnElements = 16;

/// A panel: lines of each src row by lines of each dst row.
constexpr int64_t panelColumnLines = 2;
constexpr int64_t panelRowLines = 16;

/// Streamed tiles read at least this much of a src row before the next.
constexpr int64_t minStretchBytes = 1 << 10;

/// Rows of a tile are joined up to this size to fill whole lines.
constexpr int64_t maxLineRowBytes = 512;

/// What one lane may carry through a Shuffle network.
constexpr int64_t maxShuffleLaneBytes = 256;

/// Blocks of the src-fast dim: this many lines of each src row.
constexpr int64_t blockLines = 16;

int64_t ceilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

class Scheduler {
public:
  Scheduler(const Problem &problem, const TargetFacts &facts)
      : problem(problem), facts(facts), dims(problem.loopDims()),
        element(problem.elementBytes()) {
    schedule.tile.assign(dims.size(), 1);
    schedule.vectorBytes = moveBytes();
  }

  Schedule run() {
    std::optional<size_t> src = fastDim(&LoopDim::srcStride);
    std::optional<size_t> dst = fastDim(&LoopDim::dstStride);
    if (dims.empty() || (src && src == dst))
      scheduleRuns(src);
    else if (src && dst && transposesInRegisters())
      scheduleLanes(*src, *dst);
    else
      scheduleElements(src, dst);
    chooseUnits();
    return schedule;
  }

private:
  std::optional<size_t> fastDim(int64_t LoopDim::*stride) const {
    for (size_t dim = dims.size(); dim-- > 0;)
      if (dims[dim].*stride == element)
        return dim;
    return std::nullopt;
  }

  /// Odd elements have to be spread over units, byte by byte.
  bool transposesInRegisters() const {
    if (facts.vectorBytes < laneBytes || element > 8)
      return false;
    return std::has_single_bit(uint64_t(element)) || facts.byteShuffle;
  }

  int64_t moveBytes() const {
    return facts.vectorBytes ? facts.vectorBytes : facts.wordBytes;
  }

  /// Dims from the slowest on one side to the fastest.
  std::vector<size_t> slowestFirst(int64_t LoopDim::*stride) const {
    std::vector<size_t> order(dims.size());
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
      return std::pair(-(dims[a].*stride), a) <
             std::pair(-(dims[b].*stride), b);
    });
    return order;
  }

  /// The order of loops that are not the tiles' own. Stores that stay in the
  /// cache follow dst, so that lines fill up; streamed ones are whole lines
  /// anyway, and what counts is that src is read in long stretches.
  std::vector<size_t> outerOrder() const {
    return slowestFirst(schedule.streaming ? &LoopDim::srcStride
                                           : &LoopDim::dstStride);
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
    if (streams() && !tryStreamTiles() &&
        dims[*run].size * element >= 4 * facts.lineBytes) {
      schedule.streaming = true;
      schedule.tile[*run] = tile = runTile(dims[*run].size);
    }
    if (!schedule.streaming)
      unrollNext(*run, tile * element);
    for (size_t dim : outerOrder())
      if (dim != *run)
        addLoop(dim, schedule.tile[dim]);
    // Parts share a long run by pieces; a piece goes tile by tile, so that its
    // last tile is moved back over its own bytes only.
    int64_t piece = std::max<int64_t>(runPieceBytes / element / tile, 1) * tile;
    if (piece > tile)
      addLoop(*run, piece);
    addLoop(*run, tile);
  }

  /// Elements of a run that one micro kernel moves: all of a short run, an even
  /// share of a long one, in whole vectors where elements allow it.
  int64_t runTile(int64_t size) const {
    int64_t most = std::max<int64_t>(maxTileMoves * moveBytes() / element, 1);
    if (schedule.streaming)
      most = runPieceBytes / element;
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
    int64_t count = std::min(dims[*next].size, 8 / std::min<int64_t>(moves, 8));
    // Only what divides: an overlapping last tile could be another part's.
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
    std::vector<size_t> columns = chain(src, &LoopDim::srcStride, laneBytes);
    std::vector<size_t> rows = chain(dst, &LoopDim::dstStride, laneBytes);
    bool shared = haveCommonDim(columns, rows);
    if (shared && tryShuffle(columns, rows))
      return scheduleLoops(columns, rows);
    if (shared || !isRectangle(columns, rows)) {
      columns = {src};
      rows = {dst};
    }
    // A register takes more rows than a lane if there are any.
    rows = moreRows(columns, rows, facts.vectorBytes);
    schedule.kind = KernelKind::TileTranspose;
    auto unit = static_cast<int64_t>(std::bit_ceil(uint64_t(element)));
    fillTile(columns, columnElements);
    fillTile(rows, facts.vectorBytes / unit);
    if (!streams() ||
        !(scheduleWholeLines(columns, rows) || schedulePanels(columns, rows)))
      scheduleLoops(columns, rows);
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

  /// Lanes of both sides from dims they share. The last dim of each chain is
  /// cut so that whole lanes come out; one of them feeds the lanes of a
  /// register.
  bool tryShuffle(const std::vector<size_t> &columns,
                  const std::vector<size_t> &rows) {
    if (!facts.byteShuffle && element < 4)
      return false;
    Dims tile(dims.size(), 1);
    for (const std::vector<size_t> *chain : {&columns, &rows})
      for (size_t i = 0; i + 1 < chain->size(); ++i)
        tile[(*chain)[i]] = dims[(*chain)[i]].size;
    cutLast(columns, tile);
    cutLast(rows, tile);
    size_t feed = rows.back();
    if (std::find(rows.begin(), rows.end() - 1, columns.back()) ==
            rows.end() - 1 &&
        tile[columns.back()] > tile[feed])
      feed = columns.back();
    int64_t bytes = element;
    for (int64_t size : tile)
      bytes *= size;
    if (bytes > maxShuffleLaneBytes)
      return false;
    int64_t lanes = facts.vectorBytes / laneBytes;
    while (lanes > 1 && tile[feed] * lanes > dims[feed].size)
      lanes /= 2;
    tile[feed] *= lanes;
    schedule.kind = KernelKind::Shuffle;
    schedule.tile = tile;
    schedule.vectorBytes = lanes * laneBytes;
    return true;
  }

  /// How much of a chain's last dim makes whole lanes.
  void cutLast(const std::vector<size_t> &chain, Dims &tile) const {
    size_t last = chain.back();
    int64_t inner = element;
    for (size_t i = 0; i + 1 < chain.size(); ++i)
      inner *= dims[chain[i]].size;
    int64_t whole = laneBytes / std::gcd(laneBytes, inner);
    tile[last] = std::max(tile[last], std::min(whole, dims[last].size));
  }

  /// Other dims and blocks of the src-fast dim in dst order, then the tiles:
  /// along the columns innermost, which is along src.
  void scheduleLoops(const std::vector<size_t> &columns,
                     const std::vector<size_t> &rows) {
    size_t column = columns.back(), row = rows.back();
    if (streams() && tryStreamTiles() && column != row)
      return scheduleStreamedLoops(column, row);
    const Dims &tile = schedule.tile;
    for (size_t dim : outerOrder()) {
      if (dim == column && column != row)
        addLoop(dim, blockOf(column));
      else if (dim != row)
        addLoop(dim, tile[dim]);
    }
    if (schedule.loops.empty() || row == column)
      addLoop(row, unitBlockOf(row));
    if (column != row && !startsOnLines(column)) {
      // Lines of dst are shared by neighbouring rows: these come next.
      addLoop(column, tile[column]);
      return addLoop(row, tile[row]);
    }
    addLoop(row, tile[row]);
    if (column != row)
      addLoop(column, tile[column]);
  }

  bool startsOnLines(size_t column) const {
    return dims[column].dstStride % facts.lineBytes == 0;
  }

  /// Streams the tile as it stands, if it is made of whole lines.
  bool tryStreamTiles() {
    schedule.streaming = true;
    schedule.streaming = streamsTiles(problem, schedule);
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
      if (tryStreamTiles()) {
        scheduleStreamedLoops(columns.back(), rows.back());
        return true;
      }
    }
    schedule.tile = tile;
    return false;
  }

  /// Inside the rows go the columns and the dims next to them in src, until a
  /// long stretch of each src row has been read.
  void scheduleStreamedLoops(size_t column, size_t row) {
    std::vector<size_t> outer, inner;
    int64_t stretch = dims[column].size * dims[column].srcStride;
    std::vector<size_t> order = outerOrder();
    for (auto dim = order.rbegin(); dim != order.rend(); ++dim) {
      if (*dim == row || *dim == column)
        continue;
      bool next = dims[*dim].srcStride <= stretch && stretch < minStretchBytes;
      (next ? inner : outer).push_back(*dim);
      if (next)
        stretch = dims[*dim].srcStride * dims[*dim].size;
    }
    for (auto dim = outer.rbegin(); dim != outer.rend(); ++dim)
      addLoop(*dim, schedule.tile[*dim]);
    addLoop(column, blockOf(column));
    addLoop(row, schedule.tile[row]);
    for (auto dim = inner.rbegin(); dim != inner.rend(); ++dim)
      addLoop(*dim, schedule.tile[*dim]);
    addLoop(column, schedule.tile[column]);
  }

  bool streams() const {
    int64_t bytes = element;
    for (const LoopDim &dim : dims)
      bytes *= dim.size;
    return facts.streamingStores && bytes >= facts.streamBytes;
  }

  /// Panels of some lines of each src row by many lines of each dst row.
  bool schedulePanels(const std::vector<size_t> &columns,
                      std::vector<size_t> rows) {
    if (columns.size() != 1)
      return false;
    Dims tile = schedule.tile, panel(dims.size(), 1);
    size_t column = columns.back();
    rows = moreRows(columns, rows, panelRowLines * facts.lineBytes);
    fillTile(rows, facts.vectorBytes / element);
    int64_t inner = element;
    for (size_t i = 0; i + 1 < rows.size(); ++i) {
      panel[rows[i]] = schedule.tile[rows[i]] = dims[rows[i]].size;
      inner *= dims[rows[i]].size;
    }
    panel[column] =
        panelOf(column, panelColumnLines * facts.lineBytes / element);
    panel[rows.back()] =
        panelOf(rows.back(), panelRowLines * facts.lineBytes / inner);
    if (inner * panel[rows.back()] < 4 * facts.lineBytes) {
      schedule.tile = tile;
      return false;
    }
    schedule.panel = panel;
    schedule.streaming = true;
    schedulePanelLoops(column, rows.back());
    return true;
  }

  /// About `elements` of a dim, in whole tiles, or all of it.
  int64_t panelOf(size_t dim, int64_t elements) const {
    int64_t tile = schedule.tile[dim];
    int64_t panel = std::max<int64_t>(ceilDiv(elements, tile), 1) * tile;
    return std::min(panel, dims[dim].size);
  }

  void schedulePanelLoops(size_t column, size_t row) {
    const Dims &panel = schedule.panel;
    for (size_t dim : outerOrder()) {
      if (dim == column)
        addLoop(dim,
                std::max(blockOf(dim) / panel[dim], int64_t{2}) * panel[dim]);
      else if (dim != row && panel[dim] == 1)
        addLoop(dim, 1);
    }
    addLoop(row, panel[row]);
    addLoop(column, panel[column]);
    addPanelLoop(row);
    addPanelLoop(column);
  }

  void addPanelLoop(size_t dim) {
    if (schedule.tile[dim] < schedule.panel[dim])
      schedule.loops.push_back({static_cast<int64_t>(dim), schedule.tile[dim]});
  }

  /// A block of a tiled dim: some lines of it, in whole tiles.
  int64_t blockOf(size_t dim) const {
    int64_t elements = blockLines * facts.lineBytes / element;
    int64_t tile = schedule.tile[dim];
    return std::max<int64_t>(elements / tile, 2) * tile;
  }

  /// A block of a dim that is there only to be counted as a unit.
  int64_t unitBlockOf(size_t dim) const {
    int64_t bytes = element;
    for (int64_t size : schedule.tile)
      bytes *= size;
    return std::max<int64_t>(ceilDiv(minUnitBytes, bytes), 2) *
           schedule.tile[dim];
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
  /// on nesting asks for, and more while a unit stays large.
  void chooseUnits() {
    std::vector<Loop> &loops = schedule.loops;
    unsigned candidates = unitCandidates();
    int64_t bytes = element;
    for (const LoopDim &dim : dims)
      bytes *= dim.size;
    unsigned units = 0;
    while (units < candidates) {
      const LoopDim &dim = dims[loops[units].dim];
      int64_t inner = bytes / ceilDiv(dim.size, loops[units].step);
      if (inner < minUnitBytes && loops.size() - units <= maxNestedLoops)
        break;
      bytes = inner;
      ++units;
    }
    schedule.unitLoops = units;
  }

  /// Only the first loop of a dim can be part of a unit's number, and one that
  /// does not divide its dim needs a second loop inside, to end where the dim
  /// ends without touching its neighbour's tile.
  unsigned unitCandidates() const {
    const std::vector<Loop> &loops = schedule.loops;
    const Dims &innermost =
        schedule.panel.empty() ? schedule.tile : schedule.panel;
    for (unsigned i = 0; i < loops.size(); ++i) {
      auto sameDim = [&](const Loop &loop) { return loop.dim == loops[i].dim; };
      bool seen = std::any_of(loops.begin(), loops.begin() + i, sameDim);
      bool last = loops[i].step <= innermost[loops[i].dim];
      if (seen || (last && dims[loops[i].dim].size % loops[i].step != 0))
        return i;
    }
    return static_cast<unsigned>(loops.size());
  }

  const Problem &problem;
  const TargetFacts &facts;
  std::vector<LoopDim> dims;
  int64_t element;
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
  if (facts.wordTiles)
    return chooseWordSchedule(canonical, facts);
  return Scheduler(canonical, facts).run();
}

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
    return badSchedule("a tile of " + std::to_string(tile) + " along " + where);
  int64_t panel = schedule.panel.empty() ? tile : schedule.panel[dim];
  if (panel < tile || panel > size)
    return badSchedule("a panel of " + std::to_string(panel) + " along " +
                       where);
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
    if (i < schedule.unitLoops && step != size)
      return badSchedule("the second loop along " + where + " counts units");
    if (i < schedule.unitLoops && loop.step < panel)
      return badSchedule("a loop inside the panel along " + where +
                         " counts units");
    bool last = loop.step == panel;
    entersPanel |= last;
    if (i < schedule.unitLoops && last && size % loop.step != 0)
      return badSchedule("units of " + std::to_string(loop.step) +
                         " do not divide " + where);
    step = loop.step;
  }
  if (!schedule.panel.empty() && !entersPanel)
    return badSchedule("no loop along " + where + " steps by its panel " +
                       std::to_string(panel));
  if (step != tile)
    return badSchedule("the last step along " + where + " is " +
                       std::to_string(step) + "; expected the tile " +
                       std::to_string(tile));
  return Done{};
}

/// What is streamed without a panel is one contiguous run of some lines.
static Status checkStreamedRun(const Problem &problem, const Schedule &schedule,
                               int64_t bytes) {
  std::vector<LoopDim> dims = problem.loopDims();
  for (size_t dim = 0; dim < dims.size(); ++dim)
    if (schedule.tile[dim] > 1 &&
        (dims[dim].srcStride != problem.elementBytes() ||
         dims[dim].dstStride != problem.elementBytes()))
      return badSchedule("a streamed tile along dim " + std::to_string(dim) +
                         ", which is not contiguous on both sides");
  if (bytes < 128 || schedule.vectorBytes < laneBytes)
    return badSchedule("a streamed run of " + std::to_string(bytes) +
                       " bytes by moves of " +
                       std::to_string(schedule.vectorBytes) +
                       "; expected 128 or more by 16 or more");
  return Done{};
}

/// A panel is a buffer on the stack, and its rows are streamed runs of dst.
static Status checkPanel(const Problem &problem, const Schedule &schedule) {
  constexpr int64_t maxPanelBytes = 256 << 10;
  int64_t bytes = problem.elementBytes();
  for (int64_t size : schedule.panel)
    if (__builtin_mul_overflow(bytes, size, &bytes))
      bytes = INT64_MAX;
  if (bytes > maxPanelBytes)
    return badSchedule("a panel of " + std::to_string(bytes) +
                       " bytes; expected at most " +
                       std::to_string(maxPanelBytes));
  if (!schedule.streaming)
    return badSchedule("a panel without streaming");
  int64_t row = panelStage(problem, schedule).rowBytes;
  if (row < 128 || schedule.vectorBytes < laneBytes)
    return badSchedule("a panel whose rows have " + std::to_string(row) +
                       " contiguous bytes of dst, by moves of " +
                       std::to_string(schedule.vectorBytes) +
                       "; expected 128 or more by 16 or more");
  return Done{};
}

/// The micro kernel must exist and be of a size that code can have.
static Status checkTile(const Problem &problem, const Schedule &schedule) {
  if (!schedule.panel.empty()) {
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
  if (schedule.kind == KernelKind::WordTranspose)
    return checkWordTile(problem, schedule);
  bool vectors = schedule.kind == KernelKind::TileTranspose ||
                 schedule.kind == KernelKind::Shuffle;
  int64_t least = vectors ? laneBytes : 1;
  if (!std::has_single_bit(uint64_t(schedule.vectorBytes)) ||
      schedule.vectorBytes < least || schedule.vectorBytes > 64)
    return badSchedule("vectors of " + std::to_string(schedule.vectorBytes) +
                       " bytes; expected a power of two from " +
                       std::to_string(least) + " to 64");
  if (schedule.streaming && !streamsTiles(problem, schedule))
    return checkStreamedRun(problem, schedule, bytes);
  Result<Network> network = tileNetwork(problem, schedule);
  if (!network)
    return network.error();
  return Done{};
}

Status permc::checkSchedule(const Problem &canonical,
                            const Schedule &schedule) {
  std::vector<LoopDim> dims = canonical.loopDims();
  if (schedule.tile.size() != dims.size())
    return badSchedule("a tile of rank " +
                       std::to_string(schedule.tile.size()) +
                       " for a problem of rank " + std::to_string(dims.size()));
  if (!schedule.panel.empty() && schedule.panel.size() != dims.size())
    return badSchedule("a panel of rank " +
                       std::to_string(schedule.panel.size()) +
                       " for a problem of rank " + std::to_string(dims.size()));
  if (schedule.unitLoops > schedule.loops.size())
    return badSchedule(std::to_string(schedule.unitLoops) +
                       " unit loops out of " +
                       std::to_string(schedule.loops.size()) + " loops");
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
  return checkTile(canonical, schedule);
}

bool permc::streamsTiles(const Problem &canonical, const Schedule &schedule) {
  constexpr int64_t line = 64, mostBytes = 4 << 10;
  if (!schedule.streaming || !schedule.panel.empty())
    return false;
  std::vector<LoopDim> dims = canonical.loopDims();
  std::vector<size_t> order(dims.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return dims[a].dstStride < dims[b].dstStride;
  });
  // The tile's rows must be whole lines, and every place it can stand at must
  // be the start of one: also the last, which ends with the dim.
  int64_t run = canonical.elementBytes(), bytes = run;
  bool open = true;
  for (size_t dim : order) {
    int64_t tile = schedule.tile[dim], stride = dims[dim].dstStride;
    if (open && stride == run) {
      run *= tile;
      open = tile == dims[dim].size;
    } else if (tile > 1 && stride % line != 0) {
      return false;
    }
    if (tile < dims[dim].size && (tile * stride % line != 0 ||
                                  (dims[dim].size - tile) * stride % line != 0))
      return false;
    bytes *= tile;
  }
  return run % line == 0 && bytes <= mostBytes;
}

PanelStage permc::panelStage(const Problem &canonical,
                             const Schedule &schedule) {
  std::vector<LoopDim> dims = canonical.loopDims();
  int64_t element = canonical.elementBytes();
  std::vector<size_t> members;
  for (size_t dim = 0; dim < dims.size(); ++dim)
    if (schedule.panel[dim] > 1)
      members.push_back(dim);
  // In dst order, so that the row, the dim contiguous in dst, comes last.
  std::sort(members.begin(), members.end(), [&](size_t a, size_t b) {
    return dims[a].dstStride > dims[b].dstStride;
  });
  // The dims that are contiguous in dst make up a row.
  size_t rowDims = 0;
  int64_t rowBytes = element;
  for (size_t i = members.size(); i-- > 0; ++rowDims) {
    if (dims[members[i]].dstStride != rowBytes)
      break;
    rowBytes *= schedule.panel[members[i]];
  }
  // A line more than a row: rows of a power of two would share cache sets.
  int64_t rowStride = ceilDiv(rowBytes, 64) * 64 + 64;

  Dims shape, perm, src, dst;
  Schedule tiles = schedule;
  tiles.panel.clear();
  tiles.tile.clear();
  tiles.loops.clear();
  tiles.unitLoops = 0;
  tiles.streaming = false;
  for (size_t i = 0; i < members.size(); ++i) {
    shape.push_back(schedule.panel[members[i]]);
    perm.push_back(static_cast<int64_t>(i));
    src.push_back(dims[members[i]].srcStride);
    dst.push_back(dims[members[i]].dstStride); // as it is within a row
    tiles.tile.push_back(schedule.tile[members[i]]);
  }
  int64_t stride = rowStride;
  for (size_t i = members.size() - rowDims; i-- > 0;) {
    dst[i] = stride;
    stride *= shape[i];
  }
  for (const Loop &loop : schedule.loops) {
    auto it = std::find(members.begin(), members.end(), loop.dim);
    if (it != members.end() && loop.step < schedule.panel[loop.dim])
      tiles.loops.push_back({it - members.begin(), loop.step});
  }
  return {*Problem::makeWithByteStrides(element, shape, perm, src, dst),
          tiles,
          {members.begin(), members.end() - rowDims},
          rowBytes,
          rowStride,
          stride};
}

int64_t permc::unitsOfLoop(const Problem &canonical, const Schedule &schedule,
                           unsigned loop) {
  // The remainder of a dim joins the last unit: with a unit of its own it would
  // be moved back over the unit before.
  int64_t dim = schedule.loops[loop].dim;
  return canonical.loopDims()[dim].size / schedule.loops[loop].step;
}

int64_t permc::unitCount(const Problem &canonical, const Schedule &schedule) {
  int64_t units = 1;
  for (unsigned i = 0; i < schedule.unitLoops; ++i)
    units *= unitsOfLoop(canonical, schedule, i);
  return units;
}
