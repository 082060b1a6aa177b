//===- WordStepsTest.cpp - addresses that step along ----------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PlanTesting.h"

#include "../plan/WordSteps.h"

#include "gtest/gtest.h"

using namespace permc;

namespace {

/// The tile of a matrix of words, and from it to the next along its rows.
struct Words {
  Words(int64_t rows, int64_t columns, Dims tile)
      : problem(problemOf(4, {rows, columns}, {1, 0})) {
    schedule.kernel = micro::TileTranspose{};
    schedule.vectorBytes = 16;
    getIf<micro::WordMoves>(schedule)->pairAlignment = 4;
    schedule.tile = tile;
    for (int64_t dim : {1, 0}) {
      const LoopDim of = problem.loopDims()[dim];
      if (tile[dim] == of.size)
        continue;
      schedule.loops.push_back({dim, tile[dim]});
      next = {tile[dim] * of.srcStride, tile[dim] * of.dstStride};
    }
    EXPECT_TRUE(checkSchedule(problem, schedule));
    network = *tileNetwork(problem, schedule);
  }

  WordSteps steps() const { return wordSteps(network, reach, next); }

  Problem problem;
  Schedule schedule;
  Network network;
  Reach reach = {1020, 1020};
  std::optional<TileStep> next;
};

/// Follows the addresses of one tile and sees that each is where its move is to
/// be, and at the end where the next tile wants it.
void expectPlaces(const Words &words) {
  const WordSteps steps = words.steps();
  auto at = steps.starts;
  size_t moves = 0;
  for (const WordSteps::Move &move : steps.moves) {
    const Network::Step &step = words.network.steps[move.step];
    const bool loads = step.kind == Network::StepKind::Load;
    EXPECT_EQ(loads, move.address != WordSteps::dstAddress);
    at[move.address] += move.before;
    EXPECT_EQ(at[move.address] + move.offset, step.offset);
    EXPECT_TRUE(loads ? move.offset == 0 && move.after == steppedLoad
                      : move.offset == 0 || move.after == 0);
    EXPECT_LE(loads ? 0 : move.offset + move.after, words.reach.ahead);
    EXPECT_GE(loads ? 0 : move.offset + move.after, -words.reach.back);
    at[move.address] += move.after;
    ++moves;
  }
  EXPECT_EQ(moves, words.network.count(Network::StepKind::Load) +
                       words.network.count(Network::StepKind::Store));
  if (!words.next)
    return;
  for (size_t i = 0; i < at.size(); ++i)
    EXPECT_EQ(at[i] + steps.next[i],
              steps.starts[i] + (i == WordSteps::dstAddress ? words.next->dst
                                                            : words.next->src));
}

TEST(ArmWordSteps, AddressesAreWhereMovesAre) {
  for (const Dims &tile : {Dims{4, 2}, Dims{8, 8}, Dims{12, 4}, Dims{32, 2}})
    for (int64_t rows : {8, 11, 64, 254, 255, 256, 300, 2000})
      for (int64_t columns : {32, 33, 70})
        expectPlaces(Words(rows, columns, tile));
  expectPlaces(Words(8, 8, {8, 8}));
  expectPlaces(Words(8, 32, {4, 8}));
}

/// Rows of 32 bytes follow one another: of two addresses one is where the next
/// row begins. Columns are within reach.
TEST(ArmWordSteps, OneAdditionForTwoRowsWithoutAGap) {
  Words words(8, 8, {8, 8});
  EXPECT_EQ(words.steps().instructions(), 16 + 32 + 3);
}

/// Two rows are loaded from end to end, and columns stored one after the other.
TEST(ArmWordSteps, LongRowsTakeNoAdditions) {
  EXPECT_EQ(Words(64, 64, {32, 2}).steps().instructions(), 16 + 32);
  EXPECT_EQ(Words(255, 64, {32, 2}).steps().instructions(), 16 + 32);
}

/// ... but further apart than a store can step.
TEST(ArmWordSteps, ColumnsFarApartTakeAnAdditionEach) {
  EXPECT_EQ(Words(256, 64, {32, 2}).steps().instructions(), 16 + 2 * 32);
  Words near(64, 64, {32, 2});
  near.reach = {};
  EXPECT_EQ(near.steps().instructions(), 16 + 2 * 32);
  expectPlaces(near);
}

} // namespace
