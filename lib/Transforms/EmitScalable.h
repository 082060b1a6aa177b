//===- EmitScalable.h - moves by vectors of unknown length ------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_LIB_TRANSFORMS_EMITSCALABLE_H
#define PERMC_LIB_TRANSFORMS_EMITSCALABLE_H

#include "EmitMoves.h"

namespace permc {

/// Copies `bytes` contiguous bytes.
void emitScalableCopy(mlir::ImplicitLocOpBuilder &b, Place src, Place dst,
                      int64_t bytes);

/// Splits or joins all elements of a tile's streams.
void emitScalableInterleave(mlir::ImplicitLocOpBuilder &b, Place src, Place dst,
                            const InterleaveTile &tile);

} // namespace permc

#endif // PERMC_LIB_TRANSFORMS_EMITSCALABLE_H
