//===- SplitTest.cpp - parts that share no line ---------------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where parts meet and how even they are. That the nests of parts together
// write every element is seen in ScheduleTest.cpp.
//
//===----------------------------------------------------------------------===//

#include "PlanTesting.h"

#include "permc/Plan/Simplify.h"
#include "permc/Plan/Split.h"

#include "gtest/gtest.h"

#include <algorithm>

using namespace permc;

namespace {

TargetFacts avx2() {
  TargetFacts facts;
  facts.vectorBytes = 32;
  facts.byteShuffle = true;
  facts.foldLimit = 16;
  facts.streamingStores = true;
  return facts;
}

struct Planned {
  Problem problem;
  Schedule schedule;
  Split split;
};

Planned plan(const Problem &given, const TargetFacts &facts = avx2()) {
  Problem problem = canonicalize(given, facts.foldLimit);
  Schedule schedule = chooseSchedule(problem, facts);
  Split split = chooseSplit(problem, schedule);
  return {problem, schedule, split};
}

std::vector<Box> listBoxes(const Split &split, uint32_t part, uint32_t parts) {
  Boxes boxes = boxesOf(split, part, parts);
  return {boxes.begin(), boxes.end()};
}

/// How much more the largest part has than the average, in percent.
double unevenness(const Split &split, uint32_t parts) {
  int64_t all = 0, most = 0;
  for (uint32_t part = 0; part < parts; ++part) {
    int64_t positions = 0;
    for (const Box &box : boxesOf(split, part, parts))
      positions += (box.outerEnd - box.outerBegin) * (box.end - box.begin);
    all += positions;
    most = std::max(most, positions);
  }
  EXPECT_EQ(all, split.outerSize * split.size);
  return 100.0 * (double(most) * parts / double(all) - 1);
}

/// Whether the dst offset of each place where parts meet is whole lines.
bool meetsOnLines(const Planned &planned, uint32_t parts) {
  std::vector<LoopDim> dims = planned.problem.loopDims();
  const Split &split = planned.split;
  for (uint32_t part = 1; part < parts; ++part)
    for (const Box &box : boxesOf(split, part, parts)) {
      int64_t offset = box.begin * dims[split.dim].dstStride;
      if (split.outer)
        offset += box.outerBegin * dims[*split.outer].dstStride;
      if (offset % streamLineBytes != 0)
        return false;
      break; // the others continue the first
    }
  return true;
}

TEST(PlanSplit, PartsOfRealisticShapesAreEven) {
  struct Case {
    Problem problem;
    double most; ///< percent, for up to 8 parts
  } cases[] = {
      {problemOf(1, {4097, 4097}, {1, 0}), 13},
      {problemOf(4, {4097, 4097}, {1, 0}), 4},
      {problemOf(4, {1000, 1001}, {1, 0}), 7},
      {problemOf(4, {1001, 1000}, {1, 0}), 7},
      {problemOf(4, {4096, 4096}, {1, 0}), 7},
      {problemOf(1, {3, 223, 223}, {1, 2, 0}), 1},
      {problemOf(4, {3, 223, 223}, {0, 2, 1}), 20},
      {problemOf(1, {224, 224, 3}, {2, 0, 1}), 1},
      {problemOf(4, {32, 56, 57, 64}, {0, 3, 1, 2}), 4},
      {problemOf(2, {8, 12, 197, 64}, {0, 2, 1, 3}), 1},
      {problemOf(1, {30, 40, 50, 101}, {1, 0, 2, 3}), 13},
      {problemOf(4, {24, 20, 28, 20, 24, 20}, {5, 2, 0, 4, 1, 3}), 4},
      // Rows of dst with gaps, between lines and within them.
      {problemOf(4, {1000, 1001}, {1, 0}, {}, Dims{1024, 1}), 7},
      {problemOf(4, {30, 100, 50}, {0, 2, 1}, {}, Dims{6000, 111, 1}), 17},
      {problemOf(1, {200000000}, {0}), 1},
  };
  for (const Case &each : cases) {
    Planned planned = plan(each.problem);
    SCOPED_TRACE(spell(each.problem) + "; " + spell(planned.schedule));
    for (uint32_t parts = 1; parts <= 8; ++parts) {
      EXPECT_LE(unevenness(planned.split, parts), each.most)
          << parts << " parts";
      EXPECT_TRUE(meetsOnLines(planned, parts)) << parts << " parts";
    }
  }
}

TEST(PlanSplit, LoopsOfASplitAreWholeTiles) {
  // 64 rows of 4096 bytes are 16 tiles; parts do not cut any.
  Planned planned = plan(problemOf(1, {4096, 64}, {1, 0}));
  const Split &split = planned.split;
  EXPECT_EQ(split.size % planned.schedule.tile[split.dim], 0);
  EXPECT_EQ(split.grain % planned.schedule.tile[split.dim], 0);
}

TEST(PlanSplit, MorePartsThanWorkGetNothing) {
  Planned planned = plan(problemOf(4, {1000, 1001}, {1, 0}));
  EXPECT_GT(planned.split.mostParts, 8);
  constexpr uint32_t many = 4000000000;
  EXPECT_EQ(listBoxes(planned.split, 0, many).size(), 1u);
  EXPECT_TRUE(listBoxes(planned.split, many - 1, many).empty());
  EXPECT_TRUE(listBoxes(planned.split, 0, 0).empty());
  EXPECT_TRUE(listBoxes(planned.split, 3, 2).empty());
}

TEST(PlanSplit, ALineGoesToOnePart) {
  for (const Problem &tiny :
       {problemOf(1, {3, 5}, {1, 0}), problemOf(4, {}, {}),
        problemOf(4, {0, 7}, {1, 0}), problemOf(1, {63}, {0})}) {
    Split split = plan(tiny).split;
    EXPECT_EQ(split.mostParts, 1) << spell(tiny);
    EXPECT_EQ(listBoxes(split, 0, 5).size(), 1u);
    EXPECT_TRUE(listBoxes(split, 1, 5).empty());
  }
}

/// Rows that go on: a part ends within a row of one position of the outer dim
/// and the next begins there; what lies between is one box.
TEST(PlanSplit, PartsCanBeThreeBoxes) {
  Split split;
  split.dim = 1;
  split.outer = 0;
  split.outerSize = 10;
  split.size = split.pitch = 6;
  split.grain = 4;
  split.shares = split.mostParts = 15;
  EXPECT_EQ(listBoxes(split, 0, 2),
            (std::vector<Box>{{0, 5, 0, 6}, {5, 6, 0, 2}}));
  EXPECT_EQ(listBoxes(split, 1, 2),
            (std::vector<Box>{{5, 6, 2, 6}, {6, 10, 0, 6}}));
  EXPECT_EQ(listBoxes(split, 1, 3),
            (std::vector<Box>{{3, 4, 2, 6}, {4, 6, 0, 6}, {6, 7, 0, 4}}));
  EXPECT_EQ(listBoxes(split, 0, 15), (std::vector<Box>{{0, 1, 0, 4}}));
}

/// A place too near to an end of a row for a piece is moved on.
TEST(PlanSplit, PlacesHaveRoomForPieces) {
  Split split;
  split.outer = 0;
  split.dim = 1;
  split.outerSize = 10;
  split.size = 21;
  split.pitch = 22;
  split.grain = 4;
  split.piece = 8;
  split.needsRoom = true;
  split.shares = 55;
  using Place = Split::Place;
  EXPECT_EQ(split.placeOf(0), (Place{0, 0}));
  EXPECT_EQ(split.placeOf(1), (Place{0, 8})); // 4
  EXPECT_EQ(split.placeOf(3), (Place{0, 12}));
  EXPECT_EQ(split.placeOf(4), (Place{1, 10})); // 16: 5 are left
  EXPECT_EQ(split.placeOf(6), (Place{1, 10})); // 2 of the next
  EXPECT_EQ(split.placeOf(54), (Place{10, 0}));
  EXPECT_EQ(split.placeOf(55), (Place{10, 0}));
}

/// What lies before the first line at a position belongs to the part before.
TEST(PlanSplit, FringesBeginWithLinesAtAnyElement) {
  Split split;
  split.element = 4;
  split.slower = {{0, 2, 1100}};
  split.fringe = {{1, 1, 220}, {2, 2, 20}, {3, 5, 4}};
  EXPECT_EQ(split.bytesToLine(0), 0);
  EXPECT_EQ(split.bytesToLine(220), 36);
  auto list = [&](int64_t at, FringeSide side) {
    std::vector<std::vector<int64_t>> pieces;
    std::array<Range, 4> ranges = {{{0, 0, 1}}};
    visitFringe(split, at, side, ranges, [&](std::span<const Range> piece) {
      pieces.emplace_back();
      for (const Range &range : piece)
        pieces.back().insert(pieces.back().end(), {range.begin, range.end});
    });
    return pieces;
  };
  // 36 bytes are a row of five elements and four of the next.
  using Pieces = std::vector<std::vector<int64_t>>;
  EXPECT_EQ(list(1, FringeSide::BeforeLine),
            (Pieces{{0, 1, 1, 2, 0, 1, 0, 5}, {0, 1, 1, 2, 1, 2, 0, 4}}));
  EXPECT_EQ(list(1, FringeSide::FromLine), (Pieces{{0, 1, 1, 2, 1, 2, 4, 5}}));
  EXPECT_EQ(list(0, FringeSide::BeforeLine), Pieces());
  // Of elements that do not divide a line not all lines begin with one.
  split.element = 12;
  EXPECT_EQ(split.bytesToLine(12), 180);
  EXPECT_EQ(split.bytesToLine(96), 96);
}

/// C functions take ranges of their first loop only.
TEST(PlanSplit, OfTheOutermostLoop) {
  Problem problem = problemOf(1, {64, 128}, {1, 0});
  Schedule schedule;
  schedule.kernel = micro::Scalar{};
  schedule.tile = {1, 1};
  schedule.vectorBytes = 4;
  schedule.loops = {{1, 1}, {0, 1}};
  Split fast = splitOutermost(problem, schedule);
  EXPECT_EQ(fast.mostParts, 1); // one line a row
  schedule.loops = {{0, 1}, {1, 1}};
  Split slow = splitOutermost(problem, schedule);
  EXPECT_EQ(slow.dim, 0u);
  EXPECT_EQ(slow.mostParts, 128);
}

/// A part begins where it has room for a piece before the end of a row, and so
/// has the one before it: else further on, and no further than it must.
TEST(PlanSplit, PlacesLeaveRoomForAPieceOnBothSides) {
  Split split;
  split.outer = 0;
  split.dim = 1;
  split.size = split.pitch = 10;
  split.outerSize = 4;
  split.piece = 3;
  split.shares = 40;
  split.needsRoom = true;
  using Place = Split::Place;
  EXPECT_EQ(split.placeOf(0), (Place{0, 0}));
  EXPECT_EQ(split.placeOf(1), (Place{0, 3})); // 2 more for the part before
  EXPECT_EQ(split.placeOf(3), (Place{0, 3}));
  EXPECT_EQ(split.placeOf(7), (Place{0, 7})); // just enough
  EXPECT_EQ(split.placeOf(8), (Place{1, 3})); // past the end of its row
  EXPECT_EQ(split.placeOf(10), (Place{1, 0}));
  EXPECT_EQ(split.placeOf(37), (Place{3, 7}));
  EXPECT_EQ(split.placeOf(38), (Place{4, 0}));
  EXPECT_EQ(split.placeOf(40), (Place{4, 0}));
}

} // namespace
