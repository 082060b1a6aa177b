//===- Split.cpp - how parts share a problem ------------------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "permc/Plan/Split.h"

#include "permc/Plan/CeilDiv.h"
#include "permc/Plan/LoopOrder.h"

#include <tuple>

using namespace permc;

namespace {

/// With this many grains parts are even enough; more are not looked for.
constexpr int64_t enoughShares = 256;

/// What fringes take, in bytes that a nest moves meanwhile: for an element
/// beside its own, for each piece, and for each stretch of src, whose first
/// line is waited for. As measured on tensors that no cache holds: what 22 of
/// them took longer in 8 parts, and runs of 28 bytes, each in a page of its
/// own.
constexpr double elementCost = 4, pieceCost = 64, stretchCost = 512;

/// A part's fringes take no more than this, compared to an even part.
constexpr double mostFringe = 0.5;

/// ... and there are at most so many of one.
constexpr int64_t maxFringes = 4096;

/// Parts by which threads use less of their time are worth fringes, if so much
/// more is used with them.
constexpr double wellUsed = 0.8, worthFringes = 1.1;

/// More nested loops than this go into the counter of units.
constexpr size_t maxFringeLoops = 6;

/// More positions than any dim has.
constexpr int64_t maxGrain = INT64_MAX / 4;

class Splitter {
public:
  Splitter(const Problem &problem, const Schedule &schedule,
           const Schedule *other, bool tilesAreLines)
      : schedule(schedule), element(problem.elementBytes()),
        bytes(problem.bytesMoved()), tilesAreLines(tilesAreLines),
        hasOther(other), dims(problem.loopDims()),
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
    // Pieces of two schedules need not suit the tiles of each.
    if (usedBy(best) < wellUsed && !tilesAreLines && !hasOther)
      for (size_t place = 0; place < order.size(); ++place)
        considerRagged(place);
    if (usedBy(ragged) > worthFringes * usedBy(best))
      return ragged;
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
  bool hasRegisters() const { return pairAlignment(schedule) == 0; }

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
    bool whole = schedule.panel ? tile % lines == 0 : size % tile == 0;
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
    bool whole = !schedule.panel && split.size % steps[*next] == 0;
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

  /// Whether tiles fill a dim: then they must fill every range of it.
  bool tilesFill(size_t dim) const {
    return !schedule.panel && dims[dim].size % steps[dim] == 0;
  }

  /// Where ranges of a dim may begin if lines are no matter.
  int64_t cutOf(size_t dim) const { return tilesFill(dim) ? steps[dim] : 1; }

  /// Ranges of a dim at all positions of what is slower.
  void considerRagged(size_t place) {
    Split split;
    split.element = element;
    int64_t fringes = 1;
    for (size_t i = 0; i <= place; ++i) {
      const LoopDim &dim = dims[order[i]];
      if (dim.dstStride % split.lineUnit() != 0)
        return;
      if (i == place)
        break;
      if (dim.size > maxFringes / fringes)
        return;
      fringes *= dim.size;
      split.slower.push_back({order[i], dim.size, dim.dstStride});
    }
    if (!hasLineTogether(split, place))
      return;
    for (size_t i = place; i < order.size(); ++i)
      split.fringe.push_back(
          {order[i], dims[order[i]].size, dims[order[i]].dstStride});
    for (size_t inner = place; inner < order.size(); ++inner)
      considerFringe(split, place, inner);
  }

  /// Whether the elements from one that begins with a line to the next lie side
  /// by side in dst at each position of the dim, or at some that follow.
  bool hasLineTogether(const Split &split, size_t place) const {
    int64_t together = element;
    for (size_t i = order.size(); i-- > place && together < split.lineReach();
         together *= dims[order[i]].size)
      if (dims[order[i]].dstStride != together)
        return false;
    return true;
  }

  /// The nest begins at a position of the dim that is the `inner`th: of the
  /// ranges' own, or of one inside at the first of these.
  void considerFringe(Split split, size_t place, size_t inner) {
    const size_t outer = order[place], dim = order[inner];
    const int64_t size = dims[dim].size, rows = dims[outer].size,
                  cut = cutOf(dim);
    split.dim = dim;
    split.size = split.pitch = size;
    split.piece = pieces[dim];
    split.margin =
        ceilDiv(ceilDiv(split.lineReach(), dims[dim].dstStride), cut) * cut;
    split.fringe[inner - place].size = split.margin;
    int64_t least = split.margin + split.piece;
    if (inner != place) {
      if (!hasRegisters() || least > size)
        return;
      split.outer = outer;
      split.outerSize = rows;
      split.fringe.front().size = least = pieces[outer];
    }
    if (least > rows)
      return;
    split.fringeCost = costOf(split);
    for (int64_t grain : {pieces[outer], cutOf(outer)}) {
      // After the piece that has a fringe there is nothing or another one.
      const bool isWhole = grain % least == 0 && rows % grain == 0;
      const int64_t room = split.outer && !isWhole ? 2 * least : least;
      split.shares = rows / grain;
      split.grain = split.outer ? split.pitch * grain : grain;
      split.mostParts =
          std::min(split.shares / ceilDiv(room, grain),
                   int64_t(double(bytes) * mostFringe / split.fringeCost));
      if (split.mostParts > 1 && usedBy(split) > usedBy(ragged))
        ragged = split;
    }
  }

  /// What all fringes of a part take.
  double costOf(const Split &split) const {
    std::vector<int64_t> sizes(dims.size(), 1);
    double count = 1, elements = 1;
    for (const Split::RaggedDim &each : split.slower) {
      sizes[each.dim] = each.size;
      count *= double(each.size);
    }
    for (const Split::RaggedDim &each : split.fringe) {
      sizes[each.dim] = each.size;
      elements *= double(each.size);
    }
    elements *= count;
    const double pieces = count * double(split.fringe.size() + 1),
                 stretches =
                     elements * double(element) / double(stretch(sizes));
    return elements * (double(element) + elementCost) + pieces * pieceCost +
           stretches * stretchCost;
  }

  /// Bytes that a box of these sizes has together in src.
  int64_t stretch(const std::vector<int64_t> &sizes) const {
    int64_t together = element;
    for (bool more = true; more;) {
      more = false;
      for (size_t dim : order)
        if (dims[dim].srcStride == together && sizes[dim] > 1) {
          together *= sizes[dim];
          more = sizes[dim] == dims[dim].size;
          break;
        }
    }
    return together;
  }

  /// What share of the time of 2 to 16 threads is used, in the mean.
  double usedBy(const Split &split) const {
    constexpr int64_t counts[] = {2, 4, 8, 16};
    double sum = 0;
    for (int64_t parts : counts)
      sum += 1 / (double(parts) *
                  longestPart(split, std::min(parts, split.mostParts)));
    return sum / std::size(counts);
  }

  /// How long the longest part takes, all of them being 1.
  double longestPart(const Split &split, int64_t parts) const {
    if (parts == 1)
      return 1;
    // The last one has what is left beside all shares.
    const int64_t all = split.outerSize * split.pitch,
                  rest = all - split.shares * split.grain;
    const int64_t most = std::max(ceilDiv(split.shares, parts) * split.grain,
                                  split.shares / parts * split.grain + rest);
    const double fringe = split.fringeCost / double(bytes);
    if (split.outer && !split.isRagged())
      return double(most) / double(all);
    // What pieces do not fill they do again.
    const int64_t piece =
        split.outer ? split.pitch * pieces[*split.outer] : pieces[split.dim];
    return double(ceilDiv(most, piece)) / double(ceilDiv(all, piece)) + fringe;
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
  int64_t element, bytes;
  bool tilesAreLines, hasOther;
  std::vector<LoopDim> dims;
  std::vector<size_t> order; ///< slowest in dst first, without those of size 1
  const Dims &steps;
  Dims pieces; ///< the least that each dim's ranges must have room for
  Split best, ragged;
};

} // namespace

Split permc::splitTiles(const Problem &canonical, const Schedule &schedule,
                        bool tilesAreLines, const Schedule *other) {
  if (canonical.isEmpty())
    return {};
  return Splitter(canonical, schedule, other, tilesAreLines).run();
}

Split permc::splitOutermost(const Problem &canonical,
                            const Schedule &schedule) {
  if (canonical.isEmpty())
    return {};
  return Splitter(canonical, schedule, nullptr, /*tilesAreLines=*/false)
      .runOutermost();
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
  int64_t lines = lineElements(), inverse = 1;
  while (element / lineUnit() % lines * inverse % lines != 1 % lines)
    inverse += 2;
  return inverse;
}

int64_t Split::bytesToLine(int64_t offset) const {
  int64_t missing = (streamLineBytes - offset % streamLineBytes) / lineUnit();
  return missing * lineInverse() % lineElements() * element;
}

Schedule permc::fringeSchedule(const Problem &canonical,
                               const Schedule &schedule) {
  std::vector<LoopDim> dims = canonical.loopDims();
  Schedule single;
  single.kernel = micro::Scalar{};
  single.tile.assign(dims.size(), 1);
  single.vectorBytes = schedule.vectorBytes;
  for (size_t dim : slowestFirst(dims, &LoopDim::dstStride))
    if (dims[dim].size > 1)
      single.loops.push_back({static_cast<int64_t>(dim), 1});
  single.unitLoops = static_cast<unsigned>(
      std::max(single.loops.size(), maxFringeLoops) - maxFringeLoops);
  return single;
}
