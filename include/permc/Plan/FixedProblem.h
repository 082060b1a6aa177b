//===- FixedProblem.h - a problem that takes no memory ----------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What Problem is to a compiler this is to the run-time shim, which plans in
// less time than a few allocations take. The dims are in fixed arrays, and the
// simplifications work in place.
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_PLAN_FIXEDPROBLEM_H
#define PERMC_PLAN_FIXEDPROBLEM_H

#include "permc/Plan/Problem.h"

namespace permc {

struct FixedProblem {
  int64_t element; ///< bytes
  unsigned rank;
  /// The first `rank` of each count. Strides are in bytes.
  int64_t shape[maxRank];
  int64_t perm[maxRank];
  int64_t srcStride[maxRank]; ///< by input dim
  int64_t dstStride[maxRank]; ///< by output dim

  FixedProblem() : element(0), rank(0) {} // the arrays stay as they are
  FixedProblem(const FixedProblem &other) { *this = other; }
  explicit FixedProblem(const Problem &problem);
  FixedProblem &operator=(const FixedProblem &other);

  /// Takes what a caller gives: strides in elements, or null for dense. False
  /// if it is not valid: Problem::make says why.
  bool assign(int64_t elementBytes, unsigned dims, const int64_t *sizes,
              const int64_t *order, const int64_t *srcStrides,
              const int64_t *dstStrides);

  bool isEmpty() const;
  int64_t bytesMoved() const;
  int64_t srcSpan() const;
  int64_t dstSpan() const;
  int64_t srcOrigin() const;
  int64_t dstOrigin() const;
  /// Output dim i as a loop sees it.
  LoopDim loopDim(unsigned i) const {
    return {shape[perm[i]], srcStride[perm[i]], dstStride[i]};
  }

  bool operator==(const FixedProblem &other) const;
};

/// The simplifications of Simplify.h, in place. Each says whether it changed
/// anything.
bool flip(FixedProblem &problem);
bool squeeze(FixedProblem &problem);
bool merge(FixedProblem &problem);
bool fold(FixedProblem &problem, int64_t limitBytes);
void canonicalize(FixedProblem &problem, int64_t foldLimitBytes);

} // namespace permc

#endif // PERMC_PLAN_FIXEDPROBLEM_H
