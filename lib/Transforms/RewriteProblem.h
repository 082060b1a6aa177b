//===- RewriteProblem.h - one simplification on every op --------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_LIB_TRANSFORMS_REWRITEPROBLEM_H
#define PERMC_LIB_TRANSFORMS_REWRITEPROBLEM_H

#include "permc/Dialect/Permute/Permute.h"

namespace permc {

/// Replaces the problem of each permute under `root` that has no schedule yet
/// (a schedule is for the problem as it stands). Returns how many changed.
template <typename Rewrite>
unsigned rewriteProblems(mlir::Operation *root, Rewrite rewrite) {
  unsigned changed = 0;
  root->walk([&](PermuteOp op) {
    if (op.getSchedule())
      return;
    const Problem &problem = op.getProblem().getValue();
    Problem next = rewrite(problem);
    if (next == problem)
      return;
    op.setProblemAttr(ProblemAttr::get(op.getContext(), next));
    ++changed;
  });
  return changed;
}

} // namespace permc

#endif // PERMC_LIB_TRANSFORMS_REWRITEPROBLEM_H
