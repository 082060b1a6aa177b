//===- Footprint.h - what a box of a tensor touches -------------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_LIB_PLAN_COST_FOOTPRINT_H
#define PERMC_LIB_PLAN_COST_FOOTPRINT_H

#include "permc/Plan/Problem.h"
#include "permc/Plan/TargetFacts.h"

#include <span>

namespace permc {

/// A box of elements on one side: its expected lines and pages over all places
/// where boxes begin, and the contiguous runs that it is made of.
struct Footprint {
  double lines = 0, pages = 0;
  double runs = 1, runBytes = 0;
  /// The share of the first cache that its lines fill before a set is full.
  double sets = 1;
};

/// `extent` elements of each dim; boxes begin at multiples of `step`.
Footprint footprintOf(std::span<const LoopDim> dims,
                      std::span<const int64_t> extent,
                      std::span<const int64_t> step, int64_t LoopDim::*stride,
                      int64_t element, const Machine &machine);

} // namespace permc

#endif // PERMC_LIB_PLAN_COST_FOOTPRINT_H
