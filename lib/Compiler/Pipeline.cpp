//===- Pipeline.cpp - the passes from problem to LLVM ---------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Pipeline.h"

#include "DiagnosticText.h"

#include "permc/Plan/Simplify.h"
#include "permc/Transforms/Passes.h"

#include "mlir/Dialect/EmitC/Transforms/Passes.h"

using namespace permc;

Pipeline::Pipeline(mlir::MLIRContext &context, const Target &target)
    : context(context), facts(target.facts), route(target.route) {
  add(createFlipPass());
  add(createSqueezePass());
  add(createMergePass());
  add(createFoldPass({.limit = facts.foldLimit}));
  add(createUnfoldPass({.limit = maxElementBytes}));
  add(createSchedulePass(facts));
  if (route == Target::Route::C) {
    add(createConvertToEmitCPass({.wordBytes = facts.wordBytes,
                                  .unalignedWords = facts.unalignedWords}));
    add(mlir::emitc::createFormExpressionsPass());
    return;
  }
  add(createSplitPartsPass());
  add(createExpandDynamicPass(facts));
  add(createLowerToLoopsPass());
  // Half a vector is two integers of a 32-bit machine.
  add(createConvertToLLVMPass(
      {.indexBits = facts.pointerBits,
       .integerBits = facts.halfVectors ? facts.pointerBits : 64}));
}

/// MLIR's verifier after each pass costs time in every compilation; development
/// builds have it.
#ifdef PERMC_VERIFY_PASSES
static constexpr bool verifiesPasses = true;
#else
static constexpr bool verifiesPasses = false;
#endif

void Pipeline::add(std::unique_ptr<mlir::Pass> pass) {
  Step step{pass->getArgument().str(),
            std::make_unique<mlir::PassManager>(&context)};
  step.passes->enableVerifier(verifiesPasses);
  step.passes->addPass(std::move(pass));
  steps.push_back(std::move(step));
}

Result<size_t> Pipeline::stepsUpTo(const std::string &stopAfter) const {
  if (stopAfter.empty())
    return steps.size();
  std::string names;
  for (size_t i = 0; i < steps.size(); ++i) {
    if (steps[i].name == stopAfter)
      return i + 1;
    names += (names.empty() ? "" : ", ") + steps[i].name;
  }
  return Error{Cause::BadSyntax,
               "unknown pass '" + stopAfter + "'; expected one of " + names};
}

Status Pipeline::run(mlir::ModuleOp module, const std::string &stopAfter,
                     const std::function<Status()> &beforeSchedule) {
  Result<size_t> last = stepsUpTo(stopAfter);
  if (!last)
    return last.error();
  for (size_t i = 0; i < *last; ++i) {
    if (steps[i].name == "permc-schedule")
      if (auto ok = beforeSchedule(); !ok)
        return ok;
    DiagnosticText diagnostics(context);
    if (mlir::failed(steps[i].passes->run(module)))
      return Error{Cause::Internal,
                   steps[i].name + " failed: " + diagnostics.str()};
  }
  return Done{};
}
