//===- ConvertArmMoves.h - moves that only ARM has --------------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_CODEGEN_TARGETS_ARM_LOWERING_CONVERTARMMOVES_H
#define PERMC_CODEGEN_TARGETS_ARM_LOWERING_CONVERTARMMOVES_H

#include "permc/Lowering/ConvertMoves.h"

#include <memory>

namespace permc {

std::unique_ptr<MoveConverter> makeArmMoveConverter(mlir::MLIRContext *context,
                                                    unsigned indexBits,
                                                    int64_t integerBits);

} // namespace permc

#endif // PERMC_CODEGEN_TARGETS_ARM_LOWERING_CONVERTARMMOVES_H
