//===- Alternatives.h - other schedules for a problem -----------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rules choose a schedule by what is known of a machine. Where kernels can be
// measured it need not be the last word: here are others to measure it with.
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_PLAN_ALTERNATIVES_H
#define PERMC_PLAN_ALTERNATIVES_H

#include "permc/Plan/Schedule.h"

#include <vector>

namespace permc {

/// The schedule that the rules choose, first, and those that they would choose
/// if one fact of the machine were another. No two are the same.
std::vector<Schedule> alternatives(const Problem &canonical,
                                   const TargetFacts &facts);

/// The schedules that differ from `schedule` in one step: two loops change
/// places, a block goes or has another size, a tile or a panel has twice or
/// half as much of a dim, more or less is asked for ahead. No two are the same,
/// and all can be carried out.
std::vector<Schedule> neighbours(const Problem &canonical,
                                 const Schedule &schedule);

} // namespace permc

#endif // PERMC_PLAN_ALTERNATIVES_H
