//===- ChannelsTest.cpp - blocks, and channels of the memory --------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which loops a streamed tensor gets where the lines of its columns are spread
// over the memory's channels, and where they are all in one.
//
//===----------------------------------------------------------------------===//

#include "permc/Plan/Schedule.h"
#include "permc/Plan/Simplify.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <cmath>
#include <random>

using namespace permc;

namespace {

TargetFacts machine(int64_t channelBytes = 512) {
  TargetFacts facts;
  facts.vectorBytes = 32;
  facts.foldLimit = 16;
  facts.byteShuffle = true;
  facts.streamingStores = true;
  facts.l1Ways = 8;
  facts.sweepsRows = true;
  facts.panelBytes = 32 << 10;
  facts.blockLines = 2;
  facts.channelBytes = channelBytes;
  return facts;
}

Schedule choose(int64_t element, const Dims &shape, const Dims &perm,
                const TargetFacts &facts = machine()) {
  return chooseSchedule(*Problem::make(element, shape, perm), facts);
}

TEST(PlanChannels, LongRowsAreSwept) {
  const Dims perm = {1, 0};
  Schedule schedule = choose(4, {4112, 4112}, perm);
  EXPECT_EQ(schedule.tile, (Dims{8, 16}));
  EXPECT_EQ(schedule.loops, (std::vector<Loop>{{1, 512}, {0, 8}, {1, 16}}));
  EXPECT_EQ(schedule.prefetchBytes, 64);
  EXPECT_EQ(choose(2, {8224, 8224}, perm).tile, (Dims{16, 32}));
  EXPECT_EQ(choose(1, {9024, 9024}, perm).tile, (Dims{16, 64}));
  EXPECT_EQ(choose(4, {90, 720, 800}, {0, 2, 1}).loops,
            (std::vector<Loop>{{0, 1}, {1, 8}, {2, 16}}));
  // Short columns of rows far apart, and what follows them in src.
  EXPECT_EQ(choose(4, {75, 608, 12, 96}, {2, 0, 3, 1}).loops.back(),
            (Loop{2, 16}));
}

/// Rows of a tile are three lines, and written along src: also where columns
/// share a channel.
TEST(PlanChannels, RowsOfThreeWordsAreNotSwept) {
  EXPECT_EQ(choose(12, {3008, 4000}, {1, 0}).loops,
            (std::vector<Loop>{{1, 80}, {0, 85}, {1, 16}, {0, 5}}));
  const Schedule shared = choose(12, {4096, 3000}, {1, 0});
  EXPECT_EQ(shared.tile, (Dims{6, 16}));
  EXPECT_TRUE(shared.streaming && shared.panel.empty());
  EXPECT_EQ(shared.loops, (std::vector<Loop>{{1, 16}, {0, 6}}));
  // Rows of src that compete are few at a time, and gathered in panels.
  const Schedule compete = choose(12, {2048, 2048}, {1, 0});
  EXPECT_EQ(compete.tile, (Dims{4, 4}));
  EXPECT_FALSE(compete.panel.empty());
}

/// What the second cache does not hold goes along src too.
TEST(PlanChannels, RowsOfThreeWordsInTheLastCache) {
  TargetFacts facts = machine();
  facts.losesPrefetches = true;
  const Schedule schedule = choose(12, {480, 640}, {1, 0}, facts);
  EXPECT_FALSE(schedule.streaming);
  EXPECT_EQ(schedule.loops, (std::vector<Loop>{{1, 16}, {0, 5}}));
  EXPECT_EQ(schedule.prefetchBytes, 256);
  EXPECT_EQ(choose(12, {100, 100}, {1, 0}, facts).prefetchBytes, 0);
}

/// Rows of src that crowd matter less than columns in one channel.
TEST(PlanChannels, CrowdedRowsAndOneChannel) {
  EXPECT_EQ(choose(1, {4097, 4097}, {1, 0}).tile, (Dims{32, 8}));
  EXPECT_NE(choose(1, {4096, 4097}, {1, 0}).tile, (Dims{32, 8}));
}

TEST(PlanChannels, ShortRowsAreSweptOneAfterTheOther) {
  const Dims perm = {2, 0, 4, 1, 3};
  Schedule schedule = choose(4, {28, 28, 4, 48, 352}, perm);
  EXPECT_EQ(schedule.tile, (Dims{1, 1, 8, 1, 16}));
  // Ten rows of 48 are what the first cache holds a line each of.
  EXPECT_EQ(
      schedule.loops,
      (std::vector<Loop>{{1, 1}, {0, 1}, {3, 10}, {2, 8}, {3, 1}, {4, 16}}));
  EXPECT_EQ(schedule.prefetchBytes, 64);
  // As many as are not cut.
  EXPECT_EQ(choose(4, {40, 20, 4, 48, 352}, perm).loops,
            (std::vector<Loop>{{1, 1}, {0, 1}, {2, 8}, {3, 1}, {4, 16}}));
  auto isSwept = [&](int64_t element, const Dims &shape, const Dims &order) {
    return choose(element, shape, order).prefetchBytes == 64;
  };
  EXPECT_TRUE(isSwept(2, {33, 156, 32, 160}, {3, 1, 0, 2}));
  // Too little in all, short columns, rows far apart, lines of 8 elements, and
  // half words that go on in src.
  EXPECT_FALSE(isSwept(4, {200, 6, 4, 48, 352}, perm));
  EXPECT_FALSE(isSwept(4, {28, 28, 28, 48, 48}, perm));
  EXPECT_FALSE(isSwept(4, {96, 75, 75, 96}, {3, 2, 1, 0}));
  EXPECT_FALSE(isSwept(8, {56, 446, 582}, {2, 1, 0}));
  EXPECT_FALSE(isSwept(2, {32, 543, 520}, {2, 1, 0}));
}

TEST(PlanChannels, SweepsOfShortRowsWithoutGapsAskForNothing) {
  auto asks = [](int64_t element, const Dims &shape) {
    Schedule schedule = choose(element, shape, {0, 2, 1});
    EXPECT_TRUE(schedule.streaming && schedule.panel.empty());
    return schedule.prefetchBytes != 0;
  };
  EXPECT_FALSE(asks(4, {2959, 352, 48}));
  EXPECT_FALSE(asks(8, {2219, 352, 32}));
  EXPECT_TRUE(asks(4, {1109, 352, 128}));
  EXPECT_TRUE(asks(2, {1109, 704, 128}));
}

TEST(PlanChannels, OthersGoInSquareBlocks) {
  TargetFacts unknown = machine();
  unknown.sweepsRows = false;
  Schedule schedule = choose(4, {4112, 4112}, {1, 0}, unknown);
  EXPECT_EQ(schedule.loops,
            (std::vector<Loop>{{1, 256}, {0, 256}, {1, 16}, {0, 16}}));
  EXPECT_EQ(schedule.prefetchBytes, 192);
  unknown.streamedBlockLines = 32;
  EXPECT_EQ(choose(4, {4112, 4112}, {1, 0}, unknown).loops,
            (std::vector<Loop>{{1, 512}, {0, 512}, {1, 16}, {0, 16}}));
  // Bytes are read by half a line or less.
  EXPECT_EQ(choose(1, {9024, 9024}, {1, 0}, unknown).prefetchBytes, 128);
  // A tile has whole lines of src.
  EXPECT_EQ(choose(8, {4104, 4104}, {1, 0}).loops,
            (std::vector<Loop>{{1, 128}, {0, 128}, {1, 8}, {0, 16}}));
}

TEST(PlanChannels, OneChannelsShorterRowsAreSweptToo) {
  EXPECT_EQ(choose(4, {75, 12, 128, 608}, {1, 0, 3, 2}).loops,
            (std::vector<Loop>{{1, 1}, {0, 1}, {2, 8}, {3, 16}}));
  EXPECT_NE(
      choose(4, {75, 12, 128, 608}, {1, 0, 3, 2}, machine(0)).loops.back(),
      (Loop{3, 16}));
  // A KiB apart lines share more than a channel.
  EXPECT_EQ(choose(4, {16, 256, 784}, {0, 2, 1}).tile, (Dims{1, 4, 16}));
}

TEST(PlanChannels, OneChannelsShortestRowsGoOnInTheNextDim) {
  EXPECT_EQ(choose(4, {48, 28, 28, 28, 48}, {4, 3, 2, 1, 0}).loops,
            (std::vector<Loop>{{4, 16}, {2, 1}, {1, 1}, {0, 16}, {3, 1}}));
}

TEST(PlanChannels, OneChannelsColumnsOfLongRowsGoThroughPanels) {
  auto panel = [](int64_t element, int64_t rows, int64_t columns) {
    Schedule schedule = choose(element, {rows, columns}, {1, 0});
    EXPECT_TRUE(schedule.streaming);
    return schedule.panel;
  };
  EXPECT_EQ(panel(4, 8192, 7264), (Dims{16, 128}));
  EXPECT_EQ(panel(2, 4096, 23040), (Dims{32, 256}));
  // Rows of src that compete for places in the cache are read in longer pieces.
  EXPECT_EQ(panel(4, 4096, 4096), (Dims{128, 128}));
  EXPECT_EQ(panel(8, 4096, 4096), (Dims{64, 64}));
  EXPECT_EQ(panel(2, 8192, 8192), (Dims{256, 128}));
  EXPECT_EQ(panel(1, 8192, 8192), (Dims{128, 256}));
  EXPECT_EQ(choose(1, {64, 2048, 2048}, {0, 2, 1}).panel, (Dims{1, 64, 512}));
  EXPECT_TRUE(choose(4, {4096, 4096}, {1, 0}, machine(0)).panel.empty());
}

TEST(PlanChannels, SmallElementsOfCompetingRowsAreReadByWideTiles) {
  EXPECT_EQ(choose(2, {8192, 8192}, {1, 0}).tile, (Dims{32, 8}));
  EXPECT_EQ(choose(1, {8192, 8192}, {1, 0}).tile, (Dims{32, 16}));
  // 16 places for rows 2 KiB apart, 32 for those 1 KiB apart.
  EXPECT_EQ(choose(1, {16384, 2048}, {1, 0}).tile, (Dims{32, 16}));
  EXPECT_EQ(choose(1, {16, 4608, 1024}, {0, 2, 1}).tile, (Dims{1, 16, 32}));
}

/// Lines that lie 512 bytes apart compete for 64 places of the first cache.
TEST(PlanBlocks, CachedTilesGoAlongTheSideThatCompetesLess) {
  auto loops = [](const Dims &shape, const TargetFacts &facts) {
    return choose(2, shape, {1, 0}, facts).loops;
  };
  // Rows of src: two lines of each are used up before the next comes.
  EXPECT_EQ(loops({784, 256}, machine()),
            (std::vector<Loop>{{0, 64}, {1, 16}, {0, 16}}));
  // Rows of dst: four lines of each are filled before the next block of rows.
  EXPECT_EQ(loops({256, 1001}, machine()),
            (std::vector<Loop>{{0, 256}, {1, 128}, {0, 16}, {1, 16}}));
  TargetFacts unknown = machine();
  unknown.l1Ways = 0;
  EXPECT_EQ(loops({256, 1001}, unknown),
            (std::vector<Loop>{{0, 64}, {1, 16}, {0, 16}}));
  unknown.blockLines = 16;
  EXPECT_EQ(loops({256, 1001}, unknown),
            (std::vector<Loop>{{0, 512}, {1, 16}, {0, 16}}));
}

TEST(PlanBlocks, FewRowsOrColumnsAreNotLeft) {
  auto loops = [](int64_t element, const Dims &shape) {
    return choose(element, shape, {1, 0}).loops;
  };
  // A line of each of 160 columns, or of 131 rows, stays in the first cache.
  EXPECT_EQ(loops(4, {180, 160}), (std::vector<Loop>{{1, 8}, {0, 16}}));
  EXPECT_EQ(loops(4, {131, 771}), (std::vector<Loop>{{0, 16}, {1, 8}}));
  // These compete, and of bytes a line is used four times.
  EXPECT_EQ(loops(4, {256, 144}).size(), 3U);
  EXPECT_EQ(loops(1, {131, 771}).size(), 3U);
}

TEST(PlanBlocks, TilesStayAlongDst) {
  TargetFacts facts = machine();
  facts.writesAlongDst = true;
  facts.l2Bytes = 2 << 20;
  auto loops = [&](int64_t element, const Dims &shape) {
    return choose(element, shape, {1, 0}, facts).loops;
  };
  // Few columns are no reason to leave a row of dst ...
  EXPECT_EQ(loops(4, {180, 160}), (std::vector<Loop>{{0, 16}, {1, 8}}));
  // ... nor are many rows, if tiles use up their lines of src, or if their
  // lines stay in the first cache.
  EXPECT_EQ(loops(4, {909, 150}), (std::vector<Loop>{{0, 16}, {1, 8}}));
  EXPECT_EQ(loops(2, {309, 151}), (std::vector<Loop>{{0, 16}, {1, 16}}));
  EXPECT_EQ(loops(2, {909, 151}).size(), 3U);
}

TEST(PlanBlocks, ColumnsThatCompeteAreFew) {
  // 16 places for lines 2 KiB apart, half of which are for columns.
  EXPECT_EQ(choose(4, {512, 49}, {1, 0}).tile, (Dims{8, 8}));
  EXPECT_EQ(choose(8, {256, 60}, {1, 0}).tile, (Dims{8, 4}));
  EXPECT_EQ(choose(4, {520, 49}, {1, 0}).tile, (Dims{16, 8}));
  TargetFacts unknown = machine();
  unknown.l1Ways = 0;
  EXPECT_EQ(choose(4, {512, 49}, {1, 0}, unknown).tile, (Dims{16, 8}));
}

TEST(PlanBlocks, LinesOfDstThatAreSharedAreKept) {
  // Tiles write half a line; there are 128 places for columns 768 bytes apart.
  EXPECT_EQ(choose(8, {3, 2, 4, 4, 193}, {4, 2, 1, 0, 3}).loops,
            (std::vector<Loop>{{1, 1}, {2, 1}, {0, 64}, {3, 1}, {0, 16}}));
  // The block comes before the first loop that shares them.
  EXPECT_EQ(choose(4, {2, 5, 8, 15439}, {3, 2, 1, 0}).loops,
            (std::vector<Loop>{{0, 192}, {1, 1}, {0, 16}}));
}

TEST(PlanBlocks, WhatHardlyFitsTheCachesGoesInLongPieces) {
  EXPECT_EQ(choose(1, {1020, 9956}, {1, 0}).loops,
            (std::vector<Loop>{{0, 128}, {0, 16}, {1, 32}}));
}

TEST(PlanShuffle, TakesAFewElementsWhole) {
  Schedule schedule = choose(4, {3, 5}, {1, 0});
  EXPECT_EQ(schedule.kind, KernelKind::Shuffle);
  EXPECT_TRUE(schedule.loops.empty());
}

TEST(PlanCopy, EndsWithAMoveNoWiderThanWhatIsLeft) {
  const Network network = copyNetwork(34, 32);
  ASSERT_EQ(network.steps.size(), 4U);
  EXPECT_EQ(network.steps[2].bytes, 2);
  EXPECT_EQ(network.steps[2].offset, 32);
  // What is no power of two is moved back.
  EXPECT_EQ(copyNetwork(35, 32).steps[2].offset, 31);
}

/// Tiles have all of a column of 160 bytes. Whatever else comes next would be
/// in the same channel.
TEST(PlanChannels, SomeLinesOfARowFollowOneAnother) {
  const Dims shape = {3584, 24, 16, 20}, perm = {3, 2, 1, 0};
  EXPECT_EQ(choose(8, shape, perm).loops,
            (std::vector<Loop>{{3, 32}, {2, 1}, {1, 1}, {3, 8}}));
  EXPECT_NE(choose(8, shape, perm, machine(0)).loops.back().dim, 3);
  // Rows of 896 bytes lead to other channels anyway.
  EXPECT_NE(choose(8, {32, 112, 384, 20}, {3, 0, 2, 1}).loops.back().dim, 3);
}

TEST(PlanChannels, PanelsOfShortColumnsGoOnInSrc) {
  // Rows of src compete: few of them, 256 bytes of dst.
  Schedule schedule = choose(2, {256, 6144, 60}, {2, 1, 0});
  EXPECT_EQ(schedule.panel, (Dims{60, 2, 128}));
  EXPECT_EQ(schedule.tile, (Dims{16, 1, 8}));
  // They do not: rows as long as there is room for.
  EXPECT_EQ(choose(6, {4096, 24, 16, 20}, {3, 2, 1, 0}).panel,
            (Dims{20, 2, 1, 256}));
}

/// Columns that are a multiple of 4 KiB apart, by tiles that ask for the next
/// panel.
TEST(PlanChannels, PanelsAreBetterForWhatSharesMore) {
  TargetFacts facts = machine();
  const Dims heads = {64, 1024, 64}, perm = {0, 2, 1};
  EXPECT_TRUE(choose(4, heads, perm, facts).panel.empty());
  facts.losesPrefetches = true;
  EXPECT_EQ(choose(4, heads, perm, facts).panel, (Dims{1, 16, 128}));
  // Rows of 4160 bytes do not share that, those of 1 KiB are short, and of
  // four columns there are no others in another tile.
  EXPECT_TRUE(choose(4, {64, 1040, 64}, perm, facts).panel.empty());
  EXPECT_TRUE(choose(4, {256, 4, 64, 64}, {0, 3, 1, 2}, facts).panel.empty());
  // Where rows of src compete a row of four lines is enough.
  const Dims cube = {128, 64, 128, 128}, reversed = {3, 2, 1, 0};
  EXPECT_EQ(choose(2, cube, reversed, facts).panel, (Dims{128, 1, 1, 128}));
  // 192 columns twice, of 256 rows, would be more than a panel has room for.
  EXPECT_EQ(choose(1, {384, 256, 192}, {2, 1, 0}, facts).panel,
            (Dims{192, 2, 128}));
}

/// 8 MiB stay in the last cache, but lines of both sides compete for places.
TEST(PlanChannels, CrowdedTensorsAreStreamedSooner) {
  TargetFacts facts = machine();
  const Dims perm = {1, 0};
  facts.l1Ways = 0; // nothing is known to compete
  EXPECT_FALSE(choose(4, {2048, 1024}, perm, facts).streaming);
  facts.l1Ways = 8;
  EXPECT_TRUE(choose(4, {2048, 1024}, perm, facts).streaming);
  facts.losesPrefetches = true;
  EXPECT_EQ(choose(4, {2048, 1024}, perm, facts).panel, (Dims{64, 128}));
  EXPECT_FALSE(choose(4, {2048, 1008}, perm, facts).streaming);
  EXPECT_FALSE(choose(4, {2064, 1024}, perm, facts).streaming);
  EXPECT_FALSE(choose(4, {1024, 512}, perm, facts).streaming);
  // Pieces of larger ones are longer.
  EXPECT_EQ(choose(4, {8192, 1024}, perm, facts).panel, (Dims{128, 128}));
}

/// Rules that contradict each other end in single elements.
TEST(PlanChannels, NoTileIsASingleElement) {
  TargetFacts facts = machine();
  facts.l2Bytes = 512 << 10;
  facts.cutsAtLines = facts.losesPrefetches = true;
  int panels = 0;
  facts.streamBytes = 9 << 20;
  auto isScalar = [&](int64_t element, const Dims &shape, const Dims &perm) {
    const Problem problem = *Problem::make(element, shape, perm);
    const Schedule schedule = chooseSchedule(
        unfold(canonicalize(problem, facts.foldLimit), maxElementBytes), facts);
    panels += !schedule.panel.empty();
    return schedule.kind == KernelKind::Scalar &&
           std::ranges::all_of(schedule.tile,
                               [](int64_t size) { return size == 1; });
  };
  // The dim that follows short columns is in the tile.
  EXPECT_FALSE(isScalar(4, {192, 96, 4, 3, 24}, {4, 2, 0, 1, 3}));
  // Panels that are rounded when all of a dim is taken.
  EXPECT_FALSE(isScalar(4, {16, 12, 690, 64}, {0, 3, 2, 1}));
  EXPECT_FALSE(isScalar(4, {385, 13, 12, 60}, {3, 1, 0, 2}));
  EXPECT_FALSE(isScalar(8, {6, 639, 19, 61}, {3, 2, 1, 0}));
  EXPECT_FALSE(isScalar(8, {20, 6, 305, 57}, {0, 3, 2, 1}));
  std::mt19937 random(1);
  auto pick = [&](double from, double to) {
    return std::uniform_real_distribution(from, to)(random);
  };
  for (int tried = 0; tried < 500;) {
    const int64_t element = int64_t{1} << static_cast<int64_t>(pick(0, 4));
    const auto rank = static_cast<int64_t>(pick(2, 6));
    int64_t bytes = element;
    Dims shape, perm;
    for (int64_t dim = 0; dim < rank; ++dim) {
      // Half of them powers of two.
      const double power = pick(1, 44.0 / static_cast<double>(rank));
      shape.push_back(static_cast<int64_t>(
          std::exp2(tried % 2 ? power : std::floor(power))));
      bytes *= shape.back();
      perm.push_back(dim);
    }
    if (bytes < facts.streamBytes || bytes > int64_t{1} << 30)
      continue;
    ++tried;
    std::ranges::shuffle(perm, random);
    EXPECT_FALSE(isScalar(element, shape, perm))
        << "element " << element << ", shape "
        << ::testing::PrintToString(shape) << ", perm "
        << ::testing::PrintToString(perm);
  }
  EXPECT_GT(panels, 200);
}

TEST(PlanChannels, PanelsGoAlongSrc) {
  EXPECT_EQ(choose(2, {8192, 8192}, {1, 0}).loops,
            (std::vector<Loop>{{1, 128}, {0, 256}, {1, 8}, {0, 32}}));
  EXPECT_EQ(choose(1, {8192, 8256}, {1, 0}).loops,
            (std::vector<Loop>{{1, 512}, {0, 64}, {1, 32}, {0, 16}}));
  EXPECT_EQ(choose(4, {8192, 8192}, {1, 0}).loops,
            (std::vector<Loop>{{1, 128}, {0, 128}, {1, 8}, {0, 16}}));
  // Rows that do not compete do in blocks, if they are long.
  const Dims longer = {1003, 20001}, shorter = {1003, 16001};
  EXPECT_EQ(choose(4, shorter, {1, 0}).loops.size(), 6u);
  TargetFacts facts = machine(512);
  facts.losesPrefetches = true;
  EXPECT_EQ(choose(4, longer, {1, 0}, facts).loops.size(), 6u);
  EXPECT_EQ(choose(4, shorter, {1, 0}, facts).loops.size(), 4u);
  // Panels of all rows go on along columns on both sides.
  EXPECT_EQ(choose(2, {3000, 170, 198}, {0, 2, 1}, facts).loops.size(), 4u);
}

TEST(PlanChannels, RunsAndTilesAreStreamedFromOneSizeOn) {
  TargetFacts facts = machine();
  facts.streamBytes = 8 << 20;
  auto streams = [&](const Dims &shape, const Dims &perm) {
    return choose(4, shape, perm, facts).streaming;
  };
  EXPECT_FALSE(streams({55, 7, 8, 672}, {0, 2, 1, 3})); // 7.9 MiB
  EXPECT_TRUE(streams({57, 7, 8, 672}, {0, 2, 1, 3}));  // 8.2
  EXPECT_FALSE(streams({1023, 2001}, {1, 0}));          // 7.8
  EXPECT_TRUE(streams({1023, 2100}, {1, 0}));           // 8.2
}

/// Runs of 128 bytes: a KiB is written before the next place.
TEST(PlanChannels, ShortRunsAreStreamedInBlocks) {
  const Dims perm = {0, 2, 1, 3};
  EXPECT_EQ(choose(2, {8, 512, 16, 64}, perm).loops.size(),
            3u); // in the caches
  EXPECT_EQ(choose(2, {64, 512, 16, 64}, perm).loops,
            (std::vector<Loop>{{0, 1}, {2, 8}, {1, 1}, {2, 1}}));
  EXPECT_EQ(choose(4, {64, 512, 16, 128}, perm).loops,
            (std::vector<Loop>{{0, 1}, {2, 4}, {1, 1}, {2, 1}}));
  // Runs of 4 KiB are long enough.
  EXPECT_EQ(choose(4, {64, 512, 16, 1024}, perm).loops,
            (std::vector<Loop>{{0, 1}, {2, 1}, {1, 1}}));
  EXPECT_EQ(choose(2, {64, 512, 16, 64}, perm, machine(0)).loops,
            (std::vector<Loop>{{0, 1}, {2, 1}, {1, 1}}));
}

} // namespace
