//===- EmitParts.h - what belongs to a part ---------------------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Plan's split, carried out by code that learns the part when it is called.
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_LIB_TRANSFORMS_EMITPARTS_H
#define PERMC_LIB_TRANSFORMS_EMITPARTS_H

#include "permc/Plan/Split.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

#include <functional>
#include <vector>

namespace permc {

/// Makes an index constant.
using MakeConstant = llvm::function_ref<mlir::Value(int64_t)>;

/// What is known to divide a size: a constant itself, the constant factor of a
/// product.
int64_t knownDivisor(mlir::Value size);

mlir::Value emitProduct(mlir::ImplicitLocOpBuilder &b, MakeConstant constant,
                        const std::vector<mlir::Value> &factors);

/// A Split, with numbers that may be known at run time only.
struct SplitValues {
  SplitValues(const Split &split, MakeConstant constant);
  SplitValues() = default;

  bool hasOuter = false, needsRoom = false;
  int64_t piece = 1;
  mlir::Value size, outerSize, pitch, grain, shares, mostParts;
};

/// Calls `emitBox` where the box of a part is to be done, with the begin and
/// the end of its range of the split's dim, and those of the outer dim before
/// them if there is one. `part` and `parts` are of type i32. `makeSplit` is
/// called where there is more than one part; `all` is the box of everything.
void emitParts(mlir::ImplicitLocOpBuilder &b, MakeConstant constant,
               llvm::function_ref<SplitValues()> makeSplit,
               mlir::ValueRange all, mlir::Value part, mlir::Value parts,
               llvm::function_ref<void(mlir::ValueRange)> emitBox);

} // namespace permc

#endif // PERMC_LIB_TRANSFORMS_EMITPARTS_H
