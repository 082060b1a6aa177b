//===- CachedLoops.h - loops round tiles in the caches ----------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The order of the loops round tiles that are stored to the caches. The next
// tile is the next one in dst, or in src, whichever leaves more lines where
// they are found again. Nothing here takes memory: the shim orders its loops
// while it is called.
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_PLAN_CACHEDLOOPS_H
#define PERMC_PLAN_CACHEDLOOPS_H

#include "permc/Plan/Schedule.h"

#include <span>

namespace permc {

class CachedLoops {
public:
  /// `tile` is what a tile has of each dim. All must outlive this object.
  CachedLoops(std::span<const LoopDim> dims, int64_t element,
              std::span<const int64_t> tile, int64_t bytesMoved,
              const TargetFacts &facts)
      : dims(dims), element(element), tile(tile), bytesMoved(bytesMoved),
        facts(facts) {}

  /// Whether the next tile is the next one in dst. Lines of dst that two share
  /// are then still in the first cache; but so should those of src be when the
  /// next columns need what is left of them.
  bool goesAlongDst(size_t column, size_t row) const;

  /// The loops, outermost first, for tiles that go on in src along `column` and
  /// in dst along `row`, another dim.
  std::span<const Loop> choose(size_t column, size_t row, bool alongDst);

  /// How far ahead in src tiles prefetch, 0: not at all.
  int64_t srcAhead(size_t column, size_t row) const;

private:
  /// Whether rows are left for other columns. What hardly fits the caches is
  /// better written in long pieces.
  bool blocksRows() const;

  /// How many lines so far apart stay in the first cache until tiles come back
  /// to them, where `l1Ways` is known.
  int64_t keptLines(int64_t stride) const;

  /// Whether tiles go on along all columns: few of them, of a tensor that the
  /// second cache holds.
  bool keepsColumns(size_t column, size_t row) const;

  /// Whether they go on along all rows.
  bool keepsRows(size_t row) const;

  /// Whether the next step along another dim writes to the same lines of dst.
  bool sharesLines(size_t dim, size_t column, size_t row) const;

  /// How many columns there are in a block.
  int64_t columnBlock(size_t column, size_t row, bool alongDst) const;

  /// All dims, the farthest first.
  void orderByDistance(std::span<size_t> order) const;

  void addLoop(size_t dim, int64_t step);

  /// A block of some elements, in whole tiles.
  void addBlockLoop(size_t dim, int64_t elements);

  std::span<const LoopDim> dims;
  int64_t element;
  std::span<const int64_t> tile;
  int64_t bytesMoved;
  const TargetFacts &facts;
  /// Each dim once, two of them in blocks as well.
  Loop loops[maxRank + 2];
  size_t count = 0;
};

} // namespace permc

#endif // PERMC_PLAN_CACHEDLOOPS_H
