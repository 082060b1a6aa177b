//===- StructuresTest.cpp - streams and columns --------------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ArmMachines.h"
#include "PlanTesting.h"

#include "permc/Plan/Simplify.h"

#include "gtest/gtest.h"

using namespace permc;

namespace {

micro::Interleave movesOf(const Schedule &schedule) {
  return fieldsOf<micro::Interleave>(schedule);
}

TEST(ArmPlan, ChannelsAndColumnsHaveTheirKinds) {
  std::vector<TargetFacts> arm = armMachines();
  Problem pixels = problemOf(1, {1000, 3}, {1, 0});
  Problem transpose = problemOf(2, {64, 64}, {1, 0});
  EXPECT_EQ(kernelName(chooseSchedule(pixels, arm[0])),
            micro::Interleave::name);
  EXPECT_FALSE(isScalable(chooseSchedule(pixels, arm[0])));
  EXPECT_EQ(kernelName(chooseSchedule(pixels, arm[1])),
            micro::Interleave::name);
  EXPECT_TRUE(isScalable(chooseSchedule(pixels, arm[1])));
  EXPECT_EQ(kernelName(chooseSchedule(inverse(pixels), arm[0])),
            micro::Interleave::name);
  EXPECT_EQ(kernelName(chooseSchedule(transpose, arm[0])),
            micro::TileTranspose::name);
  EXPECT_EQ(kernelName(chooseSchedule(transpose, arm[1])),
            micro::TileTranspose::name);
  EXPECT_EQ(kernelName(chooseSchedule(transpose, arm[2])),
            micro::WordTranspose::name);
  EXPECT_EQ(kernelName(chooseSchedule(transpose, arm[3])), micro::Gather::name);
  // A loop over vectors of unknown length is not worth its start for a few.
  Problem few = problemOf(4, {4, 4}, {1, 0});
  EXPECT_EQ(kernelName(chooseSchedule(few, arm[1])), micro::Interleave::name);
  EXPECT_FALSE(isScalable(chooseSchedule(few, arm[1])));
}

TEST(ArmPlan, ChannelsAreSharedInEvenPieces) {
  const TargetFacts sve = armMachines()[1];
  auto piece = [&](int64_t pixels) {
    return chooseSchedule(problemOf(1, {pixels, 4}, {1, 0}), sve).tile[1];
  };
  EXPECT_EQ(piece(12800), 6400);  // not three pieces, which would overlap
  EXPECT_EQ(piece(100003), 4167); // a prime
  // Lines begin elsewhere in each plane, and what is between takes too much of
  // a piece: it is one.
  EXPECT_EQ(piece(12289), 12289);
  EXPECT_EQ(piece(10007), 10007);
  // The search for a number that divides ends.
  EXPECT_EQ(piece(1000000000000000003), 4097);
}

/// Rows of dst that are 8, 16 or 32 elements are joined by fewer rounds of zips
/// than a transpose takes, where they lie without a gap.
TEST(ArmPlan, ShortRowsAreJoined) {
  const TargetFacts neon = armMachines()[7], neon32 = armMachines()[4];
  auto tileOf = [&](int64_t element, Dims shape, const TargetFacts &facts) {
    Schedule schedule =
        chooseSchedule(problemOf(element, shape, {1, 0}), facts);
    return is<micro::Interleave>(schedule) ? schedule.tile : Dims{};
  };
  EXPECT_EQ(tileOf(4, {8, 100}, neon), (Dims{20, 8}));
  EXPECT_EQ(tileOf(2, {16, 100}, neon), (Dims{56, 16}));
  EXPECT_EQ(tileOf(2, {16, 64}, neon), (Dims{64, 16})); // no loop
  EXPECT_EQ(tileOf(1, {32, 100}, neon), (Dims{16, 32}));
  EXPECT_EQ(tileOf(1, {32, 100}, neon32), Dims{}); // 16 registers
  EXPECT_EQ(tileOf(4, {16, 100}, neon), Dims{});   // as many rounds
  EXPECT_EQ(tileOf(2, {12, 100}, neon), Dims{});
  EXPECT_EQ(tileOf(2, {16, 7}, neon), Dims{}); // less than a register
  EXPECT_EQ(tileOf(8, {8, 100}, neon), Dims{});
  Problem gaps =
      *Problem::makeWithByteStrides(2, {16, 100}, {1, 0}, {200, 2}, {40, 2});
  EXPECT_NE(kernelName(chooseSchedule(gaps, neon)), micro::Interleave::name);
}

/// Two vectors of a stream are one load where that saves more than it costs,
/// and all streams are within reach.
TEST(ArmPlan, StreamsAreLoadedInPairs) {
  const TargetFacts tables = armMachines()[10];
  auto pairs = [&](int64_t element, Dims shape, Dims perm) {
    return movesVectorPairs(
        chooseSchedule(problemOf(element, shape, perm), tables));
  };
  EXPECT_TRUE(pairs(2, {12, 16, 64}, {0, 2, 1}));
  EXPECT_TRUE(pairs(1, {16, 64}, {1, 0}));
  EXPECT_FALSE(pairs(2, {16, 16}, {1, 0}));        // saved registers
  EXPECT_FALSE(pairs(2, {12, 16, 15}, {0, 2, 1})); // no two vectors
  EXPECT_FALSE(pairs(2, {16, 100}, {1, 0}));       // too far apart
  EXPECT_FALSE(pairs(1, {32, 64}, {1, 0}));
}

/// Two vectors of four elements each are joined, not four of two split.
TEST(ArmPlan, StreamsFillVectors) {
  const TargetFacts neon = armMachines()[0];
  for (Dims shape : {Dims{13, 2, 4}, Dims{13, 4, 2}}) {
    Schedule schedule = chooseSchedule(problemOf(4, shape, {0, 2, 1}), neon);
    EXPECT_EQ(kernelName(schedule), micro::Interleave::name);
  }
}

/// 16 streams and more are looked up in four registers, those that are one
/// register each and lie without a gap in one.
TEST(ArmPlan, ManyStreamsAreLookedUp) {
  const TargetFacts neon = armMachines()[7], tables = armMachines()[10];
  auto tablesOf = [&](int64_t element, Dims shape, const TargetFacts &facts) {
    return movesOf(chooseSchedule(problemOf(element, shape, {1, 0}), facts))
        .tables;
  };
  EXPECT_EQ(tablesOf(1, {16, 16}, tables), 1);
  EXPECT_EQ(tablesOf(2, {16, 8}, tables), 1);
  EXPECT_EQ(tablesOf(2, {16, 16}, tables), 4);
  EXPECT_EQ(tablesOf(1, {16, 17}, tables), 4);
  EXPECT_EQ(tablesOf(1, {32, 16}, tables), 4);
  EXPECT_EQ(tablesOf(1, {8, 100}, tables), 0); // one round
  EXPECT_EQ(tablesOf(4, {16, 100}, tables), 0);
  EXPECT_EQ(tablesOf(1, {16, 16}, neon), 0);
  Problem rows =
      *Problem::makeWithByteStrides(1, {16, 16}, {1, 0}, {20, 1}, {16, 1});
  EXPECT_EQ(movesOf(chooseSchedule(rows, tables)).tables, 4);
}

/// What is looked up has registers beside 16 streams, not beside 32.
TEST(ArmPlan, LookupsStayWhereRegistersAreLeft) {
  const TargetFacts tables = armMachines()[10];
  auto atOnce = [&](Dims shape) {
    return movesOf(chooseSchedule(problemOf(1, shape, {1, 0}), tables))
        .lookupsAtOnce;
  };
  EXPECT_TRUE(atOnce({16, 17}));
  EXPECT_TRUE(atOnce({16, 100}));
  EXPECT_FALSE(atOnce({32, 100}));
  EXPECT_FALSE(atOnce({16, 16})); // tables of one
  EXPECT_FALSE(atOnce({8, 100}));
}

/// Streams that are one register each and lie without a gap are loaded at once.
TEST(ArmPlan, ManyStreamsAreLoadedAtOnce) {
  const TargetFacts neon = armMachines()[4], several = armMachines()[9];
  auto perLoad = [&](int64_t element, Dims shape, const TargetFacts &facts) {
    return movesOf(chooseSchedule(problemOf(element, shape, {1, 0}), facts))
        .vectorsPerLoad;
  };
  EXPECT_EQ(perLoad(1, {16, 16}, several), 4);
  EXPECT_EQ(perLoad(1, {8, 16}, several), 4);
  EXPECT_EQ(perLoad(2, {8, 8}, several), 4);
  EXPECT_EQ(perLoad(1, {16, 32}, several), 0); // two registers each
  EXPECT_EQ(perLoad(1, {16, 17}, several), 0);
  EXPECT_EQ(perLoad(1, {16, 16}, neon), 0);
  Problem rows =
      *Problem::makeWithByteStrides(1, {16, 16}, {1, 0}, {20, 1}, {16, 1});
  EXPECT_EQ(movesOf(chooseSchedule(rows, several)).vectorsPerLoad, 0);
  EXPECT_EQ(perLoad(1, {4, 16}, several), 4);
  EXPECT_EQ(perLoad(1, {3, 16}, several), 0); // four only
}

/// ... or stored, where a move takes up to four. Two are a pair.
TEST(ArmPlan, StreamsAreMovedAtOnce) {
  const TargetFacts steps = armMachines()[7];
  auto moved = [&](int64_t element, Dims shape) {
    const Schedule schedule =
        chooseSchedule(problemOf(element, shape, {1, 0}), steps);
    const auto &moves = fieldsOf<micro::Interleave>(schedule);
    return std::pair(moves.vectorsPerLoad, moves.vectorsPerStore);
  };
  using Moved = std::pair<int64_t, int64_t>;
  EXPECT_EQ(moved(4, {4, 4}), Moved(0, 4));
  EXPECT_EQ(moved(1, {16, 3}), Moved(0, 3));
  EXPECT_EQ(moved(8, {2, 4}), Moved(0, 4));
  EXPECT_EQ(moved(8, {2, 2}), Moved(0, 0));
  EXPECT_EQ(moved(4, {8, 4}), Moved(0, 0)); // two registers each
  EXPECT_EQ(moved(4, {3, 4}), Moved(3, 0));
  EXPECT_EQ(moved(2, {4, 8}), Moved(4, 0));
  EXPECT_EQ(moved(2, {8, 8}), Moved(4, 0));
  EXPECT_EQ(moved(2, {8, 16}), Moved(0, 0));
}

/// Three structure moves and more step on, where the machine's moves do.
TEST(ArmPlan, StructureMovesStep) {
  const TargetFacts sve = armMachines()[1], pairs = armMachines()[6],
                    steps = armMachines()[7];
  auto stepOn = [&](int64_t element, Dims shape, const TargetFacts &facts) {
    return movesOf(chooseSchedule(problemOf(element, shape, {1, 0}), facts))
        .structuresStep;
  };
  EXPECT_TRUE(stepOn(1, {4096, 3}, steps));
  EXPECT_TRUE(stepOn(1, {4, 4096}, steps));
  EXPECT_TRUE(stepOn(4, {8, 8}, steps)); // four st4
  EXPECT_TRUE(stepOn(4, {3, 9}, steps)); // two, and a lane
  EXPECT_FALSE(stepOn(1, {32, 3}, steps));
  EXPECT_FALSE(stepOn(1, {33, 2}, steps)); // the last is moved back
  EXPECT_FALSE(stepOn(1, {4096, 3}, pairs));
  EXPECT_FALSE(stepOn(1, {4096, 3}, sve));
}

/// One element that is left of each stream is stored by itself.
TEST(ArmPlan, LastElementIsALane) {
  const TargetFacts pairs = armMachines()[6], steps = armMachines()[7];
  auto lane = [&](int64_t element, Dims shape, const TargetFacts &facts) {
    return movesOf(chooseSchedule(problemOf(element, shape, {1, 0}), facts))
        .lastLane;
  };
  EXPECT_TRUE(lane(4, {3, 5}, steps));
  EXPECT_TRUE(lane(1, {4, 17}, steps));
  EXPECT_TRUE(lane(2, {2, 33}, steps));
  EXPECT_FALSE(lane(4, {3, 5}, pairs));
  EXPECT_FALSE(lane(4, {3, 6}, steps));
  EXPECT_FALSE(lane(4, {5, 3}, steps));  // split
  EXPECT_FALSE(lane(4, {3, 33}, steps)); // the last of several tiles
}

} // namespace
