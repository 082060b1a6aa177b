//===- SearchTile.h - the tile that takes the least work --------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_LIB_PLAN_SEARCHTILE_H
#define PERMC_LIB_PLAN_SEARCHTILE_H

#include "permc/Plan/Schedule.h"

#include <vector>

namespace permc {

/// The work of all tiles, what they do twice at the ends of dims included.
double workOf(const Problem &problem, const Schedule &schedule,
              const TargetFacts &facts);

/// The tile and the registers that make the work of all tiles least, what they
/// do twice where they overlap included: where the first cache holds both
/// tensors nothing else counts. Elsewhere, whole lines count too, and a tile
/// has to be so much better that they do not.
///
/// `schedule` is a TileTranspose without loops. `columns` are the dims that
/// follow one another in src, `rows` those in dst, fastest first.
Schedule searchTile(const Problem &problem, const TargetFacts &facts,
                    Schedule schedule, const std::vector<size_t> &columns,
                    const std::vector<size_t> &rows);

} // namespace permc

#endif // PERMC_LIB_PLAN_SEARCHTILE_H
