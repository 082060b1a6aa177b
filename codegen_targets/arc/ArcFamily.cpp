//===- ArcFamily.cpp - kernels as C source --------------------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ArcTargets.h"

#include "permc/Targets/TargetFamily.h"
#include "permc/Transforms/Passes.h"

#include "mlir/Dialect/EmitC/Transforms/Passes.h"

using namespace permc;

namespace {
struct ArcFamily : TargetFamily {
  void addTargets(std::vector<Target> &targets) const override {
    addArcTargets(targets);
  }

  void addSourcePasses(const Target &target, AddPass add) const override {
    add(createConvertToEmitCPass(target));
    add(mlir::emitc::createFormExpressionsPass());
  }
};
} // namespace

const TargetFamily &permc::arcFamily() {
  static const ArcFamily family;
  return family;
}
