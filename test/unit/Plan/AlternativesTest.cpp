//===- AlternativesTest.cpp - other schedules for a problem ---------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "permc/Plan/Alternatives.h"
#include "permc/Plan/Cost.h"

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
  facts.cycleNs = 0.3;
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

TEST(PlanCandidates, BeginWithTheChosenOne) {
  const TargetFacts facts = machine();
  for (const Dims &shape : {Dims{3001, 2003}, Dims{4096, 4096}, Dims{37, 53}})
    for (int64_t element : {1, 2, 4, 8, 12, 16}) {
      const Problem problem = *Problem::make(element, shape, {1, 0});
      const std::vector<Schedule> found = candidates(problem, facts);
      ASSERT_FALSE(found.empty());
      EXPECT_EQ(found.front(), chooseSchedule(problem, facts));
      expectUsable(problem, found);
    }
}

TEST(PlanCandidates, AreOfEveryKindThatMayBeFast) {
  // Large enough to be streamed, and rows that share sets.
  const Problem problem = *Problem::make(4, {2049, 2049}, {1, 0});
  const std::vector<Schedule> found = candidates(problem, machine(), 1000);
  for (bool streaming : {false, true})
    for (bool panels : {false, true})
      EXPECT_TRUE(hasOne(found,
                         [&](const Schedule &one) {
                           return one.streaming == streaming &&
                                  one.panel.has_value() == panels;
                         }) ||
                  (streaming && !panels)) // rows are no whole lines
          << streaming << panels;
}

TEST(PlanCandidates, ComeByTheirCosts) {
  const Problem problem = *Problem::make(2, {333, 50, 127}, {2, 1, 0});
  const TargetFacts facts = machine();
  const std::vector<Schedule> found = candidates(problem, facts);
  ASSERT_GT(found.size(), 10u);
  double least = 0;
  for (size_t i = 1; i < found.size(); ++i) {
    const auto its = cost(problem, found[i], facts, facts);
    ASSERT_TRUE(its);
    EXPECT_GE(its->total(), 0.999 * least);
    least = its->total();
  }
}

TEST(PlanCandidates, OfNothingThereAreNone) {
  const Problem empty = *Problem::make(4, {0, 5}, {1, 0});
  EXPECT_EQ(candidates(empty, machine()).size(), 1u);
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
           one.prefetch.srcBytes != schedule.prefetch.srcBytes;
  }));
  EXPECT_TRUE(hasOne(found, [&](const Schedule &one) {
    return one.loops != schedule.loops &&
           std::ranges::is_permutation(one.loops, schedule.loops);
  }));
}

TEST(PlanNeighbours, HaveOtherPanels) {
  const Problem problem = *Problem::make(1, {10007, 9001}, {1, 0});
  const Schedule schedule = chooseSchedule(problem, machine());
  ASSERT_TRUE(schedule.panel);
  const std::vector<Schedule> found = neighbours(problem, schedule);
  expectUsable(problem, found);
  EXPECT_TRUE(hasOne(found, [&](const Schedule &one) {
    return one.panel->extent[0] == schedule.panel->extent[0] / 2;
  }));
  EXPECT_TRUE(hasOne(found, [&](const Schedule &one) {
    return one.panel->extent[1] > schedule.panel->extent[1];
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
