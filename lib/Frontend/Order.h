//===- Order.h - how people spell orders ---------------------- -*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The spellings that all conventions share: lists of numbers and letters. What
// the numbers mean is the convention's business.
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_LIB_FRONTEND_ORDER_H
#define PERMC_LIB_FRONTEND_ORDER_H

#include "permc/Plan/Problem.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <optional>

namespace permc {

/// The entries of "2,0,1", "2 0 1" or "[2, 0, 1]", trimmed. An entry is empty
/// where a comma has nothing beside it.
llvm::SmallVector<llvm::StringRef> splitList(llvm::StringRef text);

/// The axes of an order in numbers, as they were written. A number too large
/// for int64 is an axis out of range, not a size that overflows.
Result<Dims> readAxes(llvm::StringRef order);

/// rank-1, ..., 1, 0: what no order at all means to some.
Dims reversedAxes(size_t rank);

/// The first axis that occurs a second time.
std::optional<int64_t> firstRepeated(const Dims &axes);

/// True for orders in letters: "hwc->chw".
/// "; did you mean 2,0,1?" for the order "201" of a tensor of rank 3, and
/// nothing for an order that is spelled as one.
std::string hintAtDigits(llvm::StringRef order, size_t rank);

bool isLetterOrder(llvm::StringRef order);

/// The permutation that "hwc->chw" asks for: the left side names the dims of a
/// tensor of the given rank, the right side those of the result.
Result<Dims> readLetterOrder(llvm::StringRef order, size_t rank);

} // namespace permc

#endif // PERMC_LIB_FRONTEND_ORDER_H
