//===- WordSchedulerTest.cpp - schedules of plain words -------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../WordScheduler.h"
#include "../WordPlanner.h"
#include "PlanTesting.h"

#include "gtest/gtest.h"

using namespace permc;

namespace {

TEST(WordSchedule, TakesElementsOneByOneWhereWordsAreNoUse) {
  TargetFacts strict = smallMachine(4, false);
  EXPECT_EQ(
      kernelName(chooseWordSchedule(problemOf(4, {8, 8}, {1, 0}), strict)),
      micro::Scalar::name);
  EXPECT_EQ(kernelName(
                chooseWordSchedule(problemOf(1, {8, 5, 7}, {2, 1, 0}), strict)),
            micro::Scalar::name);
  EXPECT_EQ(
      kernelName(chooseWordSchedule(problemOf(3, {8, 8}, {1, 0}), strict)),
      micro::Scalar::name);
}

TEST(WordSchedule, PassesTheCheckOfSchedules) {
  for (bool unaligned : {false, true})
    for (int64_t element : {1, 2, 3, 4, 8})
      for (int64_t rows : {1, 2, 7, 13, 16, 33})
        for (int64_t columns : {1, 3, 4, 8, 17}) {
          Problem problem = problemOf(element, {rows, 3, columns}, {2, 1, 0});
          TargetFacts facts = smallMachine(unaligned ? 8 : 4, unaligned);
          Schedule schedule = chooseWordSchedule(problem, facts);
          EXPECT_TRUE(checkSchedule(problem, schedule))
              << spell(problem) << ": " << spell(schedule);
        }
}

/// What is repeated or reversed is moved element by element, and where a target
/// has no words to move the rules choose.
TEST(WordPlanner, ChoosesWhereTargetsMoveWords) {
  TargetFacts facts = smallMachine(4, false);
  const Problem transpose = problemOf(1, {16, 16}, {1, 0}),
                repeated = *Problem::makeWithByteStrides(1, {16, 16}, {1, 0},
                                                         {0, 1}, {16, 1});
  auto chosen = wordPlanner().choose(transpose, facts);
  ASSERT_TRUE(chosen);
  EXPECT_EQ(kernelName(chosen->schedule), micro::WordTranspose::name);
  chosen = wordPlanner().choose(repeated, facts);
  ASSERT_TRUE(chosen);
  EXPECT_EQ(kernelName(chosen->schedule), micro::Scalar::name);
  EXPECT_EQ(chosen->schedule.tile, (Dims{1, 1}));
  EXPECT_TRUE(checkSchedule(repeated, chosen->schedule));
  facts.wordTiles = false;
  EXPECT_FALSE(wordPlanner().choose(transpose, facts));
}

} // namespace
