//===- EmitUnits.h - how many units, and whose they are ---------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_LIB_TRANSFORMS_EMITUNITS_H
#define PERMC_LIB_TRANSFORMS_EMITUNITS_H

#include "mlir/IR/ImplicitLocOpBuilder.h"

#include <functional>
#include <utility>
#include <vector>

namespace permc {

/// Makes an index constant.
using MakeConstant = llvm::function_ref<mlir::Value(int64_t)>;

/// What is known to divide a size: a constant itself, the constant factor of a
/// product.
int64_t knownDivisor(mlir::Value size);

/// How many units a loop through `size` elements in steps of `step` counts, as
/// Plan's unitsOfLoop says; one if the dim is shorter than a step.
mlir::Value emitUnitsOfLoop(mlir::ImplicitLocOpBuilder &b,
                            MakeConstant constant, mlir::Value size,
                            int64_t step);

mlir::Value emitProduct(mlir::ImplicitLocOpBuilder &b, MakeConstant constant,
                        const std::vector<mlir::Value> &factors);

/// The first unit and the end of the share `part` of `parts`, all of type
/// index. Units go to parts as evenly as can be: the first `units % parts`
/// parts get one more. No product can overflow, whatever `parts` is.
std::pair<mlir::Value, mlir::Value>
emitShare(mlir::ImplicitLocOpBuilder &b, MakeConstant constant,
          mlir::Value units, mlir::Value part, mlir::Value parts);

} // namespace permc

#endif // PERMC_LIB_TRANSFORMS_EMITUNITS_H
