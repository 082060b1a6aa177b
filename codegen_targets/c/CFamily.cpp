//===- CFamily.cpp - targets that are C compilers -------------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CFamily.h"

#include "CSource.h"

#include "../words/WordPlanner.h"

#include "permc/Transforms/Passes.h"

#include "mlir/Dialect/EmitC/IR/EmitC.h"
#include "mlir/Dialect/EmitC/Transforms/Passes.h"

using namespace permc;

Target permc::makeCTarget(std::string name, std::string family,
                          std::string description) {
  Target target;
  target.name = std::move(name);
  target.family = std::move(family);
  target.description = std::move(description);
  target.route = Target::Route::C;
  TargetFacts &facts = target.facts;
  facts.planner = &wordPlanner();
  facts.wordTiles = true;
  facts.wordBytes = 4;
  facts.unalignedWords = false;
  facts.foldLimit = 4;
  facts.pointerBits = 32;
  facts.lineBytes = 32;
  facts.l1Bytes = 16 << 10;
  facts.l2Bytes = facts.l3Bytes = 0; // most have closely coupled memory instead
  return target;
}

void CFamily::addTargets(std::vector<Target> &targets) const {
  targets.push_back(makeCTarget(
      "c99", "c", "portable C99 for any 32-bit or 64-bit compiler"));
}

void CFamily::addSourcePasses(const Target &target, AddPass add) const {
  add(createConvertToEmitCPass(target));
  add(mlir::emitc::createFormExpressionsPass());
}

/// The functions that carry a kernel out.
static Result<std::string> printFunctions(mlir::ModuleOp module,
                                          const std::string &name) {
  std::string text;
  for (const char *suffix : {"_words", "_elements"})
    if (auto function =
            module.lookupSymbol<mlir::emitc::FuncOp>(name + suffix)) {
      Result<std::string> printed = printFunction(function);
      if (!printed)
        return printed.error();
      text += (text.empty() ? "" : "\n") + *printed;
    }
  return text;
}

Result<std::string> CFamily::writeSource(mlir::ModuleOp module,
                                         llvm::ArrayRef<SourceKernel> kernels,
                                         SourceForm form) const {
  std::vector<CKernel> written;
  for (const SourceKernel &kernel : kernels) {
    Result<std::string> functions = printFunctions(module, kernel.name);
    if (!functions)
      return functions.error();
    written.push_back({kernel, std::move(*functions)});
  }
  return form == SourceForm::Mli ? writeMliSource(written)
                                 : writeCSource(written);
}

const TargetFamily &permc::cFamily() {
  static const CFamily family;
  return family;
}
