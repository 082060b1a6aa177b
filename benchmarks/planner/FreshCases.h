//===- FreshCases.h - problems drawn by a seed ------------------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Problems that nobody has looked at: any rank from 2 to 8, elements of 1 to 16
// bytes, sizes for each cache and for memory alike. A planner is judged on
// these, drawn anew each time, and never on the suites alone.
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_BENCHMARKS_PLANNER_FRESHCASES_H
#define PERMC_BENCHMARKS_PLANNER_FRESHCASES_H

#include "CaseFile.h"

namespace permc::bench {

/// So many cases, the same for the same seed. The suite of each is its level:
/// "L1", "L2", "L3", "memory".
std::vector<Case> drawFreshCases(size_t count, uint64_t seed);

} // namespace permc::bench

#endif // PERMC_BENCHMARKS_PLANNER_FRESHCASES_H
