//===- NaiveLoop.h - one element at a time ----------------------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_TOOLS_MEASURE_NAIVELOOP_H
#define PERMC_TOOLS_MEASURE_NAIVELOOP_H

#include "permc/Plan/Problem.h"

namespace permc {

/// Carries out `problem` in the order of the output, one element at a time,
/// for a shape that is only known at run time.
void naiveLoop(const Problem &problem, const void *src, void *dst);

} // namespace permc

#endif // PERMC_TOOLS_MEASURE_NAIVELOOP_H
