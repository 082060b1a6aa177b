//===- WordTileTest.cpp - tiles of plain words ----------------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PlanTesting.h"
#include "words/WordScheduler.h"

#include "permc/Plan/WordTile.h"

#include "gtest/gtest.h"

#include <set>

using namespace permc;

namespace {

/// Instructions of a tile: its loads, its stores, and the shifts that bring
/// bytes into the lowest place of a register.
int64_t instructions(const WordTile &tile) {
  std::set<std::pair<size_t, int64_t>> shifts;
  for (const WordTile::Store &store : tile.stores)
    if (store.from % 4 != 0)
      shifts.insert({store.load, store.from});
  return int64_t(tile.loads.size() + tile.stores.size() + shifts.size());
}

WordTile wholeTile(const Problem &problem, const TargetFacts &facts) {
  Schedule schedule = chooseWordSchedule(problem, facts);
  return *wordTile(problem, schedule, schedule.tile, alignedAccess(facts));
}

TEST(WordTile, HasOneShiftForEachRowButTheFirst) {
  Problem bytes = problemOf(1, {8, 8}, {1, 0});
  // Seven rows of a load, eight stores and two shifts, one with six shifts.
  EXPECT_EQ(instructions(wholeTile(bytes, smallMachine(8, true))), 7 * 11 + 15);
}

TEST(WordTile, PaysForAlignmentInEveryOtherRow) {
  Problem bytes = problemOf(1, {8, 4}, {1, 0});
  EXPECT_EQ(instructions(wholeTile(bytes, smallMachine(4, false))),
            4 * 6 + 4 * 8);
}

TEST(WordTile, IsOfBoundedSize) {
  Problem bytes = problemOf(1, {256, 128}, {1, 0});
  Schedule schedule = chooseWordSchedule(bytes, smallMachine(4, true));
  EXPECT_TRUE(checkSchedule(bytes, schedule));
  schedule.tile = {64, 128};
  schedule.loops = {{0, 64}, {1, 128}};
  EXPECT_ERROR(checkSchedule(bytes, schedule), Cause::BadSchedule,
               "a tile of 10240 loads and stores; expected at most 4096");
}

TEST(WordTile, CopiesRunsInTheWidestWords) {
  Problem run = problemOf(1, {23}, {0});
  WordTile tile = wholeTile(run, smallMachine(8, true));
  std::vector<int64_t> widths;
  for (const WordTile::Load &load : tile.loads)
    widths.push_back(load.bytes);
  EXPECT_EQ(widths, (std::vector<int64_t>{8, 8, 4, 2, 1}));
  EXPECT_FALSE(tile.dependsOnByteOrder());
}

TEST(WordTile, MovesNoWiderThanTheStridesAreAligned) {
  Problem runs = problemOf(1, {3, 5, 10}, {1, 0, 2});
  for (const WordTile::Load &load :
       wholeTile(runs, smallMachine(4, false)).loads)
    EXPECT_LE(load.bytes, 2);
}

TEST(WordTile, LoadsAcrossShortRows) {
  // Pixels of three bytes: sixteen of them are twelve whole words.
  Problem pixels = problemOf(1, {64, 3}, {1, 0});
  WordTile tile = wholeTile(pixels, smallMachine(4, false));
  EXPECT_EQ(tile.loads.size(), 12u);
  EXPECT_TRUE(tile.dependsOnByteOrder());
}

} // namespace
