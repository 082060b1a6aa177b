//===- ArmMachines.h - made-up machines of ARM's kinds ----------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_CODEGEN_TARGETS_ARM_TEST_ARMMACHINES_H
#define PERMC_CODEGEN_TARGETS_ARM_TEST_ARMMACHINES_H

#include "permc/Plan/TargetFacts.h"

#include <vector>

namespace permc {

/// Machines with structure moves, vectors of half the width and of unknown
/// length, large tiles of words, pairs of them, gathers, pairs of vectors, more
/// of them from which addresses step on, words that trade bytes and are loaded
/// eight at a time, halves of vectors that are best loaded and vectors that are
/// loaded four at a time, and tables. None of them counts instructions.
std::vector<TargetFacts> armMachines();

} // namespace permc

#endif // PERMC_CODEGEN_TARGETS_ARM_TEST_ARMMACHINES_H
