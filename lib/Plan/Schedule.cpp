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
//   two dims               -> TileTranspose over these two
//   an element no register
//   lane holds, or no fast
//   dim on some side       -> Scalar: elements one by one, blocked for the
//   cache
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

static constexpr std::array<std::string_view, 5> kindNames = {
    "copy", "block_copy", "tile_transpose", "shuffle", "scalar"};

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

/// Blocks of the src-fast dim: this many lines of each src row.
constexpr int64_t blockLines = 16;

int64_t ceilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

class Scheduler {
public:
  Scheduler(const Problem &problem, const TargetFacts &facts)
      : facts(facts), dims(problem.loopDims()),
        element(problem.elementBytes()) {
    schedule.tile.assign(dims.size(), 1);
    schedule.vectorBytes = moveBytes();
  }

  Schedule run() {
    std::optional<size_t> src = fastDim(&LoopDim::srcStride);
    std::optional<size_t> dst = fastDim(&LoopDim::dstStride);
    if (dims.empty() || (src && src == dst))
      scheduleRuns(src);
    else if (src && dst && facts.vectorBytes >= 16 &&
             std::has_single_bit(uint64_t(element)) && element <= 8)
      scheduleTiles(*src, *dst);
    else
      scheduleElements();
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

  /// Dims from the slowest in dst to the fastest.
  std::vector<size_t> dstOrder() const {
    std::vector<size_t> order(dims.size());
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
      return std::pair(-dims[a].dstStride, a) <
             std::pair(-dims[b].dstStride, b);
    });
    return order;
  }

  void addLoop(size_t dim, int64_t step) {
    if (step < dims[dim].size)
      schedule.loops.push_back({static_cast<int64_t>(dim), step});
  }

  void scheduleRuns(std::optional<size_t> run) {
    bool single = dims.size() <= 1;
    schedule.kind = single ? KernelKind::Copy : KernelKind::BlockCopy;
    if (!run)
      return;
    for (size_t dim : dstOrder())
      if (dim != *run)
        addLoop(dim, 1);
    int64_t tile = runTile(dims[*run].size);
    schedule.tile[*run] = tile;
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
    if (size <= most)
      return size;
    int64_t tile = ceilDiv(size, ceilDiv(size, most));
    int64_t whole = std::max<int64_t>(moveBytes() / element, 1);
    return ceilDiv(tile, whole) * whole;
  }

  int64_t moveBytes() const {
    return facts.vectorBytes ? facts.vectorBytes : facts.wordBytes;
  }

  void scheduleTiles(size_t src, size_t dst) {
    schedule.kind = KernelKind::TileTranspose;
    int64_t line = facts.lineBytes / element;
    int64_t lanes = facts.vectorBytes / element;
    schedule.tile[src] = std::min(dims[src].size, line);
    schedule.tile[dst] = std::min(dims[dst].size, lanes);
    for (size_t dim : dstOrder()) {
      if (dim == src)
        addLoop(dim, blockLines * line);
      else if (dim != dst)
        addLoop(dim, 1);
    }
    addLoop(dst, schedule.tile[dst]);
    addLoop(src, schedule.tile[src]);
  }

  void scheduleElements() {
    schedule.kind = KernelKind::Scalar;
    for (size_t dim : dstOrder())
      addLoop(dim, 1);
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
    for (unsigned i = 0; i < loops.size(); ++i) {
      auto sameDim = [&](const Loop &loop) { return loop.dim == loops[i].dim; };
      bool seen = std::any_of(loops.begin(), loops.begin() + i, sameDim);
      bool last = std::none_of(loops.begin() + i + 1, loops.end(), sameDim);
      if (seen || (last && dims[loops[i].dim].size % loops[i].step != 0))
        return i;
    }
    return static_cast<unsigned>(loops.size());
  }

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
  int64_t step = size;
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
    if (i < schedule.unitLoops && loop.step == tile && size % tile != 0)
      return badSchedule("units of the tile " + std::to_string(tile) +
                         " do not divide " + where);
    step = loop.step;
  }
  if (step != tile)
    return badSchedule("the last step along " + where + " is " +
                       std::to_string(step) + "; expected the tile " +
                       std::to_string(tile));
  return Done{};
}

/// What each kind's micro kernel can move.
static Status checkTile(const Problem &problem, const Schedule &schedule) {
  std::vector<LoopDim> dims = problem.loopDims();
  int64_t element = problem.elementBytes();
  unsigned wide = 0;
  for (size_t dim = 0; dim < dims.size(); ++dim) {
    if (schedule.tile[dim] == 1)
      continue;
    ++wide;
    bool src = dims[dim].srcStride == element;
    bool dst = dims[dim].dstStride == element;
    bool fits = schedule.kind == KernelKind::TileTranspose ? src != dst
                : schedule.kind == KernelKind::Scalar      ? false
                                                           : src && dst;
    if (!fits)
      return badSchedule("a " + std::string(kernelKindName(schedule.kind)) +
                         " tile of " + std::to_string(schedule.tile[dim]) +
                         " along dim " + std::to_string(dim) +
                         ", whose strides do not allow it");
  }
  if (wide > (schedule.kind == KernelKind::TileTranspose ? 2u : 1u))
    return badSchedule("a tile over " + std::to_string(wide) + " dims");
  return Done{};
}

Status permc::checkSchedule(const Problem &canonical,
                            const Schedule &schedule) {
  std::vector<LoopDim> dims = canonical.loopDims();
  if (schedule.tile.size() != dims.size())
    return badSchedule("a tile of rank " +
                       std::to_string(schedule.tile.size()) +
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
