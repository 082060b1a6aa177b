//===- CachedCost.h - the time of a nest in the caches ----------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_LIB_PLAN_COST_CACHEDCOST_H
#define PERMC_LIB_PLAN_COST_CACHEDCOST_H

#include "permc/Plan/Schedule.h"

namespace permc {

/// About how many nanoseconds each line of the tensor takes, of a schedule of
/// TileTranspose tiles that is not streamed; infinity if its tile cannot be
/// made. The machine's caches and their ways must be known.
double cachedCost(const Problem &problem, const Schedule &schedule,
                  const TargetFacts &facts);

/// What no schedule of this problem gets below: each line is loaded and stored
/// to once, and no set has to hold more than it can.
double leastCachedCost();

} // namespace permc

#endif // PERMC_LIB_PLAN_COST_CACHEDCOST_H
