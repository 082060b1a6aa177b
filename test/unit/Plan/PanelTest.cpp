//===- PanelTest.cpp - how panels go out ----------------------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a panel's buffer holds, and which panels are refused. Those that are
// chosen are held to their properties in ChosenNestsTest.cpp.
//
//===----------------------------------------------------------------------===//

#include "permc/Plan/Panel.h"
#include "permc/Plan/Schedule.h"

#include "gtest/gtest.h"

#include <functional>

using namespace permc;

namespace {

/// Rows of 9001 floats, which begin anywhere in a line.
const Problem oddRows = *Problem::make(4, {9001, 5007}, {1, 0});

Schedule panelsOfOddRows() {
  Schedule schedule;
  schedule.kernel = micro::TileTranspose{};
  schedule.tile = {8, 8};
  schedule.panel = Panel{.extent = {16, 160}};
  schedule.loops = {{0, 16}, {1, 160}, {1, 8}, {0, 8}};
  schedule.vectorBytes = 32;
  schedule.streaming = true;
  return schedule;
}

TEST(PlanPanel, RowsThatAreCutAtLinesHaveALineMore) {
  Schedule schedule = panelsOfOddRows();
  ASSERT_TRUE(checkSchedule(oddRows, schedule));
  EXPECT_EQ(panelStage(oddRows, schedule).rowBytes, 4 * 160);
  schedule.panel->wholeLines = true;
  ASSERT_TRUE(checkSchedule(oddRows, schedule));
  const PanelStage stage = panelStage(oddRows, schedule);
  ASSERT_EQ(stage.open, 1u);
  EXPECT_EQ(stage.lineUnits, 16);
  EXPECT_EQ(stage.extent, (Dims{16, 160 + 16}));
  EXPECT_EQ(stage.rowBytes, 4 * stage.extent[1]);
}

TEST(PlanPanel, OneThatFitsAPageLiesInOne) {
  EXPECT_EQ(panelAlignment(576), 1024);
  EXPECT_EQ(panelAlignment(4032), 4096);
  EXPECT_EQ(panelAlignment(40 << 10), 4096);
}

TEST(PlanPanel, RefusesWhatCannotBeCut) {
  const Problem problem = *Problem::make(4, {1001, 507}, {1, 0});
  Schedule good;
  good.kernel = micro::TileTranspose{};
  good.tile = {8, 8};
  good.panel = Panel{.extent = {32, 128}};
  good.loops = {{0, 32}, {1, 128}, {1, 8}, {0, 8}};
  good.vectorBytes = 32;
  good.streaming = good.panel->wholeLines = true;
  ASSERT_TRUE(checkSchedule(problem, good));
  auto refuses = [&](const char *message,
                     const std::function<void(Schedule &)> &change) {
    Schedule bad = good;
    change(bad);
    Status status = checkSchedule(problem, bad);
    ASSERT_FALSE(status) << message;
    EXPECT_NE(status.error().message.find(message), std::string::npos)
        << status.error().message;
  };
  refuses("expected more than a tile, and 16 less than the dim",
          [](Schedule &bad) {
            bad.panel->extent = {8, 992};
            bad.loops = {{0, 8}, {1, 992}, {1, 8}};
          });
  refuses("whole lines of panels in blocks or units",
          [](Schedule &bad) { bad.loops.insert(bad.loops.begin(), {1, 512}); });
  refuses("whole lines of panels in blocks or units",
          [](Schedule &bad) { bad.unitLoops = 2; });
}

} // namespace
