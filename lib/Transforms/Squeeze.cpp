//===- Squeeze.cpp - drop dims of size 1 ----------------------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RewriteProblem.h"

#include "permc/Plan/Simplify.h"
#include "permc/Transforms/Passes.h"

namespace permc {
#define GEN_PASS_DEF_SQUEEZEPASS
#include "permc/Transforms/Passes.h.inc"
} // namespace permc

using namespace permc;

namespace {
struct SqueezePass : permc::impl::SqueezePassBase<SqueezePass> {
  using Base::Base;
  void runOnOperation() override {
    rewriteProblems(getOperation(),
                    [&](const auto &problem) { return squeeze(problem); });
  }
};
} // namespace
