//===- ChosenNestsTest.cpp - what chosen schedules have in common ---------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Properties of the schedules that are chosen for the x86 levels, on shapes
// where bad ones were once chosen. Which tiles and loops they have is not
// asserted. A bound is what holds today for all but the exceptions, which are
// listed with their own: a planner that does better than these lowers them.
//
//===----------------------------------------------------------------------===//

#include "KernelTesting.h"
#include "PlanTesting.h"
#include "RandomProblem.h"
#include "ScheduleProperties.h"

#include "permc/Plan/Alternatives.h"
#include "permc/Plan/Cost.h"
#include "permc/Plan/Simplify.h"

#include <algorithm>
#include <cmath>
#include <random>

using namespace permc;

namespace {

/// Lines that the replay of a nest may touch: enough for several blocks, and a
/// few milliseconds.
constexpr int64_t replayedLines = 1 << 18;

struct Shape {
  int64_t element;
  Dims sizes, perm;
  /// Of each line of src that is brought into the cache, if that is more than
  /// for others.
  double mostFetched = 1.25;
  /// Elements that tiles move, of each that there is.
  double mostMoved = 1.35;
};

/// A test for each level of x86, whether this machine could run it or not.
class ChosenNests : public testing::TestWithParam<const char *> {
protected:
  void SetUp() override { target = *findTarget(GetParam()); }

  struct Chosen {
    Problem problem;
    Schedule schedule;
    ScheduleProperties properties;
  };

  Chosen choose(const Problem &given) const {
    const TargetFacts &facts = target.facts;
    Problem problem =
        unfold(canonicalize(given, facts.foldLimit), maxElementBytes);
    Schedule schedule = chooseSchedule(problem, facts);
    return {problem, schedule, ScheduleProperties(problem, schedule)};
  }

  Chosen choose(const Shape &shape) const {
    return choose(problemOf(shape.element, shape.sizes, shape.perm));
  }

  LineTraffic throughL1(const Chosen &chosen) const {
    return chosen.properties.linesFetched(
        {target.facts.l1Bytes, target.facts.l1Ways}, replayedLines);
  }

  LineTraffic throughL2(const Chosen &chosen) const {
    return chosen.properties.linesFetched(
        {target.facts.l2Bytes, target.facts.l2Ways}, replayedLines);
  }

  void expectCovered(const Chosen &chosen) const {
    const Status accepted = checkSchedule(chosen.problem, chosen.schedule);
    EXPECT_TRUE(accepted) << accepted.error().message;
    EXPECT_TRUE(chosen.properties.coversBox());
  }

  /// What panels prefetch is where a later one reads: a step of some loop away.
  void expectPrefetchesOfPanels(const Chosen &chosen) const {
    const Schedule &schedule = chosen.schedule;
    if (!schedule.panel)
      return;
    const std::vector<LoopDim> dims = chosen.problem.loopDims();
    for (int64_t ahead :
         {schedule.panel->prefetchBytes, schedule.prefetch.srcBytes}) {
      auto leadsThere = [&](const Loop &loop) {
        return loop.step * dims[static_cast<size_t>(loop.dim)].srcStride ==
               ahead;
      };
      EXPECT_TRUE(ahead == 0 || std::ranges::any_of(schedule.loops, leadsThere))
          << ahead << " bytes ahead";
    }
  }

  Target target;
};

/// Out of the caches: lines are written whole, by non-temporal stores; each
/// line of src comes from memory about once; a panel's buffer is a small part
/// of the second cache.
TEST_P(ChosenNests, FromMemoryLinesAreReadOnceAndWrittenWhole) {
  const Shape shapes[] = {
      {4, {4112, 4112}, {1, 0}},
      {2, {8224, 8224}, {1, 0}},
      {1, {9024, 9024}, {1, 0}},
      {4, {90, 720, 800}, {0, 2, 1}},
      {4, {75, 608, 12, 96}, {2, 0, 3, 1}},
      {12, {3008, 4000}, {1, 0}},
      {12, {4096, 3000}, {1, 0}},
      {12, {2048, 2048}, {1, 0}, 1.35},
      {4, {28, 28, 4, 48, 352}, {2, 0, 4, 1, 3}},
      {4, {40, 20, 4, 48, 352}, {2, 0, 4, 1, 3}},
      {2, {33, 156, 32, 160}, {3, 1, 0, 2}},
      {4, {200, 6, 4, 48, 352}, {2, 0, 4, 1, 3}},
      {4, {96, 75, 75, 96}, {3, 2, 1, 0}},
      {8, {56, 446, 582}, {2, 1, 0}},
      {2, {32, 543, 520}, {2, 1, 0}},
      {4, {2959, 352, 48}, {0, 2, 1}},
      {8, {2219, 352, 32}, {0, 2, 1}},
      {8, {4104, 4104}, {1, 0}},
      {4, {75, 12, 128, 608}, {1, 0, 3, 2}},
      {4, {16, 256, 784}, {0, 2, 1}},
      {4, {48, 28, 28, 28, 48}, {4, 3, 2, 1, 0}},
      {8, {3584, 24, 16, 20}, {3, 2, 1, 0}},
      {6, {4096, 24, 16, 20}, {3, 2, 1, 0}},
      // Rows a power of two apart.
      {4, {8192, 7264}, {1, 0}},
      {2, {4096, 23040}, {1, 0}},
      {4, {4096, 4096}, {1, 0}},
      {8, {4096, 4096}, {1, 0}},
      {2, {8192, 8192}, {1, 0}},
      {1, {8192, 8192}, {1, 0}},
      {1, {8192, 8256}, {1, 0}},
      {1, {64, 2048, 2048}, {0, 2, 1}},
      // Half lines along dst spare pages: 1.08 times as fast on Zen 4.
      {1, {16384, 2048}, {1, 0}, 2.1},
      {1, {16, 4608, 1024}, {0, 2, 1}},
      // Its rows of src fall into one set; vectors of lines read each once.
      {2,
       {256, 6144, 60},
       {2, 1, 0},
       target.facts.vectorBytes < 64 ? 1.5 : 1.25},
      {4, {64, 1024, 64}, {0, 2, 1}},
      {2, {128, 64, 128, 128}, {3, 2, 1, 0}, 2},
      {1, {384, 256, 192}, {2, 1, 0}, 4},
      {4, {8192, 1024}, {1, 0}},
      // ... and nearly so.
      {1, {4097, 4097}, {1, 0}, 2},
      {1, {4096, 4097}, {1, 0}, 2},
      // Rows that are no whole lines.
      {4, {1003, 20001}, {1, 0}},
      {2, {3000, 170, 198}, {0, 2, 1}},
      {4, {9001, 5007}, {1, 0}},
      {8, {9001, 5007}, {1, 0}},
      {1, {10007, 9001}, {1, 0}},
      {4, {65, 167688}, {1, 0}},
      {4, {300, 401, 303}, {0, 2, 1}},
      {2, {300, 385, 250}, {0, 2, 1}},
      {1, {300, 769, 500}, {0, 2, 1}},
      {2, {40, 39, 41, 40, 39}, {4, 3, 2, 1, 0}},
      {1, {11, 101, 4419, 7}, {2, 1, 3, 0}},
      {2, {420, 410, 5, 121}, {1, 3, 0, 2}},
      {1, {120, 118, 121, 117}, {3, 2, 1, 0}, 2.5},
      {4, {370, 380, 370}, {2, 0, 1}},
      // Contiguous copies.
      {4, {901, 507, 33}, {1, 0, 2}},
      {4, {120, 110, 115, 33}, {2, 1, 0, 3}},
      {2, {64, 512, 16, 64}, {0, 2, 1, 3}},
      {4, {64, 512, 16, 128}, {0, 2, 1, 3}},
      {4, {64, 512, 16, 1024}, {0, 2, 1, 3}},
  };
  for (const Shape &shape : shapes) {
    const Chosen chosen = choose(shape);
    SCOPED_TRACE(spell(chosen.problem) + "; " + spell(chosen.schedule));
    expectCovered(chosen);
    EXPECT_TRUE(chosen.schedule.streaming);
    EXPECT_GE(chosen.properties.wholeLineShare(), 0.99);
    expectPrefetchesOfPanels(chosen);
    EXPECT_LE(throughL2(chosen).src, shape.mostFetched);
    EXPECT_LE(chosen.properties.bufferBytes(), target.facts.l2Bytes / 4);
    EXPECT_LE(chosen.properties.movedShare(), 2);
  }
}

/// In the second and third cache: both sides come to the first about once, and
/// little is moved twice.
TEST_P(ChosenNests, InTheCachesLinesAreFetchedOnce) {
  const Shape shapes[] = {
      {12, {480, 640}, {1, 0}},
      {12, {100, 100}, {1, 0}},
      {2, {784, 256}, {1, 0}},
      {2, {256, 1001}, {1, 0}, 2.1},
      {4, {180, 160}, {1, 0}},
      {4, {131, 771}, {1, 0}, 1.5},
      {4, {256, 144}, {1, 0}},
      {1, {131, 771}, {1, 0}},
      {4, {909, 150}, {1, 0}, 2.1},
      // Columns of whole lines lie across two.
      {2, {309, 151}, {1, 0}, 2.1},
      {4, {512, 49}, {1, 0}},
      {8, {256, 60}, {1, 0}, 1.5},
      {4, {520, 49}, {1, 0}},
      {8, {3, 2, 4, 4, 193}, {4, 2, 1, 0, 3}, 1.4},
      {4, {2, 5, 8, 15439}, {3, 2, 1, 0}},
      {4, {1000, 1000}, {1, 0}, 2.1},
      // Four of five rows twice take no longer than five.
      {8, {5, 56, 3, 3, 64}, {3, 1, 4, 2, 0}, 1.25, 1.6},
      {4, {224, 224, 3}, {2, 0, 1}},
      {1, {224, 224, 3}, {2, 0, 1}},
      // Rows of 2^n + 1 elements share sets on both sides: the cost does not
      // see which of them at what time, and lines are fetched again.
      {8, {513, 513}, {1, 0}, 3.5},
      {4, {513, 513}, {1, 0}, 3.5},
      {4, {1025, 1025}, {1, 0}, 3.5},
      {2, {1025, 1025}, {1, 0}, 5},
  };
  for (const Shape &shape : shapes) {
    const Chosen chosen = choose(shape);
    SCOPED_TRACE(spell(chosen.problem) + "; " + spell(chosen.schedule));
    expectCovered(chosen);
    // What the last cache may not hold can go past it.
    if (chosen.problem.bytesMoved() >= target.facts.l3Bytes / 4 &&
        chosen.schedule.streaming)
      continue;
    EXPECT_FALSE(chosen.schedule.streaming);
    const LineTraffic fetched = throughL1(chosen);
    EXPECT_LE(fetched.src, shape.mostFetched);
    EXPECT_LE(fetched.dst, shape.mostFetched);
    EXPECT_LE(chosen.properties.movedShare(), shape.mostMoved);
  }
}

/// What the second cache holds is neither streamed nor prefetched; what no
/// cache holds is streamed.
TEST_P(ChosenNests, StoresAndPrefetchesFollowTheCaches) {
  std::mt19937_64 random(41);
  for (int i = 0; i < 200; ++i) {
    const Chosen chosen = choose(randomProblem(random, 1 << 16));
    if (2 * chosen.problem.bytesMoved() > target.facts.l2Bytes)
      continue;
    SCOPED_TRACE(spell(chosen.problem) + "; " + spell(chosen.schedule));
    EXPECT_FALSE(chosen.schedule.streaming);
    EXPECT_EQ(chosen.schedule.prefetch.srcBytes, 0);
  }
  for (int64_t element : {1, 2, 4, 8})
    for (const Dims &perm : {Dims{2, 1, 0}, Dims{0, 2, 1}, Dims{1, 0, 2}})
      for (int64_t slow : {64, 61}) {
        const int64_t size = (int64_t{64} << 20) / slow / 512 / element;
        const Chosen chosen =
            choose(problemOf(element, {slow, size, 512}, perm));
        EXPECT_TRUE(chosen.schedule.streaming)
            << spell(chosen.problem) << "; " << spell(chosen.schedule);
      }
}

/// In the first cache only instructions count: no tile twice or half as large
/// along a dim takes fewer by more than an eighth, the last ones that overlap
/// included.
TEST_P(ChosenNests, InTheFirstCacheTilesTakeFewInstructions) {
  for (int64_t element : {1, 2, 4, 8})
    for (const Dims &sizes : {Dims{37, 53}, Dims{48, 33}, Dims{32, 32},
                              Dims{16, 100}, Dims{48, 61}}) {
      const Chosen chosen = choose(problemOf(element, sizes, {1, 0}));
      SCOPED_TRACE(spell(chosen.problem) + "; " + spell(chosen.schedule));
      expectCovered(chosen);
      for (const Schedule &other :
           neighbours(chosen.problem, chosen.schedule)) {
        if (other.tile == chosen.schedule.tile)
          continue;
        const double least =
            ScheduleProperties(chosen.problem, other).instructions();
        EXPECT_LE(chosen.properties.instructions(), 1.125 * least)
            << spell(other);
      }
    }
}

/// ... nor more than these, for each element, on AVX2 and on AVX-512.
TEST_P(ChosenNests, InTheFirstCacheWorkIsBounded) {
  struct Bound {
    int64_t element;
    Dims sizes, perm;
    double avx2, avx512;
  };
  const Bound bounds[] = {
      {4, {8, 8}, {1, 0}, 0.75, 0.75},
      {4, {64, 64}, {1, 0}, 0.75, 0.75},
      {8, {64, 64}, {1, 0}, 1.25, 1.125},
      {1, {16, 16}, {1, 0}, 0.25, 0.25},
      {1, {64, 64}, {1, 0}, 0.25, 0.25},
      {2, {37, 53}, {1, 0}, 0.543, 0.543},
      {1, {64, 64, 3}, {2, 0, 1}, 0.22, 0.172},
      {1, {3, 64, 64}, {1, 2, 0}, 0.25, 0.188},
      {4, {3, 32, 32}, {1, 2, 0}, 1, 0.25},
      {12, {64, 64}, {1, 0}, 2.5, 2.5},
      {16, {32, 32}, {1, 0}, 2, 2},
  };
  if (target.facts.vectorBytes < 32)
    return;
  for (const Bound &bound : bounds) {
    const Chosen chosen =
        choose(problemOf(bound.element, bound.sizes, bound.perm));
    EXPECT_LE(chosen.properties.instructions(),
              target.facts.vectorBytes == 32 ? bound.avx2 : bound.avx512)
        << spell(chosen.problem) << "; " << spell(chosen.schedule);
  }
}

/// 8x8 floats take fewer instructions as a wide shuffle, but these are long:
/// the tile that is chosen must take fewer cycles.
TEST_P(ChosenNests, TakeMoreInstructionsOnlyIfTheyAreShorter) {
  if (!target.facts.wideShuffleBytes)
    return;
  const Chosen chosen = choose(problemOf(4, {8, 8}, {1, 0}));
  Schedule wide = chosen.schedule;
  wide.kernel = micro::WideShuffle{};
  wide.tile = {8, 8};
  wide.loops.clear();
  wide.vectorBytes = 64;
  ASSERT_TRUE(checkSchedule(chosen.problem, wide));
  EXPECT_LE(ScheduleProperties(chosen.problem, wide).instructions(), 0.3125);
  EXPECT_LE(cost(chosen.problem, chosen.schedule, target.facts, target.facts)
                ->total(),
            cost(chosen.problem, wide, target.facts, target.facts)->total());
}

/// Any shape: the box is covered, and what is streamed goes out in whole lines
/// or, if it begins anywhere, in pieces of two lines or more.
TEST_P(ChosenNests, HoldForAnyShape) {
  std::mt19937_64 random(43);
  double sum = 0;
  int streamed = 0;
  for (int i = 0; i < 300; ++i) {
    const Chosen chosen =
        choose(randomProblem(random, int64_t{1} << (8 + random() % 16)));
    if (chosen.problem.isEmpty())
      continue;
    SCOPED_TRACE(spell(chosen.problem) + "; " + spell(chosen.schedule));
    expectCovered(chosen);
    if (!chosen.schedule.streaming)
      continue;
    ++streamed;
    EXPECT_TRUE(chosen.properties.wholeLineShare() == 1 ||
                chosen.properties.dstPieceBytes() >= 128);
    sum += std::log(throughL2(chosen).src);
  }
  EXPECT_GT(streamed, 10);
  EXPECT_LT(std::exp(sum / streamed), 1.25);
}

/// Single elements are for what no tile suits, and there is next to nothing of
/// that size.
TEST_P(ChosenNests, FromMemoryNoTileIsASingleElement) {
  auto isScalar = [&](int64_t element, const Dims &shape, const Dims &perm) {
    const Schedule schedule = choose(problemOf(element, shape, perm)).schedule;
    return is<micro::Scalar>(schedule) &&
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
    if (bytes < 9 << 20 || bytes > int64_t{1} << 30)
      continue;
    ++tried;
    std::ranges::shuffle(perm, random);
    EXPECT_FALSE(isScalar(element, shape, perm))
        << spell(problemOf(element, shape, perm));
  }
}

/// A few elements are one tile, without a loop.
TEST_P(ChosenNests, AFewElementsAreOneTile) {
  EXPECT_TRUE(choose(problemOf(4, {3, 5}, {1, 0})).schedule.loops.empty());
}

INSTANTIATE_X86_LEVELS(ChosenNests);

} // namespace
