//===- LargeWords.h - tiles of plain words on Cortex-M ----------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_CODEGEN_TARGETS_ARM_PLAN_LARGEWORDS_H
#define PERMC_CODEGEN_TARGETS_ARM_PLAN_LARGEWORDS_H

#include "ArmFacts.h"

#include "permc/Plan/Schedule.h"

namespace permc {

/// The schedule for a canonical problem in plain words.
Schedule chooseLargeWords(const Problem &problem, const ArmFacts &facts);

/// ... of a problem with views, element by element.
Schedule chooseLargeWordsOneByOne(const Problem &problem,
                                  const ArmFacts &facts);

/// The same for a problem that `schedule` transposes by vectors, if much of
/// what is moved is less than a word and the machine does that better in plain
/// registers.
std::optional<Schedule> chooseWordsForPieces(const Problem &problem,
                                             const Schedule &schedule,
                                             const ArmFacts &facts);

/// The same for a problem that `gather` gathers, if words execute less.
std::optional<Schedule> chooseWordsForGather(const Problem &problem,
                                             const Schedule &gather,
                                             const ArmFacts &facts);

} // namespace permc

#endif // PERMC_CODEGEN_TARGETS_ARM_PLAN_LARGEWORDS_H
