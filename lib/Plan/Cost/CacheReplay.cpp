//===- CacheReplay.cpp - what a nest does to the caches -------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CacheReplay.h"

#include <algorithm>
#include <span>

using namespace permc;

namespace {

/// Lines that are replayed: some hundred tiles, and some times as many as a
/// first cache holds.
constexpr int64_t maxTouches = 6 << 10;

/// Lines in sets of a few ways, of which the one used longest ago goes first.
class Cache {
public:
  Cache(int64_t bytes, int64_t ways, int64_t line)
      : ways(static_cast<size_t>(ways)),
        sets(static_cast<size_t>(std::max<int64_t>(bytes / ways / line, 1))),
        lines(sets * this->ways, -1) {}

  /// Whether the line was there. It is now.
  bool touch(int64_t line) {
    int64_t *set = &lines[static_cast<size_t>(line) % sets * ways];
    int64_t *end = set + ways, *found = std::find(set, end, line);
    const bool hit = found != end;
    std::move_backward(set, hit ? found : end - 1, hit ? found + 1 : end);
    *set = line;
    return hit;
  }

private:
  size_t ways, sets;
  std::vector<int64_t> lines; ///< of each set, the last one used first
};

/// Numbers of lines, more than are ever replayed apart.
class LineSet {
public:
  /// Whether it is new.
  bool insert(int64_t line) {
    for (size_t at = static_cast<size_t>(line) * 0x9e3779b97f4a7c15 >> shift;;
         at = (at + 1) % table.size()) {
      if (table[at] == line)
        return false;
      if (table[at] < 0) {
        table[at] = line;
        return true;
      }
    }
  }

private:
  static constexpr int bits = 14, shift = 64 - bits;
  static_assert(2 * maxTouches < int64_t{1} << bits);
  std::vector<int64_t> table = std::vector<int64_t>(size_t{1} << bits, -1);
};

/// Buffers begin with a page, as large blocks do, and so does the panel.
constexpr int64_t srcBase = int64_t{1} << 43, dstBase = int64_t{1} << 44,
                  panelBase = int64_t{1} << 45;

/// The places of some dims, the last fastest.
std::vector<int64_t> allPlaces(std::span<const LoopDim> dims,
                               int64_t LoopDim::*stride) {
  std::vector<int64_t> places{0};
  for (const LoopDim &dim : dims) {
    std::vector<int64_t> next;
    for (int64_t base : places)
      for (int64_t i = 0; i < dim.size; ++i)
        next.push_back(base + i * dim.*stride);
    places = std::move(next);
  }
  return places;
}

/// Where the rows of a tile are in src, and its columns in dst.
struct TileSides {
  TileSides(const Problem &problem, const Dims &tile)
      : bytes(problem.elementBytes()), rowBytes(bytes), columnBytes(bytes) {
    std::vector<LoopDim> rowDims, columnDims;
    const std::vector<LoopDim> dims = problem.loopDims();
    for (size_t dim = 0; dim < dims.size(); ++dim) {
      if (tile[dim] == 1)
        continue;
      const LoopDim part = {tile[dim], dims[dim].srcStride,
                            dims[dim].dstStride};
      const bool isRow = part.dstStride < part.srcStride;
      (isRow ? rowDims : columnDims).push_back(part);
      (isRow ? columnBytes : rowBytes) *= tile[dim];
      bytes *= tile[dim];
    }
    rows = allPlaces(rowDims, &LoopDim::srcStride);
    columns = allPlaces(columnDims, &LoopDim::dstStride);
  }

  std::vector<int64_t> rows, columns;
  int64_t bytes, rowBytes, columnBytes;
};

class Replay {
public:
  Replay(const Problem &problem, const Schedule &schedule,
         const TargetFacts &facts)
      : schedule(schedule), dims(problem.loopDims()),
        stage(schedule.panel.empty()
                  ? std::nullopt
                  : std::optional(panelStage(problem, schedule))),
        tile(stage ? stage->problem : problem,
             stage ? stage->schedule.tile : schedule.tile),
        line(facts.lineBytes), l1Ways(facts.l1Ways),
        l1(facts.l1Bytes, facts.l1Ways, line),
        l2(facts.l2Bytes, facts.l2Ways, line),
        linesOfSet(static_cast<size_t>(facts.l1Bytes / facts.l1Ways / line)) {
    if (stage) {
      panelDims = stage->problem.loopDims();
      std::vector<LoopDim> columns;
      for (size_t dim : stage->columnDims)
        columns.push_back({schedule.panel[dim], 0, dims[dim].dstStride});
      panelColumns = allPlaces(columns, &LoopDim::dstStride);
    }
    for (const LoopDim &dim : dims)
      ends.push_back(dim.size);
    places.assign(dims.size(), 0);
  }

  CacheCounts run() {
    walk(0);
    return counts;
  }

private:
  /// The nest from loop `level` on. As lowering does it: block loops narrow the
  /// range of their dim, tile loops step through it, the last moved back.
  void walk(size_t level) {
    if (touches >= maxTouches)
      return;
    while (stage && level < schedule.loops.size() &&
           schedule.loops[level].step <
               schedule.panel[static_cast<size_t>(schedule.loops[level].dim)])
      ++level;
    if (level == schedule.loops.size())
      return move(srcBase + offset(&LoopDim::srcStride),
                  dstBase + offset(&LoopDim::dstStride));
    const Loop &loop = schedule.loops[level];
    const auto dim = static_cast<size_t>(loop.dim);
    const int64_t begin = places[dim], end = ends[dim],
                  most = innermost(schedule)[dim];
    for (int64_t at = begin; at < end && touches < maxTouches;
         at += loop.step) {
      places[dim] =
          loop.step == most ? std::max(std::min(at, end - most), begin) : at;
      ends[dim] = std::min(at + loop.step, end);
      walk(level + 1);
    }
    places[dim] = begin;
    ends[dim] = end;
  }

  int64_t offset(int64_t LoopDim::*stride) const {
    int64_t sum = 0;
    for (size_t dim = 0; dim < dims.size(); ++dim)
      sum += places[dim] * dims[dim].*stride;
    return sum;
  }

  void move(int64_t src, int64_t dst) {
    if (!stage)
      return moveTile(src, dst);
    ++counts.panels;
    walkPanel(0, src, panelBase);
    int64_t from = panelBase;
    for (int64_t column : panelColumns) {
      for (int64_t byte = 0; byte < stage->rowBytes; byte += line) {
        touch(from + byte, line, false);
        touch(dst + column + byte, line, true);
        ++counts.copiedLines;
      }
      from += stage->rowStride;
    }
    lines.clear();
  }

  /// The panel's own nest.
  void walkPanel(size_t level, int64_t src, int64_t dst) {
    const std::vector<Loop> &loops = stage->schedule.loops;
    if (level == loops.size())
      return moveTile(src, dst);
    const LoopDim &dim = panelDims[static_cast<size_t>(loops[level].dim)];
    const int64_t last = dim.size - loops[level].step;
    for (int64_t at = 0; at < dim.size; at += loops[level].step) {
      const int64_t place = std::min(at, last);
      walkPanel(level + 1, src + place * dim.srcStride,
                dst + place * dim.dstStride);
    }
  }

  /// Rows are read, columns written: each is contiguous on its side.
  void moveTile(int64_t src, int64_t dst) {
    ++counts.tiles;
    counts.bytes += static_cast<double>(tile.bytes);
    for (int64_t row : tile.rows)
      touch(src + row, tile.rowBytes, false);
    for (int64_t column : tile.columns)
      touch(dst + column, tile.columnBytes, true);
    countOvercommitted();
  }

  /// Some ways hold what is not the tiles': the stack, lines that the machine
  /// prefetches.
  void countOvercommitted() {
    const int64_t ways = l1Ways * 3 / 4;
    std::ranges::fill(linesOfSet, 0);
    auto add = [&](int64_t number) {
      auto &lines = linesOfSet[static_cast<size_t>(number) % linesOfSet.size()];
      counts.overcommitted += ++lines > ways;
    };
    std::ranges::sort(lines);
    lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
    std::ranges::for_each(lines, add);
    for (int64_t number : linesBefore)
      if (!std::ranges::binary_search(lines, number))
        add(number);
    std::swap(lines, linesBefore);
    lines.clear();
  }

  /// So many contiguous bytes.
  void touch(int64_t address, int64_t bytes, bool isStore) {
    const int64_t first = address / line, last = (address + bytes - 1) / line;
    for (int64_t number = first; number <= last; ++number) {
      ++touches;
      lines.push_back(number);
      if (l1.touch(number))
        continue;
      ++(isStore ? counts.storeMisses : counts.loadMisses);
      const bool isKnown = !known.insert(number);
      counts.l2Misses += !l2.touch(number) && isKnown;
    }
    if (isStore && address % std::min(bytes, schedule.vectorBytes) != 0)
      counts.splitStores += static_cast<double>(last - first);
  }

  const Schedule &schedule;
  const std::vector<LoopDim> dims;
  const std::optional<PanelStage> stage;
  const TileSides tile;
  const int64_t line, l1Ways;
  Cache l1, l2;
  std::vector<LoopDim> panelDims;
  std::vector<int64_t> panelColumns; ///< in dst
  Dims places, ends;
  int64_t touches = 0;
  LineSet known;
  std::vector<int64_t> lines, linesBefore; ///< of this tile and the last
  std::vector<int64_t> linesOfSet;
  CacheCounts counts;
};

} // namespace

CacheCounts permc::replayCaches(const Problem &problem,
                                const Schedule &schedule,
                                const TargetFacts &facts) {
  return Replay(problem, schedule, facts).run();
}
