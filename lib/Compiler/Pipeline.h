//===- Pipeline.h - the passes from problem to LLVM -------------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_LIB_COMPILER_PIPELINE_H
#define PERMC_LIB_COMPILER_PIPELINE_H

#include "permc/Targets/Target.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace permc {

/// The passes for one target, ready to run again and again: what they prepare
/// (patterns above all) costs more than most kernels.
class Pipeline {
public:
  Pipeline(mlir::MLIRContext &context, const Target &target);

  bool isFor(const Target &target) const {
    return facts == target.facts && route == target.route &&
           code == target.code;
  }

  /// Runs all passes, or those up to the one called `stopAfter`. Before
  /// schedules are chosen it calls `beforeSchedule`, which may attach some.
  Status run(mlir::ModuleOp module, const std::string &stopAfter,
             const std::function<Status()> &beforeSchedule);

private:
  /// One pass, under the name `--stop-after` knows it by.
  struct Step {
    std::string name;
    std::unique_ptr<mlir::PassManager> passes;
  };
  void add(std::unique_ptr<mlir::Pass> pass);
  Result<size_t> stepsUpTo(const std::string &stopAfter) const;

  mlir::MLIRContext &context;
  const TargetFacts facts;
  const Target::Route route;
  const TargetFamily *const code;
  std::vector<Step> steps;
};

} // namespace permc

#endif // PERMC_LIB_COMPILER_PIPELINE_H
