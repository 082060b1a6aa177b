//===- EmitWordPairs.h - tiles in pairs of words ----------------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_CODEGEN_TARGETS_ARM_LOWERING_EMITWORDPAIRS_H
#define PERMC_CODEGEN_TARGETS_ARM_LOWERING_EMITWORDPAIRS_H

#include "permc/Targets/TargetFamily.h"

namespace permc {

/// A tile of words that moves them in pairs or more, where buffers are aligned.
std::unique_ptr<OwnTile> makeWordPairs(const TileSite &site);

} // namespace permc

#endif // PERMC_CODEGEN_TARGETS_ARM_LOWERING_EMITWORDPAIRS_H
