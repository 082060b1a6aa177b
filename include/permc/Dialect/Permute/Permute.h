//===- Permute.h - the permc dialect ----------------------------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_DIALECT_PERMUTE_PERMUTE_H
#define PERMC_DIALECT_PERMUTE_PERMUTE_H

#include "permc/Plan/DynamicProblem.h"
#include "permc/Plan/Problem.h"
#include "permc/Plan/Schedule.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/Hashing.h"

namespace permc {
/// Attributes are unique in their context; these find them.
llvm::hash_code hash_value(const Problem &problem);
llvm::hash_code hash_value(const DynamicProblem &problem);
llvm::hash_code hash_value(const Schedule &schedule);
} // namespace permc

#include "permc/Dialect/Permute/PermuteDialect.h.inc"

#define GET_ATTRDEF_CLASSES
#include "permc/Dialect/Permute/PermuteAttributes.h.inc"

#define GET_OP_CLASSES
#include "permc/Dialect/Permute/PermuteOps.h.inc"

#endif // PERMC_DIALECT_PERMUTE_PERMUTE_H
