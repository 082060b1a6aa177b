//===- ScheduleTest.cpp - schedules, chosen and refused -------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which schedule is chosen is a matter of speed and not tested here; that any
// chosen one is right is. So the loops are run here as Schedule.h describes
// them, by code that shares nothing with the lowering.
//
//===----------------------------------------------------------------------===//

#include "NaivePermute.h"
#include "PlanTesting.h"
#include "RandomProblem.h"
#include "ScheduleProperties.h"

#include "arm/test/ArmMachines.h"

#include "permc/Plan/Alternatives.h"
#include "permc/Plan/LastTiles.h"
#include "permc/Plan/ScheduleReasons.h"
#include "permc/Plan/Simplify.h"
#include "permc/Plan/Split.h"
#include "permc/Plan/UnalignedSchedule.h"
#include "permc/Targets/Target.h"

#include "gtest/gtest.h"

using namespace permc;

namespace {

TargetFacts factsWith(int64_t vectorBytes) {
  TargetFacts facts;
  facts.vectorBytes = vectorBytes;
  facts.foldLimit = vectorBytes ? 16 : 8;
  facts.byteShuffle = vectorBytes >= 32;
  facts.wideShuffleBytes = vectorBytes >= 64 ? 4 : 0;
  facts.streamingStores = vectorBytes != 0;
  facts.cycleNs = 0.3;
  if (vectorBytes < 64) { // as x86 below AVX-512
    facts.l1Ways = 8;
    facts.blockLines = 2;
    facts.combiningBytes = 2 << 10;
  }
  return facts;
}

/// Machines from none of the vectors to all, also with caches so small that
/// everything is blocked or streamed.
std::vector<TargetFacts> machines() {
  std::vector<TargetFacts> all;
  for (int64_t vectorBytes : {0, 16, 32, 64})
    all.push_back(factsWith(vectorBytes));
  TargetFacts small = factsWith(32);
  small.l1Bytes = 1 << 10;
  small.l2Bytes = 4 << 10;
  small.l3Bytes = 16 << 10;
  all.push_back(small);
  TargetFacts streaming = factsWith(64);
  streaming.l3Bytes = 2 << 10;
  all.push_back(streaming);
  TargetFacts narrow;
  narrow.wordBytes = 4;
  narrow.unalignedWords = false;
  all.push_back(narrow);
  for (const TargetFacts &facts : armMachines())
    all.push_back(facts);
  // ... and those that count instructions.
  for (const char *name : {"aarch64", "armv7-neon", "cortex-m4", "cortex-m55"})
    all.push_back(findTarget(name)->facts);
  return all;
}

/// The problem as schedules are chosen for it.
Problem prepare(const Problem &problem, const TargetFacts &facts) {
  return unfold(canonicalize(problem, facts.foldLimit), maxElementBytes);
}

//===----------------------------------------------------------------------===//
// Running a schedule's loops
//===----------------------------------------------------------------------===//

/// Calls `visit(place)` for every micro kernel of a box; `place` is the tile's
/// first element along each dim. That some loops are one counter changes
/// nothing.
template <typename Visit> class LoopRunner {
public:
  LoopRunner(const Problem &problem, const Schedule &schedule, Visit visit)
      : dims(problem.loopDims()), schedule(schedule), visit(visit),
        begin(dims.size(), 0) {
    for (const LoopDim &dim : dims)
      end.push_back(dim.size);
  }

  /// Where tiles fill a dim the nest takes for granted that they fill a range,
  /// and in any range it needs room for one.
  void narrow(size_t dim, int64_t first, int64_t last) {
    const Dims &least = innermost(schedule);
    bool whole = !schedule.panel && dims[dim].size % least[dim] == 0;
    EXPECT_FALSE(whole && (last - first) % least[dim] != 0);
    EXPECT_TRUE(first == last || last - first >= least[dim]);
    begin[dim] = first;
    end[dim] = last;
  }

  void run(const Split &split, const Box &box) {
    if (split.mostParts > 1)
      narrow(split.dim, box.begin, box.end);
    if (split.outer)
      narrow(*split.outer, box.outerBegin, box.outerEnd);
    run();
  }

  void run() { enter(0); }

private:
  void enter(size_t level) {
    if (level == schedule.loops.size())
      return visit(begin);
    const Loop &loop = schedule.loops[level];
    int64_t first = begin[loop.dim], last = end[loop.dim];
    for (int64_t at = first; at < last; at += loop.step) {
      // What would reach past the end is moved back; a block ends early.
      begin[loop.dim] = isMoved(loop) ? std::min(at, last - loop.step) : at;
      end[loop.dim] = std::min(begin[loop.dim] + loop.step, last);
      enter(level + 1);
    }
    begin[loop.dim] = first;
    end[loop.dim] = last;
  }

  /// Tiles are all of one size, and so are panels.
  bool isMoved(const Loop &loop) const {
    return loop.step == schedule.tile[loop.dim] ||
           (schedule.panel && loop.step == schedule.panel->extent[loop.dim]);
  }

  std::vector<LoopDim> dims;
  const Schedule &schedule;
  Visit visit;
  Dims begin, end;
};

/// Which part writes each byte of dst; -1 where none does.
class Coverage {
public:
  explicit Coverage(const Problem &problem)
      : dims(problem.loopDims()), element(problem.elementBytes()),
        owner(problem.dstSpan(), -1) {}

  /// One micro kernel: all elements of its tile.
  void cover(int64_t part, const Dims &place, const Dims &tile) {
    int64_t at = 0;
    for (size_t dim = 0; dim < dims.size(); ++dim) {
      if (place[dim] < 0 || place[dim] + tile[dim] > dims[dim].size)
        outside = true;
      at += place[dim] * dims[dim].dstStride;
    }
    if (!outside)
      coverFrom(0, at, part, tile);
  }

  /// Whether two parts write one line.
  bool sharesLines() const {
    for (size_t line = 0; line < owner.size(); line += 64) {
      int64_t writer = -1;
      for (size_t i = line; i < std::min(line + 64, owner.size()); ++i) {
        if (writer >= 0 && owner[i] >= 0 && owner[i] != writer)
          return true;
        writer = std::max(writer, owner[i]);
      }
    }
    return false;
  }

  /// The most that one part writes.
  int64_t mostBytes(uint32_t parts) const {
    std::vector<int64_t> bytes(parts);
    for (int64_t part : owner)
      if (part >= 0)
        ++bytes[part];
    return *std::max_element(bytes.begin(), bytes.end());
  }

  std::vector<LoopDim> dims;
  int64_t element;
  std::vector<int64_t> owner;
  bool shared = false, outside = false;

private:
  void coverFrom(size_t dim, int64_t at, int64_t part, const Dims &tile) {
    if (dim < dims.size()) {
      for (int64_t i = 0; i < tile[dim]; ++i)
        coverFrom(dim + 1, at + i * dims[dim].dstStride, part, tile);
      return;
    }
    for (int64_t i = 0; i < element; ++i) {
      shared |= owner[at + i] >= 0 && owner[at + i] != part;
      owner[at + i] = part;
    }
  }
};

/// Bytes by which a part may have more than the others.
int64_t bytesOfGroup(const Problem &problem, const Split &split) {
  int64_t positions = split.grain + std::abs(split.pitch - split.size);
  if (split.needsRoom) // whole grains make room
    positions += 2 * split.piece + split.grain;
  // And at each position of the slower dims up to where a line begins.
  int64_t fringes = split.isRagged() ? split.lineReach() : 0;
  for (const Split::RaggedDim &slower : split.slower)
    fringes *= slower.size;
  return problem.bytesMoved() / split.outerSize * positions / split.size +
         problem.bytesMoved() / (split.outerSize * split.size) + fringes;
}

void checkCoverage(const Problem &problem, const Schedule &schedule,
                   const Split &split, uint32_t parts) {
  SCOPED_TRACE(spell(problem) + "; " + spell(schedule) + "; " +
               std::to_string(parts) + " parts");
  Coverage coverage(problem);
  for (uint32_t part = 0; part < parts; ++part) {
    std::vector<int64_t> boxed;
    if (split.mostParts > 1)
      boxed.push_back(static_cast<int64_t>(split.dim));
    if (split.outer)
      boxed.push_back(static_cast<int64_t>(*split.outer));
    auto visitElement = [&](const Dims &place) {
      coverage.cover(part, place, Dims(place.size(), 1));
    };
    for (const Box &box : boxesOf(split, part, parts)) {
      Schedule single = fringeSchedule(problem, schedule);
      auto visitPiece = [&](std::span<const Range> ranges) {
        LoopRunner runner(problem, single, visitElement);
        for (const Range &range : ranges)
          runner.narrow(range.dim, range.begin, range.end);
        runner.run();
      };
      const Boxes nests = visitFringes(split, box, visitPiece);
      for (const TiledPiece &piece : piecesOf(problem, schedule, boxed)) {
        auto visit = [&](Dims place) {
          for (size_t dim = 0; dim < place.size(); ++dim)
            place[dim] += piece.start[dim];
          coverage.cover(part, place, piece.schedule.tile);
        };
        for (const Box &nest : nests)
          LoopRunner(piece.problem, piece.schedule, visit).run(split, nest);
      }
    }
  }
  ASSERT_FALSE(coverage.outside) << "a tile reaches outside the tensor";
  ASSERT_FALSE(coverage.shared) << "two parts write the same element";
  ASSERT_FALSE(coverage.sharesLines()) << "two parts write the same line";
  int64_t missing = 0;
  visitElements(
      problem, [&](int64_t, int64_t to) { missing += coverage.owner[to] < 0; });
  ASSERT_EQ(missing, 0) << "elements are not written";
  if (parts <= split.mostParts) {
    ASSERT_LE(coverage.mostBytes(parts),
              problem.bytesMoved() / parts + bytesOfGroup(problem, split))
        << "parts are uneven";
  }
}

void checkCoverage(const Problem &problem, const Schedule &schedule,
                   uint32_t parts = 1) {
  checkCoverage(problem, schedule, chooseSplit(problem, schedule), parts);
}

//===----------------------------------------------------------------------===//
// Chosen schedules
//===----------------------------------------------------------------------===//

TEST(PlanScheduleProperty, ChosenSchedulesVisitEveryElement) {
  std::mt19937_64 random(11);
  for (int i = 0; i < 400; ++i)
    for (const TargetFacts &facts : machines()) {
      Problem problem = prepare(randomProblem(random, 1 << 12), facts);
      if (problem.isEmpty())
        continue;
      Schedule schedule = chooseSchedule(problem, facts);
      auto few = static_cast<uint32_t>(1 + random() % 9);
      ASSERT_NO_FATAL_FAILURE(checkCoverage(problem, schedule, few));
      ASSERT_NO_FATAL_FAILURE(checkCoverage(problem, schedule, 65));
    }
}

/// On every machine, those that count instructions or move words included.
TEST(PlanScheduleProperty, ChosenSchedulesOfViewsVisitEveryElement) {
  std::mt19937_64 random(17);
  for (int i = 0; i < 300; ++i)
    for (const TargetFacts &facts : machines()) {
      Problem problem = prepare(randomView(random, 1 << 12), facts);
      if (problem.isEmpty())
        continue;
      Schedule schedule = chooseSchedule(problem, facts);
      Status ok = checkSchedule(problem, schedule);
      ASSERT_TRUE(ok) << spell(problem) << ": " << ok.error().message;
      ASSERT_NO_FATAL_FAILURE(checkCoverage(problem, schedule, 3));
    }
}

TEST(PlanSchedule, ViewsTakeNoMovesThatGoForwards) {
  const Problem reversed =
      *Problem::make(4, {8, 8}, {1, 0}, Dims{-8, 1}, std::nullopt);
  Schedule words;
  words.kernel = micro::WordTranspose{};
  words.tile = {1, 4};
  words.loops = {{0, 1}, {1, 4}};
  words.vectorBytes = 4;
  EXPECT_ERROR(checkSchedule(reversed, words), Cause::BadSchedule,
               "a word_transpose of a src that repeats or reverses a dim; "
               "expected another kind, or none of these");
}

/// A part must suit both schedules: which of them runs depends on dst.
TEST(PlanScheduleProperty, UnalignedSchedulesVisitEveryElement) {
  std::mt19937_64 random(13);
  int found = 0, shared = 0;
  for (int i = 0; i < 2400; ++i) {
    TargetFacts facts = factsWith(int64_t{16} << i % 3);
    facts.l3Bytes = 2 << 10;
    facts.l1Bytes = 4 << 10;
    facts.l2Bytes = 16 << 10;
    Problem problem = prepare(randomProblem(random, 1 << 14), facts);
    Schedule schedule = chooseSchedule(problem, facts);
    auto unaligned = chooseUnaligned(problem, schedule, facts);
    if (!unaligned)
      continue;
    ++found;
    EXPECT_TRUE(streamsTiles(problem, schedule));
    ASSERT_TRUE(checkSchedule(problem, *unaligned));
    Split split = chooseSplit(problem, schedule, &*unaligned);
    shared += split.mostParts > 1;
    for (uint32_t parts : {1, 2, 7, 65})
      for (const Schedule *each : {&schedule, &*unaligned})
        ASSERT_NO_FATAL_FAILURE(checkCoverage(problem, *each, split, parts));
  }
  EXPECT_GT(found, 40);
  EXPECT_GT(shared, 20);
}

/// Planes of channels, which end within a line: parts have unaligned edges.
TEST(PlanSchedule, PartsOfPlanesShareNoLine) {
  TargetFacts facts = factsWith(32);
  facts.byteShuffle = true;
  for (const Problem &planes :
       {problemOf(1, {223, 223, 3}, {2, 0, 1}),
        problemOf(4, {2, 67, 67, 3}, {0, 3, 1, 2}),
        problemOf(2, {9999, 2, 2}, {2, 1, 0}),
        problemOf(1, {20011, 4}, {1, 0}, {}, Dims{20015, 1})}) {
    Problem problem = prepare(planes, facts);
    Schedule schedule = chooseSchedule(problem, facts);
    Split split = chooseSplit(problem, schedule);
    EXPECT_TRUE(split.isRagged()) << spell(problem);
    EXPECT_GE(split.mostParts, 4) << spell(problem);
    for (uint32_t parts : {1, 2, 3, 4, 7, 100})
      ASSERT_NO_FATAL_FAILURE(checkCoverage(problem, schedule, parts));
  }
}

/// Panels have all of the slowest dim, and too much of the next would be moved
/// element by element: lines begin at some position of the third.
TEST(PlanSchedule, PartsOfRowsInPlanesShareNoLine) {
  TargetFacts facts = factsWith(32);
  facts.byteShuffle = facts.streamingStores = true;
  facts.l3Bytes = 2 << 10;
  facts.l1Bytes = 96 << 10; // large panels
  facts.l1Ways = 8;
  for (const Problem &given :
       {problemOf(1, {56, 58, 23, 117}, {3, 2, 1, 0}),
        problemOf(1, {56, 58, 37, 57}, {3, 2, 1, 0}), // panels have two rows
        problemOf(8, {27, 100, 7, 33}, {3, 1, 0, 2}),
        problemOf(4, {15, 25, 17, 5, 7, 24}, {3, 2, 1, 5, 4, 0})}) {
    Problem problem = prepare(given, facts);
    Schedule schedule = chooseSchedule(problem, facts);
    Split split = chooseSplit(problem, schedule);
    EXPECT_TRUE(split.outer && split.isRagged()) << spell(problem);
    EXPECT_GE(split.mostParts, 2) << spell(problem);
    for (uint32_t parts : {1, 2, 3, 5, 100})
      ASSERT_NO_FATAL_FAILURE(checkCoverage(problem, schedule, parts));
  }
}

/// Tiles and panels leave no dim of whole lines, and no room for a line of
/// positions of the next dim: lines begin within the first elements.
TEST(PlanSchedule, PartsBeginWithLinesAnywhere) {
  TargetFacts facts = factsWith(32);
  facts.byteShuffle = facts.streamingStores = true;
  facts.l1Bytes = 96 << 10; // large panels
  facts.l1Ways = 8;
  for (const Problem &given :
       {problemOf(1, {4, 4, 25, 21, 2, 7, 8}, {6, 3, 0, 4, 5, 2, 1}),
        problemOf(2, {14, 7, 9, 25, 11, 6}, {0, 4, 1, 2, 5, 3}),
        problemOf(1, {13, 3, 13, 13, 7, 23}, {0, 1, 5, 3, 4, 2}),
        problemOf(1, {10, 13, 17, 79, 8}, {4, 1, 2, 0, 3}),
        problemOf(1, {3, 5, 31, 13, 81, 4}, {5, 0, 4, 1, 2, 3}),
        problemOf(1, {59, 331, 128}, {2, 1, 0}),
        // Panels of several rows: one with an unaligned edge, and others or
        // none.
        problemOf(1, {33, 9, 2, 16, 2, 6, 25}, {3, 0, 1, 5, 6, 2, 4}),
        problemOf(4, {8, 31, 49, 36}, {3, 1, 0, 2}),
        // Planes that are odd, but long enough for parts of their own.
        problemOf(1, {4, 30, 4, 17, 5, 25}, {0, 2, 5, 1, 3, 4}),
        // Elements that do not divide a line.
        problemOf(12, {17, 21, 9, 7, 5}, {4, 1, 3, 0, 2}),
        problemOf(3, {17, 900, 21}, {2, 1, 0})})
    for (bool streams : {false, true}) {
      facts.l3Bytes = streams ? 2 << 10 : int64_t{2} << 30;
      Problem problem = prepare(given, facts);
      Schedule schedule = chooseSchedule(problem, facts);
      EXPECT_GE(chooseSplit(problem, schedule).mostParts, streams ? 2 : 4)
          << spell(problem) << "; " << spell(schedule);
      for (uint32_t parts : {2, 5, 100})
        ASSERT_NO_FATAL_FAILURE(checkCoverage(problem, schedule, parts));
    }
}

/// Tiles that fill a dim must do so in every part of it.
TEST(PlanSchedule, PartsOfRowsHaveWholeTiles) {
  const TargetFacts facts = factsWith(32);
  for (const Problem &problem :
       {problemOf(8, {3, 2, 257, 98}, {1, 0, 3, 2}),
        problemOf(8, {3, 2, 259, 128}, {1, 0, 3, 2}),
        problemOf(4, {12, 256, 112}, {0, 2, 1}, {}, Dims{28676, 256, 1})}) {
    Schedule schedule = chooseSchedule(problem, facts);
    for (uint32_t parts : {1, 2, 3, 7})
      ASSERT_NO_FATAL_FAILURE(checkCoverage(problem, schedule, parts));
  }
}

/// Larger than anything that runs here: only the plan is looked at.
TEST(PlanScheduleProperty, ChosenSchedulesAreAccepted) {
  std::mt19937_64 random(12);
  for (int i = 0; i < 2000; ++i)
    for (const TargetFacts &facts : machines()) {
      int64_t elements = int64_t{1} << (random() % 40);
      Problem problem = prepare(randomProblem(random, elements), facts);
      Schedule schedule = chooseSchedule(problem, facts);
      Status accepted = checkSchedule(problem, schedule);
      ASSERT_TRUE(accepted) << spell(problem) << "; " << spell(schedule) << ": "
                            << accepted.error().message;
    }
}

/// Each step takes the back end its time: tiles that need many stay small too,
/// and those that go through panels, which need fill no lines, stay smaller.
TEST(PlanSchedule, TilesOfManyStepsAreCompact) {
  const Problem problems[] = {
      problemOf(2, {2, 16, 8, 16, 24, 16, 20, 3}, {6, 5, 4, 3, 2, 1, 0, 7}),
      problemOf(4, {5, 180, 170, 115, 3}, {4, 2, 3, 1, 0}),
      problemOf(3, {400000, 45}, {1, 0})};
  for (auto [given, vectorBytes] :
       {std::pair(&problems[0], 32), std::pair(&problems[0], 64),
        std::pair(&problems[1], 64), std::pair(&problems[2], 64)}) {
    TargetFacts facts = factsWith(vectorBytes);
    Problem problem = prepare(*given, facts);
    Schedule schedule = chooseSchedule(problem, facts);
    ASSERT_EQ(kernelName(schedule), micro::TileTranspose::name);
    auto network = [&] {
      if (!schedule.panel)
        return tileNetwork(problem, schedule);
      PanelStage stage = panelStage(problem, schedule);
      return tileNetwork(stage.problem, stage.schedule);
    }();
    ASSERT_TRUE(network);
    EXPECT_LE(network->steps.size(), schedule.panel ? 256u : 700u)
        << spell(schedule);
  }
}

/// Whatever is chosen, some rule says why.
TEST(PlanScheduleProperty, ChoicesHaveReasons) {
  std::mt19937_64 random(17);
  for (int i = 0; i < 400; ++i)
    for (TargetFacts facts : machines()) {
      facts.l3Bytes = 2 << 10;
      Problem problem = prepare(randomProblem(random), facts);
      auto [schedule, reasons] = explainSchedule(problem, facts);
      EXPECT_EQ(schedule, chooseSchedule(problem, facts));
      EXPECT_FALSE(reasons.kind.empty()) << spell(problem);
      EXPECT_EQ(reasons.panels.empty(), !schedule.panel)
          << spell(problem) << "; " << spell(schedule);
      if (schedule.streaming)
        EXPECT_FALSE(reasons.stores.empty()) << spell(problem);
    }
}

TEST(PlanScheduleProperty, ChosenTilesAreProven) {
  std::mt19937_64 random(13);
  for (int i = 0; i < 200; ++i)
    for (const TargetFacts &facts : machines()) {
      Problem problem = prepare(randomProblem(random), facts);
      if (problem.isEmpty())
        continue;
      Schedule schedule = chooseSchedule(problem, facts);
      auto network = tileNetwork(problem, schedule);
      ASSERT_TRUE(network) << spell(problem) << "; " << spell(schedule) << ": "
                           << network.error().message;
    }
}

/// Collapsed outer loops keep the nest's depth independent of the rank.
TEST(PlanSchedule, NestsStayShallow) {
  Dims shape(62, 2), reversed(62), swapped(62);
  for (int64_t dim = 0; dim < 62; ++dim) {
    reversed[dim] = 61 - dim;
    swapped[dim] = dim ^ 1;
  }
  for (const TargetFacts &facts : machines())
    for (const Dims &perm : {reversed, swapped}) {
      Problem problem = prepare(problemOf(1, shape, perm), facts);
      Schedule schedule = chooseSchedule(problem, facts);
      Status accepted = checkSchedule(problem, schedule);
      ASSERT_TRUE(accepted) << accepted.error().message;
      EXPECT_LE(schedule.loops.size() - schedule.unitLoops, 8u)
          << spell(schedule);
    }
}

TEST(PlanSchedule, OddElementsPrefetchWhatTheSecondCacheDoesNotHold) {
  TargetFacts facts = factsWith(32);
  facts.l2Bytes = 512 << 10;
  // Tiles of these take so many instructions that few misses overlap.
  const int64_t odd[] = {3, 5, 6, 7, 9, 10, 11, 13, 14, 15};
  auto prefetching = [&](const Dims &shape) {
    return std::ranges::count_if(odd, [&](int64_t element) {
      const Problem problem = *Problem::make(element, shape, {0, 2, 1});
      return chooseSchedule(problem, facts).prefetch.srcBytes > 0;
    });
  };
  EXPECT_GE(prefetching({15, 67, 515}), 8);
  EXPECT_EQ(prefetching({5, 67, 51}), 0) << "in the second cache";
}

TEST(PlanSchedule, PiecesAreOfOneTileEach) {
  const Problem problem = problemOf(1, {37, 53}, {1, 0});
  Schedule schedule = chooseSchedule(problem, armMachines()[7]);
  ASSERT_EQ(fieldsOf<micro::TileTranspose>(schedule).lastTile, (Dims{5, 8}));
  const std::vector<TiledPiece> pieces = piecesOf(problem, schedule);
  ASSERT_EQ(pieces.size(), 4u);
  EXPECT_EQ(pieces[0].problem.outShape(), (Dims{48, 32}));
  EXPECT_EQ(pieces[0].schedule.loops.size(), 2u);
  EXPECT_EQ(pieces[1].problem.outShape(), (Dims{5, 32}));
  EXPECT_EQ(pieces[1].start, (Dims{48, 0}));
  EXPECT_EQ(pieces[1].offset(&LoopDim::srcStride), 48);
  EXPECT_EQ(pieces[1].offset(&LoopDim::dstStride), 48 * 37);
  EXPECT_EQ(pieces[1].schedule.loops, (std::vector<Loop>{{1, 16}}));
  EXPECT_EQ(pieces[3].start, (Dims{48, 29}));
  EXPECT_EQ(pieces[3].schedule.tile, (Dims{5, 8}));
  EXPECT_EQ(pieces[3].schedule.vectorBytes, 8);
  // Ranges that are known at run time only have tiles of one size.
  const int64_t boxed[] = {0};
  EXPECT_EQ(piecesOf(problem, schedule, boxed).size(), 2u);
}

/// Parts that share a dim do not get a last tile along it.
TEST(PlanScheduleProperty, SharedDimsHaveNoLastTile) {
  std::mt19937_64 random(29);
  const TargetFacts neon = armMachines()[7];
  int found = 0, ragged = 0;
  for (int i = 0; i < 2000; ++i) {
    Problem problem = prepare(randomProblem(random, 1 << 14), neon);
    Schedule schedule = chooseSchedule(problem, neon);
    const Dims &lastTile = fieldsOf<micro::TileTranspose>(schedule).lastTile;
    if (lastTile.empty())
      continue;
    ++found;
    ASSERT_TRUE(checkSchedule(problem, schedule)) << spell(schedule);
    const Split split = chooseSplit(problem, schedule);
    if (split.mostParts == 1)
      continue;
    EXPECT_EQ(lastTile[split.dim], schedule.tile[split.dim]);
    ragged += split.isRagged();
    if (split.outer) {
      EXPECT_EQ(lastTile[*split.outer], schedule.tile[*split.outer]);
    }
    ASSERT_NO_FATAL_FAILURE(checkCoverage(problem, schedule, 5));
  }
  EXPECT_GT(found, 40);
  EXPECT_GT(ragged, 0);
}

TEST(PlanSchedule, TheEmptyProblemHasAnEmptyNest) {
  Problem empty = problemOf(4, {0}, {0});
  for (const TargetFacts &facts : machines()) {
    Schedule schedule = chooseSchedule(empty, facts);
    EXPECT_TRUE(schedule.loops.empty());
    EXPECT_TRUE(checkSchedule(empty, schedule));
  }
}

TEST(PlanSchedule, AScalarIsOneCopy) {
  Problem scalar = problemOf(12, {}, {});
  for (const TargetFacts &facts : machines()) {
    Schedule schedule = chooseSchedule(scalar, facts);
    EXPECT_EQ(kernelName(schedule), micro::Copy::name);
    EXPECT_TRUE(schedule.loops.empty());
    EXPECT_TRUE(checkSchedule(scalar, schedule));
  }
}

TEST(PlanSchedule, KindNamesReadBack) {
  forEachKernel([](const auto &kernel) {
    Schedule schedule;
    schedule.kernel = kernel;
    EXPECT_EQ(kernelNamed(kernelName(schedule)), schedule.kernel);
  });
  EXPECT_EQ(kernelNamed("tile"), std::nullopt);
  EXPECT_EQ(kernelNamed(""), std::nullopt);
}

//===----------------------------------------------------------------------===//
// Schedules by hand
//===----------------------------------------------------------------------===//

/// 100x40 bytes, transposed: dst is 40x100. Dim 0 is fast in src, dim 1 in dst.
const Problem transpose = problemOf(1, {100, 40}, {1, 0});

/// A schedule of it that is right.
Schedule rightSchedule() {
  Schedule schedule;
  schedule.kernel = micro::TileTranspose{};
  schedule.tile = {8, 16};
  schedule.loops = {{1, 32}, {0, 8}, {1, 16}};
  schedule.unitLoops = 2;
  schedule.vectorBytes = 16;
  return schedule;
}

TEST(PlanSchedule, ARightScheduleIsAccepted) {
  Schedule schedule = rightSchedule();
  Status accepted = checkSchedule(transpose, schedule);
  ASSERT_TRUE(accepted) << accepted.error().message;
  checkCoverage(transpose, schedule);
}

//===----------------------------------------------------------------------===//
// Refusals
//===----------------------------------------------------------------------===//

/// `rightSchedule` with one mistake.
template <typename Mistake>
void expectRefused(Mistake mistake, const std::string &message) {
  Schedule schedule = rightSchedule();
  mistake(schedule);
  EXPECT_ERROR(checkSchedule(transpose, schedule), Cause::BadSchedule, message);
}

TEST(PlanScheduleErrors, TileOfAnotherRank) {
  expectRefused([](Schedule &schedule) { schedule.tile = {8, 16, 1}; },
                "a tile of rank 3 for a problem of rank 2");
}

TEST(PlanScheduleErrors, MoreUnitLoopsThanLoops) {
  expectRefused([](Schedule &schedule) { schedule.unitLoops = 4; },
                "4 unit loops out of 3 loops");
}

TEST(PlanScheduleErrors, LoopAlongNoDim) {
  expectRefused([](Schedule &schedule) { schedule.loops[1].dim = 2; },
                "a loop along dim 2 of a problem of rank 2");
  expectRefused([](Schedule &schedule) { schedule.loops[1].dim = -1; },
                "a loop along dim -1 of a problem of rank 2");
}

TEST(PlanScheduleErrors, TileLargerThanItsDim) {
  expectRefused([](Schedule &schedule) { schedule.tile[0] = 41; },
                "a tile of 41 along dim 0 of size 40; expected 1 to 40");
  expectRefused([](Schedule &schedule) { schedule.tile[0] = 0; },
                "a tile of 0 along dim 0 of size 40; expected 1 to 40");
}

TEST(PlanScheduleErrors, StepIsNoMultipleOfTheTile) {
  expectRefused([](Schedule &schedule) { schedule.loops[0].step = 24; },
                "a loop with the step 24 along dim 1 of size 100; expected a "
                "multiple of the tile 16, below 100");
}

TEST(PlanScheduleErrors, StepsDoNotGetFiner) {
  expectRefused([](Schedule &schedule) { schedule.loops[2].step = 32; },
                "a loop with the step 32 along dim 1 of size 100; expected a "
                "multiple of the tile 16, below 32");
  expectRefused([](Schedule &schedule) { schedule.loops[0].step = 112; },
                "a loop with the step 112 along dim 1 of size 100; expected a "
                "multiple of the tile 16, below 100");
}

TEST(PlanScheduleErrors, StepBelowOne) {
  expectRefused([](Schedule &schedule) { schedule.loops[2].step = 0; },
                "a loop with the step 0 along dim 1 of size 100; expected a "
                "multiple of the tile 16, below 32");
  expectRefused([](Schedule &schedule) { schedule.loops[2].step = -16; },
                "a loop with the step -16 along dim 1 of size 100; expected a "
                "multiple of the tile 16, below 32");
}

TEST(PlanScheduleErrors, LastStepIsNotTheTile) {
  expectRefused([](Schedule &schedule) { schedule.loops.pop_back(); },
                "the last step along dim 1 of size 100 is 32; expected the "
                "tile 16");
  expectRefused(
      [](Schedule &schedule) {
        schedule.loops.erase(schedule.loops.begin() + 1);
        schedule.unitLoops = 1;
      },
      "the last step along dim 0 of size 40 is 40; expected the tile 8");
}

/// A block that ends inside a step of the loop within would run over its end.
TEST(PlanScheduleErrors, StepsThatDoNotNest) {
  Problem problem = problemOf(4, {40, 40}, {1, 0});
  Schedule schedule;
  schedule.kernel = micro::TileTranspose{};
  schedule.tile = {4, 4};
  schedule.loops = {{0, 12}, {0, 8}, {1, 4}, {0, 4}};
  schedule.vectorBytes = 16;
  Status outcome = checkSchedule(problem, schedule);
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().message,
            "a loop with the step 8 inside one with the step 12 along dim 0 of "
            "size 40; expected it to divide");
}

/// How many steps the inner loop of a dim has depends on the outer one.
TEST(PlanScheduleErrors, UnitsOfASecondLoop) {
  expectRefused([](Schedule &schedule) { schedule.unitLoops = 3; },
                "the second loop along dim 1 of size 100 counts units");
}

TEST(PlanScheduleErrors, VectorsThatDoNotExist) {
  for (int64_t bytes : {0, -16, 2, 24, 128})
    expectRefused([=](Schedule &schedule) { schedule.vectorBytes = bytes; },
                  "vectors of " + std::to_string(bytes) +
                      " bytes; expected a power of two from 4 to 64");
  Schedule copy;
  copy.tile = {100};
  for (int64_t bytes : {0, -1, 3, 128}) {
    copy.vectorBytes = bytes;
    EXPECT_ERROR(checkSchedule(problemOf(1, {100}, {0}), copy),
                 Cause::BadSchedule,
                 "vectors of " + std::to_string(bytes) +
                     " bytes; expected a power of two from 1 to 64");
  }
}

TEST(PlanScheduleErrors, TransposeOfElementsNoUnitHolds) {
  EXPECT_ERROR(checkSchedule(problemOf(11, {100, 40}, {1, 0}), rightSchedule()),
               Cause::BadSchedule,
               "a tile_transpose of elements of 11 bytes by vectors of 16; "
               "expected at most 8, or 12 or 16 by vectors of 16 or more");
}

/// One is all that a register has: there is nothing to step or to pair.
TEST(PlanScheduleErrors, StepsOfElementsThatFillARegister) {
  Schedule schedule;
  auto &moves = schedule.kernel.emplace<micro::TileTranspose>();
  schedule.tile = {2, 2};
  schedule.loops = {{0, 2}, {1, 2}};
  schedule.vectorBytes = 16;
  moves.stepping = 2;
  const Problem problem = problemOf(16, {16, 16}, {1, 0});
  EXPECT_FALSE(checkSchedule(problem, schedule));
  moves.vectorPairs = true;
  EXPECT_FALSE(checkSchedule(problem, schedule));
  moves.stepping = 0;
  EXPECT_FALSE(checkSchedule(problem, schedule));
  moves.vectorPairs = false;
  EXPECT_TRUE(checkSchedule(problem, schedule));
}

TEST(PlanScheduleErrors, ScalableInterleaveOfBatches) {
  Schedule schedule;
  schedule.kernel.emplace<micro::Interleave>().scalable = true;
  schedule.tile = {4, 2, 200};
  schedule.vectorBytes = 16;
  EXPECT_ERROR(checkSchedule(problemOf(1, {4, 200, 2}, {0, 2, 1}), schedule),
               Cause::BadSchedule,
               "a scalable interleave tile over several batches of streams; "
               "expected one");
}

TEST(PlanScheduleErrors, TransposeOfATileWithGaps) {
  Problem gaps = problemOf(1, {100, 40}, {1, 0}, Dims{80, 2});
  EXPECT_ERROR(checkSchedule(gaps, rightSchedule()), Cause::BadSchedule,
               "a tile_transpose tile that is not a rectangle of contiguous "
               "rows and columns");
}

TEST(PlanScheduleErrors, TileLargerThanCodeCanBe) {
  Schedule copy;
  copy.tile = {20000};
  copy.vectorBytes = 16;
  EXPECT_ERROR(checkSchedule(problemOf(1, {20000}, {0}), copy),
               Cause::BadSchedule,
               "a tile of 20000 bytes; expected at most 16384");
  copy.tile = {};
  EXPECT_ERROR(checkSchedule(problemOf(int64_t{1} << 40, {}, {}), copy),
               Cause::BadSchedule,
               "a tile of 1099511627776 bytes; expected at most 16384");
}

//===----------------------------------------------------------------------===//
// Prefetches, and the order of loops
//===----------------------------------------------------------------------===//

/// Both ends of a panel's rows, unless these are whole lines.
TEST(PlanSchedulePrefetch, EndsOfPanelRows) {
  TargetFacts facts = factsWith(64);
  // Rows of 348 bytes are not worth cutting.
  Problem odd = problemOf(4, {87, 49, 47, 53}, {2, 3, 1, 0});
  Schedule schedule = chooseSchedule(odd, facts);
  ASSERT_TRUE(schedule.panel);
  ASSERT_FALSE(schedule.panel->wholeLines);
  EXPECT_EQ(schedule.prefetch.dstBytes, panelStage(odd, schedule).rowBytes - 1);
  // Rows of two times 224 bytes, which begin where a line does.
  Problem even = problemOf(2, {32, 112, 384, 80}, {3, 0, 2, 1});
  schedule = chooseSchedule(even, facts);
  ASSERT_TRUE(schedule.panel);
  EXPECT_EQ(schedule.prefetch.dstBytes, 0);
}

TEST(PlanSchedulePrefetch, AheadByTooMuchIsRefused) {
  for (int64_t ahead : {int64_t{-1}, (int64_t{1} << 28) + 1})
    expectRefused(
        [=](Schedule &schedule) { schedule.prefetch.dstBytes = ahead; },
        "a prefetch " + std::to_string(ahead) +
            " bytes ahead; expected 0 to 268435456");
}

/// Dim 0 of dst lies 512 bytes apart in src, 56 rows of dim 1 4608 bytes in src
/// and 7680 in dst: following dst would read src in pieces of 512 bytes, and go
/// through all of its pages for each.
TEST(PlanScheduleOrder, LoopsFollowSrcWhereItIsMuchNearer) {
  Problem problem = problemOf(8, {5, 56, 3, 3, 64}, {3, 1, 4, 2, 0});
  const Schedule schedule = chooseSchedule(problem, factsWith(64));
  EXPECT_LT(ScheduleProperties(problem, schedule).linesFetched(tlbOf(32)).src,
            1.5);
}

/// A shuffle is possible, but a lane of it holds few of the 140 bytes that a
/// tile of whole rows and columns has.
TEST(PlanScheduleOrder, ShufflesOnlyWhereTheyTakeFewerSteps) {
  Problem problem =
      problemOf(1, {4, 6, 21, 23, 13, 5, 7}, {3, 1, 6, 4, 2, 5, 0});
  EXPECT_EQ(kernelName(chooseSchedule(problem, factsWith(32))),
            micro::TileTranspose::name);
  EXPECT_EQ(kernelName(
                chooseSchedule(problemOf(1, {1024, 3}, {1, 0}), factsWith(32))),
            micro::Shuffle::name);
}

//===----------------------------------------------------------------------===//
// Panels
//===----------------------------------------------------------------------===//

/// 1000x300 bytes, transposed: dst is 300x1000.
const Problem wideTranspose = problemOf(1, {1000, 300}, {1, 0});

Schedule panelSchedule() {
  Schedule schedule;
  schedule.kernel = micro::TileTranspose{};
  schedule.tile = {16, 16};
  schedule.panel = Panel{.extent = {32, 256}};
  schedule.loops = {{0, 64}, {1, 256}, {0, 32}, {1, 16}, {0, 16}};
  schedule.unitLoops = 1;
  schedule.vectorBytes = 16;
  schedule.streaming = true;
  return schedule;
}

template <typename Mistake>
void expectPanelRefused(Mistake mistake, const std::string &message) {
  Schedule schedule = panelSchedule();
  mistake(schedule);
  EXPECT_ERROR(checkSchedule(wideTranspose, schedule), Cause::BadSchedule,
               message);
}

TEST(PlanSchedulePanel, ARightOneIsAccepted) {
  Status accepted = checkSchedule(wideTranspose, panelSchedule());
  ASSERT_TRUE(accepted) << accepted.error().message;
  checkCoverage(wideTranspose, panelSchedule());
}

/// The rest of the cache is for what a panel is read from, and for the next.
TEST(PlanSchedulePanel, ChosenOnesLeaveRoomInTheFirstCache) {
  TargetFacts facts = factsWith(64);
  const Problem problems[] = {
      *Problem::make(4, {120, 110, 115, 33}, {2, 1, 0, 3}),
      *Problem::make(6, {4096, 24, 16, 20}, {3, 2, 1, 0}),
      *Problem::make(4, {370, 380, 370}, {2, 0, 1})};
  for (const Problem &given : problems) {
    Problem problem = prepare(given, facts);
    Schedule schedule = chooseSchedule(problem, facts);
    ASSERT_TRUE(schedule.panel);
    PanelStage stage = panelStage(problem, schedule);
    EXPECT_LE(stage.bufferBytes, 2 * facts.l1Bytes / 3);
    EXPECT_GE(stage.rowBytes, 4 * facts.lineBytes);
    EXPECT_GT(schedule.panel->prefetchBytes, 0);
    EXPECT_EQ(schedule.prefetch.srcBytes, schedule.panel->prefetchBytes);
  }
}

/// A panel that would read less than a line at a time is made larger than the
/// first cache likes.
TEST(PlanSchedulePanel, ChosenOnesReadWholeLines) {
  TargetFacts facts = factsWith(64);
  Problem problem = *Problem::make(1, {120, 118, 121, 117}, {3, 2, 1, 0});
  Schedule schedule = chooseSchedule(problem, facts);
  ASSERT_TRUE(schedule.panel);
  PanelStage stage = panelStage(problem, schedule);
  EXPECT_GE(stage.stretchBytes, facts.lineBytes);
  EXPECT_GE(stage.rowBytes, 4 * facts.lineBytes);
  // Rows that are cut have a line more.
  EXPECT_LE(std::accumulate(schedule.panel->extent.begin(),
                            schedule.panel->extent.end(), int64_t{1},
                            std::multiplies<>()),
            maxPanelBytes);
  EXPECT_LE(stage.bufferBytes - stage.rowBytes, maxPanelBytes * 5 / 4);
}

/// What a panel reads: pieces of src, told apart by the other dims.
TEST(PlanSchedulePanel, IsReadInStretches) {
  TargetFacts facts = factsWith(64);
  Problem problem = *Problem::make(1, {120, 118, 121, 117}, {3, 2, 1, 0});
  Schedule schedule = chooseSchedule(problem, facts);
  schedule.panel->extent = {64, 1, 4, 120};
  PanelStage stage = panelStage(problem, schedule);
  EXPECT_EQ(stage.stretchBytes, 64);
  EXPECT_EQ(stage.stretchDims, (std::vector<size_t>{2, 3}));
}

/// The pages that streamed tiles go through before they come back to the first
/// are no more than the machine remembers: each is looked up about once for
/// every line of it that a tile has.
TEST(PlanScheduleStreaming, KeepsItsPages) {
  TargetFacts facts = factsWith(64);
  Problem problem = *Problem::make(4, {96, 75, 75, 96}, {3, 2, 1, 0});
  for (int64_t pages : {960, 480}) {
    facts.tlbPages = pages;
    const Schedule schedule = chooseSchedule(problem, facts);
    const LineTraffic pagesFetched =
        ScheduleProperties(problem, schedule).linesFetched(tlbOf(2 * pages));
    EXPECT_LE(pagesFetched.src, 3) << pages;
    EXPECT_LE(pagesFetched.dst, 3) << pages;
  }
}

/// Small elements are not moved in registers that rows leave half empty.
TEST(PlanScheduleTiles, TakeRegistersThatRowsFill) {
  for (auto [element, rows] : {std::pair<int64_t, int64_t>{1, 37},
                               {2, 37},
                               {1, 128},
                               {1, 1024},
                               {4, 37},
                               {4, 370},
                               {8, 37}}) {
    const Problem problem = problemOf(element, {rows, 53}, {1, 0});
    const Schedule schedule = chooseSchedule(problem, factsWith(64));
    EXPECT_LT(ScheduleProperties(problem, schedule).movedShare(), 1.3)
        << spell(problem) << "; " << spell(schedule);
  }
}

TEST(PlanScheduleTiles, DoLittleTwiceInTheFirstCache) {
  for (int64_t element : {2, 4})
    for (int64_t columns : {33, 35, 41, 53, 57, 61}) {
      auto problem = *Problem::make(element, {48, columns}, {1, 0});
      const Schedule schedule = chooseSchedule(problem, factsWith(32));
      EXPECT_LT(ScheduleProperties(problem, schedule).movedShare(), 1.1)
          << columns << " columns of " << element << " bytes";
    }
}

TEST(PlanScheduleTiles, DoLittleTwiceFurtherAwayIfThatIsMuchLess) {
  auto choose = [](const Problem &problem) {
    return ScheduleProperties(
        problem, chooseSchedule(problem, findTarget("x86-64-v4")->facts));
  };
  // Two tiles of 16 columns would do 13 of 19 twice.
  EXPECT_LT(choose(problemOf(2, {26, 6, 30, 19}, {3, 2, 1, 0})).movedShare(),
            1.25);
  // Whole lines count for more than a tenth of the work.
  EXPECT_EQ(choose(problemOf(4, {480, 470}, {1, 0})).wholeLineShare(), 1);
}

TEST(PlanScheduleTiles, JoinRowsThatFillNoRegister) {
  // Alone, columns of 4x5 bytes fill none, and each would end within one.
  auto problem = *Problem::make(1, {4, 5, 3, 4, 5, 6}, {5, 2, 4, 0, 3, 1});
  for (int64_t bytes : {16, 32, 64}) {
    Schedule schedule = chooseSchedule(problem, factsWith(bytes));
    const int64_t most = std::min<int64_t>(bytes, 32);
    EXPECT_EQ(schedule.vectorBytes, most);
    EXPECT_GE(schedule.tile[3] * schedule.tile[4] * schedule.tile[5], most);
    EXPECT_LE(tileNetwork(problem, schedule)->steps.size(), 400);
  }
}

/// Lines that dst does not have are put together in panels, whose ends have to
/// be read, unless tiles can be moved along rows that are long.
TEST(PlanScheduleStreaming, PutsLinesTogetherForAnUnalignedDst) {
  TargetFacts facts = factsWith(64);
  auto choose = [&](int64_t element, const Dims &shape, const Dims &perm) {
    Problem problem = *Problem::make(element, shape, perm);
    Schedule schedule = chooseSchedule(problem, facts);
    EXPECT_TRUE(streamsTiles(problem, schedule));
    return chooseUnaligned(problem, schedule, facts);
  };
  for (auto [element, shape, perm] :
       {std::tuple(int64_t{2}, Dims{4096, 32, 128}, Dims{1, 0, 2}),
        std::tuple(int64_t{4}, Dims{64, 4096, 64}, Dims{0, 2, 1}),
        std::tuple(int64_t{4}, Dims{128, 8, 3136}, Dims{0, 2, 1}),
        std::tuple(int64_t{4}, Dims{32, 64, 3136}, Dims{0, 2, 1})}) {
    SCOPED_TRACE(spellShape(shape));
    auto unaligned = choose(element, shape, perm);
    if (shape[1] == 4096) { // rows of 16 KiB
      EXPECT_FALSE(unaligned);
      continue;
    }
    ASSERT_TRUE(unaligned);
    EXPECT_TRUE(unaligned->panel);
    EXPECT_TRUE(unaligned->panel->wholeLines ||
                unaligned->prefetch.dstBytes > 0);
  }
  // Longer runs have ends that weigh little.
  auto runs = choose(4, {128, 64, 512}, {1, 0, 2});
  ASSERT_TRUE(runs);
  EXPECT_FALSE(runs->panel);
}

/// Rows of src that share sets have tiles of few rows, on machines with any
/// number of ways.
TEST(PlanScheduleStreaming, TilesOfRowsThatShareSetsFillPanels) {
  for (int64_t ways : {4, 6, 8, 10, 12, 16, 20}) {
    TargetFacts facts = findTarget("x86-64-v3")->facts;
    facts.l1Ways = ways;
    facts.l1Bytes = ways * (4 << 10);
    for (int64_t element : {1, 2, 4, 8})
      for (int64_t bytes : {4096, 4097, 8192}) {
        const Problem problem =
            *Problem::make(element, {4096, bytes / element}, {1, 0});
        const Schedule schedule = chooseSchedule(problem, facts);
        EXPECT_EQ(kernelName(schedule), micro::TileTranspose::name)
            << ways << ' ' << spell(problem) << ' ' << spell(schedule);
        EXPECT_TRUE(checkSchedule(problem, schedule));
      }
  }
}

/// The least work may be several of what columns have of a dim; panels for
/// another dst halve what is left open.
TEST(PlanScheduleStreaming, HalvesTheSlowestColumnsOfTheLeastWork) {
  TargetFacts facts = findTarget("x86-64")->facts;
  facts.combiningBytes = 0; // tiles are streamed as they are
  const Problem problem = *Problem::make(8, {24, 13337, 5}, {2, 1, 0});
  const Schedule schedule = chooseSchedule(problem, facts);
  ASSERT_TRUE(streamsTiles(problem, schedule));
  EXPECT_TRUE(chooseUnaligned(problem, schedule, facts));
}

/// A block that ends within one of its steps would leave elements out, or move
/// some of the next block.
TEST(PlanScheduleCheck, BlocksEndWhereTheirStepsEnd) {
  const Problem problem = problemOf(4, {96, 96}, {1, 0});
  Schedule schedule;
  schedule.kernel = micro::Scalar{};
  schedule.tile = {4, 1};
  schedule.vectorBytes = 4;
  schedule.loops = {{0, 32}, {1, 1}, {0, 16}, {0, 4}};
  EXPECT_TRUE(checkSchedule(problem, schedule));
  schedule.loops[2].step = 12;
  EXPECT_ERROR(checkSchedule(problem, schedule), Cause::BadSchedule,
               "a loop with the step 12 inside one with the step 32 along dim "
               "0 of size 96; expected it to divide");
}

/// The last tile of a row is moved back to end with it: it, too, must begin
/// with a line.
TEST(PlanScheduleStreaming, LastTilesBeginWithALineToo) {
  Schedule schedule;
  schedule.kernel = micro::TileTranspose{};
  schedule.tile = {4, 16};
  schedule.vectorBytes = 16;
  schedule.loops = {{0, 4}, {1, 16}};
  schedule.streaming = true;
  for (int64_t columns : {16, 24, 32}) {
    // Rows of dst are two lines apart.
    const Problem problem =
        problemOf(4, {columns, 64}, {1, 0}, {}, Dims{32, 1});
    EXPECT_EQ(streamsTiles(problem, schedule), columns % 16 == 0) << columns;
  }
}

/// For a dst that does not begin with a line nothing may rely on lines.
TEST(PlanScheduleStreaming, UnalignedSchedulesStreamPanelsOrRuns) {
  const Problem problem = problemOf(4, {32, 64}, {1, 0}, {}, Dims{32, 1});
  Schedule schedule;
  schedule.kernel = micro::TileTranspose{};
  schedule.tile = {4, 16};
  schedule.vectorBytes = 16;
  schedule.loops = {{0, 4}, {1, 16}};
  EXPECT_FALSE(checkUnaligned(problem, schedule));
  schedule.streaming = true;
  EXPECT_FALSE(checkUnaligned(problem, schedule));
  schedule.panel = Panel{.extent = {16, 32}};
  EXPECT_TRUE(checkUnaligned(problem, schedule));
}

/// Runs of whole lines are tiles that could be streamed straight from
/// registers; they are still runs.
TEST(PlanScheduleStreaming, UnalignedSchedulesOfRunsFitTheirProblem) {
  const Problem problem = problemOf(4, {128, 64, 512}, {1, 0, 2});
  const TargetFacts facts = findTarget("x86-64-v3")->facts;
  const Schedule schedule = chooseSchedule(problem, facts);
  ASSERT_TRUE(streamsTiles(problem, schedule));
  const auto unaligned = chooseUnaligned(problem, schedule, facts);
  ASSERT_TRUE(unaligned && copiesRuns(*unaligned));
  EXPECT_TRUE(checkUnaligned(problem, *unaligned));
}

/// Registers that are lines, stored to many lines of a row.
TEST(PlanScheduleTiles, WriteWholeLinesWhereRowsHaveThem) {
  for (auto [rows, columns] :
       {std::pair<int64_t, int64_t>{512, 49}, {1024, 1024}, {4096, 4096}}) {
    const Problem problem = problemOf(4, {rows, columns}, {1, 0});
    const Schedule schedule =
        chooseSchedule(problem, findTarget("x86-64-v4")->facts);
    EXPECT_EQ(ScheduleProperties(problem, schedule).wholeLineShare(), 1)
        << spell(problem) << "; " << spell(schedule);
  }
}

/// What is not streamed in whole lines goes to any dst alike.
TEST(PlanScheduleStreaming, NeedsAnAlignedDstOnlyForWholeLines) {
  TargetFacts facts = factsWith(64);
  for (const Problem &problem :
       {problemOf(4, {200, 300}, {1, 0}), problemOf(2, {4001, 4003}, {1, 0}),
        problemOf(2, {4096, 32, 126}, {1, 0, 2}), problemOf(4, {0, 3}, {1, 0})})
    EXPECT_FALSE(
        chooseUnaligned(problem, chooseSchedule(problem, facts), facts))
        << spell(problem);
}

/// A tile over the end of a dim would stream some lines twice.
TEST(PlanScheduleStreaming, TakesEvenSharesOfColumns) {
  for (int64_t columns : {20, 24, 26, 32}) {
    const Problem problem = problemOf(8, {3584, 384, columns}, {2, 1, 0});
    const Schedule schedule = chooseSchedule(problem, factsWith(64));
    ASSERT_TRUE(streamsTiles(problem, schedule));
    EXPECT_LT(ScheduleProperties(problem, schedule).movedShare(), 1.1)
        << columns << " columns";
  }
}

TEST(PlanSchedulePanel, OfAnotherRank) {
  expectPanelRefused([](Schedule &schedule) { schedule.panel->extent = {256}; },
                     "a panel of rank 1 for a problem of rank 2");
}

TEST(PlanSchedulePanel, SmallerThanItsTileOrLargerThanItsDim) {
  expectPanelRefused(
      [](Schedule &schedule) { schedule.panel->extent[0] = 8; },
      "a panel of 8 along dim 0 of size 300; expected 16 to 300");
  expectPanelRefused(
      [](Schedule &schedule) { schedule.panel->extent[0] = 301; },
      "a panel of 301 along dim 0 of size 300; expected 16 to 300");
}

TEST(PlanSchedulePanel, NoLoopEntersIt) {
  expectPanelRefused([](Schedule &schedule) { schedule.panel->extent[0] = 48; },
                     "no loop along dim 0 of size 300 steps by its panel 48");
}

TEST(PlanSchedulePanel, UnitsInsideIt) {
  expectPanelRefused(
      [](Schedule &schedule) {
        schedule.panel->extent = {32, 1000};
        schedule.loops = {{1, 16}, {0, 32}, {0, 16}};
      },
      "a loop inside the panel along dim 1 of size 1000 counts units");
}

TEST(PlanSchedulePanel, LargerThanAStack) {
  expectPanelRefused(
      [](Schedule &schedule) {
        schedule.panel->extent = {300, 1000};
        schedule.loops = {{1, 16}, {0, 16}};
        schedule.unitLoops = 0;
      },
      "a panel of 300000 bytes; expected at most 65536");
}

TEST(PlanSchedulePanel, CutAtLinesThoughCopied) {
  expectPanelRefused(
      [](Schedule &schedule) {
        schedule.streaming = false;
        schedule.panel->wholeLines = true;
      },
      "whole lines of a panel that is not streamed");
}

TEST(PlanSchedulePanel, OfLongRowsThatAreCopied) {
  const Problem problem = *Problem::make(4, {600, 600}, {1, 0});
  Schedule schedule;
  schedule.kernel = micro::TileTranspose{};
  schedule.vectorBytes = 16;
  schedule.tile = {4, 4};
  schedule.panel = Panel{.extent = {4, 256}};
  schedule.loops = {{0, 4}, {1, 256}, {1, 4}};
  EXPECT_TRUE(checkSchedule(problem, schedule));
  schedule.panel->extent = {4, 260};
  schedule.loops = {{0, 4}, {1, 260}, {1, 4}};
  EXPECT_EQ(checkSchedule(problem, schedule).error().message,
            "a panel whose rows of 1040 bytes are copied by moves of 16; "
            "expected at most 1024 by 16 or more");
}

TEST(PlanSchedulePanel, OfShortRows) {
  expectPanelRefused(
      [](Schedule &schedule) {
        schedule.panel->extent[1] = 64;
        schedule.loops[1].step = 64;
      },
      "a panel whose rows have 64 contiguous bytes of dst, by moves of 16; "
      "expected 128 or more by 16 or more");
}

TEST(PlanSchedulePanel, OfNothing) {
  expectPanelRefused(
      [](Schedule &schedule) {
        schedule.kernel = micro::Scalar{};
        schedule.tile = schedule.panel->extent = {1, 1};
        schedule.loops = {{0, 1}, {1, 1}};
      },
      "a panel whose rows have 1 contiguous bytes of dst, by moves of 16; "
      "expected 128 or more by 16 or more");
}

} // namespace
