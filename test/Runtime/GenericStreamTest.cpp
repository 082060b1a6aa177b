//===- GenericStreamTest.cpp - generic plans past the caches --------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is streamed takes another way for a dst that starts with a line than for
// any other. On a machine of our own everything is streamed, so that small
// random problems go all of these ways, with every set of kernels that this CPU
// can run.
//
//===----------------------------------------------------------------------===//

#include "Cpu.h"
#include "GenericParts.h"
#include "NaivePermute.h"
#include "RandomProblem.h"

#include "gtest/gtest.h"

#include <map>

using namespace permc;

namespace {

using Body = GenericPlan::Body;

/// Bytes from `offset` behind a line on, with some in front of and behind them
/// that nobody may write.
class GuardedDst {
public:
  GuardedDst(int64_t bytes, size_t offset)
      : bytes(static_cast<size_t>(bytes)),
        memory(this->bytes + 4 * guard, gap) {
    const auto past = reinterpret_cast<uintptr_t>(memory.data()) % guard;
    start = guard + (guard - past) % guard + offset;
  }

  char *data() { return reinterpret_cast<char *>(memory.data() + start); }

  /// All of it: gaps and guards must be as they were.
  bool holds(const std::vector<unsigned char> &expected) const {
    for (size_t i = 0; i < memory.size(); ++i) {
      const bool inside = i >= start && i < start + bytes;
      if (memory[i] != (inside ? expected[i - start] : gap))
        return false;
    }
    return true;
  }

  static constexpr unsigned char gap = 0xEE;

private:
  static constexpr size_t guard = streamLineBytes;
  size_t bytes;
  std::vector<unsigned char> memory;
  size_t start;
};

class GenericStreamTest : public testing::TestWithParam<size_t> {
protected:
  GenericStreamTest() : kernels(*KernelTable::allSets()[GetParam()]) {
    kernels.facts.l3Bytes = 2;
    kernels.facts.l1Bytes = 8 << 10;
    kernels.facts.l2Bytes = 32 << 10;
  }

  void SetUp() override {
    if (!cpuCanRun(kernels.target) || !kernels.stream())
      GTEST_SKIP() << "this CPU cannot run the kernels for " << kernels.target
                   << ", or they cannot store past the caches";
  }

  void check(const Problem &problem, size_t offset, std::mt19937_64 &random) {
    SCOPED_TRACE(spellShape(problem.shape()) + " of " +
                 std::to_string(problem.elementBytes()) + " by " +
                 spellList(problem.perm()) + ", strides " +
                 spellList(problem.srcByteStrides()) + " and " +
                 spellList(problem.dstByteStrides()) + ", dst " +
                 std::to_string(offset) + " behind a line");
    FixedProblem canonical(problem);
    canonicalize(canonical, kernels.facts.foldLimit);
    std::vector<unsigned char> src(static_cast<size_t>(problem.srcSpan())),
        expected(static_cast<size_t>(problem.dstSpan()), GuardedDst::gap);
    for (unsigned char &byte : src)
      byte = static_cast<unsigned char>(random());
    naivePermute(problem, src.data(), expected.data());
    const auto *from =
        reinterpret_cast<const char *>(src.data()) + canonical.srcOrigin();

    GuardedDst whole(problem.dstSpan(), offset);
    makeGenericPlan(canonical, kernels, plan, startsLine(whole.data()));
    // Of views only long runs are streamed.
    streamed += plan.streams;
    ASSERT_TRUE(plan.isFor(whole.data()));
    ++ways[{plan.body, offset == 0}];
    tilesStreamed[offset == 0] +=
        plan.body == Body::Blocks && isStreaming(plan.kernel);
    panelsCut += plan.body == Body::Panels && plan.panel.cutDim >= 0;
    runGenericPlan(plan, from, whole.data());
    ASSERT_TRUE(whole.holds(expected));

    const auto parts = static_cast<uint32_t>(2 + random() % 6);
    GuardedDst shared(problem.dstSpan(), offset);
    const GenericParts split(canonical, kernels);
    for (uint32_t part = 0; part < parts; ++part)
      split.run(from, shared.data(), part, parts);
    ASSERT_TRUE(shared.holds(expected)) << parts << " parts";
  }

  /// Whether a kernel stores tiles past the caches.
  bool isStreaming(GenericKernel kernel) const {
    for (int64_t element = 1; element <= 16; ++element)
      for (const TileKernel &tile : kernels.transposes(element))
        if (kernel == tile.streaming || kernel == tile.evenStreaming)
          return true;
    return false;
  }

  KernelTable kernels;
  GenericPlan plan;
  /// How often which way was taken, with a dst that starts with a line or not.
  std::map<std::pair<Body, bool>, int> ways;
  std::map<bool, int> tilesStreamed; ///< the same for tiles of whole lines
  int panelsCut = 0;                 ///< at lines
  int streamed = 0;
};

} // namespace

TEST_P(GenericStreamTest, RandomProblems) {
  std::mt19937_64 random(80260);
  for (int i = 0; i < 1000; ++i) {
    const Problem problem = randomProblem(random, i % 4 ? 1 << 12 : 1 << 15);
    const size_t offsets[] = {0, 16, 4, random() % streamLineBytes};
    if (!problem.isEmpty())
      ASSERT_NO_FATAL_FAILURE(check(problem, offsets[i / 2 % 4], random));
  }
  EXPECT_GT(streamed, 500);
  for (bool startsLine : {true, false}) {
    EXPECT_GT((ways[{Body::Kernel, startsLine}]), 20);
    EXPECT_GT((ways[{Body::Panels, startsLine}]), 20);
  }
  EXPECT_GT(tilesStreamed[true], 5);
  EXPECT_EQ(tilesStreamed[false], 0) << "lines that dst does not have";
}

/// Rows and columns that drive each other out of the cache: strides of 2^n
/// bytes and nearly so many, blocks of every size beside those of the plan.
TEST_P(GenericStreamTest, ConflictingTiles) {
  kernels.facts.l3Bytes = int64_t{2} << 30;
  kernels.facts.l1Ways = 8;
  std::mt19937_64 random(70260);
  for (int64_t element : {1, 2, 3, 4, 6, 8})
    for (int64_t near : {-1, 0, 1})
      for (int64_t other : {33, 64, 65, 130, 300}) {
        const int64_t many = 2048 / element + near;
        for (const Dims &shape : {Dims{other, many}, Dims{many, other}})
          ASSERT_NO_FATAL_FAILURE(check(*Problem::make(element, shape, {1, 0}),
                                        random() % streamLineBytes, random));
        ASSERT_NO_FATAL_FAILURE(check(
            *Problem::make(element, {2, other, many}, {0, 2, 1}), 0, random));
      }
  EXPECT_EQ(streamed, 0);
  for (Body body : {Body::Staged, Body::Blocks})
    EXPECT_GT((ways[{body, true}] + ways[{body, false}]), 30);
}

/// Whole lines wherever dst has them: what an aligned dst gets straight from
/// registers goes to another through panels, or as runs with ends.
TEST_P(GenericStreamTest, WholeLinesToAnyPlace) {
  std::mt19937_64 random(90260);
  for (size_t offset = 0; offset < streamLineBytes; ++offset) {
    for (auto [element, shape, perm] :
         {std::tuple(int64_t{2}, Dims{64, 8, 128}, Dims{1, 0, 2}),
          std::tuple(int64_t{4}, Dims{32, 4, 256}, Dims{1, 0, 2}),
          std::tuple(int64_t{4}, Dims{2, 64, 96}, Dims{0, 2, 1}),
          std::tuple(int64_t{8}, Dims{5, 6, 24, 16}, Dims{3, 1, 0, 2}),
          std::tuple(int64_t{1}, Dims{2, 1024, 4}, Dims{0, 2, 1}),
          std::tuple(int64_t{1}, Dims{2, 4, 1024}, Dims{0, 2, 1}),
          std::tuple(int64_t{1}, Dims{140000}, Dims{0})})
      ASSERT_NO_FATAL_FAILURE(
          check(*Problem::make(element, shape, perm), offset, random));
  }
  EXPECT_GT((ways[{Body::StreamBlocks, true}]), 0);
  EXPECT_GT((ways[{Body::StreamBlocks, false}]), 0);
}

/// Rows that are repeated, or in another order, are streamed; what is repeated
/// or reversed within a row is not.
TEST_P(GenericStreamTest, LongRunsOfViews) {
  std::mt19937_64 random(60261);
  struct View {
    Dims shape, strides;
    bool isStreamed;
  };
  for (const View &view :
       {View{{20, 300}, {-300, 1}, true}, View{{20, 300}, {0, 1}, true},
        View{{3, 70000}, {-70000, 1}, true}, View{{3, 70000}, {0, 1}, true},
        View{{20, 256}, {0, 1}, true}, View{{20, 256}, {-300, 1}, true},
        View{{5, 7, 200}, {-2000, 200, 1}, true},
        View{{5, 7, 200}, {200, 0, 1}, true},
        View{{5, 7, 200}, {0, -200, 1}, true}, View{{200, 12}, {-12, 1}, false},
        View{{20, 300}, {300, -1}, false}, View{{20, 300}, {1, 0}, false}})
    for (size_t offset : {0, 16, 52}) {
      auto problem = Problem::make(
          4, view.shape, view.shape.size() == 2 ? Dims{0, 1} : Dims{1, 0, 2},
          view.strides, std::nullopt);
      ASSERT_TRUE(problem);
      ASSERT_NO_FATAL_FAILURE(check(*problem, offset, random));
      EXPECT_EQ(plan.streams, view.isStreamed)
          << spellShape(view.shape) << spellList(view.strides);
    }
}

/// Rows of dst that are two dims of src, more of them than a table holds: whole
/// tiles of them fit a block, or do not.
TEST_P(GenericStreamTest, JoinedRows) {
  std::mt19937_64 random(60261);
  for (int64_t element : {2, 4, 8})
    for (int64_t inner : {17, 33, 65, 100, 129})
      ASSERT_NO_FATAL_FAILURE(check(
          *Problem::make(element, {inner, 64, 16}, {2, 1, 0}), 0, random));
  EXPECT_EQ(streamed, 15);
}

/// Rows of panels that end where lines do, wherever dst begins and whatever is
/// left for the last.
TEST_P(GenericStreamTest, PanelsCutAtLines) {
  std::mt19937_64 random(30261);
  for (int64_t element : {1, 2, 3, 4, 8})
    for (int64_t rows = 1000; rows < 1080; rows += 7) {
      ASSERT_NO_FATAL_FAILURE(check(*Problem::make(element, {rows, 37}, {1, 0}),
                                    random() % streamLineBytes, random));
      ASSERT_NO_FATAL_FAILURE(
          check(*Problem::make(element, {3, rows, 19}, {2, 0, 1}), 0, random));
    }
  EXPECT_GT(panelsCut, 60);
}

/// With the line that is there twice a panel could have all of a dim: what
/// follows that in dst must not become part of its rows.
TEST_P(GenericStreamTest, PanelsCutNearTheEndOfADim) {
  const TargetFacts small = kernels.facts;
  kernels.facts = KernelTable::allSets()[GetParam()]->facts;
  kernels.facts.l3Bytes = small.l3Bytes;
  std::mt19937_64 random(40261);
  for (int64_t size = 12; size < 24; ++size)
    ASSERT_NO_FATAL_FAILURE(
        check(*Problem::make(8, {30, 125, size, 2}, {0, 3, 2, 1}), 0, random));
}

/// Also where what is left behind the last panel is exactly a line, a little
/// less or a little more: sizes of each residue, of panels of any step.
TEST_P(GenericStreamTest, PanelsCutAtEveryPlaceNearTheLast) {
  std::mt19937_64 random(50261);
  for (int64_t element : {1, 2, 4, 8})
    for (int64_t rows = 512; rows < 512 + 2 * 64 / element; ++rows)
      ASSERT_NO_FATAL_FAILURE(
          check(*Problem::make(element, {rows, 37}, {1, 0}), 0, random));
  EXPECT_GT(panelsCut, 100);
}

INSTANTIATE_TEST_SUITE_P(AllSets, GenericStreamTest,
                         testing::Range(size_t{0},
                                        KernelTable::allSets().size()),
                         [](const testing::TestParamInfo<size_t> &info) {
                           std::string name =
                               KernelTable::allSets()[info.param]->target;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });
