//===- Nests.h - loops round tiles that stay in the caches ------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_LIB_PLAN_PLANNER_NESTS_H
#define PERMC_LIB_PLAN_PLANNER_NESTS_H

#include "../ScheduleRules.h"

#include <optional>
#include <vector>

namespace permc {

/// Nests worth a look round the tile of a schedule that has no loops: it goes
/// on in src along `column` and in dst along `row`; a tile of runs has neither
/// but the run's dim, as both.
std::vector<Schedule> proposeNests(const Problem &problem,
                                   const TargetFacts &facts,
                                   const Schedule &tile, size_t column,
                                   size_t row, Nests number);

/// The same by way of a panel that is copied by ordinary stores: its lines
/// share no sets, whatever those of src and dst do.
std::vector<Schedule> proposeCopiedPanels(const Problem &problem,
                                          const TargetFacts &facts,
                                          const Schedule &tile, size_t column,
                                          size_t row);

} // namespace permc

#endif // PERMC_LIB_PLAN_PLANNER_NESTS_H
