//===- SearchTile.h - tiles of even shares ----------------*- C++ -*-===//
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

/// Steps of a tile: compiling must stay quick, and more gain little.
inline constexpr size_t maxTileSteps = 400;

/// Tiles worth a look that may have no more steps than that, in registers of
/// either width.
///
/// `schedule` is a TileTranspose without loops. `columns` are the dims that
/// follow one another in src, `rows` those in dst, fastest first.
std::vector<Schedule>
tileShapes(const Problem &problem, const TargetFacts &facts,
           const Schedule &schedule, const std::vector<size_t> &columns,
           const std::vector<size_t> &rows, size_t mostSteps);

/// The one of the fewest instructions, on machines that count these.
Schedule searchTile(const Problem &problem, const TargetFacts &facts,
                    const Schedule &schedule,
                    const std::vector<size_t> &columns,
                    const std::vector<size_t> &rows);

} // namespace permc

#endif // PERMC_LIB_PLAN_SEARCHTILE_H
