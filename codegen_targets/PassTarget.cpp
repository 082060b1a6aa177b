//===- PassTarget.cpp - the target that a pass works for ------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "permc/Targets/PassTarget.h"

#include "permc/Dialect/Permute/Permute.h"

#include "mlir/IR/BuiltinOps.h"

using namespace permc;

/// The target that a module round `op`, or `op` itself, names.
static mlir::StringAttr namedTarget(mlir::Operation *op) {
  PermcDialect::TargetAttrHelper target(op->getContext());
  for (; op; op = op->getParentOp())
    if (llvm::isa<mlir::ModuleOp>(op) && target.isAttrPresent(op))
      return target.getAttr(op);
  return {};
}

mlir::FailureOr<Target>
PassTarget::find(mlir::Operation *op,
                 llvm::function_ref<void(Target &)> applyOptions) const {
  if (given)
    return *given;
  if (mlir::StringAttr name = namedTarget(op)) {
    Result<Target> found = findTarget(name.strref());
    if (!found)
      return op->emitOpError() << "permc.target: " << found.error().message;
    return *found;
  }
  Target target;
  applyOptions(target);
  return target;
}
