//===- StreamedLoops.h - loops round what is streamed -----------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The order of the loops round tiles and panels whose stores go past the
// caches. Rows go on along dst and columns along src, each with the dims next
// to it until a long stretch has been moved before another page's turn comes.
// Of the last of these dims a block is taken: before a stretch goes on, its
// page should not have been forgotten. Nothing here takes memory: the shim
// orders its loops while it is called.
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_PLAN_STREAMEDLOOPS_H
#define PERMC_PLAN_STREAMEDLOOPS_H

#include "permc/Plan/Schedule.h"

#include <optional>
#include <span>

namespace permc {

/// Streamed runs that go on in the next page ask for what comes so far ahead:
/// at the end of a page the machine's own fetching stops. The second cache
/// keeps more lines on their way than the first.
inline constexpr int64_t minFetchedRunBytes = 4 << 10,
                         fetchedAheadBytes = 8 << 10;

/// A run that does not fill whole lines ends in two that must be read first;
/// shorter ones are put together in panels.
inline constexpr int64_t minStreamedRunBytes = 512;

/// Rows of a tile are joined up to this size to fill whole lines.
inline constexpr int64_t maxLineRowBytes = 512;

/// How many short runs are streamed one after the other.
int64_t runsOfBlock(int64_t runBytes);

/// The dim that follows short runs in dst, if some of them are streamed one
/// after the other: single ones are too little to write in one place.
std::optional<size_t> runsInBlocks(std::span<const LoopDim> dims,
                                   int64_t runBytes, const TargetFacts &facts);

/// Chooses once: an object is for one call.
class StreamedLoops {
public:
  /// `step` is what the tile or the panel inside has of each dim. All must
  /// outlive this object.
  StreamedLoops(std::span<const LoopDim> dims, int64_t element,
                std::span<const int64_t> step, const TargetFacts &facts)
      : dims(dims), element(element), step(step), facts(facts) {}

  /// The loops, outermost first, for tiles that go on in src along `column` and
  /// in dst along `row`: the way that suits the channels of the memory. The
  /// tile's columns are no more than are swept.
  std::span<const Loop> chooseForTiles(size_t column, size_t row);

  /// What such tiles ask for in src: so many bytes ahead.
  int64_t fetchedAhead() const { return ahead; }

  /// The same for tiles or panels, whatever channel they are in.
  std::span<const Loop> choose(std::optional<size_t> column,
                               std::optional<size_t> row);

  /// The same for panels of tiles that have so many elements of each dim: along
  /// columns, or in blocks (ChannelRules).
  std::span<const Loop> chooseForPanels(std::optional<size_t> column,
                                        std::optional<size_t> row,
                                        std::span<const int64_t> tile);

  /// Streamed tiles read at least this much of a src row before the next.
  static constexpr int64_t minStretchBytes = 1 << 10;

  /// Lines of each row of src that are moved before the next rows.
  static constexpr int64_t blockLines = 16;
  /// Where rows of dst are swept, blocks have so many rows of src that the
  /// first cache holds a line of each. Up to twice as many are not cut.
  static int64_t sweptRows(const TargetFacts &facts) {
    return facts.l1Bytes / facts.lineBytes;
  }
  static int64_t maxSweptRows(const TargetFacts &facts) {
    return 2 * sweptRows(facts);
  }

private:
  using Stride = int64_t LoopDim::*;

  /// Dims next to another on one side, slowest first.
  struct Chain {
    size_t dims[maxRank];
    size_t count = 0;
    std::span<const size_t> list() const { return {dims, count}; }
  };

  /// The loops for panels that go along src as far as it goes, without blocks.
  std::span<const Loop> chooseAlongColumns(size_t column, size_t row);

  /// The loops for columns of which the lines are all in one channel of the
  /// memory: what follows the rows in dst comes innermost, for that leads from
  /// channel to channel.
  std::span<const Loop> chooseAlongRows(size_t column, size_t row);

  /// The same for few columns at a time: each of their rows is written from one
  /// end to the other, or in long pieces, while the lines of src that the next
  /// columns need are still in the first cache. Short rows are swept one after
  /// the other along `next`.
  std::span<const Loop> chooseSweeps(size_t column, size_t row,
                                     std::optional<size_t> next);

  /// The same where tiles have all there is of a column: some lines of a row
  /// are streamed one after the other.
  std::span<const Loop> chooseRowBlocks(size_t row);

  bool comesByItself(size_t column, size_t row) const;
  void addLoop(size_t dim, int64_t by);
  void addBlockLoop(size_t dim, int64_t elements);
  Chain slowestFirst(Stride stride) const;
  Chain nextTo(size_t fast, Stride stride);
  int64_t columnBlock() const { return blockLines * facts.lineBytes / element; }
  int64_t pageBlock(const Chain &chain, size_t fast, Stride near,
                    Stride far) const;
  int64_t pagesOf(size_t dim, int64_t count, Stride stride) const;
  bool isTaken(size_t dim) const { return taken >> dim & 1; }

  std::span<const LoopDim> dims;
  int64_t element;
  std::span<const int64_t> step;
  const TargetFacts &facts;
  uint64_t taken = 0; ///< dims
  /// Each dim once, three of them in blocks as well.
  Loop loops[maxRank + 3];
  size_t count = 0;
  int64_t ahead = 0;
};

} // namespace permc

#endif // PERMC_PLAN_STREAMEDLOOPS_H
