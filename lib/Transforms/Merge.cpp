//===- Merge.cpp - merge dims that stay neighbours ------------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RewriteProblem.h"

#include "permc/Plan/Simplify.h"
#include "permc/Transforms/Passes.h"

namespace permc {
#define GEN_PASS_DEF_MERGEPASS
#include "permc/Transforms/Passes.h.inc"
} // namespace permc

using namespace permc;

namespace {
struct MergePass : permc::impl::MergePassBase<MergePass> {
  using Base::Base;
  void runOnOperation() override {
    rewriteProblems(getOperation(),
                    [&](const auto &problem) { return merge(problem); });
  }
};
} // namespace
