//===- GroupedOrder.h - orders that take dims apart ----------- -*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// "b s (h d) -> b h s d, h=12": names between blanks, one for each dim, and in
// brackets the names of what a dim consists of, the slowest first. Of a group
// on the left all sizes but one must be given. A group on the right makes one
// dim of several.
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_LIB_FRONTEND_GROUPEDORDER_H
#define PERMC_LIB_FRONTEND_GROUPEDORDER_H

#include "permc/Plan/Problem.h"

#include "llvm/ADT/StringRef.h"

namespace permc {

/// A permutation of a tensor seen with its groups apart.
struct GroupedOrder {
  Dims view, perm;
  Dims outShape; ///< with the groups of the right side put together
};

/// True for letters with blanks or brackets; "hwc->chw" has neither.
bool isGroupedOrder(llvm::StringRef order);

/// `shape` is that of the tensor; an error says at which character.
Result<GroupedOrder> readGroupedOrder(llvm::StringRef order, const Dims &shape);

} // namespace permc

#endif // PERMC_LIB_FRONTEND_GROUPEDORDER_H
