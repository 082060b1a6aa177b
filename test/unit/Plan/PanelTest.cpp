//===- PanelTest.cpp - how panels go out ----------------------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which panels are cut at lines, which go out while the next one fills, and
// which schedules that say so are refused.
//
//===----------------------------------------------------------------------===//

#include "permc/Plan/Panel.h"
#include "permc/Plan/CeilDiv.h"
#include "permc/Plan/Schedule.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <functional>

using namespace permc;

namespace {

TargetFacts machine() {
  TargetFacts facts;
  facts.vectorBytes = 32;
  facts.foldLimit = 16;
  facts.byteShuffle = true;
  facts.streamingStores = true;
  facts.panelBytes = 32 << 10;
  facts.l2Bytes = 512 << 10;
  facts.cutsAtLines = true;
  return facts;
}

Schedule choose(int64_t element, const Dims &shape, const Dims &perm,
                const TargetFacts &facts = machine()) {
  return chooseSchedule(*Problem::make(element, shape, perm), facts);
}

TEST(PlanPanel, RowsThatAreNoLinesAreCutAtLines) {
  const Dims shape = {9001, 5007}, perm = {1, 0};
  const Schedule schedule = choose(4, shape, perm);
  EXPECT_TRUE(schedule.wholeLines);
  // No block ends between two lines, and nothing is stored that must be read.
  EXPECT_EQ(std::ranges::count(schedule.loops, 1, &Loop::dim), 2);
  EXPECT_EQ(schedule.prefetchDstBytes, 0);
  const PanelStage stage = panelStage(*Problem::make(4, shape, perm), schedule);
  ASSERT_EQ(stage.open, 1u);
  EXPECT_EQ(stage.lineUnits, 16);
  EXPECT_EQ(stage.extent[1], schedule.panel[1] + 16);
  EXPECT_EQ(stage.rowBytes, 4 * stage.extent[1]);

  TargetFacts facts = machine();
  facts.cutsAtLines = false;
  EXPECT_FALSE(choose(4, shape, perm, facts).wholeLines);
}

TEST(PlanPanel, LinesAndShortRowsAreNotCut) {
  // Rows that are whole lines are streamed without a panel, or in one as they
  // are; one of 300 bytes is all there is of it.
  EXPECT_FALSE(choose(4, {9008, 5008}, {1, 0}).wholeLines);
  EXPECT_FALSE(choose(1, {300, 100000}, {1, 0}).wholeLines);
}

TEST(PlanPanel, OneThatFitsAPageLiesInOne) {
  EXPECT_EQ(panelAlignment(576), 1024);
  EXPECT_EQ(panelAlignment(4032), 4096);
  EXPECT_EQ(panelAlignment(40 << 10), 4096);
  // Runs are put together in such panels, with the line that is cut off.
  TargetFacts facts = machine();
  const Dims shape = {901, 507, 33}, perm = {1, 0, 2};
  const Problem problem = *Problem::make(4, shape, perm);
  auto bufferBytes = [&] {
    return panelStage(problem, chooseSchedule(problem, facts)).bufferBytes;
  };
  EXPECT_GT(bufferBytes(), 8 << 10);
  facts.runPanelBytes = 3 << 10;
  EXPECT_GT(bufferBytes(), 2 << 10);
  EXPECT_LE(bufferBytes(), 4 << 10);
}

TEST(PlanPanel, RowsOfSomeLinesByOneTileOfColumns) {
  TargetFacts facts = machine();
  facts.panelRowLines = 12;
  const Dims perm = {1, 0};
  for (int64_t element : {4, 8}) {
    const Schedule schedule = choose(element, {9001, 5007}, perm, facts);
    EXPECT_EQ(schedule.panel[0], schedule.tile[0]) << element;
    EXPECT_EQ(schedule.panel[1] * element, 12 * 64) << element;
  }
  // Bytes take many shuffles, short rows are whole, and a row of several dims
  // would be too many.
  TargetFacts without = machine();
  auto isAsBefore = [&](int64_t element, const Dims &shape, const Dims &perm) {
    return choose(element, shape, perm, facts) ==
           choose(element, shape, perm, without);
  };
  EXPECT_TRUE(isAsBefore(1, {10007, 9001}, perm));
  EXPECT_TRUE(isAsBefore(4, {65, 167688}, perm));
  EXPECT_TRUE(isAsBefore(4, {35, 34, 36, 33, 36}, {3, 1, 4, 2, 0}));
  // Lines of rows that are nearly a multiple of 4 KiB apart would be gone
  // before the next columns come.
  facts.l1Ways = without.l1Ways = 8;
  EXPECT_TRUE(isAsBefore(4, {4097, 4097}, perm));
  EXPECT_TRUE(isAsBefore(8, {3001, 4095}, perm));
  EXPECT_FALSE(isAsBefore(4, {4097, 4101}, perm));
}

/// Few rows at a time, if they are one piece of src that the second cache keeps
/// while the piece before it is read.
TEST(PlanPanel, RowsOfOnePieceAreKept) {
  TargetFacts facts = machine();
  facts.panelRowLines = 12;
  facts.losesPrefetches = true;
  const Dims perm = {0, 2, 1};
  for (int64_t element : {4, 8}) {
    const Schedule schedule = choose(element, {300, 401, 303}, perm, facts);
    const int64_t rows = 3 * 64 / element, piece = rows * 303 * element;
    EXPECT_EQ(schedule.panel, (Dims{1, schedule.tile[1], rows}));
    EXPECT_TRUE(schedule.wholeLines);
    EXPECT_EQ(schedule.prefetchBytes, piece);
    EXPECT_EQ(schedule.prefetchPanelBytes, piece);
  }
  // Or not at all: three lines of these are no whole number.
  for (int64_t element : {6, 12}) {
    const Schedule schedule = choose(element, {300, 401, 303}, perm, facts);
    EXPECT_GT(schedule.panel[2] * element, 3 * 64);
    EXPECT_TRUE(schedule.wholeLines);
  }
  auto rowsOf = [&](const Dims &shape) {
    return choose(4, shape, perm, facts).panel[2];
  };
  EXPECT_GT(rowsOf({30, 1001, 1203}), 48); // a piece too large to be kept
  EXPECT_GT(rowsOf({8000, 79, 103}), 48);  // too few rows for two panels
  EXPECT_GT(rowsOf({30000, 150, 15}), 48); // columns that a tile has all of
}

TEST(PlanPanel, SmallElementsOfOnePieceAreKept) {
  TargetFacts facts = machine();
  facts.panelRowLines = 12;
  facts.losesPrefetches = true;
  const Dims perm = {0, 2, 1};
  for (int64_t element : {1, 2}) {
    const int64_t rows = 3 * 64 / element, columns = 500 / element;
    auto schedule = [&](int64_t rows, int64_t columns) {
      return choose(element, {300, rows, columns}, perm, facts);
    };
    const Schedule kept = schedule(4 * rows + 1, columns);
    const int64_t piece = rows * columns * element;
    EXPECT_EQ(kept.panel, (Dims{1, kept.tile[1], rows}));
    EXPECT_TRUE(kept.wholeLines);
    EXPECT_EQ(kept.prefetchBytes, piece);
    // Tiles ask for all lines of it often enough.
    EXPECT_EQ(kept.prefetchPanelBytes, 0);
    EXPECT_GT(schedule(4 * rows - 1, columns).panel[2], rows);
    EXPECT_GT(schedule(4 * rows + 1, 254 / element).panel[2], rows);
  }
}

/// Rows of bytes that drive each other out are read a few at a time, and more
/// of each.
TEST(PlanPanel, RowsThatCrowdAreFew) {
  TargetFacts facts = machine();
  facts.l1Bytes = 32 << 10;
  facts.l1Ways = 8;
  const Dims perm = {1, 0};
  Schedule schedule = choose(1, {4097, 4097}, perm, facts);
  EXPECT_EQ(schedule.tile, (Dims{32, 8}));
  EXPECT_EQ(schedule.panel, (Dims{128, 512}));
  schedule = choose(2, {9001, 6143}, perm, facts);
  EXPECT_EQ(schedule.tile, (Dims{16, 8}));
  EXPECT_EQ(schedule.panel, (Dims{128, 256}));
  // As many follow one another as have a place, or there are few.
  EXPECT_NE(choose(1, {4097, 4104}, perm, facts).tile, (Dims{32, 8}));
  EXPECT_NE(choose(1, {1001, 20481}, perm, facts).tile, (Dims{32, 8}));
}

TEST(PlanPanel, TilesAskForWhatPrefetchesOfRowsLose) {
  // Rows do while they go out.
  Schedule schedule = choose(4, {901, 507, 33}, {1, 0, 2});
  EXPECT_GT(schedule.prefetchPanelBytes, 0);
  EXPECT_EQ(schedule.prefetchBytes, 0);
  TargetFacts facts = machine();
  facts.losesPrefetches = true;
  facts.l1Ways = 8;
  // Both do, and ask for the same panel.
  schedule = choose(4, {901, 507, 33}, {1, 0, 2}, facts);
  EXPECT_GT(schedule.prefetchPanelBytes, 0);
  EXPECT_EQ(schedule.prefetchBytes, schedule.prefetchPanelBytes);
  // Tiles of bytes take long enough ...
  schedule = choose(1, {10007, 9001}, {1, 0}, facts);
  EXPECT_GT(schedule.prefetchBytes, 0);
  EXPECT_EQ(schedule.prefetchPanelBytes, 0);
  // ... unless rows of src, here 2 KiB apart, drive each other out.
  schedule = choose(1, {16, 5003, 2048}, {0, 2, 1}, facts);
  ASSERT_FALSE(schedule.panel.empty());
  EXPECT_GT(schedule.prefetchPanelBytes, 0);
}

TEST(PlanPanel, TilesAskTheSecondCacheForWhatIsFar) {
  TargetFacts facts = machine();
  facts.tilesFetchToL2 = true;
  facts.l3Bytes = 64 << 20;
  // The last cache holds both: rows ask, and tiles of 8 bytes do as well.
  const Dims perm = {1, 0};
  Schedule schedule = choose(4, {2501, 3003}, perm, facts);
  EXPECT_EQ(schedule.prefetchBytes, 0);
  EXPECT_FALSE(schedule.prefetchToL2);
  schedule = choose(8, {1501, 2003}, perm, facts);
  EXPECT_EQ(schedule.prefetchBytes, schedule.prefetchPanelBytes);
  EXPECT_TRUE(schedule.prefetchToL2);
  // It does not: tiles of bytes are enough of it.
  schedule = choose(4, {9001, 5007}, perm, facts);
  EXPECT_TRUE(schedule.prefetchToL2);
  EXPECT_GT(schedule.prefetchPanelBytes, 0);
  schedule = choose(1, {10007, 9001}, perm, facts);
  EXPECT_TRUE(schedule.prefetchToL2);
  EXPECT_EQ(schedule.prefetchPanelBytes, 0);
}

TEST(PlanPanel, TilesOfTheLeastWork) {
  TargetFacts facts = machine();
  const Dims shape = {40, 39, 41, 40, 39}, perm = {4, 3, 2, 1, 0};
  EXPECT_EQ(choose(2, shape, perm, facts).tile[4], 16);
  facts.searchedOverlap = 100;
  // All of a row of 40, and shares of the columns that overlap little.
  const Schedule schedule = choose(2, shape, perm, facts);
  EXPECT_EQ(schedule.tile[4], 40);
  EXPECT_GE(schedule.tile[0], 7);
  EXPECT_LE(ceilDiv(39, schedule.tile[0]) * schedule.tile[0], 42);
  EXPECT_FALSE(schedule.panel.empty());
  // Several of 77 bytes in a tile, where none overlap.
  const Dims none = {11, 101, 4419, 7}, order = {2, 1, 3, 0};
  EXPECT_EQ(choose(1, none, order, facts).tile[0], 5);
  facts.searchedOverlap = 140;
  EXPECT_EQ(choose(1, none, order, facts).tile[0], 1);
  EXPECT_EQ(choose(2, shape, perm, facts).tile[4], 40);
  // Whole lines are streamed as they were.
  EXPECT_EQ(choose(4, {4112, 4112}, {1, 0}, facts),
            choose(4, {4112, 4112}, {1, 0}));
}

TEST(PlanPanel, PiecesOfSrcAreAskedForAsAWhole) {
  TargetFacts facts = machine();
  // Of 198 columns there are three panels; the one after the third is in the
  // next matrix.
  const Dims perm = {0, 2, 1};
  Schedule schedule = choose(2, {3000, 170, 198}, perm, facts);
  EXPECT_EQ(schedule.prefetchPanelBytes, 2 * schedule.panel[1]);
  facts.losesPrefetches = true;
  schedule = choose(2, {3000, 170, 198}, perm, facts);
  EXPECT_LT(schedule.panel[1], 198);
  EXPECT_EQ(schedule.prefetchBytes, 170 * 198 * 2);
  EXPECT_EQ(schedule.prefetchPanelBytes, 0);
  // Rows ask too, of half words, where a panel is all of a piece.
  schedule = choose(2, {30000, 170, 38}, perm, facts);
  EXPECT_EQ(schedule.panel, (Dims{1, 38, 170}));
  EXPECT_EQ(schedule.prefetchPanelBytes, schedule.prefetchBytes);
  EXPECT_EQ(choose(1, {30000, 170, 38}, perm, facts).prefetchPanelBytes, 0);
  // Longer rows would not stay in the second cache.
  schedule = choose(2, {300, 1700, 1980}, perm, facts);
  EXPECT_EQ(schedule.prefetchBytes, 2 * schedule.panel[1]);
}

TEST(PlanPanel, HalfOfAStretchIsMadeAWhole) {
  TargetFacts facts = machine();
  const Dims shape = {420, 410, 5, 121}, perm = {1, 3, 0, 2};
  EXPECT_EQ(choose(2, shape, perm, facts).panel, (Dims{1, 64, 48, 5}));
  facts.losesPrefetches = true;
  Schedule schedule = choose(2, shape, perm, facts);
  EXPECT_EQ(schedule.panel, (Dims{1, 121, 48, 5}));
  // What follows in src is the next panel.
  EXPECT_EQ(schedule.prefetchBytes, 2 * 5 * 121);
  // Of 161 columns there is not half, and runs are left as they are.
  EXPECT_EQ(choose(2, {420, 410, 5, 161}, perm, facts).panel[1], 64);
  EXPECT_EQ(
      choose(4, {15, 15, 103, 15, 10, 16}, {4, 1, 0, 3, 2, 5}, facts).panel[0],
      5);
}

TEST(PlanPanel, RefusesWhatCannotBeCut) {
  const Problem problem = *Problem::make(4, {1001, 507}, {1, 0});
  Schedule good;
  good.kind = KernelKind::TileTranspose;
  good.tile = {8, 8};
  good.panel = {32, 128};
  good.loops = {{0, 32}, {1, 128}, {1, 8}, {0, 8}};
  good.vectorBytes = 32;
  good.streaming = good.wholeLines = true;
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
  refuses("whole lines without a panel", [](Schedule &bad) {
    bad.panel.clear();
    bad.loops = {{0, 8}, {1, 8}};
  });
  refuses("a prefetched panel without a panel", [](Schedule &bad) {
    bad.panel.clear();
    bad.loops = {{1, 8}, {0, 8}};
    bad.wholeLines = false;
    bad.prefetchPanelBytes = 64;
  });
  refuses("expected more than a tile, and 16 less than the dim",
          [](Schedule &bad) {
            bad.panel = {8, 992};
            bad.loops = {{0, 8}, {1, 992}, {1, 8}};
          });
  refuses("whole lines of panels in blocks or units",
          [](Schedule &bad) { bad.loops.insert(bad.loops.begin(), {1, 512}); });
  refuses("whole lines of panels in blocks or units",
          [](Schedule &bad) { bad.unitLoops = 2; });
}

} // namespace
