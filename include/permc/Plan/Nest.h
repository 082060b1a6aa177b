//===- Nest.h - loops round a tile ------------------------------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A nest has the loops of other dims in some order, inside them those along the
// tile's column and row, and outside of these blocks of some lines of either
// side: what a block touches should stay in a cache until it is used up. Which
// nest is best is a matter of its cost (NestCost.h).
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_PLAN_NEST_H
#define PERMC_PLAN_NEST_H

#include "permc/Plan/NestCost.h"
#include "permc/Plan/Schedule.h"

#include <span>

namespace permc {

/// Loops, outermost first: each dim once, two of them in blocks as well.
struct Nest {
  Loop loops[maxRank + 2];
  size_t count = 0;

  std::span<const Loop> list() const { return {loops, count}; }
};

/// Dims, outermost first.
struct DimOrder {
  size_t dims[maxRank];
  size_t count = 0;

  std::span<size_t> list() { return {dims, count}; }
  std::span<const size_t> list() const { return {dims, count}; }
};

/// What is inside the loops of other dims: lines of a block along either side
/// (0: no block), and which way tiles go on.
struct NestBlocks {
  int64_t columnLines = 0, rowLines = 0;
  bool alongDst = false;
  /// Blocks are outside of dims that are nearer in dst than the column.
  bool atColumn = false;
};

/// Where loops of other dims are in the order of src, not by distance.
struct NestForm {
  bool bySrc;
  NestBlocks blocks;
};

/// Those that leave out least, the best first.
std::span<const NestForm> nestForms();

/// Makes nests for one tile, which goes on in src along `column` and in dst
/// along `row`; a tile of runs has neither but the run's dim, as both.
class NestMaker {
public:
  /// `tile` is what it has of each dim. What is viewed must outlive this.
  NestMaker(const ProblemView &problem, std::span<const int64_t> tile,
            size_t column, size_t row, int64_t lineBytes)
      : dims(problem.dims), tile(tile), column(column), row(row),
        element(problem.element), lineBytes(lineBytes) {}

  /// The other dims that have loops, the farthest first: as `cachedDistance`
  /// has it, or one side.
  DimOrder byDistance() const;
  DimOrder bySide(int64_t LoopDim::*stride) const;

  /// None if the blocks are none: another nest is the same.
  std::optional<Nest> make(const DimOrder &order,
                           const NestBlocks &blocks) const;
  std::optional<Nest> make(const NestForm &form) const;

private:
  template <typename Distance> DimOrder farthestFirst(Distance distance) const;
  size_t placeOfColumn(const DimOrder &order) const;
  int64_t blockOf(size_t dim, int64_t lines) const;
  void add(Nest &nest, size_t dim, int64_t step) const;

  std::span<const LoopDim> dims;
  std::span<const int64_t> tile;
  size_t column, row;
  int64_t element, lineBytes;
};

/// The nest of the least cost round a tile, of so many that are tried; the
/// first is good where nothing is known of the machine.
struct RankedNest {
  Nest nest;
  int64_t prefetchBytes = 0;
  double ns = 0; ///< predicted; 0 for a machine without times
};
RankedNest leastCostNest(const ProblemView &problem, const NestView &tile,
                         size_t column, size_t row, const Machine &machine,
                         size_t tries);

} // namespace permc

#endif // PERMC_PLAN_NEST_H
