//===- CachedNests.h - the nest of the least cost in the caches -*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_LIB_PLAN_PLANNER_CACHEDNESTS_H
#define PERMC_LIB_PLAN_PLANNER_CACHEDNESTS_H

#include "permc/Plan/Schedule.h"

namespace permc {

/// The tile, the loops and perhaps the panel that take the least time, of
/// `chosen`, a TileTranspose that is not streamed, and others like it. `column`
/// is the dim along which its tiles follow one another in src, `row` that in
/// dst. It is `chosen` itself unless another is clearly better.
Schedule leastCachedNest(const Problem &problem, const TargetFacts &facts,
                         Schedule chosen, size_t column, size_t row);

} // namespace permc

#endif // PERMC_LIB_PLAN_PLANNER_CACHEDNESTS_H
