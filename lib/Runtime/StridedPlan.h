//===- StridedPlan.h - loops where one side has gaps ------------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_LIB_RUNTIME_STRIDEDPLAN_H
#define PERMC_LIB_RUNTIME_STRIDEDPLAN_H

#include "GenericPlan.h"

#include <span>

namespace permc {

/// Plans what no tile and no contiguous run moves: a side has no contiguous
/// dim, or src repeats or reverses that of dst. Dims are those of a canonical
/// problem. False if it is none of these; the plan is as it was then.
bool planStrided(std::span<const LoopDim> dims, int64_t element,
                 const TargetFacts &facts, GenericPlan &plan);

} // namespace permc

#endif // PERMC_LIB_RUNTIME_STRIDEDPLAN_H
