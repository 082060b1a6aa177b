//===- ConvertMoves.h - moves to the LLVM dialect ---------------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_LIB_TRANSFORMS_CONVERTMOVES_H
#define PERMC_LIB_TRANSFORMS_CONVERTMOVES_H

#include "mlir/IR/BuiltinOps.h"

namespace permc {

/// Whether it is a flat buffer of bytes, the only kind a kernel has.
bool isByteBuffer(mlir::MemRefType type);

/// Converts loads, shuffles, stores and prefetches of byte buffers in place.
/// Buffers and offsets become pointers and integers of `indexBits` by casts
/// (`unrealized_conversion_cast`), one for each. Moves of up to `integerBits`
/// are integers. What is no move of a kernel is left as it is.
void convertMoves(mlir::ModuleOp module, unsigned indexBits,
                  int64_t integerBits);

/// Drops operations that nothing needs.
void eraseUnused(mlir::ModuleOp module);

} // namespace permc

#endif // PERMC_LIB_TRANSFORMS_CONVERTMOVES_H
