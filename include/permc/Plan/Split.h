//===- Split.h - how parts share a problem ----------------------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A part is a box of dst: a range of one dim, or of two that are counted as one
// long row, `dim` inside `outer`; then it is at most three boxes. Two parts
// meet where a line of dst begins, if dst itself begins with one: so no line is
// written by both. The loops of the schedule stay as they are, only their
// ranges change.
//
// Where a position of `dim` begins with a line, the one `grain` positions later
// does too. That holds at every position of the dims slower than `dim` if their
// strides are whole lines, and along the whole row if the row goes on from one
// position of `outer` to the next.
//
// Tiles that have all of the slow dims (planes of some channels) leave neither,
// and others too few of them, or uneven ones.
// Then lines begin elsewhere at each position of the slow dims: the split is
// ragged. A part is a range of a dim at all of these, and begins with a line
// within its first elements in dst. The nest takes what suits its tiles, and
// begins a little later: with a position of the dim of the ranges, or of a
// faster one at the first positions of that. What lies between, the fringe, is
// moved element by element, each line by the part that it begins in. After the
// last part comes the first, at the next position of the slow dims.
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_PLAN_SPLIT_H
#define PERMC_PLAN_SPLIT_H

#include "permc/Plan/Schedule.h"

#include <array>
#include <numeric>
#include <span>

namespace permc {

struct Split {
  size_t dim = 0;
  std::optional<size_t> outer;
  int64_t size = 1; ///< of `dim`
  int64_t outerSize = 1;
  /// Positions of `dim` that are counted for each position of `outer`. If more
  /// than there are, nothing is at the last ones.
  int64_t pitch = 1;
  int64_t grain = 1; ///< parts meet at multiples of this many positions
  /// The nest moves at least this many positions at a time.
  int64_t piece = 1;
  /// Where a row goes on, a part may have to begin further on than it should,
  /// so that it and the one before find room for a piece.
  bool needsRoom = false;
  /// Ragged: the dims slower than that of the ranges, slowest first; then that
  /// one and all faster, of which a fringe has `size` positions.
  struct RaggedDim {
    size_t dim;
    int64_t size, dstStride;
    bool operator==(const RaggedDim &) const = default;
  };
  std::vector<RaggedDim> slower, fringe;
  int64_t margin = 0;    ///< positions of `dim` in a fringe
  int64_t element = 1;   ///< bytes
  double fringeCost = 0; ///< bytes that the nest moves in the time of fringes
  int64_t shares = 1;    ///< grains that there are to share
  int64_t mostParts = 1; ///< any more get nothing

  bool isRagged() const { return !fringe.empty(); }

  /// A place where two parts may meet.
  struct Place {
    int64_t outer, at;
    bool operator==(const Place &) const = default;
  };
  /// Where the grain `share` begins, or the end.
  Place placeOf(int64_t share) const;

  /// Ragged: bytes from an offset of dst to the first element, of those that
  /// follow it there, that begins with a line. As elements it is `(-offset %
  /// line) / unit * inverse % lines`, and always less than `lineElements`.
  int64_t bytesToLine(int64_t offset) const;
  int64_t lineUnit() const { return std::gcd(streamLineBytes, element); }
  int64_t lineElements() const { return streamLineBytes / lineUnit(); }
  int64_t lineInverse() const;
  /// No digit of a place in a fringe that is slower than this is not 0.
  int64_t lineReach() const { return lineElements() * element; }

  bool operator==(const Split &) const = default;
};

/// The first of `shares` that goes to `part`. They go to parts as evenly as can
/// be: the first `shares % parts` parts get one more.
int64_t firstShare(int64_t shares, uint32_t part, uint32_t parts);

/// The split of a schedule's tiles, if it is known whether they are streamed as
/// whole lines. With `other` parts are such that this schedule can carry them
/// out too.
Split splitTiles(const Problem &canonical, const Schedule &schedule,
                 bool tilesAreLines, const Schedule *other = nullptr);

/// The split of a schedule.
Split chooseSplit(const Problem &canonical, const Schedule &schedule,
                  const Schedule *other = nullptr);

/// A split into ranges of the first loop only.
Split splitOutermost(const Problem &canonical, const Schedule &schedule);

/// A range of each of the two dims.
struct Box {
  int64_t outerBegin, outerEnd, begin, end;
  bool operator==(const Box &) const = default;
};

/// What is left of a row, whole rows, the beginning of a row: some of these.
struct Boxes {
  std::array<Box, 3> list;
  size_t count = 0;

  const Box *begin() const { return list.data(); }
  const Box *end() const { return list.data() + count; }
};

/// The boxes that a part of a split is made of, in order. Of a ragged one it is
/// one, to which fringes belong.
Boxes boxesOf(const Split &split, uint32_t part, uint32_t parts);

/// Positions of a dim.
struct Range {
  size_t dim;
  int64_t begin, end;
};

/// Which end of a range: the part that it belongs to has the fringe from the
/// first line on, and the part before it has what lies before that line.
enum class FringeSide { FromLine, BeforeLine };

/// Calls `visit(ranges)` for each piece of a fringe at the position `at` of the
/// dim of the ranges. `ranges` begin with one position of each slower dim.
template <typename Visit>
void visitFringe(const Split &split, int64_t at, FringeSide side,
                 std::span<Range> ranges, Visit visit) {
  const std::span<Range> places = ranges.subspan(split.slower.size());
  int64_t offset = at * split.fringe.front().dstStride;
  for (size_t i = 0; i < split.slower.size(); ++i)
    offset += ranges[i].begin * split.slower[i].dstStride;
  for (size_t i = 0; i < places.size(); ++i)
    places[i] = {split.fringe[i].dim, 0, split.fringe[i].size};
  places[0].begin += at;
  places[0].end += at;
  // The line begins at a place with one digit for each dim. Before it are those
  // of which some digit is less and all slower ones are the same.
  int64_t bytes = split.bytesToLine(offset);
  for (size_t i = 0; i < places.size(); ++i) {
    const int64_t stride = split.fringe[i].dstStride;
    const int64_t digit = places[i].begin + bytes / stride;
    const bool isLast = i + 1 == places.size();
    bytes %= stride;
    if (side == FringeSide::BeforeLine)
      places[i].end = digit;
    else
      places[i].begin = isLast ? digit : digit + 1;
    if (places[i].begin < places[i].end)
      visit(std::span<const Range>(ranges));
    places[i].begin = digit;
    places[i].end = digit + 1;
  }
}

/// The boxes that the nest moves of one of these, and calls `visit(ranges)` for
/// each piece of its fringes.
template <typename Visit>
Boxes visitFringes(const Split &split, Box box, Visit visit) {
  const bool ofOuter = split.outer.has_value();
  const int64_t begin = ofOuter ? box.outerBegin : box.begin,
                end = ofOuter ? box.outerEnd : box.end,
                size = ofOuter ? split.outerSize : split.size;
  if (!split.isRagged() || (begin == 0 && end == size))
    return {{box}, 1};
  std::array<Range, maxRank> all{};
  const std::span<Range> ranges =
      std::span(all).first(split.slower.size() + split.fringe.size());
  for (size_t i = 0; i < split.slower.size(); ++i)
    ranges[i] = {split.slower[i].dim, 0, 1};
  for (bool more = true; more;) {
    visitFringe(split, begin, FringeSide::FromLine, ranges, visit);
    visitFringe(split, end % size, FringeSide::BeforeLine, ranges, visit);
    size_t i = split.slower.size();
    for (more = false; i-- > 0 && !more;) {
      more = ranges[i].end < split.slower[i].size;
      ranges[i].begin = more ? ranges[i].end : 0;
      ranges[i].end = ranges[i].begin + 1;
    }
  }
  box.begin += split.margin;
  if (!ofOuter)
    return {{box}, 1};
  Box rest = box;
  rest.outerBegin += split.fringe.front().size;
  rest.begin = 0;
  box.outerEnd = rest.outerBegin;
  return {{box, rest}, rest.outerBegin < rest.outerEnd ? size_t{2} : 1};
}

/// How fringes are moved: an element at a time.
Schedule fringeSchedule(const Problem &canonical, const Schedule &schedule);

} // namespace permc

#endif // PERMC_PLAN_SPLIT_H
