//===- WordScheduler.h - schedules of plain words ---------------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What families whose machines move words share (C99, Cortex-M). Such a machine
// has no cache worth blocking for: what counts is instructions. The innermost
// loop is the one that compilers make a zero-overhead loop of, so it gets the
// tile; the others step by one.
//
// By itself the class plans for a C compiler, which unrolls loops as it likes:
// one loop a dim, with a remainder of its own where the tile does not divide
// it. A family derives from it to cut tiles otherwise.
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_CODEGEN_TARGETS_WORDS_WORDSCHEDULER_H
#define PERMC_CODEGEN_TARGETS_WORDS_WORDSCHEDULER_H

#include "permc/Plan/Schedule.h"

#include <optional>
#include <vector>

namespace permc {

class WordScheduler {
public:
  WordScheduler(const Problem &problem, const TargetFacts &facts);
  virtual ~WordScheduler() = default;

  Schedule run();

  /// Each element by itself, and loops as for any strides that are not
  /// contiguous: for problems with views, which words know nothing of.
  Schedule runOneByOne();

protected:
  using FastDim = std::optional<size_t>;

  /// Moves of one run that are written out one after the other.
  virtual int64_t runMoves() const;

  /// How many elements of a row a transpose tile takes, of which `word` fill
  /// one, and how many rows.
  virtual int64_t columnsOf(size_t src, int64_t word) const;
  virtual int64_t chooseRows(const LoopDim &dim) const;

  /// Gives a tile that has all of its dims more of others, up to so many
  /// elements.
  virtual void takeMore(int64_t most);

  /// The tile and the loops where both sides have a fast dim, and where none of
  /// these or words are of no use.
  virtual void scheduleTile(size_t src, size_t dst);
  virtual void scheduleElements(FastDim src, FastDim dst);

  /// The last word on a schedule with all its loops.
  virtual void refine(FastDim src, FastDim dst);

  /// Takes loops from the outside into the flat counter.
  virtual void chooseUnits();

  /// Loops through all dims but `inner` from the slowest in dst to the fastest,
  /// then through those.
  void addLoops(const std::vector<size_t> &inner);

  /// Whether there is a loop at this place whose steps fill its dim.
  bool divides(size_t place) const;

  /// The most rows that divide a dim: no second tile for the remainder.
  static std::optional<int64_t> dividingRows(int64_t size, int64_t most);

  /// Rows of a transpose tile. Each tile pays once for its first row and for
  /// its column pointers; 16 rows are within 4 % of 32 at half the code (ARC
  /// HS).
  static constexpr int64_t minRows = 8, maxRows = 16;

  /// Elements of a tile that takes more of other dims.
  static constexpr int64_t tileElements = 32;

  const Problem &problem;
  const std::vector<LoopDim> dims;
  const int64_t element;
  Schedule schedule;

private:
  void addLoop(size_t dim);
  void scheduleRun(FastDim run);
  bool loadsWords() const;

  const TargetFacts &facts;
};

/// The schedule for a canonical problem on a machine without vectors, for a C
/// compiler.
Schedule chooseWordSchedule(const Problem &canonical, const TargetFacts &facts);

} // namespace permc

#endif // PERMC_CODEGEN_TARGETS_WORDS_WORDSCHEDULER_H
