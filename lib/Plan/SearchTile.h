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

/// Work of one tile: its steps. A shuffle of more than half a cache line counts
/// twice, for machines have two units for shuffles of up to that, or take two
/// turns for more.
int64_t tileWork(const Network &network);

/// Where the first cache holds both tensors, nothing counts but the work of all
/// tiles, what they do twice where they overlap included. Returns `schedule`, a
/// TileTranspose without loops, with the tile and the registers that make it
/// least. `columns` are the dims that follow one another in src, `rows` those
/// in dst, fastest first.
Schedule searchTile(const Problem &problem, const TargetFacts &facts,
                    Schedule schedule, const std::vector<size_t> &columns,
                    const std::vector<size_t> &rows);

} // namespace permc

#endif // PERMC_LIB_PLAN_SEARCHTILE_H
