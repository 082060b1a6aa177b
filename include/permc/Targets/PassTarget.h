//===- PassTarget.h - the target that a pass works for ----------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_TARGETS_PASSTARGET_H
#define PERMC_TARGETS_PASSTARGET_H

#include "permc/Targets/Target.h"

#include "mlir/IR/Operation.h"

#include <optional>

namespace permc {

/// Where a pass knows its target from: whoever made the pass; else the module,
/// by `permc.target`; else the pass's options.
class PassTarget {
public:
  PassTarget() = default;
  explicit PassTarget(const Target &given) : given(given) {}

  /// `applyOptions` makes the target of the pass's options of one of which
  /// nothing is known. Fails, and says so, if the module names a target that
  /// there is none of.
  mlir::FailureOr<Target>
  find(mlir::Operation *op,
       llvm::function_ref<void(Target &)> applyOptions) const;

private:
  std::optional<Target> given;
};

} // namespace permc

#endif // PERMC_TARGETS_PASSTARGET_H
