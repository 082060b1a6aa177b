//===- LegalityTest.cpp - what a schedule is refused for ------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each test starts from a schedule that is accepted and makes one mistake in
// it, so that what it is refused for is that mistake and nothing else.
//
//===----------------------------------------------------------------------===//

#include "PlanTesting.h"

#include "permc/Plan/Legality.h"

#include "gtest/gtest.h"

#include <functional>

using namespace permc;

namespace {

/// A problem and a schedule of it that is right.
struct Right {
  Problem problem;
  Schedule schedule;

  Right(Problem problem, MicroKernel kernel, Dims tile, std::vector<Loop> loops,
        int64_t vectorBytes)
      : problem(std::move(problem)) {
    schedule.kernel = std::move(kernel);
    schedule.tile = std::move(tile);
    schedule.loops = std::move(loops);
    schedule.vectorBytes = vectorBytes;
  }

  /// The same with another field.
  Right with(const std::function<void(Schedule &)> &change) const {
    Right other = *this;
    change(other.schedule);
    return other;
  }

  void isAccepted() const {
    const Status accepted = checkSchedule(problem, schedule);
    EXPECT_TRUE(accepted) << accepted.error().message;
  }

  /// ... and is not after `mistake`.
  void refuses(const std::function<void(Schedule &)> &mistake,
               const std::string &message) const {
    isAccepted();
    Schedule wrong = schedule;
    mistake(wrong);
    EXPECT_ERROR(checkSchedule(problem, wrong), Cause::BadSchedule, message);
  }
};

/// What a schedule says of its kernel, to be changed.
template <typename Kernel> Kernel &in(Schedule &schedule) {
  return *getIf<Kernel>(schedule);
}
micro::TileTranspose &tiles(Schedule &s) { return in<micro::TileTranspose>(s); }
micro::Interleave &streams(Schedule &s) { return in<micro::Interleave>(s); }

void setScalable(Schedule &s) { in<micro::Copy>(s).scalable = true; }
void setPairs(Schedule &s) { in<micro::WordMoves>(s).pairAlignment = 8; }
void setReach(Schedule &s) {
  auto &moves = in<micro::FixedMoves>(s);
  moves.srcReach = moves.dstReach = {256, 255};
}

/// Words, transposed in tiles of 16-byte vectors.
Right transposed() {
  return {problemOf(4, {64, 64}, {1, 0}),
          micro::TileTranspose{},
          {8, 8},
          {{0, 8}, {1, 8}},
          16};
}

/// Rows of 512 bytes that change places.
Right runs() {
  return {problemOf(1, {8, 8, 512}, {1, 0, 2}),
          micro::BlockCopy{},
          {1, 1, 512},
          {{0, 1}, {1, 1}},
          16};
}

/// `count` streams of `elements` each that are joined, in batches which follow
/// one another.
Right joined(int64_t count, int64_t elements, int64_t element = 1) {
  return {problemOf(element, {10, count, elements}, {0, 2, 1}),
          micro::Interleave{},
          {1, elements, count},
          {{0, 1}},
          16};
}

/// ... and that are split.
Right split(int64_t count, int64_t elements, int64_t element = 1) {
  return {problemOf(element, {10, elements, count}, {0, 2, 1}),
          micro::Interleave{},
          {1, count, elements},
          {{0, 1}},
          16};
}

} // namespace

TEST(PlanCheckPrefetch, DistancesHaveBounds) {
  for (int64_t Prefetch::*field : {&Prefetch::srcBytes, &Prefetch::dstBytes}) {
    auto ahead = [=](int64_t bytes) {
      return [=](Schedule &s) { s.prefetch.*field = bytes; };
    };
    transposed().with(ahead(1 << 28)).isAccepted();
    transposed().refuses(
        ahead((1 << 28) + 1),
        "a prefetch 268435457 bytes ahead; expected 0 to 268435456");
    transposed().refuses(ahead(-1),
                         "a prefetch -1 bytes ahead; expected 0 to 268435456");
  }
}

TEST(PlanCheckPrefetch, ToTheSecondCacheIsOfTilesAndHasADistance) {
  transposed().refuses([](Schedule &s) { s.prefetch.toL2 = true; },
                       "a prefetch to the second cache without a distance");
  transposed()
      .with([](Schedule &s) {
        s.prefetch.srcBytes = 64;
        s.prefetch.toL2 = true;
      })
      .isAccepted();
  runs()
      .with([](Schedule &s) { s.prefetch.srcBytes = 64; })
      .refuses([](Schedule &s) { s.prefetch.toL2 = true; },
               "a prefetch of runs to the second cache; expected one of tiles");
}

TEST(PlanCheckPanel, HasTheRankOfItsProblem) {
  transposed().refuses([](Schedule &s) { s.panel = Panel{.extent = {8}}; },
                       "a panel of rank 1 for a problem of rank 2");
}

TEST(PlanCheckScalable, NoStreams) {
  const Right right = runs().with(setScalable);
  right.refuses([](Schedule &s) { s.streaming = true; },
                "a scalable schedule that streams");
}

TEST(PlanCheckScalable, SixteenBytesAtLeast) {
  const Right right = runs().with(setScalable);
  right.refuses([](Schedule &s) { s.vectorBytes = 32; },
                "scalable vectors of 32 bytes at least; expected 16");
}

TEST(PlanCheckScalable, OnlyRuns) {
  runs()
      .with(setScalable)
      .refuses(
          [](Schedule &s) {
            s.tile[1] = 2;
            s.loops[1].step = 2;
          },
          "a scalable tile along dim 1, which is not contiguous on both sides");
}

TEST(PlanCheckStreamed, RunsAreContiguousOnBothSides) {
  runs()
      .with([](Schedule &s) { s.streaming = true; })
      .refuses(
          [](Schedule &s) {
            s.tile = {1, 8, 100};
            s.loops = {{0, 1}, {2, 100}};
          },
          "a streamed tile along dim 1, which is not contiguous on both sides");
}

TEST(PlanCheckStreamed, RunsHaveTwoLines) {
  const Problem problem = problemOf(1, {8, 8, 1000}, {1, 0, 2});
  const Right right = {
      problem, micro::BlockCopy{}, {1, 1, 128}, {{0, 1}, {1, 1}, {2, 128}}, 16};
  right.with([](Schedule &s) { s.streaming = true; })
      .refuses(
          [](Schedule &s) {
            s.tile[2] = 127;
            s.loops[2].step = 127;
          },
          "a streamed run of 127 bytes by moves of 16; expected 128 or more by "
          "16 or more");
}

TEST(PlanCheckStreamed, NoStreamsWithoutAPanel) {
  joined(4, 160).refuses([](Schedule &s) { s.streaming = true; },
                         "a interleave that streams without a panel");
}

TEST(PlanCheckPairs, NeedTwiceTheAlignment) {
  const Right right = runs().with(setPairs);
  const std::string expected =
      " bytes; expected a copy, block_copy, scalar, tile_transpose or "
      "word_transpose of twice the alignment, a tile_transpose of 16 bytes or "
      "a word_transpose of 32, that does not stream";
  right.refuses([](Schedule &s) { s.vectorBytes = 32; },
                "pairs aligned to 8 in a block_copy of 32" + expected);
  right.refuses([](Schedule &s) { s.streaming = true; },
                "pairs aligned to 8 in a block_copy of 16" + expected);
  right.refuses(
      [](Schedule &s) {
        in<micro::WordMoves>(s).pairAlignment = 64;
        s.vectorBytes = 128;
      },
      "pairs aligned to 64 in a block_copy of 128" + expected);
}

TEST(PlanCheckPairs, NeedTilesThatStartAligned) {
  const Right right = {problemOf(4, {8, 8, 66}, {1, 0, 2}),
                       micro::BlockCopy{},
                       {1, 1, 66},
                       {{0, 1}, {1, 1}},
                       16};
  right.with(setPairs).isAccepted();
  const Right odd = {problemOf(4, {8, 8, 65}, {1, 0, 2}),
                     micro::BlockCopy{},
                     {1, 1, 65},
                     {{0, 1}, {1, 1}},
                     16};
  odd.refuses(setPairs, "pairs aligned to 8 in tiles that may start elsewhere");
}

TEST(PlanCheckPairs, NotInPanels) {
  const Right right = transposed().with([](Schedule &s) {
    s.panel = Panel{.extent = {8, 32}};
    s.loops = {{0, 8}, {1, 32}, {1, 8}};
  });
  right.refuses(setPairs, "pairs in a panel");
}

TEST(PlanCheckReach, HasBounds) {
  const Right right = transposed().with(setReach);
  right.refuses([](Schedule &s) { tiles(s).dstReach.back = -1; },
                "addresses that reach -1 bytes back and 255 ahead; expected 0 "
                "to 1048576");
  right.refuses([](Schedule &s) { tiles(s).srcReach.back = (1 << 20) + 1; },
                "addresses that reach 1048577 bytes back and 255 ahead; "
                "expected 0 to 1048576");
  right.refuses([](Schedule &s) { tiles(s).srcReach.ahead = (1 << 20) + 1; },
                "addresses that reach 256 bytes back and 1048577 ahead; "
                "expected 0 to 1048576");
  right.refuses([](Schedule &s) { tiles(s).srcReach.ahead = -1; },
                "addresses that reach 256 bytes back and -1 ahead; expected 0 "
                "to 1048576");
  right.refuses([](Schedule &s) { tiles(s).srcReach = {}; },
                "addresses of a limited reach on one side only");
  right.refuses([](Schedule &s) { tiles(s).stepReach = {256, 255}; },
                "stores that step in a tile_transpose of 16 bytes; expected a "
                "tile_transpose of 16 in pairs of words");
}

TEST(PlanCheckReach, IsOfFixedMoves) {
  const std::string expected = "; expected a fixed network of another kind";
  runs()
      .with(setScalable)
      .refuses(setReach,
               "addresses of a limited reach in a scalable block_copy" +
                   expected);
  runs()
      .with([](Schedule &s) { s.streaming = true; })
      .refuses(setReach,
               "addresses of a limited reach in a streaming block_copy" +
                   expected);
  transposed()
      .with([](Schedule &s) { tiles(s).stepping = 2; })
      .refuses(setReach,
               "addresses of a limited reach in a stepping tile_transpose" +
                   expected);
}

TEST(PlanCheckReach, IsNeededForVectorPairs) {
  const Right right = transposed().with([](Schedule &s) {
    setReach(s);
    tiles(s).vectorPairs = true;
  });
  right.refuses([](Schedule &s) { tiles(s).srcReach = tiles(s).dstReach = {}; },
                "vector pairs in a tile_transpose whose addresses reach "
                "anywhere; expected a tile_transpose of limited reach");
}

TEST(PlanCheckStepping, IsNothingElseBesides) {
  const Right right =
      transposed().with([](Schedule &s) { tiles(s).stepping = 2; });
  const std::string expected =
      "; expected a tile_transpose without streaming or prefetch";
  const std::string of = "addresses that step along in a ";
  right.refuses(setPairs, of + "tile_transpose with pairs" + expected);
  right.refuses([](Schedule &s) { s.streaming = true; },
                of + "tile_transpose with streaming" + expected);
  right.refuses([](Schedule &s) { s.prefetch.srcBytes = 64; },
                of + "tile_transpose with a prefetch" + expected);
  right.refuses([](Schedule &s) { s.prefetch.dstBytes = 64; },
                of + "tile_transpose with a prefetch" + expected);
}

TEST(PlanCheckTables, AreOfOneRegisterOrFour) {
  const Right right =
      joined(16, 160).with([](Schedule &s) { streams(s).tables = 4; });
  right.refuses([](Schedule &s) { streams(s).tables = 2; },
                "tables of 2 vectors; expected 1 or 4, and no scalable "
                "vectors");
  right.refuses([](Schedule &s) { streams(s).scalable = true; },
                "tables of 4 vectors; expected 1 or 4, and no scalable "
                "vectors");
}

TEST(PlanCheckTables, AreNeededForPairs) {
  joined(16, 160).refuses([](Schedule &s) { streams(s).vectorPairs = true; },
                          "vector pairs of streams without tables; expected "
                          "tables of 4");
}

TEST(PlanCheckTables, JoinManySmallElements) {
  const std::string expected =
      " streams; expected 16 or more that are joined, of 1 or 2 bytes, or of "
      "one vector each without a gap";
  auto tables = [](Schedule &s) { streams(s).tables = 4; };
  joined(8, 160).refuses(tables, "tables of 4 vectors for 8" + expected);
  split(4, 160).refuses(tables, "tables of 4 vectors for 4" + expected);
  joined(16, 160, 4).refuses(tables, "tables of 4 vectors for 16" + expected);
  // Of one register only streams of one that follow one another.
  auto one = [](Schedule &s) { streams(s).tables = 1; };
  joined(16, 16).with(one).isAccepted();
  joined(16, 32).refuses(one, "tables of 1 vectors for 16" + expected);
  joined(32, 16).refuses(one, "tables of 1 vectors for 32" + expected);
}

TEST(PlanCheckTables, OfFourAreLookedUpAtOnceAndPaired) {
  const Right four =
      joined(16, 160).with([](Schedule &s) { streams(s).tables = 4; });
  four.with([](Schedule &s) { streams(s).lookupsAtOnce = true; }).isAccepted();
  four.with([](Schedule &s) { streams(s).vectorPairs = true; }).isAccepted();
  const Right one =
      joined(16, 16).with([](Schedule &s) { streams(s).tables = 1; });
  one.refuses([](Schedule &s) { streams(s).lookupsAtOnce = true; },
              "lookups at once in tables of one vector; expected tables of 4");
  one.refuses([](Schedule &s) { streams(s).vectorPairs = true; },
              "vector pairs of 16 streams and tables of 1; expected 16 and "
              "tables of 4");
  joined(32, 160)
      .with([](Schedule &s) { streams(s).tables = 4; })
      .refuses([](Schedule &s) { streams(s).vectorPairs = true; },
               "vector pairs of 32 streams and tables of 4; expected 16 and "
               "tables of 4");
}

TEST(PlanCheckAtOnce, StreamsAreARegisterEachAndFollow) {
  const std::string expected =
      " vectors; expected all of 3 or 4 streams, or 4 of 8 or 16 that are "
      "joined, of one vector each without a gap";
  auto load = [](int64_t count) {
    return [=](Schedule &s) { streams(s).vectorsPerLoad = count; };
  };
  auto store = [](int64_t count) {
    return [=](Schedule &s) { streams(s).vectorsPerStore = count; };
  };
  joined(3, 16).with(load(3)).isAccepted();
  joined(8, 16).with(load(4)).isAccepted();
  split(4, 16).with(store(4)).isAccepted();
  joined(4, 16).refuses(load(2), "loads of 2" + expected);
  joined(2, 16).refuses(load(2), "loads of 2" + expected);
  joined(4, 32).refuses(load(4), "loads of 4" + expected);
  joined(32, 16).refuses(load(4), "loads of 4" + expected);
  joined(4, 16).refuses(store(4), "stores of 4" + expected);
  split(4, 16).refuses(load(4), "loads of 4" + expected);
  split(4, 16).with(store(4)).refuses(load(4), "stores of 4" + expected);
}

TEST(PlanCheckStructures, StepWithoutTablesOnly) {
  auto step = [](Schedule &s) { streams(s).structuresStep = true; };
  joined(4, 160).with(step).isAccepted();
  joined(16, 160)
      .with([](Schedule &s) { streams(s).tables = 4; })
      .refuses(step, "structure moves that step in an interleave of scalable "
                     "vectors or tables; expected neither");
}

TEST(PlanCheckLastLane, IsOneElementBehindWholeRegisters) {
  const std::string expected =
      "a last lane; expected two to four streams that are joined, of whole "
      "16-byte vectors and one element each";
  auto last = [](Schedule &s) { streams(s).lastLane = true; };
  joined(4, 33).with(last).isAccepted();
  joined(4, 34).refuses(last, expected);
  joined(8, 33).refuses(last, expected);
  split(4, 33).refuses(last, expected);
}

TEST(PlanCheckViews, MovesOfSeveralGoForwards) {
  // Rows of src are reversed, and their order is kept.
  const Problem reversed = problemOf(4, {64, 64}, {1, 0}, Dims{64, -1});
  Right right = transposed();
  right.problem = reversed;
  right.refuses([](Schedule &s) { tiles(s).stepping = 2; },
                "a tile_transpose that steps along of a src that repeats or "
                "reverses a dim; expected another kind, or none of these");
  right.refuses(setPairs,
                "a tile_transpose in pairs of a src that repeats or reverses a "
                "dim; expected another kind, or none of these");
  right.refuses([](Schedule &s) { s.kernel = micro::Gather{}; },
                "a gather of a src that repeats or reverses a dim; expected "
                "another kind, or none of these");
}

TEST(PlanCheckTile, IsOfBoundedSize) {
  const Right right = {problemOf(1, {1 << 20}, {0}),
                       micro::Copy{},
                       {16 << 10},
                       {{0, 16 << 10}},
                       16};
  right.refuses([](Schedule &s) { s.tile[0] = s.loops[0].step = 32 << 10; },
                "a tile of 32768 bytes; expected at most 16384");
  right.refuses([](Schedule &s) { s.vectorBytes = 1; },
                "a tile of 32768 moves and shuffles; expected at most 4096");
}

TEST(PlanCheckTile, IsOfBoundedSizeWhateverItsDims) {
  const int64_t large = int64_t{1} << 31;
  const Problem problem =
      problemOf(1, {large, large}, {1, 0}, Dims{1, large}, Dims{large, 1});
  const Right right = {problem, micro::Scalar{}, {1, 1}, {{0, 1}, {1, 1}}, 1};
  right.refuses(
      [=](Schedule &s) {
        s.tile = {large, large};
        s.loops = {};
      },
      "a tile of 4611686018427387904 bytes; expected at most 16384");
}

TEST(PlanCheckLastTiles, AreOfATransposeAndOfItsRank) {
  const Right right = {problemOf(4, {67, 61}, {1, 0}),
                       micro::TileTranspose{},
                       {8, 8},
                       {{0, 8}, {1, 8}},
                       16};
  right.with([](Schedule &s) { tiles(s).lastTile = {8, 4}; }).isAccepted();
  right.refuses([](Schedule &s) { tiles(s).lastTile = {8}; },
                "a last tile of rank 1 for a problem of rank 2");
  right.refuses([](Schedule &s) { tiles(s).lastTile = {8, 2}; },
                "a last tile of 2 along dim 1 of size 67; expected 3 to 8");
  right.refuses([](Schedule &s) { tiles(s).lastTile = {9, 8}; },
                "a last tile of 9 along dim 0 of size 61; expected 5 to 8");
  transposed().refuses([](Schedule &s) { tiles(s).lastTile = {8, 4}; },
                       "a last tile of 4 along dim 1 of size 64; expected 8");
  right.with([](Schedule &s) { tiles(s).lastTile = {8, 4}; })
      .refuses([](Schedule &s) { s.streaming = true; },
               "a last tile in a tile_transpose of pairs, or that streams; "
               "expected neither");
  // Only whole tiles step: what is left need not fill a vector.
  right.with([](Schedule &s) { tiles(s).stepping = 2; })
      .refuses(
          [](Schedule &s) {
            s.tile = tiles(s).lastTile = {8, 3};
            s.loops[1].step = 3;
          },
          "addresses that step along in a tile of elements of 4 bytes by "
          "vectors of 16, up to 2 at a time; expected 1 to 4 at a time, as "
          "many of 16 bytes in a column, and more or whole ones in a row; of "
          "pairs two and two");
  right
      .with([](Schedule &s) {
        tiles(s).stepping = 2;
        tiles(s).lastTile = {8, 3};
      })
      .isAccepted();
}

TEST(PlanCheckGather, TilesAreRowsAndColumnsOfSmallElements) {
  const Right right = {problemOf(1, {64, 64}, {1, 0}),
                       micro::Gather{},
                       {4, 16},
                       {{0, 4}, {1, 16}},
                       16};
  right.refuses(
      [](Schedule &s) {
        s.tile[1] = 4;
        s.loops[1].step = 4;
      },
      "a gather tile of 4 rows contiguous in dst; expected 8 or more");
  Right other = right;
  other.problem = problemOf(8, {64, 64}, {1, 0});
  EXPECT_ERROR(checkSchedule(other.problem, other.schedule), Cause::BadSchedule,
               "a gather tile of elements of 8 bytes; expected 1, 2 or 4");
  other.problem = problemOf(1, {64, 64}, {1, 0}, Dims{10000, 1});
  EXPECT_ERROR(checkSchedule(other.problem, other.schedule), Cause::BadSchedule,
               "a gather tile with rows 10000 bytes apart, farther than an "
               "offset reaches");
  other.problem =
      *Problem::makeWithByteStrides(4, {64, 64}, {1, 0}, {300, 4}, {256, 4});
  EXPECT_TRUE(checkSchedule(other.problem, other.schedule));
  other.problem =
      *Problem::makeWithByteStrides(4, {64, 64}, {1, 0}, {302, 4}, {256, 4});
  EXPECT_ERROR(checkSchedule(other.problem, other.schedule), Cause::BadSchedule,
               "a gather tile whose src has a stride of 302 bytes; expected a "
               "multiple of the element");
}

namespace {

/// A machine that has all instructions, and then not one of them.
class PlanCheckIsa : public testing::Test {
protected:
  static Isa all() {
    Isa isa;
    isa.scalableVectors = isa.gatherLoads = isa.vectorPairs = true;
    isa.structuresOfLanes = true;
    isa.vectorsPerStep = isa.tableVectors = isa.wordsPerLoad = 4;
    isa.wordBytes = 4;
    isa.pairReach = isa.vectorReach = isa.stepReach = {1024, 1024};
    return isa;
  }

  static void needs(const Right &right, const std::function<void(Isa &)> &lack,
                    const std::string &message) {
    Isa isa = all();
    EXPECT_TRUE(checkSchedule(right.problem, right.schedule, isa)) << message;
    lack(isa);
    EXPECT_ERROR(checkSchedule(right.problem, right.schedule, isa, "M"),
                 Cause::BadSchedule, message);
    EXPECT_TRUE(checkSchedule(right.problem, right.schedule)) << message;
  }
};

} // namespace

TEST_F(PlanCheckIsa, HasTheMovesOfItsKernel) {
  needs(
      runs().with(setScalable), [](Isa &isa) { isa.scalableVectors = false; },
      "a scalable schedule for M, whose vectors are of one length");
  needs(
      transposed().with([](Schedule &s) {
        setReach(s);
        tiles(s).vectorPairs = true;
      }),
      [](Isa &isa) { isa.vectorPairs = false; },
      "vector pairs for M, which has none");
  needs(
      transposed().with([](Schedule &s) { tiles(s).stepping = 2; }),
      [](Isa &isa) { isa.vectorsPerStep = 1; },
      "addresses that step along for M, which has no such moves");
  needs(
      joined(4, 160).with(
          [](Schedule &s) { streams(s).structuresStep = true; }),
      [](Isa &isa) { isa.vectorsPerStep = 1; },
      "addresses that step along for M, which has no such moves");
  needs(
      joined(16, 160).with([](Schedule &s) { streams(s).tables = 4; }),
      [](Isa &isa) { isa.tableVectors = 0; },
      "tables of vectors for M, which has none");
  needs(
      joined(4, 16).with([](Schedule &s) { streams(s).vectorsPerLoad = 4; }),
      [](Isa &isa) { isa.vectorsPerStep = 1; },
      "loads of 4 vectors for M, which has none");
  needs(
      split(4, 16).with([](Schedule &s) { streams(s).vectorsPerStore = 4; }),
      [](Isa &isa) { isa.vectorsPerStep = 1; },
      "stores of 4 vectors for M, which has none");
  needs(
      joined(4, 33).with([](Schedule &s) { streams(s).lastLane = true; }),
      [](Isa &isa) { isa.structuresOfLanes = false; },
      "stores of lanes for M, which has none");
  needs(
      runs().with(setReach),
      [](Isa &isa) { isa.pairReach = isa.vectorReach = {}; },
      "addresses of a limited reach for M, which makes its own");
}

TEST_F(PlanCheckIsa, CountsWithinItsPointers) {
  const Right right = {problemOf(1, {2100000000}, {0}),
                       micro::Copy{},
                       {64},
                       {{0, 2000000000}, {0, 64}},
                       16};
  needs(
      right, [](Isa &isa) { isa.pointerBits = 32; },
      "a loop with the step 2000000000 counts beyond the 32 bits of M");
}
