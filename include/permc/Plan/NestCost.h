//===- NestCost.h - how long a nest takes that is only sketched -*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What Cost.h says of schedules, for whoever has no Schedule: a tile's work is
// known, and the rest is spans of numbers. Nothing is allocated, so that the
// run-time library ranks its nests by it within a call.
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_PLAN_NESTCOST_H
#define PERMC_PLAN_NESTCOST_H

#include "permc/Plan/Footprint.h"
#include "permc/Plan/Problem.h"
#include "permc/Plan/TargetFacts.h"

#include <optional>
#include <span>

namespace permc {

struct Loop;
class NestPrediction;

/// Nanoseconds of one call, by what takes them.
struct Cost {
  double work = 0;    ///< instructions, as the busiest unit takes them
  double read = 0;    ///< lines of src that the first cache does not hold
  double write = 0;   ///< ... and of dst, or lines that are streamed
  double tlb = 0;     ///< pages that are not remembered
  double overlap = 0; ///< what of these goes on at the same time

  double total() const { return work + read + write + tlb - overlap; }
};

/// What the moves of a tile take if the first cache holds both sides: cycles,
/// or on a machine without times instructions.
struct TileWork {
  double cycles = 0;       ///< of each tile
  double start = 0;        ///< before the first: masks are loaded
  double instructions = 0; ///< of each tile
};

/// A canonical problem.
struct ProblemView {
  std::span<const LoopDim> dims;
  int64_t element; ///< bytes
  int64_t bytes;   ///< of all elements
};

/// A buffer that tiles are put together in before they go to dst.
struct PanelView {
  std::span<const int64_t> extent; ///< elements of each dim
  int64_t rowBytes, bufferBytes;
  bool wholeLines = false;
  /// With whole lines: the dim along which rows go on in the next panel, and
  /// how many of its elements the buffer has besides.
  std::optional<size_t> open;
  int64_t openUnits = 0;
};

struct NestView {
  std::span<const int64_t> tile; ///< elements of each dim
  std::span<const Loop> loops;   ///< outermost first
  TileWork work;
  int64_t vectorBytes = 0; ///< of the tile's moves
  int64_t moveBytes = 0;   ///< of those from a panel to dst
  const PanelView *panel = nullptr;
  bool copiesRuns = false;
  bool streaming = false;
  int64_t prefetchBytes = 0, prefetchPanelBytes = 0, prefetchDstBytes = 0;
};

/// Costs of nests of one problem.
class NestCost {
public:
  /// What is viewed and the machine must outlive this object.
  NestCost(const ProblemView &problem, const Machine &machine);

  Cost of(const NestView &nest) const;

private:
  friend class NestPrediction;

  const ProblemView problem;
  const Machine &machine;
  const TensorSide src, dst;
};

} // namespace permc

#endif // PERMC_PLAN_NESTCOST_H
