//===- TileWork.h - the cycles of a tile ------------------------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_LIB_PLAN_COST_TILEWORK_H
#define PERMC_LIB_PLAN_COST_TILEWORK_H

#include "permc/Plan/Cost.h"
#include "permc/Plan/Schedule.h"

namespace permc {

/// All tiles begin at multiples of so many bytes, up to a line.
int64_t tileAlignment(const std::vector<LoopDim> &dims, const Dims &tile,
                      int64_t LoopDim::*stride, const Machine &machine);

/// Of all tiles, what they do twice at the ends of dims included, and of a loop
/// that has a turn for each.
double allTilesWork(const Problem &problem, const Dims &tile,
                    const Network &network, const Isa &isa,
                    const Machine &machine);

} // namespace permc

#endif // PERMC_LIB_PLAN_COST_TILEWORK_H
