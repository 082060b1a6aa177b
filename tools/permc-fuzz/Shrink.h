//===- Shrink.h - the smallest case that fails ------------------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_TOOLS_PERMC_FUZZ_SHRINK_H
#define PERMC_TOOLS_PERMC_FUZZ_SHRINK_H

#include "Case.h"

#include <functional>

namespace permc::fuzz {

/// Cases that are a little simpler than this one, the boldest steps first.
std::vector<Case> simplerCases(const Case &one);

/// Goes to simpler cases for as long as one of them fails, but tries no more
/// than `mostTries`.
Case shrink(Case failing, const std::function<bool(const Case &)> &fails,
            int mostTries);

} // namespace permc::fuzz

#endif // PERMC_TOOLS_PERMC_FUZZ_SHRINK_H
