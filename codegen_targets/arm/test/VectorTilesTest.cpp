//===- VectorTilesTest.cpp - tiles of NEON registers ---------------------===//
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

TEST(ArmPlan, SmallTilesAreOfHalfVectors) {
  const TargetFacts neon = armMachines()[4];
  EXPECT_EQ(chooseSchedule(problemOf(1, {8, 8}, {1, 0}), neon).vectorBytes, 8);
  EXPECT_EQ(chooseSchedule(problemOf(1, {5, 3}, {1, 0}), neon).vectorBytes, 8);
  EXPECT_EQ(chooseSchedule(problemOf(1, {9, 8}, {1, 0}), neon).vectorBytes, 16);
  EXPECT_EQ(chooseSchedule(problemOf(2, {8, 8}, {1, 0}), neon).vectorBytes, 16);
}

/// Six rows are a vector and a half; two times six are three.
TEST(ArmPlan, RowsOfTwoDimsFillShortVectors) {
  const TargetFacts neon = armMachines()[4];
  Problem reverse = problemOf(4, {6, 7, 8, 9}, {3, 2, 1, 0});
  EXPECT_EQ(chooseSchedule(reverse, neon).tile, (Dims{9, 2, 2, 6}));
  // Addresses step along two dims only: such a tile is not made longer, which
  // would leave no schedule but that of single elements.
  Schedule steps =
      chooseSchedule(problemOf(8, {6, 6, 5}, {2, 1, 0}), armMachines()[7]);
  EXPECT_EQ(kernelName(steps), micro::TileTranspose::name);
  EXPECT_NE(fieldsOf<micro::TileTranspose>(steps).stepping, 0);
}

TEST(ArmPlan, FewElementsOfEightBytesAreHalfVectors) {
  const TargetFacts neon = armMachines()[9];
  EXPECT_EQ(chooseSchedule(problemOf(8, {4, 4}, {1, 0}), neon).vectorBytes, 8);
  EXPECT_EQ(chooseSchedule(problemOf(8, {64, 64}, {1, 0}), neon).vectorBytes,
            16);
}

TEST(ArmPlan, PairsOfVectorsWhereTheyTakeFewerInstructions) {
  const TargetFacts neon = armMachines()[6];
  auto tileOf = [&](int64_t element, Dims shape) {
    Schedule schedule = chooseSchedule(problemOf(element, shape, {1, 0}), neon);
    const auto &moves = fieldsOf<micro::TileTranspose>(schedule);
    EXPECT_EQ(moves.srcReach,
              moves.vectorPairs ? neon.pairReach : neon.vectorReach);
    EXPECT_EQ(moves.dstReach, moves.srcReach);
    return moves.vectorPairs ? schedule.tile : Dims{};
  };
  EXPECT_EQ(tileOf(2, {256, 256}), (Dims{16, 32}));
  EXPECT_EQ(tileOf(4, {128, 128}), (Dims{16, 16}));
  EXPECT_EQ(tileOf(4, {12, 8}), (Dims{8, 8}));
  EXPECT_EQ(tileOf(4, {200, 1000}), (Dims{24, 8})); // 200 has no 16s
  // Rows of 404 bytes lie between the offsets of a pair: they have an address
  // each.
  EXPECT_EQ(tileOf(4, {128, 101}), (Dims{16, 16}));
  EXPECT_EQ(tileOf(4, {37, 53}), (Dims{8, 8}));
  // Four tiles of bytes would not fit the registers, and rows of 16 bytes are
  // no pairs.
  EXPECT_EQ(tileOf(1, {256, 256}), Dims{});
  EXPECT_EQ(tileOf(2, {12, 128}), Dims{});
}

/// What tiles leave at the end of a dim is a smaller tile, moved back where
/// that makes its columns of a size that there are moves for.
TEST(ArmPlan, LastTilesAreSmallerWhereThatSavesMuch) {
  const TargetFacts neon = armMachines()[7];
  auto lastOf = [&](int64_t element, Dims shape, TargetFacts facts) {
    return fieldsOf<micro::TileTranspose>(
               chooseSchedule(problemOf(element, shape, {1, 0}), facts))
        .lastTile;
  };
  EXPECT_EQ(lastOf(2, {768, 196}, neon), (Dims{4, 16}));
  EXPECT_EQ(lastOf(1, {37, 53}, neon), (Dims{5, 8}));
  EXPECT_EQ(lastOf(1, {256, 256}, neon), Dims{}); // nothing is left
  EXPECT_EQ(lastOf(1, {31, 31}, neon), Dims{});   // nearly a tile is
  TargetFacts others = neon;
  others.ownLastTiles = false;
  EXPECT_EQ(lastOf(2, {768, 196}, others), Dims{});
}

TEST(ArmPlan, StepsWhereTheyTakeFewerInstructions) {
  const TargetFacts neon = armMachines()[7];
  auto tileOf = [&](int64_t element, Dims shape) {
    Schedule schedule = chooseSchedule(problemOf(element, shape, {1, 0}), neon);
    const auto &moves = fieldsOf<micro::TileTranspose>(schedule);
    EXPECT_FALSE(moves.stepping && moves.srcReach != Reach{});
    return moves.stepping ? schedule.tile : Dims{};
  };
  EXPECT_EQ(tileOf(4, {200, 300}), (Dims{12, 8}));
  EXPECT_EQ(tileOf(4, {512, 49}), (Dims{49, 8})); // one of columns left over
  EXPECT_EQ(tileOf(4, {20, 8}), (Dims{8, 8}));
  EXPECT_EQ(tileOf(8, {48, 12}), (Dims{12, 8}));
  // A load is not moved back over what is not there.
  EXPECT_EQ(tileOf(4, {8, 7}), Dims{});
  EXPECT_EQ(tileOf(4, {512, 13}), (Dims{13, 8}));
  // Rows of several vectors of small elements leave no registers, but for pairs
  // where rows and columns are too far apart to share addresses.
  EXPECT_EQ(tileOf(1, {256, 256}), Dims{});
  EXPECT_EQ(tileOf(2, {256, 256}), Dims{});
  EXPECT_EQ(tileOf(2, {1000, 1000}), (Dims{16, 16}));
  // All columns and a vector of rows, where pairs would do much twice.
  EXPECT_EQ(tileOf(2, {37, 53}), (Dims{53, 8}));
  EXPECT_EQ(
      chooseSchedule(problemOf(2, {1000, 1000}, {1, 0}), neon).loops.back(),
      (Loop{1, 16})); // along the columns' own addresses
}

/// Each address that runs along with the loop needs a register.
TEST(ArmPlan, FarRowsHaveFewAddresses) {
  const TargetFacts neon = armMachines()[6];
  Schedule schedule = chooseSchedule(problemOf(2, {4096, 4096}, {1, 0}), neon);
  EXPECT_FALSE(
      movesVectorPairs(schedule)); // 32 rows and columns, none near another
  schedule = chooseSchedule(problemOf(4, {4096, 4096}, {1, 0}), neon);
  EXPECT_LE(schedule.tile[0] + schedule.tile[1], 20);
}

} // namespace
