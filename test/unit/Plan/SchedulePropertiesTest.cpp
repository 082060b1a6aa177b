//===- SchedulePropertiesTest.cpp - properties that can fail --------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ScheduleProperties on schedules made by hand, good and bad, whose quantities
// can be worked out on paper.
//
//===----------------------------------------------------------------------===//

#include "ScheduleProperties.h"
#include "PlanTesting.h"

#include "gtest/gtest.h"

using namespace permc;

namespace {

constexpr CacheShape l1 = {32 << 10, 8};

Schedule tiles(Dims tile, std::vector<Loop> loops) {
  Schedule schedule;
  schedule.kernel = micro::TileTranspose{};
  schedule.tile = std::move(tile);
  schedule.loops = std::move(loops);
  schedule.vectorBytes = 16;
  return schedule;
}

TEST(ScheduleProperties, SeesHoles) {
  const Problem problem = problemOf(4, {40, 24}, {1, 0}); // dst is 24x40
  auto covers = [&](const Schedule &schedule) {
    return ScheduleProperties(problem, schedule).coversBox();
  };
  EXPECT_TRUE(covers(tiles({4, 4}, {{0, 4}, {1, 4}})));
  EXPECT_TRUE(covers(tiles({8, 16}, {{1, 32}, {0, 8}, {1, 16}})));
  EXPECT_TRUE(covers(tiles({24, 40}, {})));
  EXPECT_FALSE(covers(tiles({4, 4}, {{0, 4}, {1, 8}}))); // every other tile
  EXPECT_FALSE(covers(tiles({4, 4}, {{0, 4}})));
  EXPECT_FALSE(covers(tiles({4, 48}, {{0, 4}}))); // reaches outside
}

TEST(ScheduleProperties, SeesHolesOfPanels) {
  const Problem problem = problemOf(4, {512, 64}, {1, 0});
  Schedule schedule = tiles({4, 4}, {{0, 16}, {1, 128}, {0, 4}, {1, 4}});
  schedule.panel = Panel{.extent = {16, 128}};
  schedule.streaming = true;
  EXPECT_TRUE(ScheduleProperties(problem, schedule).coversBox());
  EXPECT_EQ(ScheduleProperties(problem, schedule).movedShare(), 1);
  schedule.loops[1].step = 256;
  EXPECT_FALSE(ScheduleProperties(problem, schedule).coversBox());
}

/// The last of three tiles of 16 is moved back over what the second did.
TEST(ScheduleProperties, CountsWhatIsMovedTwice) {
  const Problem problem = problemOf(4, {40, 24}, {1, 0});
  EXPECT_EQ(
      ScheduleProperties(problem, tiles({8, 8}, {{0, 8}, {1, 8}})).movedShare(),
      1);
  EXPECT_EQ(ScheduleProperties(problem, tiles({8, 16}, {{0, 8}, {1, 16}}))
                .movedShare(),
            48.0 / 40);
  EXPECT_EQ(ScheduleProperties(problem, tiles({16, 16}, {{0, 16}, {1, 16}}))
                .movedShare(),
            48.0 / 40 * 32 / 24);
}

TEST(ScheduleProperties, CountsWholeLines) {
  auto share = [](int64_t rows, int64_t tile) {
    const Problem problem = problemOf(4, {rows, 64}, {1, 0});
    return ScheduleProperties(problem, tiles({4, tile}, {{0, 4}, {1, tile}}))
        .wholeLineShare();
  };
  EXPECT_EQ(share(64, 16), 1);
  EXPECT_EQ(share(64, 32), 1);
  EXPECT_EQ(share(64, 8), 0); // half a line each
  // Rows of 72 floats begin with a line or half of one later. Of their pieces
  // of 144 bytes, the first one has two whole lines of either, the second,
  // which begins 16 or 48 bytes behind a line, one and two.
  EXPECT_EQ(share(72, 36), (128 + 64 + 64 + 128) / 4.0 / 144);
}

/// 1024 rows of 4 KiB share one set of 8 ways: a column of 16 floats or more
/// drives the first line out before its second float is read.
TEST(ScheduleProperties, SeesLinesThatAreFetchedAgain) {
  const Problem problem = problemOf(4, {1024, 1024}, {1, 0});
  auto fetched = [&](const Schedule &schedule) {
    return ScheduleProperties(problem, schedule).linesFetched(l1);
  };
  // Along dst: each row of src is left for the next one.
  const LineTraffic columns = fetched(tiles({4, 4}, {{0, 4}, {1, 4}}));
  EXPECT_EQ(columns.src, 4);
  // Along src: the same on the other side.
  const LineTraffic rows = fetched(tiles({4, 4}, {{1, 4}, {0, 4}}));
  EXPECT_EQ(rows.dst, 4);
  // Tiles of a line by a line use up what they fetch.
  const LineTraffic lines = fetched(tiles({16, 16}, {{0, 16}, {1, 16}}));
  EXPECT_EQ(lines.src, 1);
  EXPECT_EQ(lines.dst, 1);
}

/// Without conflicts a block of rows and columns that fits is enough.
TEST(ScheduleProperties, BlocksThatFitAreFetchedOnce) {
  const Problem problem = problemOf(4, {1040, 1040}, {1, 0});
  const Schedule blocks = tiles({4, 4}, {{1, 64}, {0, 16}, {1, 4}, {0, 4}});
  const LineTraffic fetched =
      ScheduleProperties(problem, blocks).linesFetched(l1);
  EXPECT_LT(fetched.src, 1.1);
  EXPECT_LT(fetched.dst, 1.1);
  // 16 rows of src and 16 of dst, a line each, are 2 KiB.
  const LineTraffic less =
      ScheduleProperties(problem, blocks).linesFetched({1 << 10, 8});
  EXPECT_GT(less.dst, 1.5);
}

/// What is streamed goes past the cache; a panel's rows come from its buffer.
TEST(ScheduleProperties, StreamedStoresTouchNoLine) {
  const Problem problem = problemOf(4, {1024, 1024}, {1, 0});
  Schedule panel = tiles({4, 4}, {{0, 16}, {1, 128}, {1, 4}, {0, 4}});
  panel.panel = Panel{.extent = {16, 128}};
  panel.streaming = true;
  EXPECT_EQ(ScheduleProperties(problem, panel).linesFetched(l1).dst, 0);
  EXPECT_LT(ScheduleProperties(problem, panel).linesFetched(l1).src, 1.1);
  // Rows of the buffer have some room between them.
  EXPECT_GE(ScheduleProperties(problem, panel).bufferBytes(), 16 * 128 * 4);
  EXPECT_EQ(ScheduleProperties(problem, panel).srcPieceBytes(), 64);
  EXPECT_EQ(ScheduleProperties(problem, panel).dstPieceBytes(), 512);
  panel.streaming = false;
  EXPECT_EQ(ScheduleProperties(problem, panel).linesFetched(l1).dst, 1);
}

/// A column of 1024 floats goes to a page each, four floats at a time.
TEST(ScheduleProperties, SeesPagesThatAreForgotten) {
  const Problem problem = problemOf(4, {1024, 1024}, {1, 0});
  Schedule rows = tiles({16, 16}, {{1, 16}, {0, 16}});
  rows.streaming = true;
  EXPECT_EQ(ScheduleProperties(problem, rows).linesFetched(tlbOf(2048)).dst, 1);
  EXPECT_EQ(ScheduleProperties(problem, rows).linesFetched(tlbOf(512)).dst,
            1024 / 16);
}

/// Four rows by four columns: 4 loads, 8 shuffles, 4 stores.
TEST(ScheduleProperties, CountsInstructions) {
  const Problem even = problemOf(4, {64, 64}, {1, 0});
  EXPECT_EQ(
      ScheduleProperties(even, tiles({4, 4}, {{0, 4}, {1, 4}})).instructions(),
      1);
  const Problem odd = problemOf(4, {66, 64}, {1, 0});
  EXPECT_EQ(
      ScheduleProperties(odd, tiles({4, 4}, {{0, 4}, {1, 4}})).instructions(),
      68.0 / 66);
}

} // namespace
