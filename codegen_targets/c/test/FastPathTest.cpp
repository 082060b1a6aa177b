//===- FastPathTest.cpp - fast code, and code for any buffer --------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../FastPath.h"
#include "PlanTesting.h"
#include "words/WordScheduler.h"

#include "gtest/gtest.h"

using namespace permc;

namespace {

/// The tiles at the ends of dims are proven too.
TEST(FastPath, IsThereForAllShapes) {
  for (bool unaligned : {false, true})
    for (int64_t element : {1, 2, 3, 4, 8})
      for (int64_t rows : {1, 2, 7, 13, 16, 33})
        for (int64_t columns : {1, 3, 4, 8, 17}) {
          Problem problem = problemOf(element, {rows, 3, columns}, {2, 1, 0});
          TargetFacts facts = smallMachine(unaligned ? 8 : 4, unaligned);
          Schedule schedule = chooseWordSchedule(problem, facts);
          EXPECT_TRUE(fastPath(problem, schedule, facts)) << spell(problem);
        }
}

TEST(FastPath, AsksOnlyForWhatItUses) {
  TargetFacts strict = smallMachine(4, false), loose = smallMachine(8, true);
  auto pathOf = [](const Problem &problem, const TargetFacts &facts) {
    return *fastPath(problem, chooseWordSchedule(problem, facts), facts);
  };
  Problem odd = problemOf(1, {8, 5, 7}, {2, 1, 0});
  EXPECT_FALSE(pathOf(odd, strict).needsOther());
  Problem square = problemOf(1, {16, 16}, {1, 0});
  EXPECT_EQ(pathOf(square, strict).srcAlignment, 4);
  EXPECT_EQ(pathOf(square, strict).dstAlignment, 2);
  EXPECT_EQ(pathOf(square, loose).srcAlignment, 4);
  EXPECT_EQ(pathOf(square, loose).dstAlignment, 1);
  EXPECT_TRUE(pathOf(square, loose).littleEndian);
  Problem copy = problemOf(4, {16}, {0});
  EXPECT_FALSE(pathOf(copy, strict).littleEndian);
}

} // namespace
