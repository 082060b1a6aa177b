//===- PredictTime.cpp - how long a kernel of a model takes ---------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "permc/Models/PlanModel.h"

#include "permc/Plan/Cost.h"
#include "permc/Plan/Simplify.h"

using namespace permc;

std::optional<double> permc::predictSeconds(const Problem &problem,
                                            const Target &target) {
  constexpr double nanosecond = 1e-9;
  const TargetFacts &facts = target.facts;
  const Problem canonical =
      unfold(canonicalize(problem, facts.foldLimit), maxElementBytes);
  const std::optional<Cost> found =
      cost(canonical, chooseSchedule(canonical, facts), facts, facts);
  if (!found)
    return std::nullopt;
  return found->total() * nanosecond;
}
