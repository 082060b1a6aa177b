//===- CeilDiv.h - a quotient, rounded up -----------------------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_PLAN_CEILDIV_H
#define PERMC_PLAN_CEILDIV_H

#include <cstdint>

namespace permc {

/// How many pieces of `b` it takes to hold `a`, up to the largest number. Plan
/// has nothing of LLVM, and so not its divideCeil.
inline int64_t ceilDiv(int64_t a, int64_t b) { return a / b + (a % b > 0); }

} // namespace permc

#endif // PERMC_PLAN_CEILDIV_H
