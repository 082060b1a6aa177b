//===- ShortRows.h - transposes of few rows ---------------------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_LIB_PLAN_SHORTROWS_H
#define PERMC_LIB_PLAN_SHORTROWS_H

#include "permc/Plan/Network.h"

namespace permc {

/// How many rows at the end of a tile are better done by transposeShortRows: as
/// many as are left over by registers of several lanes, if one lane holds them.
size_t shortRows(const TransposeTile &tile);

/// Transposes these last rows of a tile.
void transposeShortRows(Network &network, const TransposeTile &tile);

} // namespace permc

#endif // PERMC_LIB_PLAN_SHORTROWS_H
