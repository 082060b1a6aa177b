//===- SkinnyCases.h - shapes beside the beaten path ------------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A few planes interleaved or taken apart, alone and in batches: k x N, N x k,
// B x k x N and N x k x B. Sizes are drawn for each level of the memory, with N
// at every residue of a line and beside powers of two, where schedules that
// suit the usual shapes go wrong.
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_BENCHMARKS_CLIFFS_SKINNYCASES_H
#define PERMC_BENCHMARKS_CLIFFS_SKINNYCASES_H

#include "CaseFile.h"

namespace permc::bench {

/// So many cases, the same for the same seed. The suite of each is its level:
/// "L1", "L2", "L3", "memory".
std::vector<Case> drawSkinnyCases(size_t count, uint64_t seed);

} // namespace permc::bench

#endif // PERMC_BENCHMARKS_CLIFFS_SKINNYCASES_H
