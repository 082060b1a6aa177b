//===- ScheduleViews.cpp - dims that src repeats or reverses --------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where dims of src have zero or negative strides, most rules need not know.
// They are asked about a problem without views that is as near to this one as
// can be: a reversed dim goes forwards there, and a repeated one lies far away.
// What they choose for it fits the problem itself too, but for runs:
//
//   tiles of two dims    rows may lie anywhere in src, and columns that are
//                        reversed go back in dst (TileNetwork.cpp)
//   runs                 a register is reversed, or filled with one element,
//                        before it is stored: a Shuffle of a run
//
// Whether it does fit is checked afterwards, as always.
//
//===----------------------------------------------------------------------===//

#include "ScheduleRules.h"

#include "permc/Plan/LoopOrder.h"

#include <algorithm>
#include <cstdlib>

using namespace permc;

std::optional<Problem> permc::withoutViews(const Problem &problem) {
  // Past all that is contiguous in src, so that nothing can follow it.
  int64_t far;
  if (__builtin_add_overflow(problem.srcSpan(), problem.elementBytes(), &far))
    return std::nullopt;
  Dims strides = problem.srcByteStrides();
  for (unsigned dim = 0; dim < problem.rank(); ++dim) {
    if (strides[dim] != 0) {
      strides[dim] = std::abs(strides[dim]);
      continue;
    }
    strides[dim] = far;
    if (__builtin_mul_overflow(far, problem.shape()[dim], &far))
      return std::nullopt;
  }
  Result<Problem> forwards = Problem::makeWithByteStrides(
      problem.elementBytes(), problem.shape(), problem.perm(),
      std::move(strides), problem.dstByteStrides());
  if (!forwards)
    return std::nullopt; // it would reach too far
  return *forwards;
}

TargetFacts permc::factsForViews(TargetFacts facts) {
  facts.planner = nullptr;
  facts.scalableVectors = false;
  return facts;
}

namespace {

/// A register's worth of what follows one another in dst.
class TurnedRuns : public ScheduleRules {
public:
  using ScheduleRules::ScheduleRules;

  bool run() {
    std::optional<size_t> fast = fastDim(dims, &LoopDim::dstStride, element);
    if (!fast || !isTurned(dims[*fast]) || !canShuffle())
      return false;
    const std::vector<size_t> rows =
        chain(*fast, &LoopDim::dstStride, laneBytes);
    for (size_t dim : rows)
      schedule.tile[dim] = dims[dim].size;
    cutLast(rows);
    schedule.kernel = micro::Shuffle{};
    if (!isCompact())
      return false;
    for (size_t dim : outerOrder())
      addLoop(dim, schedule.tile[dim]);
    return true;
  }

private:
  bool isTurned(const LoopDim &dim) const {
    return dim.srcStride == 0 || dim.srcStride == -element;
  }

  /// Elements are units of a lane, or several are.
  bool canShuffle() const {
    constexpr int64_t mostBytes = laneBytes / 2, word = 4;
    return facts.vectorBytes >= laneBytes && !facts.wordTiles &&
           element <= mostBytes &&
           (facts.byteShuffle || (element & -element) >= word);
  }

  /// Of the last dim so much that each lane of a register is full, if the dim
  /// has that.
  void cutLast(const std::vector<size_t> &rows) {
    const size_t last = rows.back();
    int64_t inner = element;
    for (size_t dim : rows)
      if (dim != last)
        inner *= dims[dim].size;
    const int64_t whole = laneBytes / std::gcd(laneBytes, inner);
    int64_t lanes = facts.vectorBytes / laneBytes;
    while (lanes > 1 && whole * lanes > dims[last].size)
      lanes /= 2;
    schedule.tile[last] = std::min(whole * lanes, dims[last].size);
    schedule.vectorBytes = lanes * laneBytes;
  }
};

} // namespace

bool permc::tryTurnedRuns(ScheduleDraft &draft) {
  return TurnedRuns(draft).run();
}
