//===- Simplify.h - the simplest equivalent problem -------------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Pure functions from a Problem to one that moves the same bytes to the same
// places with fewer dims. Applied in turn until nothing changes they give the
// canonical problem, by which kernels are scheduled, cached and registered.
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_PLAN_SIMPLIFY_H
#define PERMC_PLAN_SIMPLIFY_H

#include "permc/Plan/Problem.h"

#include <string_view>

namespace permc {

/// Turns dims round, on both sides, so that dst is stepped through forwards.
Problem flip(const Problem &problem);

/// Drops dims of size 1. A problem with a dim of size 0 becomes the empty
/// problem: one dim, of size 0.
Problem squeeze(const Problem &problem);

/// Makes one dim of dims that are neighbours in the same order on both sides
/// and that the strides of both sides step through without a gap.
Problem merge(const Problem &problem);

/// Makes the last dim part of the element if it is last and contiguous on both
/// sides and the element stays within `limitBytes`.
Problem fold(const Problem &problem, int64_t limitBytes);

/// The opposite of fold, for elements larger than any register: an element of
/// more than `limitBytes` becomes a last dim of the largest power-of-two words
/// within the limit that divide it, merged with what it continues. Not a part
/// of the canonical form.
Problem unfold(const Problem &problem, int64_t limitBytes);

/// Elements up to this size are moved as one.
inline constexpr int64_t maxElementBytes = 64;

/// One step of a simplification, for those who want to see it.
struct SimplifyStep {
  std::string_view name; ///< "flip", "squeeze", "merge", "fold"
  Problem after;
};

/// Flip, squeeze, merge, fold, until nothing changes. `steps`, if given,
/// receives every step that changed something.
Problem canonicalize(const Problem &problem, int64_t foldLimitBytes,
                     std::vector<SimplifyStep> *steps = nullptr);

/// The problem that takes dst back to src, which must not repeat a dim.
Problem inverse(const Problem &problem);

/// One problem for `first`, then `second` on its result. The layout between
/// the two must be the same for both.
Result<Problem> compose(const Problem &first, const Problem &second);

enum class MoveClass {
  Noop,    ///< shape and bytes stay as they are
  Reshape, ///< the bytes stay, the shape changes
  Move     ///< bytes move
};
MoveClass classify(const Problem &problem);
std::string_view moveClassName(MoveClass moveClass);

} // namespace permc

#endif // PERMC_PLAN_SIMPLIFY_H
