//===- WordPlanner.h - the planner of C targets -----------------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_CODEGEN_TARGETS_WORDS_WORDPLANNER_H
#define PERMC_CODEGEN_TARGETS_WORDS_WORDPLANNER_H

#include "permc/Plan/TargetPlanner.h"

namespace permc {

/// Moves words, by WordScheduler.h alone.
const TargetPlanner &wordPlanner();

} // namespace permc

#endif // PERMC_CODEGEN_TARGETS_WORDS_WORDPLANNER_H
