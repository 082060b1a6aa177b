//===- LargeWordsTest.cpp - tiles of plain words -------------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ArmMachines.h"
#include "PlanTesting.h"

#include "gtest/gtest.h"

using namespace permc;

namespace {

/// Tiles whose moves would be less than words are not worth vectors.
TEST(ArmPlan, PiecesGoThroughWords) {
  const TargetFacts neon = armMachines()[9];
  auto kindOf = [&](int64_t element, Dims shape, std::vector<int64_t> perm) {
    return kernelName(chooseSchedule(problemOf(element, shape, perm), neon));
  };
  EXPECT_EQ(kindOf(1, {8, 3, 8}, {0, 2, 1}), micro::WordTranspose::name);
  EXPECT_EQ(kindOf(1, {13, 13, 4, 2}, {1, 0, 3, 2}),
            micro::WordTranspose::name);
  EXPECT_EQ(kindOf(1, {8, 4, 8}, {0, 2, 1}), micro::TileTranspose::name);
  // Short loads, but whole columns.
  EXPECT_EQ(kindOf(1, {13, 2, 14, 8, 2}, {4, 2, 1, 0, 3}),
            micro::TileTranspose::name);
}

/// Words are moved in pairs on both sides, but for few, and but for tiles that
/// take more of other dims.
TEST(ArmPlan, WordsAreMovedInBlocks) {
  const TargetFacts words = armMachines()[8], pairs = armMachines()[5];
  auto kindOf = [&](Dims shape, std::vector<int64_t> perm,
                    const TargetFacts &facts) {
    return kernelName(chooseSchedule(problemOf(4, shape, perm), facts));
  };
  EXPECT_EQ(kindOf({8, 8}, {1, 0}, words), micro::TileTranspose::name);
  EXPECT_EQ(kindOf({37, 53}, {1, 0}, words), micro::TileTranspose::name);
  EXPECT_EQ(kindOf({4, 4}, {1, 0}, words), micro::WordTranspose::name);
  EXPECT_EQ(kindOf({13, 2, 4}, {0, 2, 1}, words), micro::WordTranspose::name);
  // Rows of three without a gap are loads of eight words.
  EXPECT_EQ(kindOf({1000, 3}, {1, 0}, words), micro::WordTranspose::name);
  EXPECT_EQ(kindOf({8, 8}, {1, 0}, pairs), micro::WordTranspose::name);
}

/// Short tiles of words take more of other dims, and the last of several does
/// little again.
TEST(ArmPlan, TilesOfWordsAreLarge) {
  const TargetFacts words = armMachines()[8];
  auto tileOf = [&](int64_t element, Dims shape, std::vector<int64_t> perm) {
    return chooseSchedule(problemOf(element, shape, perm), words).tile;
  };
  EXPECT_EQ(tileOf(1, {6, 4, 2}, {0, 2, 1}), (Dims{6, 2, 4}));
  EXPECT_EQ(tileOf(1, {13, 13, 4, 2}, {1, 0, 3, 2}), (Dims{1, 7, 2, 4}));
  EXPECT_EQ(tileOf(1, {7, 9, 3, 3, 9}, {0, 2, 1, 4, 3}),
            (Dims{1, 1, 1, 9, 3})); // not 8 columns of 9
  EXPECT_EQ(tileOf(2, {11, 11, 7}, {1, 0, 2}), (Dims{1, 6, 7})); // runs
  EXPECT_EQ(tileOf(6, {10, 13}, {1, 0}), (Dims{7, 5}));
  EXPECT_EQ(tileOf(4, {64, 64}, {1, 0}), (Dims{32, 2}));
  EXPECT_EQ(tileOf(8, {13, 14, 5}, {2, 1, 0}), (Dims{1, 1, 13}));
}

TEST(ArmPlan, SmallElementsAreExchangedInWords) {
  const TargetFacts words = armMachines()[8];
  auto tileOf = [&](int64_t element, Dims shape) {
    Schedule schedule =
        chooseSchedule(problemOf(element, shape, {1, 0}), words);
    bool exchanges = is<micro::TileTranspose>(schedule);
    EXPECT_LE(schedule.vectorBytes, 8);
    return exchanges ? schedule.tile : Dims{};
  };
  EXPECT_EQ(tileOf(1, {64, 64}), (Dims{64, 4}));
  EXPECT_EQ(tileOf(1, {16, 16}), (Dims{16, 16}));
  // One row is left over: it is not worth another tile.
  EXPECT_EQ(tileOf(1, {37, 53}), (Dims{4, 37}));
  // One address reaches 4095 bytes, and there are four.
  EXPECT_EQ(tileOf(1, {64, 2048}), (Dims{64, 4}));
  EXPECT_EQ(tileOf(1, {2048, 2048}), (Dims{4, 4}));
  EXPECT_EQ(tileOf(1, {4096, 4096}), Dims{});
  // Rows of three bytes fill no word.
  EXPECT_EQ(tileOf(1, {64, 3}), Dims{});
  // Seven rows that have an address each would be two tiles of four.
  Problem near = problemOf(1, {7, 3, 7}, {1, 2, 0});
  EXPECT_EQ(kernelName(chooseSchedule(near, words)),
            micro::TileTranspose::name);
  Problem apart = problemOf(1, {7, 13, 10, 12, 7}, {3, 2, 1, 4, 0});
  EXPECT_EQ(kernelName(chooseSchedule(apart, words)),
            micro::WordTranspose::name);
}

/// Two words of a row are one load where all tiles are aligned, unless the loop
/// costs more.
TEST(ArmPlan, ExchangedWordsAreMovedInPairs) {
  const TargetFacts words = armMachines()[8];
  auto schedule = [&](int64_t element, Dims shape, Dims perm) {
    return chooseSchedule(problemOf(element, shape, perm), words);
  };
  for (int64_t element : {1, 2}) {
    Schedule pairs = schedule(element, {16, 16}, {1, 0});
    EXPECT_EQ(pairs.vectorBytes, 8);
    const auto &moves = fieldsOf<micro::WordMoves>(pairs);
    EXPECT_EQ(moves.pairAlignment, 4);
    EXPECT_EQ(moves.srcReach, words.pairReach);
    EXPECT_EQ(moves.dstReach, element == 2 ? words.pairReach : words.wordReach);
    EXPECT_EQ(wordByWord(pairs).vectorBytes, 4);
  }
  // Rows that begin anywhere, and tiles that are moved back to anywhere.
  EXPECT_EQ(schedule(2, {16, 17}, {1, 0}).vectorBytes, 4);
  EXPECT_EQ(schedule(1, {37, 53}, {1, 0}).vectorBytes, 4);
  // Rows and columns so far apart that tiles are small.
  EXPECT_EQ(schedule(2, {20, 6, 20}, {2, 1, 0}).vectorBytes, 4);
}

TEST(ArmPlan, RowsOfSeveralWordsAreOneLoad) {
  const TargetFacts words = armMachines()[8];
  auto schedule = [&](int64_t element, Dims shape) {
    return chooseSchedule(problemOf(element, shape, {1, 0}), words);
  };
  for (const Dims &shape : {Dims{4, 4}, Dims{64, 64}}) {
    EXPECT_EQ(kernelName(schedule(8, shape)), micro::WordTranspose::name);
    EXPECT_EQ(schedule(8, shape).vectorBytes, 32);
    EXPECT_EQ(wordByWord(schedule(8, shape)).vectorBytes, 4);
  }
  EXPECT_EQ(schedule(4, {4, 4}).vectorBytes, 32);
  // Three words are a pair and one, unless the next row follows them.
  EXPECT_EQ(
      chooseSchedule(problemOf(4, {64, 3, 3}, {2, 1, 0}), words).vectorBytes,
      8);
  EXPECT_EQ(schedule(4, {64, 3}).vectorBytes, 32);
}

TEST(ArmPlan, PairsOfWordsWhereTilesStartAligned) {
  const TargetFacts words = armMachines()[5];
  auto pairs = [&](const Problem &problem) {
    return pairAlignment(chooseSchedule(problem, words));
  };
  EXPECT_EQ(pairs(problemOf(8, {64, 64}, {1, 0})), 4);
  EXPECT_EQ(pairs(problemOf(4, {64, 64}, {1, 0})), 4);
  EXPECT_EQ(pairs(problemOf(12, {64, 64}, {1, 0})), 4);
  EXPECT_EQ(pairs(problemOf(1, {4, 4, 100}, {1, 0, 2})), 4);
  EXPECT_EQ(pairs(problemOf(1, {4, 4, 102}, {1, 0, 2})), 0);
  EXPECT_EQ(pairs(problemOf(9, {64, 64}, {1, 0})), 0);
  EXPECT_EQ(pairs(problemOf(1, {64, 64}, {1, 0})), 0);
}

TEST(ArmPlan, WordsReachAsFarAsFactsSay) {
  TargetFacts words = armMachines()[5];
  Problem near = problemOf(1, {64, 500}, {1, 0});
  EXPECT_EQ(chooseSchedule(near, words).tile, (Dims{8, 8}));
  words.wordReach.ahead = 16000;
  EXPECT_EQ(chooseSchedule(near, words).tile, (Dims{8, 16}));
  auto reachOf = [&](const Problem &problem) {
    return micro::FixedMoves(
        fieldsOf<micro::FixedMoves>(chooseSchedule(problem, words)));
  };
  Problem elements = problemOf(4, {64, 64}, {1, 0});
  EXPECT_EQ(reachOf(elements).srcReach, words.pairReach);
  EXPECT_EQ(reachOf(elements).dstReach, words.wordReach);
  Problem runs = problemOf(1, {4, 4, 100}, {1, 0, 2});
  EXPECT_EQ(reachOf(runs).dstReach, words.pairReach);
}

} // namespace
