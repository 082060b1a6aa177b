//===- WordPlanner.cpp - the planner of C targets -------------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WordPlanner.h"

#include "WordScheduler.h"

using namespace permc;

namespace {
class WordPlanner : public TargetPlanner {
public:
  std::string name() const override { return "words"; }

  std::optional<ExplainedSchedule>
  choose(const Problem &problem, const TargetFacts &facts) const override {
    if (!facts.wordTiles)
      return std::nullopt;
    if (problem.hasView())
      return {{WordScheduler(problem, facts).runOneByOne(),
               {.kind = "src repeats or reverses a dim"}}};
    return {{chooseWordSchedule(problem, facts),
             {.kind = "the target moves words"}}};
  }
};
} // namespace

const TargetPlanner &permc::wordPlanner() {
  static const WordPlanner planner;
  return planner;
}
