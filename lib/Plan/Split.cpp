//===- Split.cpp - how parts share a problem ------------------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "permc/Plan/Split.h"

#include "permc/Plan/CeilDiv.h"

#include "LoopOrder.h"

#include <tuple>

using namespace permc;

namespace {

/// With this many grains parts are even enough; more are not looked for.
constexpr int64_t enoughShares = 256;

/// Fewer parts than that are worth fringes.
constexpr int64_t fewParts = 16;

/// The nest of a ragged part has at least so many grains, for what is moved
/// element by element takes many times longer.
constexpr int64_t raggedGrains = 64;

/// Rows inside are better than none: so many times what may be in a fringe, of
/// tensors that are worth it.
constexpr int64_t raggedRows = 32, leastRaggedRowBytes = 1 << 20;

/// ... and at most so many fringes.
constexpr int64_t maxFringes = 4096;

/// More nested loops than this go into the counter of units.
constexpr size_t maxFringeLoops = 6;

/// More positions than any dim has.
constexpr int64_t maxGrain = INT64_MAX / 4;

class Splitter {
public:
  Splitter(const Problem &problem, const Schedule &schedule,
           const Schedule *other)
      : schedule(schedule), bytes(problem.bytesMoved()),
        dims(problem.loopDims()),
        order(slowestFirst(dims, &LoopDim::dstStride)),
        steps(innermost(schedule)), pieces(steps) {
    std::erase_if(order, [&](size_t dim) { return dims[dim].size == 1; });
    for (size_t dim = 0; other && dim < dims.size(); ++dim)
      pieces[dim] = std::max(pieces[dim], innermost(*other)[dim]);
  }

  Split run() {
    // Along `dim` parts can meet if whatever is slower is whole lines.
    for (size_t dim : order) {
      consider(single(dim));
      for (size_t outer : order) {
        if (outer == dim || !hasRegisters())
          break;
        consider(counted(outer, dim));
      }
      if (!isWholeLines(dim)) {
        if (hasRegisters())
          considerNext(dim);
        break;
      }
    }
    if (best.mostParts < fewParts)
      for (size_t dim : order)
        considerRagged(dim);
    if (best.mostParts < fewParts && hasRegisters())
      for (size_t i = 1; i < order.size(); ++i)
        considerRaggedRows(order[i - 1], order[i]);
    return best;
  }

  Split runOutermost() {
    if (schedule.loops.empty())
      return best;
    auto dim = static_cast<size_t>(schedule.loops.front().dim);
    bool whole = dims[dim].size % schedule.loops.front().step == 0;
    for (size_t slower : order) {
      if (slower == dim && whole)
        consider(single(dim));
      if (slower == dim || !isWholeLines(slower))
        break;
    }
    return best;
  }

private:
  /// Machines that move pairs of words have too few for the ranges of two dims
  /// beside them, and one core.
  bool hasRegisters() const { return schedule.pairAlignment == 0; }

  bool isWholeLines(size_t dim) const {
    return dims[dim].dstStride % streamLineBytes == 0;
  }

  /// The place of a dim's first loop.
  size_t placeOf(size_t dim) const {
    size_t place = 0;
    while (place < schedule.loops.size() &&
           schedule.loops[place].dim != static_cast<int64_t>(dim))
      ++place;
    return place;
  }

  /// Positions from one that begins with a line to the next, in whole tiles if
  /// those fill the dim: or its loops would have to do without that.
  int64_t grainOf(size_t dim) const {
    int64_t line = streamLineBytes, size = dims[dim].size;
    int64_t lines = line / std::gcd(line, dims[dim].dstStride);
    int64_t tile = steps[dim];
    // Panels may be cut: what is left of one is done with some of the last.
    bool whole = schedule.panel.empty() ? size % tile == 0 : tile % lines == 0;
    if (!whole)
      return lines;
    int64_t grain;
    bool fits =
        !__builtin_mul_overflow(lines / std::gcd(lines, tile), tile, &grain);
    return fits && grain < maxGrain ? grain : maxGrain;
  }

  Split single(size_t dim) const {
    Split split;
    split.dim = dim;
    split.size = split.pitch = dims[dim].size;
    split.grain = grainOf(dim);
    split.piece = pieces[dim];
    split.shares = std::max<int64_t>(split.size / split.grain, 1);
    split.mostParts = split.shares / ceilDiv(split.piece, split.grain);
    return split;
  }

  /// Grains of `dim` at each position of `outer`, all of whole lines.
  Split counted(size_t outer, size_t dim) const {
    Split split = single(dim);
    split.grain *= ceilDiv(split.piece, split.grain);
    int64_t grains = split.size / split.grain;
    if (pieces[outer] != 1 || grains == 0)
      return Split();
    split.outer = outer;
    split.outerSize = dims[outer].size;
    split.pitch = grains * split.grain;
    split.shares = split.mostParts = split.outerSize * grains;
    return split;
  }

  /// What comes next after `outer` in dst, counted with it as one row.
  void considerNext(size_t outer) {
    auto next = std::find(order.begin(), order.end(), outer) + 1;
    if (next == order.end() || pieces[outer] != 1)
      return;
    int64_t stride = dims[*next].dstStride;
    if (dims[outer].dstStride % stride != 0)
      return;
    Split split = single(*next);
    split.outer = outer;
    split.outerSize = dims[outer].size;
    split.pitch = dims[outer].dstStride / stride;
    // If tiles fill the dim they must do so after any number of rows.
    bool whole = schedule.panel.empty() && split.size % steps[*next] == 0;
    if (whole && split.pitch % steps[*next] != 0)
      return;
    split.needsRoom = split.pitch != split.size ||
                      split.size % split.piece != 0 ||
                      split.grain % split.piece != 0;
    split.shares =
        std::max<int64_t>(split.outerSize * split.pitch / split.grain, 1);
    split.mostParts = split.shares;
    if (split.needsRoom) {
      if (split.size < 2 * split.piece + split.grain)
        return;
      // Both ends of a part may move by so much, and a piece must remain.
      int64_t room = 3 * split.piece + (split.pitch - split.size) + split.grain;
      split.mostParts /= ceilDiv(room, split.grain);
    }
    consider(split);
  }

  /// What is slower than `dim`, where every line begins with a position of the
  /// dim of the split. False if there is none, or too much of it.
  bool addSlower(Split &split, size_t dim) const {
    int64_t fringes = 1;
    for (size_t slower : order) {
      if (slower == dim)
        break;
      int64_t stride = dims[slower].dstStride;
      if (stride % split.lineUnit() != 0 || dims[slower].size > maxFringes)
        return false;
      split.slower.push_back({slower, dims[slower].size, stride});
      fringes *= dims[slower].size;
      if (fringes > maxFringes)
        return false;
    }
    return !split.slower.empty();
  }

  /// Ranges of `outer` at all positions of what is slower. Lines begin within
  /// the first positions of `dim`, which is next to it.
  void considerRaggedRows(size_t outer, size_t dim) {
    Split split = single(dim);
    split.outer = outer;
    split.outerSize = dims[outer].size;
    split.dstStride = dims[dim].dstStride;
    split.outerStride = dims[outer].dstStride;
    split.margin = split.grain;
    split.outerPiece = pieces[outer];
    // Only panels may be cut along `outer` anywhere.
    if (bytes < leastRaggedRowBytes ||
        (schedule.panel.empty() && split.outerPiece != 1) ||
        split.outerStride % split.lineUnit() != 0 ||
        split.margin + split.piece > split.size || !addSlower(split, outer))
      return;
    // A part has rows for two pieces, and few of its bytes in fringes.
    int64_t least = ceilDiv(split.margin * split.dstStride,
                            ceilDiv(split.outerStride, raggedRows));
    split.grain = split.pitch;
    split.shares = split.outerSize;
    split.mostParts =
        split.shares / (split.outerPiece * std::max<int64_t>(least, 2));
    consider(split);
  }

  /// Ranges of `dim` at all positions of what is slower.
  void considerRagged(size_t dim) {
    Split split = single(dim);
    split.dstStride = dims[dim].dstStride;
    split.margin = split.grain;
    if (!addSlower(split, dim) || split.grain > split.size)
      return;
    split.mostParts =
        split.shares / (raggedGrains + ceilDiv(split.piece, split.grain));
    consider(split);
  }

  /// Takes the split if it is more even, or as even and better for the nest.
  void consider(const Split &split) {
    auto key = [&](const Split &candidate) {
      bool pair = candidate.outer.has_value();
      return std::tuple(-std::min(candidate.mostParts, enoughShares), pair,
                        placeOf(pair ? *candidate.outer : candidate.dim));
    };
    if (split.mostParts > 1 && (best.mostParts == 1 || key(split) < key(best)))
      best = split;
  }

  const Schedule &schedule;
  int64_t bytes;
  std::vector<LoopDim> dims;
  std::vector<size_t> order; ///< slowest in dst first, without those of size 1
  const Dims &steps;
  Dims pieces; ///< the least that each dim's ranges must have room for
  Split best;
};

} // namespace

Split permc::chooseSplit(const Problem &canonical, const Schedule &schedule,
                         const Schedule *other) {
  if (canonical.isEmpty())
    return {};
  return Splitter(canonical, schedule, other).run();
}

Split permc::splitOutermost(const Problem &canonical,
                            const Schedule &schedule) {
  if (canonical.isEmpty())
    return {};
  return Splitter(canonical, schedule, nullptr).runOutermost();
}

int64_t permc::firstShare(int64_t shares, uint32_t part, uint32_t parts) {
  return shares / parts * part + std::min<int64_t>(shares % parts, part);
}

Split::Place Split::placeOf(int64_t share) const {
  if (share >= shares)
    return {outerSize, 0};
  int64_t row = share * grain;
  if (needsRoom) {
    int64_t past = row % pitch, missing = 0;
    if (past > size - piece)
      missing = pitch - past + piece;
    else if (past != 0 && past < piece)
      missing = piece - past;
    row += ceilDiv(missing, grain) * grain;
  }
  if (row >= outerSize * pitch)
    return {outerSize, 0};
  return {row / pitch, row % pitch};
}

Boxes permc::boxesOf(const Split &split, uint32_t part, uint32_t parts) {
  Boxes boxes;
  parts = static_cast<uint32_t>(std::min<int64_t>(parts, split.mostParts));
  if (part >= parts)
    return boxes;
  auto [outer, at] = split.placeOf(firstShare(split.shares, part, parts));
  Split::Place last = split.placeOf(firstShare(split.shares, part + 1, parts));
  while (outer < last.outer || at < last.at) {
    bool ends = outer == last.outer;
    // All of the rows between the first and the last are one box.
    int64_t next = at == 0 && !ends ? last.outer : outer + 1;
    boxes.list[boxes.count++] = {outer, next, at, ends ? last.at : split.size};
    if (ends)
      break;
    outer = next;
    at = 0;
  }
  return boxes;
}

int64_t Split::lineInverse() const {
  // Odd numbers have one modulo a power of two, and there are few to try.
  int64_t unit = lineUnit(), lines = streamLineBytes / unit, inverse = 1;
  while (dstStride / unit % lines * inverse % lines != 1 % lines)
    inverse += 2;
  return inverse;
}

int64_t Split::raggedStep(int64_t offset) const {
  int64_t unit = lineUnit(), lines = streamLineBytes / unit;
  int64_t missing = (streamLineBytes - offset % streamLineBytes) / unit;
  return missing * lineInverse() % lines;
}

Schedule permc::fringeSchedule(const Problem &canonical,
                               const Schedule &schedule) {
  std::vector<LoopDim> dims = canonical.loopDims();
  Schedule single;
  single.kind = KernelKind::Scalar;
  single.tile.assign(dims.size(), 1);
  single.vectorBytes = schedule.vectorBytes;
  for (size_t dim : slowestFirst(dims, &LoopDim::dstStride))
    if (dims[dim].size > 1)
      single.loops.push_back({static_cast<int64_t>(dim), 1});
  single.unitLoops = static_cast<unsigned>(
      std::max(single.loops.size(), maxFringeLoops) - maxFringeLoops);
  return single;
}
