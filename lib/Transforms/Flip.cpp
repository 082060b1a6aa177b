//===- Flip.cpp - step through dst forwards -------------------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RewriteProblem.h"

#include "permc/Plan/Simplify.h"
#include "permc/Transforms/Passes.h"

namespace permc {
#define GEN_PASS_DEF_FLIPPASS
#include "permc/Transforms/Passes.h.inc"
} // namespace permc

using namespace permc;

namespace {
struct FlipPass : permc::impl::FlipPassBase<FlipPass> {
  using Base::Base;
  void runOnOperation() override {
    rewriteProblems(getOperation(),
                    [&](const auto &problem) { return flip(problem); });
  }
};
} // namespace
