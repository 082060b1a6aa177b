//===- Passes.h - permc's passes --------------------------------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_TRANSFORMS_PASSES_H
#define PERMC_TRANSFORMS_PASSES_H

#include "permc/Targets/Target.h"

#include "mlir/Pass/Pass.h"

#include <memory>

namespace permc {

#define GEN_PASS_DECL
#include "permc/Transforms/Passes.h.inc"

/// Passes for a target whatever the module says.
std::unique_ptr<mlir::Pass> createFoldPass(const Target &target);
std::unique_ptr<mlir::Pass> createSchedulePass(const Target &target);
std::unique_ptr<mlir::Pass> createExpandDynamicPass(const Target &target);
std::unique_ptr<mlir::Pass> createLowerToLoopsPass(const Target &target);
std::unique_ptr<mlir::Pass> createConvertToLLVMPass(const Target &target);
std::unique_ptr<mlir::Pass> createConvertToEmitCPass(const Target &target);

/// What --permc-import-transposes does, for other passes.
void importTransposes(mlir::Operation *root);

#define GEN_PASS_REGISTRATION
#include "permc/Transforms/Passes.h.inc"

} // namespace permc

#endif // PERMC_TRANSFORMS_PASSES_H
