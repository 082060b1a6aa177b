//===- CalibrateTest.cpp - what is made of measured times -----------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The times are made up, so that nothing here depends on a machine. That this
// one can be measured is test/CommandLine/calibrate.test.
//
//===----------------------------------------------------------------------===//

#include "../../../tools/calibrate/Calibrate.h"
#include "../../../tools/calibrate/Round.h"

#include "permc/Frontend/MachineFile.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <set>

using namespace permc;

namespace {

Machine blank() {
  Machine machine;
  visitMachine(machine, [](const MachineKey &, auto &value) { value = 0; });
  return machine;
}

TEST(Calibrate, TakesMediansOfWhatWasMeasured) {
  Machine known;
  known.storeCycles = 7;
  std::vector<Machine> rounds;
  for (double time : {2.0, 0.30001, 0.3, 90.0, 0.31}) {
    rounds.push_back(blank());
    rounds.back().l2Ns = time;
    rounds.back().l3Bytes = time > 50 ? 1000 : 12345678;
  }
  const Calibration found = summarize(known, rounds);
  EXPECT_EQ(found.machine.l2Ns, 0.31);
  EXPECT_EQ(found.machine.l3Bytes, 12345678);
  EXPECT_EQ(found.machine.storeCycles, 7);
  EXPECT_FALSE(found.origins.contains("storeCycles"));
  EXPECT_EQ(found.origins.at("l2Ns").kind, Origin::Measured);
  EXPECT_NEAR(found.origins.at("l2Ns").spread, (2 - 0.30001) / 2 / 0.31, 1e-9);
  EXPECT_EQ(found.origins.at("l3Bytes").spread, 0);
}

TEST(Calibrate, RoundsToWhatIsWorthWriting) {
  Machine round = blank();
  round.memoryNs = 2.34567;
  EXPECT_EQ(summarize(Machine(), {round}).machine.memoryNs, 2.35);
}

TEST(Calibrate, RefusesTimesThatCannotBe) {
  Machine machine;
  machine.cycleNs = 0.3;
  EXPECT_TRUE(checkPlausible(machine));
  Machine slowCache = machine;
  slowCache.l2Ns = 9;
  EXPECT_EQ(checkPlausible(slowCache).error().message,
            "the times contradict one another: a line from the second cache "
            "takes 9 ns, one from memory 2.2 ns; expected a machine that is no "
            "emulator, and with a core to spare");
  Machine noOrder = machine;
  noOrder.memoryRandomNs = 1;
  EXPECT_FALSE(checkPlausible(noOrder));
  Machine slowCore = machine;
  slowCore.cycleNs = 30;
  EXPECT_FALSE(checkPlausible(slowCore));
}

TEST(Calibrate, VisitsEachLineOnce) {
  constexpr int64_t window = 64 << 10;
  const Order straight = ordered(window);
  for (int64_t run : {64, 256, 2048}) {
    const Order order = inRuns(window, run);
    EXPECT_NE(order, straight);
    Order sorted = order;
    std::ranges::sort(sorted);
    EXPECT_EQ(sorted, straight);
    for (size_t i = 0; i < order.size(); ++i)
      if (order[i] % run != 0)
        EXPECT_EQ(order[i], order[i - 1] + 64);
  }
}

TEST(Calibrate, VisitsALineOfEachPage) {
  std::set<int64_t> pages, lines;
  for (uint32_t at : aPage(128)) {
    pages.insert(at / calibratedPage);
    lines.insert(at % calibratedPage);
  }
  EXPECT_EQ(pages.size(), 128u);
  EXPECT_EQ(*pages.rbegin(), 127);
  EXPECT_EQ(lines.size(), 64u); // all sets of a cache
}

TEST(Calibrate, FindsWhereACurveCrosses) {
  const double places[] = {4, 16, 64}, values[] = {1, 0.75, 0.25};
  EXPECT_DOUBLE_EQ(crossing(places, values, 0.5), 32);
  EXPECT_DOUBLE_EQ(crossing(places, values, 2), 4);
  EXPECT_DOUBLE_EQ(crossing(places, values, 0.1), 64);
}

} // namespace
