//===- Pipeline.cpp - the passes from problem to LLVM ---------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Pipeline.h"

#include "DiagnosticText.h"

#include "permc/Plan/Simplify.h"
#include "permc/Targets/TargetFamily.h"
#include "permc/Transforms/Passes.h"

using namespace permc;

Pipeline::Pipeline(mlir::MLIRContext &context, const Target &target)
    : context(context), facts(target.facts), route(target.route),
      code(target.code) {
  add(createFlipPass());
  add(createSqueezePass());
  add(createMergePass());
  add(createFoldPass(target));
  add(createUnfoldPass({.limit = maxElementBytes}));
  add(createSchedulePass(target));
  if (route == Target::Route::C) {
    target.code->addSourcePasses(target, [&](std::unique_ptr<mlir::Pass> pass) {
      add(std::move(pass));
    });
    return;
  }
  add(createSplitPartsPass());
  add(createExpandDynamicPass(target));
  add(createLowerToLoopsPass(target));
  add(createConvertToLLVMPass(target));
}

void Pipeline::add(std::unique_ptr<mlir::Pass> pass) {
  Step step{pass->getArgument().str(),
            std::make_unique<mlir::PassManager>(&context)};
  // It takes longer than most passes: for builds that look for mistakes.
  step.passes->enableVerifier(PERMC_VERIFY_PASSES);
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
