//===- WordTriples.h - transposes of elements of three words ----*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_LIB_PLAN_WORDTRIPLES_H
#define PERMC_LIB_PLAN_WORDTRIPLES_H

#include "permc/Plan/Network.h"

namespace permc {

/// Transposes a tile of elements of `tripleBytes`. Stores follow one another
/// along each column, and none touches a byte that is not the column's.
Network transposeTriples(const TransposeTile &tile);

} // namespace permc

#endif // PERMC_LIB_PLAN_WORDTRIPLES_H
