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
// and others too few of them.
// Then lines begin elsewhere at each position of the slow dims: the split is
// ragged. The nest of a part begins a little later, and what lies between, the
// fringes, is moved element by element, each line by the part that it begins
// in. After the last part comes the first, at the next position. If that would
// be too much of `dim`, parts are ranges of `outer`, and the lines begin at
// some position of the dim inside.
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_PLAN_SPLIT_H
#define PERMC_PLAN_SPLIT_H

#include "permc/Plan/Schedule.h"

#include <array>
#include <numeric>

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
  /// Ragged: the dims slower than `dim`, slowest first, and how far on lines
  /// may begin at some of their positions.
  struct Slower {
    size_t dim;
    int64_t size, dstStride;
    bool operator==(const Slower &) const = default;
  };
  std::vector<Slower> slower;
  int64_t margin = 0;
  int64_t dstStride = 0; ///< of `dim`
  int64_t outerStride = 0;
  int64_t outerPiece = 1; ///< as `piece`
  int64_t shares = 1;     ///< grains that there are to share
  int64_t mostParts = 1;  ///< any more get nothing

  /// A place where two parts may meet.
  struct Place {
    int64_t outer, at;
    bool operator==(const Place &) const = default;
  };
  /// Where the grain `share` begins, or the end.
  Place placeOf(int64_t share) const;

  /// Ragged: positions of `dim` from a multiple of `margin` to the first that
  /// begins with a line, where those of the slower dims make `offset` bytes. It
  /// is `(-offset % line) / unit * inverse % lines`.
  int64_t raggedStep(int64_t offset) const;
  int64_t lineUnit() const { return std::gcd(streamLineBytes, dstStride); }
  int64_t lineInverse() const;

  bool operator==(const Split &) const = default;
};

/// The first of `shares` that goes to `part`. They go to parts as evenly as can
/// be: the first `shares % parts` parts get one more.
int64_t firstShare(int64_t shares, uint32_t part, uint32_t parts);

/// The split of a schedule. With `other` parts are such that this schedule can
/// carry them out too.
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

/// The boxes that the nest moves of one of these, and calls `visit(places,
/// box)` for each piece of a fringe, with the positions of the slower dims.
template <typename Visit>
Boxes visitFringes(const Split &split, Box box, Visit visit) {
  const Boxes alone{{box}, 1};
  const bool ofOuter = split.outer.has_value();
  int64_t end = ofOuter ? box.outerEnd : box.end,
          size = ofOuter ? split.outerSize : split.size;
  if (split.slower.empty() ||
      ((ofOuter ? box.outerBegin : box.begin) == 0 && end == size))
    return alone;
  const Split::Place from{box.outerBegin, box.begin},
      next{ofOuter ? end % size : 0, ofOuter ? 0 : end % size};
  std::array<int64_t, maxRank> places{};
  for (bool more = true; more;) {
    int64_t offset = 0;
    for (size_t i = 0; i < split.slower.size(); ++i)
      offset += places[i] * split.slower[i].dstStride;
    auto firstLine = [&](Split::Place place) {
      return place.at +
             split.raggedStep(offset + place.outer * split.outerStride);
    };
    visit(places, Box{from.outer, from.outer + 1, firstLine(from),
                      from.at + split.margin});
    // The nest takes all of these rows too, but for what is before it.
    if (split.outerPiece > 1)
      visit(places, Box{from.outer + 1, from.outer + split.outerPiece, 0,
                        split.margin});
    visit(places, Box{next.outer, next.outer + 1, next.at, firstLine(next)});
    size_t i = split.slower.size();
    while (i > 0 && ++places[i - 1] == split.slower[i - 1].size)
      places[--i] = 0;
    more = i > 0;
  }
  box.begin += split.margin;
  if (!ofOuter)
    return {{box}, 1};
  Box rest = box;
  rest.outerBegin += split.outerPiece;
  rest.begin = 0;
  box.outerEnd = rest.outerBegin;
  return {{box, rest}, 2};
}

/// How fringes are moved: an element at a time.
Schedule fringeSchedule(const Problem &canonical, const Schedule &schedule);

} // namespace permc

#endif // PERMC_PLAN_SPLIT_H
