//===- Plugin.cpp - permc's dialect and passes for any mlir-opt -----------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For an mlir-opt that links the same libMLIR as permc does: a tool with a
// copy of MLIR of its own would have two of everything.
//
//===----------------------------------------------------------------------===//

#include "permc/Dialect/Permute/Permute.h"
#include "permc/Transforms/Passes.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"

extern "C" LLVM_ATTRIBUTE_WEAK mlir::DialectPluginLibraryInfo
mlirGetDialectPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "permc", PERMC_VERSION,
          [](mlir::DialectRegistry *registry) {
            registry->insert<permc::PermcDialect>();
          }};
}

extern "C" LLVM_ATTRIBUTE_WEAK mlir::PassPluginLibraryInfo
mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "permc", PERMC_VERSION,
          [] { permc::registerPermcPasses(); }};
}
