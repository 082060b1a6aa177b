//===- FuzzIR.cpp - the dialect's attributes, and the passes -----------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FuzzTarget.h"

#include "permc/Dialect/Permute/Permute.h"
#include "permc/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

#include <algorithm>

using namespace permc;

namespace {

/// What all passes of the road to LLVM need. The rest of MLIR reads nothing of
/// the input: its parser has fuzzers of its own.
struct Session {
  Session() : context(mlir::MLIRContext::Threading::DISABLED) {
    mlir::DialectRegistry registry;
    registry.insert<PermcDialect, mlir::arith::ArithDialect,
                    mlir::cf::ControlFlowDialect, mlir::func::FuncDialect,
                    mlir::LLVM::LLVMDialect, mlir::memref::MemRefDialect,
                    mlir::scf::SCFDialect, mlir::vector::VectorDialect>();
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
    context.getDiagEngine().registerHandler(
        [](mlir::Diagnostic &) { return mlir::success(); });
  }
  mlir::MLIRContext context;
};

constexpr const char *pipeline =
    "permc-squeeze,permc-merge,permc-fold,permc-unfold,permc-schedule,"
    "permc-split-parts,permc-expand-dynamic,permc-lower-to-loops,"
    "permc-convert-to-llvm";

} // namespace

/// A problem and a schedule, as what stands between the brackets.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const bool registered = [] {
    registerPermcPasses();
    return true;
  }();
  (void)registered;
  Input input(data, size);
  const std::string problem = input.line(), schedule = input.line();
  // Nothing but an attribute: brackets and quotes could end it.
  for (const std::string &text : {problem, schedule})
    if (text.find_first_of("<>\"{}()#@%\\") != std::string::npos)
      return 0;
  Session session;
  const std::string text =
      "func.func @k(%s: memref<?xi8>, %d: memref<?xi8>) {\n"
      "  permc.permute %s, %d : memref<?xi8>, memref<?xi8>\n"
      "    by #permc.problem<" +
      problem + ">" +
      (schedule.empty() ? "" : " as #permc.schedule<" + schedule + ">") +
      "\n  return\n}\n";
  auto module = mlir::parseSourceString<mlir::ModuleOp>(
      text, mlir::ParserConfig(&session.context));
  if (!module)
    return 0;
  mlir::PassManager passes(&session.context);
  require(mlir::succeeded(mlir::parsePassPipeline(pipeline, passes)));
  if (mlir::succeeded(passes.run(*module)))
    require(mlir::succeeded(mlir::verify(*module)));
  return 0;
}
