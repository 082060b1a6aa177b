//===- ScheduleProperties.cpp - what good schedules share -----------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScheduleProperties.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <unordered_set>

using namespace permc;

using Stride = int64_t LoopDim::*;

//===----------------------------------------------------------------------===//
// Places along one dim
//===----------------------------------------------------------------------===//

namespace {

/// Where tiles (or panels) begin along one dim. Loops of other dims have no say
/// in that, so a box is covered if each of its dims is.
class DimStarts {
public:
  DimStarts(int64_t size, int64_t tile, std::vector<int64_t> steps)
      : size(size), tile(tile), steps(std::move(steps)) {
    enter(0, 0, size);
  }

  bool cover() const {
    int64_t end = 0;
    std::vector<int64_t> sorted = starts;
    std::ranges::sort(sorted);
    for (int64_t start : sorted) {
      if (start < 0 || start > end || start + tile > size)
        return false;
      end = std::max(end, start + tile);
    }
    return end == size;
  }

  double movedShare() const {
    return static_cast<double>(starts.size()) * static_cast<double>(tile) /
           static_cast<double>(size);
  }

  std::vector<int64_t> starts;

private:
  /// What would reach past the end is moved back; a block ends early.
  void enter(size_t level, int64_t begin, int64_t end) {
    if (level == steps.size()) {
      starts.push_back(begin);
      return;
    }
    const int64_t step = steps[level];
    if (step < 1)
      return;
    for (int64_t at = begin; at < end; at += step) {
      const int64_t from = step == tile ? std::min(at, end - step) : at;
      enter(level + 1, from, std::min(from + step, end));
    }
  }

  int64_t size, tile;
  std::vector<int64_t> steps;
};

/// Contiguous bytes of a box of elements, and where they begin.
struct Pieces {
  int64_t bytes;
  std::vector<int64_t> offsets;
};

/// Grows a piece along dims as long as one lies where the other ends.
Pieces piecesOf(const std::vector<LoopDim> &dims, const Dims &box, Stride side,
                int64_t element) {
  std::vector<size_t> others(dims.size());
  for (size_t dim = 0; dim < dims.size(); ++dim)
    others[dim] = dim;
  Pieces pieces = {element, {0}};
  auto follows = [&](size_t dim) {
    return dims[dim].*side == pieces.bytes || box[dim] == 1;
  };
  for (auto next = std::ranges::find_if(others, follows); next != others.end();
       next = std::ranges::find_if(others, follows)) {
    pieces.bytes *= box[*next];
    others.erase(next);
  }
  for (size_t dim : others) {
    std::vector<int64_t> more;
    for (int64_t i = 0; i < box[dim]; ++i)
      for (int64_t offset : pieces.offsets)
        more.push_back(offset + i * dims[dim].*side);
    pieces.offsets = std::move(more);
  }
  return pieces;
}

/// The steps of the loops along a dim that are no finer than `least`.
std::vector<int64_t> stepsAlong(const Schedule &schedule, size_t dim,
                                int64_t least) {
  std::vector<int64_t> steps;
  for (const Loop &loop : schedule.loops)
    if (loop.dim == static_cast<int64_t>(dim) && loop.step >= least)
      steps.push_back(loop.step);
  return steps;
}

/// The places of tiles, or panels, along each dim.
std::vector<DimStarts> startsOf(const Problem &problem,
                                const Schedule &schedule) {
  std::vector<DimStarts> starts;
  const std::vector<LoopDim> dims = problem.loopDims();
  const Dims &inner = innermost(schedule);
  for (size_t dim = 0; dim < dims.size(); ++dim)
    starts.emplace_back(dims[dim].size, inner[dim],
                        stepsAlong(schedule, dim, inner[dim]));
  return starts;
}

} // namespace

ScheduleProperties::ScheduleProperties(const Problem &problem,
                                       const Schedule &schedule)
    : problem(problem), schedule(schedule) {
  if (schedule.panel)
    stage = panelStage(problem, schedule);
}

bool ScheduleProperties::coversBox() const {
  if (stage && !ScheduleProperties(stage->problem, stage->schedule).coversBox())
    return false;
  return std::ranges::all_of(startsOf(problem, schedule), &DimStarts::cover);
}

double ScheduleProperties::movedShare() const {
  double share = 1;
  for (const DimStarts &starts : startsOf(problem, schedule))
    share *= starts.movedShare();
  if (!stage)
    return share;
  // Panels that are cut at lines have more than they step by.
  const int64_t elements = stage->problem.bytesMoved() / problem.elementBytes();
  int64_t stepped = 1;
  for (int64_t size : schedule.panel->extent)
    stepped *= size;
  return share * static_cast<double>(elements) / static_cast<double>(stepped) *
         ScheduleProperties(stage->problem, stage->schedule).movedShare();
}

//===----------------------------------------------------------------------===//
// Lines
//===----------------------------------------------------------------------===//

int64_t ScheduleProperties::srcPieceBytes() const {
  return piecesOf(problem.loopDims(), stage ? stage->extent : schedule.tile,
                  &LoopDim::srcStride, problem.elementBytes())
      .bytes;
}

int64_t ScheduleProperties::dstPieceBytes() const {
  return piecesOf(problem.loopDims(), stage ? stage->extent : schedule.tile,
                  &LoopDim::dstStride, problem.elementBytes())
      .bytes;
}

double ScheduleProperties::wholeLineShare() const {
  constexpr int64_t line = streamLineBytes;
  // What panels leave of a line to the next one is no part of it any more.
  if (schedule.panel && schedule.panel->wholeLines)
    return 1;
  // How many pieces begin so many bytes behind a line.
  std::array<int64_t, line> pieces = {1};
  auto spread = [&](const std::vector<int64_t> &places, int64_t stride) {
    std::array<int64_t, line> moved = {};
    for (int64_t place : places)
      for (int64_t at = 0; at < line; ++at)
        moved[static_cast<size_t>(
            ((at + place % line * (stride % line)) % line + line) % line)] +=
            pieces[static_cast<size_t>(at)];
    pieces = moved;
  };
  const std::vector<LoopDim> dims = problem.loopDims();
  const std::vector<DimStarts> starts = startsOf(problem, schedule);
  for (size_t dim = 0; dim < dims.size(); ++dim)
    spread(starts[dim].starts, dims[dim].dstStride);
  const Pieces box = piecesOf(dims, innermost(schedule), &LoopDim::dstStride,
                              problem.elementBytes());
  spread(box.offsets, 1);
  int64_t whole = 0, all = 0;
  for (int64_t at = 0; at < line; ++at) {
    const int64_t first = (at + line - 1) / line, end = (at + box.bytes) / line,
                  count = pieces[static_cast<size_t>(at)];
    whole += count * std::max<int64_t>(end - first, 0) * line;
    all += count * box.bytes;
  }
  return static_cast<double>(whole) / static_cast<double>(all);
}

//===----------------------------------------------------------------------===//
// Caches
//===----------------------------------------------------------------------===//

namespace {

/// A set-associative cache, and which lines were ever in it.
class Cache {
public:
  Cache(const CacheShape &shape)
      : shape(shape),
        sets(std::max<int64_t>(shape.bytes / shape.lineBytes / shape.ways, 1)),
        lines(static_cast<size_t>(sets)) {}

  struct Count {
    int64_t fetched = 0;
    std::unordered_set<int64_t> needed;
    double ratio() const {
      return needed.empty() ? 0
                            : static_cast<double>(fetched) /
                                  static_cast<double>(needed.size());
    }
  };

  void touch(int64_t address, int64_t bytes, Count &count) {
    const int64_t first = address / shape.lineBytes,
                  last = (address + bytes - 1) / shape.lineBytes;
    for (int64_t line = first; line <= last; ++line) {
      ++touched;
      count.needed.insert(line);
      count.fetched += !hits(line);
    }
  }

  int64_t touched = 0;

private:
  bool hits(int64_t line) {
    std::vector<int64_t> &set = lines[static_cast<size_t>(line % sets)];
    auto found = std::ranges::find(set, line);
    const bool hit = found != set.end();
    if (!hit && static_cast<int64_t>(set.size()) < shape.ways) {
      set.push_back(line);
      found = std::prev(set.end());
    } else if (!hit) {
      found = std::prev(set.end());
      *found = line;
    }
    std::rotate(set.begin(), found, std::next(found));
    return hit;
  }

  CacheShape shape;
  int64_t sets;
  std::vector<std::vector<int64_t>> lines;
};

/// Two tensors and a panel's buffer, each at the start of a page.
constexpr int64_t srcBase = 0, dstBase = int64_t{1} << 45,
                  bufferBase = int64_t{1} << 46;

/// Calls `visit(place)` for the first element of every tile or panel, in the
/// order of the nest, until it returns false.
template <typename Visit> class NestWalk {
public:
  NestWalk(const Problem &problem, const Schedule &schedule, Visit visit)
      : schedule(schedule), inner(innermost(schedule)), visit(visit),
        begin(problem.rank(), 0) {
    for (const LoopDim &dim : problem.loopDims())
      end.push_back(dim.size);
    for (const Loop &loop : schedule.loops)
      if (loop.step >= inner[static_cast<size_t>(loop.dim)])
        loops.push_back(loop);
  }

  bool run(size_t level = 0) {
    if (level == loops.size())
      return visit(begin);
    const Loop &loop = loops[level];
    const auto dim = static_cast<size_t>(loop.dim);
    const int64_t first = begin[dim], last = end[dim];
    bool goesOn = true;
    for (int64_t at = first; goesOn && at < last; at += loop.step) {
      begin[dim] =
          loop.step == inner[dim] ? std::min(at, last - loop.step) : at;
      end[dim] = std::min(begin[dim] + loop.step, last);
      goesOn = run(level + 1);
    }
    begin[dim] = first;
    end[dim] = last;
    return goesOn;
  }

private:
  const Schedule &schedule;
  const Dims &inner;
  Visit visit;
  Dims begin, end;
  std::vector<Loop> loops;
};

int64_t placeOf(const Problem &problem, const Dims &place, Stride side) {
  int64_t at = 0;
  const std::vector<LoopDim> dims = problem.loopDims();
  for (size_t dim = 0; dim < dims.size(); ++dim)
    at += place[dim] * dims[dim].*side;
  return at;
}

/// Tiles of a nest without panels, from one base to another.
struct TileTraffic {
  TileTraffic(const Problem &problem, const Schedule &schedule)
      : problem(problem), schedule(schedule),
        reads(piecesOf(problem.loopDims(), schedule.tile, &LoopDim::srcStride,
                       problem.elementBytes())),
        writes(piecesOf(problem.loopDims(), schedule.tile, &LoopDim::dstStride,
                        problem.elementBytes())) {}

  template <typename Touch>
  void run(int64_t src, int64_t dst, Touch touch) const {
    auto visit = [&](const Dims &place) {
      const int64_t from = src + placeOf(problem, place, &LoopDim::srcStride),
                    to = dst + placeOf(problem, place, &LoopDim::dstStride);
      return touch(from, to);
    };
    NestWalk(problem, schedule, visit).run();
  }

  const Problem &problem;
  const Schedule &schedule;
  Pieces reads, writes;
};

} // namespace

LineTraffic ScheduleProperties::linesFetched(const CacheShape &shape,
                                             int64_t most) const {
  Cache cache(shape);
  Cache::Count src, dst, buffer;
  const bool seesDst = shape.seesStreams || !schedule.streaming;
  auto touchAll = [&](const Pieces &pieces, int64_t at, Cache::Count &count) {
    for (int64_t offset : pieces.offsets)
      cache.touch(at + offset, pieces.bytes, count);
  };
  if (!stage) {
    const TileTraffic tiles(problem, schedule);
    tiles.run(srcBase, dstBase, [&](int64_t from, int64_t to) {
      touchAll(tiles.reads, from, src);
      if (seesDst)
        touchAll(tiles.writes, to, dst);
      return cache.touched < most;
    });
    return {src.ratio(), dst.ratio()};
  }
  const TileTraffic tiles(stage->problem, stage->schedule);
  const std::vector<LoopDim> dims = problem.loopDims();
  const Pieces rows = piecesOf(dims, stage->extent, &LoopDim::dstStride,
                               problem.elementBytes());
  auto visitPanel = [&](Dims place) {
    // What is cut at lines has more than it steps by, but not at the end.
    for (size_t dim = 0; dim < place.size(); ++dim)
      place[dim] = std::min(place[dim], dims[dim].size - stage->extent[dim]);
    tiles.run(srcBase + placeOf(problem, place, &LoopDim::srcStride),
              bufferBase, [&](int64_t from, int64_t to) {
                touchAll(tiles.reads, from, src);
                touchAll(tiles.writes, to, buffer);
                return true;
              });
    cache.touch(bufferBase, stage->bufferBytes, buffer);
    if (seesDst)
      touchAll(rows, dstBase + placeOf(problem, place, &LoopDim::dstStride),
               dst);
    return cache.touched < most;
  };
  NestWalk(problem, schedule, visitPanel).run();
  return {src.ratio(), dst.ratio()};
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

double ScheduleProperties::instructions() const {
  const Result<Network> network =
      stage ? tileNetwork(stage->problem, stage->schedule)
            : tileNetwork(problem, schedule);
  if (!network)
    std::abort(); // checkSchedule accepts no such tile
  int64_t elements = 1;
  for (int64_t size : schedule.tile)
    elements *= size;
  return static_cast<double>(network->steps.size()) * movedShare() /
         static_cast<double>(elements);
}
