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

/// A run that does not fill whole lines ends in two that must be read first;
/// shorter ones are put together in panels.
inline constexpr int64_t minStreamedRunBytes = 512;

/// Rows of a tile are joined up to this size to fill whole lines.
inline constexpr int64_t maxLineRowBytes = 512;

/// Chooses once: an object is for one call.
class StreamedLoops {
public:
  /// `step` is what the tile or the panel inside has of each dim. All must
  /// outlive this object.
  StreamedLoops(std::span<const LoopDim> dims, int64_t element,
                std::span<const int64_t> step, const TargetFacts &facts)
      : dims(dims), element(element), step(step), facts(facts) {}

  /// The loops, outermost first, for tiles or panels that go on in src along
  /// `column` and in dst along `row`.
  std::span<const Loop> choose(std::optional<size_t> column,
                               std::optional<size_t> row);

  /// How far ahead in src tiles prefetch.
  int64_t srcAhead(size_t column) const;

  /// Streamed tiles read at least this much of a src row before the next.
  static constexpr int64_t minStretchBytes = 1 << 10;

  /// Lines of each row of src that are moved before the next rows.
  static constexpr int64_t blockLines = 16;

private:
  using Stride = int64_t LoopDim::*;

  /// Dims next to another on one side, slowest first.
  struct Chain {
    size_t dims[maxRank];
    size_t count = 0;
    std::span<const size_t> list() const { return {dims, count}; }
  };

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
};

} // namespace permc

#endif // PERMC_PLAN_STREAMEDLOOPS_H
