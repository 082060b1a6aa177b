//===- CountedTileTest.cpp - tiles chosen by their instructions -----------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "permc/Plan/Schedule.h"
#include "permc/Plan/Simplify.h"
#include "permc/Targets/Target.h"

#include "gtest/gtest.h"

using namespace permc;

namespace {

Schedule scheduleFor(const char *target, int64_t element, Dims shape,
                     Dims perm) {
  const TargetFacts facts = findTarget(target)->facts;
  const Problem problem =
      canonicalize(*Problem::make(element, std::move(shape), std::move(perm)),
                   facts.foldLimit);
  Schedule schedule = chooseSchedule(problem, facts);
  EXPECT_TRUE(checkSchedule(problem, schedule));
  return schedule;
}

//===--- runs and elements ------------------------------------------------===//

TEST(ArmPlanCounted, RunsTakeAllOfAShortDim) {
  // 11 is a prime: a share of it would be done twice, or one run at a time.
  Schedule runs = scheduleFor("aarch64", 8, {11, 14, 4}, {1, 0, 2});
  EXPECT_EQ(kernelName(runs), micro::BlockCopy::name);
  EXPECT_EQ(runs.tile, (Dims{2, 11, 4}));
}

TEST(ArmPlanCounted, LongRunsAreNotDoneTwice) {
  // Two tiles of 52 would be 104.
  Schedule runs = scheduleFor("aarch64", 4, {7, 2, 100}, {1, 0, 2});
  EXPECT_EQ(runs.tile[2], 100);
}

TEST(ArmPlanCounted, ColumnsOfTwoAreElements) {
  Schedule single = scheduleFor("aarch64", 8, {13, 3, 2}, {2, 1, 0});
  EXPECT_EQ(kernelName(single), micro::Scalar::name);
  // ARMv7 stores two halves of a register at once.
  Schedule halves = scheduleFor("armv7-neon", 8, {13, 3, 2}, {2, 1, 0});
  EXPECT_EQ(kernelName(halves), micro::TileTranspose::name);
  EXPECT_EQ(halves.vectorBytes, 8);
  EXPECT_EQ(halves.tile[2], 13);
}

TEST(ArmPlanCounted, LargeTransposesStayInVectors) {
  // Tiles of 8 bytes on AArch64 are too much code to be counted, and stay for
  // that alone. All others must take fewer instructions than elements.
  for (const char *target : {"aarch64", "armv7-neon"})
    for (int64_t element : {1, 2, 4, 8}) {
      Schedule tiles = scheduleFor(target, element, {64, 64}, {1, 0});
      EXPECT_EQ(kernelName(tiles), micro::TileTranspose::name)
          << target << element;
      EXPECT_EQ(tiles.vectorBytes, 16) << target << element;
    }
}

TEST(ArmPlanCounted, FarRowsAreElementsOfWords) {
  // Rows 10920 bytes apart: two addresses for all ten places of the next dim.
  Schedule words =
      scheduleFor("cortex-m4", 1, {2, 7, 12, 10, 13}, {4, 2, 1, 3, 0});
  EXPECT_EQ(kernelName(words), micro::Scalar::name);
  EXPECT_EQ(words.tile, (Dims{1, 1, 1, 10, 2}));
}

TEST(ArmPlanCounted, WordsInsteadOfGathers) {
  EXPECT_EQ(kernelName(scheduleFor("cortex-m55", 4, {64, 64}, {1, 0})),
            micro::TileTranspose::name);
  EXPECT_EQ(kernelName(scheduleFor("cortex-m55", 1, {64, 64}, {1, 0})),
            micro::Gather::name);
}

TEST(ArmPlanCounted, WhatNoMachineHoldsIsCountedToo) {
  // Counting share by share would take hours, and the product is no number.
  scheduleFor("aarch64", 1, {int64_t{1} << 40, 3}, {1, 0});
  Schedule tiles =
      scheduleFor("aarch64", 1, {int64_t{1} << 31, int64_t{1} << 31}, {1, 0});
  EXPECT_EQ(kernelName(tiles), micro::TileTranspose::name);
}

//===--- streams ----------------------------------------------------------===//

TEST(ArmPlanCounted, StreamsOfSeveralBatches) {
  Schedule streams = scheduleFor("aarch64", 2, {5, 8, 2}, {0, 2, 1});
  EXPECT_EQ(kernelName(streams), micro::Interleave::name);
  EXPECT_EQ(streams.tile, (Dims{5, 2, 8}));
}

TEST(ArmPlanCounted, BatchesFarApartAreLeftToLoops) {
  Schedule streams = scheduleFor("aarch64", 1, {7, 1000, 16, 3}, {3, 1, 0, 2});
  EXPECT_EQ(kernelName(streams), micro::Interleave::name);
  EXPECT_EQ(streams.tile, (Dims{3, 1, 1, 16}));
}

TEST(ArmPlanCounted, StreamsOfHalfARegister) {
  for (const char *target : {"aarch64", "armv7-neon"}) {
    Schedule streams = scheduleFor(target, 2, {14, 2, 6}, {0, 2, 1});
    EXPECT_EQ(kernelName(streams), micro::Interleave::name);
    EXPECT_EQ(streams.vectorBytes, 8);
  }
}

TEST(ArmPlanCounted, ShortStreamsAreRegrouped) {
  for (const char *target : {"aarch64", "armv7-neon"}) {
    Schedule split = scheduleFor(target, 1, {6, 4, 2}, {0, 2, 1});
    EXPECT_EQ(kernelName(split), micro::Interleave::name);
    EXPECT_EQ(split.tile, (Dims{6, 2, 4}));
    Schedule joined = scheduleFor(target, 1, {11, 2, 4}, {0, 2, 1});
    EXPECT_EQ(kernelName(joined), micro::Interleave::name);
  }
}

} // namespace
