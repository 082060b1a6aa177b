//===- RandomSuite.h - cases drawn by a seed --------------------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_BENCH_RANDOMSUITE_H
#define PERMC_BENCH_RANDOMSUITE_H

#include "CaseFile.h"

namespace permc::bench {

/// Shapes nobody chose: 40 cases of rank 2 to 7 with sizes that divide by
/// nothing in particular, 100 KB to 100 MB, elements of 1, 2, 4 and 8 bytes.
/// The same seed gives the same cases on every machine.
std::vector<Case> randomSuite(uint64_t seed);

} // namespace permc::bench

#endif // PERMC_BENCH_RANDOMSUITE_H
