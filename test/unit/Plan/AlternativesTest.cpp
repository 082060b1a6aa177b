//===- AlternativesTest.cpp - other schedules for a problem ---------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "permc/Plan/Alternatives.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <functional>

using namespace permc;

namespace {

TargetFacts machine() {
  TargetFacts facts;
  facts.vectorBytes = 32;
  facts.foldLimit = 16;
  facts.byteShuffle = facts.streamingStores = true;
  facts.l1Ways = 8;
  facts.l2Bytes = 512 << 10;
  return facts;
}

/// No two are the same, and each can be carried out.
void expectUsable(const Problem &problem,
                  const std::vector<Schedule> &schedules) {
  for (size_t i = 0; i < schedules.size(); ++i) {
    EXPECT_TRUE(checkSchedule(problem, schedules[i])) << i;
    EXPECT_TRUE(tileNetwork(problem, schedules[i])) << i;
    for (size_t j = 0; j < i; ++j)
      EXPECT_FALSE(schedules[i] == schedules[j]) << i << " and " << j;
  }
}

bool hasOne(const std::vector<Schedule> &schedules,
            const std::function<bool(const Schedule &)> &isIt) {
  return std::ranges::any_of(schedules, isIt);
}

TEST(PlanAlternatives, BeginWithTheChosenOne) {
  const TargetFacts facts = machine();
  for (const Dims &shape : {Dims{3001, 2003}, Dims{4096, 4096}, Dims{37, 53}})
    for (int64_t element : {1, 2, 4, 8, 12, 16}) {
      const Problem problem = *Problem::make(element, shape, {1, 0});
      const std::vector<Schedule> found = alternatives(problem, facts);
      ASSERT_FALSE(found.empty());
      EXPECT_EQ(found.front(), chooseSchedule(problem, facts));
      expectUsable(problem, found);
    }
}

TEST(PlanAlternatives, AreThoseOfOtherMachines) {
  const Problem problem = *Problem::make(4, {3001, 2003}, {1, 0});
  const std::vector<Schedule> found = alternatives(problem, machine());
  const Dims panel = found.front().panel;
  ASSERT_FALSE(panel.empty());
  EXPECT_TRUE(hasOne(found, [](const Schedule &one) {
    return !one.streaming && one.panel.empty();
  }));
  EXPECT_TRUE(hasOne(found, [&](const Schedule &one) {
    return !one.panel.empty() && one.panel != panel;
  }));
  EXPECT_TRUE(
      hasOne(found, [](const Schedule &one) { return one.vectorBytes == 16; }));
}

TEST(PlanAlternatives, OfNothingThereAreNone) {
  const Problem empty = *Problem::make(4, {0, 5}, {1, 0});
  EXPECT_EQ(alternatives(empty, machine()).size(), 1u);
  EXPECT_TRUE(neighbours(empty, chooseSchedule(empty, machine())).empty());
}

TEST(PlanNeighbours, DifferInOneStep) {
  const Problem problem = *Problem::make(4, {4112, 4112}, {1, 0});
  const Schedule schedule = chooseSchedule(problem, machine());
  ASSERT_TRUE(schedule.streaming);
  ASSERT_GE(schedule.loops.size(), 2u);
  const std::vector<Schedule> found = neighbours(problem, schedule);
  expectUsable(problem, found);
  EXPECT_FALSE(
      hasOne(found, [&](const Schedule &one) { return one == schedule; }));
  auto hasTile = [&](size_t dim, int64_t size) {
    return hasOne(found,
                  [&](const Schedule &one) { return one.tile[dim] == size; });
  };
  EXPECT_TRUE(hasTile(0, schedule.tile[0] / 2));
  EXPECT_TRUE(hasTile(0, schedule.tile[0] * 2));
  EXPECT_TRUE(hasOne(found, [&](const Schedule &one) {
    return one.tile == schedule.tile &&
           one.prefetchBytes != schedule.prefetchBytes;
  }));
  EXPECT_TRUE(hasOne(found, [&](const Schedule &one) {
    return one.loops != schedule.loops &&
           std::ranges::is_permutation(one.loops, schedule.loops);
  }));
}

TEST(PlanNeighbours, HaveOtherPanels) {
  const Problem problem = *Problem::make(1, {10007, 9001}, {1, 0});
  const Schedule schedule = chooseSchedule(problem, machine());
  ASSERT_FALSE(schedule.panel.empty());
  const std::vector<Schedule> found = neighbours(problem, schedule);
  expectUsable(problem, found);
  EXPECT_TRUE(hasOne(found, [&](const Schedule &one) {
    return one.panel[0] == schedule.panel[0] / 2;
  }));
  EXPECT_TRUE(hasOne(found, [&](const Schedule &one) {
    return one.panel[1] > schedule.panel[1];
  }));
}

/// What is two or three steps away is checked before it is measured, too.
TEST(PlanNeighbours, OfNeighboursAreUsable) {
  for (int64_t element : {1, 3, 4, 16})
    for (const Dims &shape : {Dims{7, 9}, Dims{3, 2}, Dims{37, 53}}) {
      const Problem problem = *Problem::make(element, shape, {1, 0});
      for (const Schedule &one :
           neighbours(problem, chooseSchedule(problem, machine())))
        for (const Schedule &two : neighbours(problem, one))
          ASSERT_TRUE(checkSchedule(problem, two)) << element;
    }
}

} // namespace
