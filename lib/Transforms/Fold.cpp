//===- Fold.cpp - fold a small last dim into the element ------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RewriteProblem.h"
#include "permc/Targets/PassTarget.h"

#include "permc/Plan/Simplify.h"
#include "permc/Transforms/Passes.h"

namespace permc {
#define GEN_PASS_DEF_FOLDPASS
#include "permc/Transforms/Passes.h.inc"
} // namespace permc

using namespace permc;

namespace {
struct FoldPass : permc::impl::FoldPassBase<FoldPass> {
  using Base::Base;
  FoldPass(const Target &target) : target(target) {}

  void runOnOperation() override {
    auto found = target.find(getOperation(), [&](Target &fromOptions) {
      fromOptions.facts.foldLimit = limit;
    });
    if (mlir::failed(found))
      return signalPassFailure();
    rewriteProblems(getOperation(), [&](const auto &problem) {
      return fold(problem, found->facts.foldLimit);
    });
  }

  const PassTarget target;
};
} // namespace

std::unique_ptr<mlir::Pass> permc::createFoldPass(const Target &target) {
  return std::make_unique<FoldPass>(target);
}
