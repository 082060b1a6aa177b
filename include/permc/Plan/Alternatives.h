//===- Alternatives.h - other schedules for a problem -----------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A schedule is chosen by what is known of a machine. Where kernels can be
// measured it need not be the last word: here are others to measure it with.
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_PLAN_ALTERNATIVES_H
#define PERMC_PLAN_ALTERNATIVES_H

#include "permc/Plan/Schedule.h"

#include <vector>

namespace permc {

/// The chosen schedule, and after it what was proposed beside it, the least
/// cost first: so many in all. Nothing is proposed for machines without times.
/// No two are the same, and all can be carried out.
std::vector<Schedule> candidates(const Problem &canonical,
                                 const TargetFacts &facts, size_t most = 24);

/// The schedules that differ from `schedule` in one step: two loops change
/// places, a block goes or has another size, a tile or a panel has twice or
/// half as much of a dim, more or less is prefetched. No two are the same,
/// and all can be carried out.
std::vector<Schedule> neighbours(const Problem &canonical,
                                 const Schedule &schedule);

} // namespace permc

#endif // PERMC_PLAN_ALTERNATIVES_H
