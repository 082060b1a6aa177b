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
/// (a schedule is for the problem as it stands), dynamic ones included.
template <typename Rewrite>
void rewriteProblems(mlir::Operation *root, Rewrite rewrite) {
  root->walk([&](PermuteOp op) {
    if (op.getSchedule())
      return;
    Problem next = rewrite(op.getProblem().getValue());
    op.setProblemAttr(ProblemAttr::get(op.getContext(), next));
  });
  root->walk([&](DynamicPermuteOp op) {
    DynamicProblem next = rewrite(op.getProblem().getValue());
    op.setProblemAttr(DynamicProblemAttr::get(op.getContext(), next));
  });
}

} // namespace permc

#endif // PERMC_LIB_TRANSFORMS_REWRITEPROBLEM_H
