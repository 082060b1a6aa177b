//===- Unfold.cpp - turn a large element into a last dim ------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RewriteProblem.h"

#include "permc/Plan/Simplify.h"
#include "permc/Transforms/Passes.h"

namespace permc {
#define GEN_PASS_DEF_UNFOLDPASS
#include "permc/Transforms/Passes.h.inc"
} // namespace permc

using namespace permc;

namespace {
struct UnfoldPass : permc::impl::UnfoldPassBase<UnfoldPass> {
  using Base::Base;
  void runOnOperation() override {
    rewriteProblems(getOperation(), [&](const auto &problem) {
      return unfold(problem, limit);
    });
  }
};
} // namespace
