//===- ArmPlanner.cpp - schedules of ARM and Cortex-M ---------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ArmPlanner.h"

#include "ChooseLastTiles.h"
#include "CountedTile.h"
#include "LargeWords.h"
#include "Structures.h"
#include "VectorMoves.h"

using namespace permc;

std::optional<ExplainedSchedule>
ArmPlanner::choose(const Problem &problem, const TargetFacts &facts) const {
  if (!facts.wordTiles)
    return std::nullopt;
  if (problem.hasView())
    return {{chooseLargeWordsOneByOne(problem, with(facts)),
             {.kind = "src repeats or reverses a dim"}}};
  if (facts.vectorBytes == 0)
    return {{chooseLargeWords(problem, with(facts)),
             {.kind = "the target moves words"}}};
  return std::nullopt;
}

std::optional<OwnMoves> ArmPlanner::tryTile(const Problem &problem,
                                            const TargetFacts &facts,
                                            size_t src, size_t dst) const {
  if (auto streams = tryStreams(problem, with(facts), src, dst))
    return streams;
  return tryGather(problem, facts, src, dst);
}

Dims ArmPlanner::growTile(const Problem &problem, const TargetFacts &facts,
                          const Schedule &schedule,
                          const std::vector<size_t> &growth,
                          const std::vector<size_t> &order) const {
  return countedTile(problem, with(facts), schedule, growth, order).tile;
}

Schedule ArmPlanner::joinMoves(const Problem &problem, const TargetFacts &facts,
                               Schedule schedule, size_t column,
                               size_t row) const {
  return chooseVectorMoves(problem, facts, std::move(schedule), column, row);
}

Schedule ArmPlanner::finish(const Problem &problem, const TargetFacts &facts,
                            Schedule schedule) const {
  return withLastTiles(problem, std::move(schedule), facts);
}

std::optional<ExplainedSchedule>
ArmPlanner::improve(const Problem &problem, const TargetFacts &facts,
                    const ExplainedSchedule &chosen) const {
  const ArmFacts arm = with(facts);
  const Schedule &schedule = chosen.schedule;
  if (facts.wordTiles && is<micro::Scalar>(schedule))
    return {{chooseLargeWords(problem, arm),
             {.kind = chosen.reasons.kind + "; words are moved instead"}}};
  if (auto streams = chooseShortStreams(problem, arm, schedule))
    return streams;
  if (auto words = chooseWordsForPieces(problem, schedule, arm))
    return {{std::move(*words),
             {.kind = "vectors of a tile would be moved in pieces"}}};
  if (auto elements = chooseElements(problem, arm, schedule))
    return {{std::move(*elements),
             {.kind = "elements one by one take fewer instructions"}}};
  if (auto words = chooseWordsForGather(problem, schedule, arm))
    return {{std::move(*words),
             {.kind = "words take fewer instructions than gathers"}}};
  return std::nullopt;
}
