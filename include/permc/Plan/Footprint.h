//===- Footprint.h - what a box of a tensor touches -------------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_PLAN_FOOTPRINT_H
#define PERMC_PLAN_FOOTPRINT_H

#include "permc/Plan/Problem.h"
#include "permc/Plan/TargetFacts.h"

#include <cstdint>
#include <span>

namespace permc {

/// A box of elements on one side: its expected lines and pages over all places
/// where boxes begin, and the contiguous runs that it is made of.
struct Footprint {
  double lines, pages;
  double runs, runBytes;
  /// The shares of the first and of the second cache that its lines fill before
  /// a set is full.
  double l1Sets, l2Sets;
};

/// One side of a tensor. Allocates nothing: plans are made in calls of the
/// run-time library too.
class TensorSide {
public:
  TensorSide(std::span<const LoopDim> dims, int64_t LoopDim::*stride,
             int64_t element, const Machine &machine);

  /// Of `extent` elements of each dim; boxes begin at multiples of `step`.
  Footprint footprint(std::span<const int64_t> extent,
                      std::span<const int64_t> step) const;

  struct Dim {
    int64_t size, stride;
    uint8_t index; ///< in the tensor's order
  };
  std::span<const Dim> nearestFirst() const { return {sorted, count}; }

private:
  struct Pieces {
    double count, runs, runBytes;
  };
  Pieces pieces(int64_t grain, std::span<const int64_t> extent,
                std::span<const int64_t> step) const;
  double sets(std::span<const int64_t> extent, const Pieces &runs,
              int64_t cacheBytes, int64_t ways) const;

  Dim sorted[maxRank];
  size_t count;
  const Machine &machine;
  int64_t element;
};

} // namespace permc

#endif // PERMC_PLAN_FOOTPRINT_H
