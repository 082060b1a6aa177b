//===- EmitGather.h - columns gathered from rows ----------------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_LIB_TRANSFORMS_EMITGATHER_H
#define PERMC_LIB_TRANSFORMS_EMITGATHER_H

#include "EmitMoves.h"

namespace permc {

/// Moves a tile by Helium's gathers. Elements must be aligned in src.
void emitGather(mlir::ImplicitLocOpBuilder &b, Constants &constant, Place src,
                Place dst, const GatherTile &tile);

} // namespace permc

#endif // PERMC_LIB_TRANSFORMS_EMITGATHER_H
