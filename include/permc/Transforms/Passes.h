//===- Passes.h - permc's passes --------------------------------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_TRANSFORMS_PASSES_H
#define PERMC_TRANSFORMS_PASSES_H

#include "permc/Plan/TargetFacts.h"

#include "mlir/Pass/Pass.h"

#include <memory>

namespace permc {

#define GEN_PASS_DECL
#include "permc/Transforms/Passes.h.inc"

/// The passes for a machine of which all facts are known.
std::unique_ptr<mlir::Pass> createSchedulePass(const TargetFacts &facts);
std::unique_ptr<mlir::Pass> createExpandDynamicPass(const TargetFacts &facts);

/// What --permc-import-transposes does, for other passes.
void importTransposes(mlir::Operation *root);

#define GEN_PASS_REGISTRATION
#include "permc/Transforms/Passes.h.inc"

} // namespace permc

#endif // PERMC_TRANSFORMS_PASSES_H
