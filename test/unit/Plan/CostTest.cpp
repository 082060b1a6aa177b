//===- CostTest.cpp - predictions follow physics --------------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is asserted is what must hold on any machine: which way a prediction
// moves if a quantity of the machine or a part of the schedule does.
//
//===----------------------------------------------------------------------===//

#include "permc/Plan/Cost.h"

#include "permc/Plan/Simplify.h"
#include "permc/Targets/Target.h"

#include <gtest/gtest.h>

using namespace permc;

namespace {

TargetFacts factsOf(const char *target) { return findTarget(target)->facts; }

Problem problemOf(int64_t element, const Dims &shape, const Dims &perm) {
  return canonicalize(*Problem::make(element, shape, perm), 16);
}

Cost costOf(const Problem &problem, const Schedule &schedule,
            const TargetFacts &facts) {
  auto found = cost(problem, schedule, facts, facts);
  EXPECT_TRUE(found);
  return found.value_or(Cost{});
}

Cost costOfChosen(const Problem &problem, const TargetFacts &facts) {
  return costOf(problem, chooseSchedule(problem, facts), facts);
}

TEST(PlanCost, IsOfMachinesWithTimes) {
  const Problem problem = problemOf(4, {64, 64}, {1, 0});
  for (const char *name : {"cortex-m4", "aarch64"}) {
    const TargetFacts facts = factsOf(name);
    EXPECT_FALSE(cost(problem, chooseSchedule(problem, facts), facts, facts))
        << name;
  }
  EXPECT_GT(costOfChosen(problem, factsOf("x86-64-v3")).total(), 0);
}

TEST(PlanCost, HasPartsThatAddUpToLessThanTheirSum) {
  const TargetFacts facts = factsOf("x86-64-v3");
  for (const Dims &shape : {Dims{8, 8}, {300, 300}, {2000, 2100}, {7, 900000}})
    for (int64_t element : {1, 2, 4, 8}) {
      const Cost found = costOfChosen(problemOf(element, shape, {1, 0}), facts);
      for (double part : {found.work, found.read, found.write, found.tlb})
        EXPECT_GE(part, 0);
      EXPECT_GT(found.total(), 0);
      EXPECT_GE(found.overlap, -1e-6 * found.total());
      // Nothing is faster than what takes longest of it.
      EXPECT_GE(found.total() * 1.000001,
                std::max({found.work, found.read, found.write}));
    }
}

TEST(PlanCost, GrowsWithTheTimesOfTheMachineThatTheProblemNeeds) {
  const Problem small = problemOf(4, {32, 32}, {1, 0}),
                large = problemOf(4, {4000, 4100}, {1, 0});
  const TargetFacts facts = factsOf("x86-64-v3");
  TargetFacts slowMemory = facts, slowCore = facts;
  slowMemory.memoryNs *= 4;
  slowMemory.memoryRandomNs *= 4;
  slowMemory.streamedNs *= 4;
  slowCore.cycleNs *= 4;
  auto slower = [&](const Problem &problem, const TargetFacts &than) {
    const Schedule schedule = chooseSchedule(problem, facts);
    return costOf(problem, schedule, than).total() /
           costOf(problem, schedule, facts).total();
  };
  EXPECT_LT(slower(small, slowMemory), 1.01);
  EXPECT_GT(slower(small, slowCore), 3);
  EXPECT_GT(slower(large, slowMemory), 2);
  EXPECT_LT(slower(large, slowCore), 3);
}

/// Rows a power of two apart fall into few sets, and lines are fetched again
/// and again; a few bytes more between them and they are not.
TEST(PlanCost, SeesSetConflicts) {
  const TargetFacts facts = factsOf("x86-64-v3");
  auto perByte = [&](int64_t columns) {
    const Problem problem = problemOf(4, {256, columns}, {1, 0});
    Schedule schedule;
    schedule.kernel = micro::TileTranspose{};
    schedule.tile = {8, 8};
    schedule.vectorBytes = 32;
    // Along dst: a line of each of 256 rows of src before the next columns.
    schedule.loops = {{0, 8}, {1, 8}};
    EXPECT_TRUE(checkSchedule(problem, schedule));
    return costOf(problem, schedule, facts).read /
           static_cast<double>(problem.bytesMoved());
  };
  EXPECT_GT(perByte(1024), 1.3 * perByte(1024 + 48));
}

/// Blocks that the first cache holds are read once.
TEST(PlanCost, PrefersBlocks) {
  const TargetFacts facts = factsOf("x86-64-v3");
  const Problem problem = problemOf(4, {1500, 1500}, {1, 0});
  Schedule plain;
  plain.kernel = micro::TileTranspose{};
  plain.tile = {8, 8};
  plain.vectorBytes = 32;
  plain.loops = {{0, 8}, {1, 8}};
  Schedule blocked = plain;
  blocked.loops = {{1, 64}, {0, 8}, {1, 8}};
  EXPECT_LT(costOf(problem, blocked, facts).read,
            0.8 * costOf(problem, plain, facts).read);
  const std::vector<Schedule> sorted =
      leastCostFirst(problem, facts, {plain, blocked});
  EXPECT_EQ(sorted.front(), blocked);
}

/// Lines that are streamed are not read first.
TEST(PlanCost, PrefersStreamsBeyondTheCaches) {
  const TargetFacts facts = factsOf("x86-64-v3");
  const Problem problem = problemOf(8, {4096, 4100}, {1, 0});
  const Schedule streamed = chooseSchedule(problem, facts);
  ASSERT_TRUE(streamed.streaming);
  TargetFacts cached = facts;
  cached.streamingStores = false;
  EXPECT_LT(costOf(problem, streamed, facts).write,
            costOfChosen(problem, cached).write);
}

} // namespace
