//===- GenericPlanTest.cpp - what generic plans ask for -------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a plan asks for ahead of its moves changes nothing but the time they
// take, so it is looked at from inside. Plans are made for the best set of
// kernels and a machine of our own; no kernel is run.
//
//===----------------------------------------------------------------------===//

#include "GenericPlan.h"
#include "WideMoves.h"

#include "gtest/gtest.h"

#include <numeric>

using namespace permc;

namespace {

using Body = GenericPlan::Body;

class GenericPlanTest : public testing::Test {
protected:
  GenericPlanTest() : kernels(*KernelTable::allSets().front()) {
    TargetFacts &facts = kernels.facts;
    facts.l1Bytes = 48 << 10;
    facts.l1Ways = 0;
    facts.blockLines = 16;
    facts.l2Bytes = 2 << 20;
    facts.l3Bytes = 24 << 20;
  }

  const GenericPlan &plan(int64_t element, Dims shape, Dims perm) {
    Result<Problem> problem = Problem::make(element, shape, perm);
    EXPECT_TRUE(problem) << "not a valid problem";
    FixedProblem canonical(*problem);
    canonicalize(canonical, kernels.facts.foldLimit);
    makeGenericPlan(canonical, kernels, made, dstStartsLine);
    return made;
  }

  static Dims reversed(const Dims &shape) {
    Dims perm(shape.size());
    std::iota(perm.rbegin(), perm.rend(), 0);
    return perm;
  }

  /// Bytes that a plan's panel has.
  int64_t panelBytes() const {
    return made.panel.bytes * made.panel.rows.pieces;
  }

  KernelTable kernels;
  bool dstStartsLine = true;
  GenericPlan made;
};

/// Plans that stream are made only where kernels can.
class StreamedPlanTest : public GenericPlanTest {
protected:
  void SetUp() override {
    if (!kernels.stream())
      GTEST_SKIP() << "the kernels for " << kernels.target
                   << " cannot store past the caches";
  }
};

} // namespace

//===----------------------------------------------------------------------===//
// Small tensors
//===----------------------------------------------------------------------===//

TEST_F(GenericPlanTest, TakesABatchInOneCall) {
  const GenericPlan &batch = plan(4, {60, 11, 7}, {0, 2, 1});
  ASSERT_EQ(batch.body, Body::Kernel);
  EXPECT_EQ(batch.units, 1);
  EXPECT_EQ(batch.call.loops[2].size, 60);
}

TEST_F(GenericPlanTest, TakesWhatTheFirstCacheHoldsInOneCall) {
  kernels.facts.l1Ways = 8;
  kernels.facts.blockLines = 2;
  const std::pair<int64_t, Dims> held[] = {
      {16, {2, 242}}, {12, {3, 78}}, {8, {40, 45}}};
  for (const auto &[element, shape] : held) {
    const GenericPlan &one = plan(element, shape, {1, 0});
    EXPECT_EQ(one.body, Body::Kernel) << element;
    EXPECT_EQ(one.units, 1) << element;
  }
  EXPECT_EQ(plan(8, {100, 300}, {1, 0}).body, Body::Blocks);
}

TEST_F(GenericPlanTest, OddElementsPrefetchWhatTheSecondCacheDoesNotHold) {
  kernels.facts.l1Ways = 8;
  kernels.facts.l2Bytes = 512 << 10;
  EXPECT_GE(plan(3, {20, 67, 515}, {0, 2, 1}).call.ahead, 64);
  EXPECT_EQ(plan(3, {2, 67, 515}, {0, 2, 1}).call.ahead, 0);
  EXPECT_EQ(plan(3, {999, 67, 19}, {0, 2, 1}).call.ahead, 0); // short rows
}

TEST_F(GenericPlanTest, HasTheLongLoopInside) {
  const GenericPlan &runs = plan(1, {2, 104, 17}, {1, 0, 2});
  ASSERT_EQ(runs.body, Body::Kernel);
  EXPECT_EQ(runs.call.loops[0].size, 2);
  EXPECT_EQ(runs.call.loops[1].size, 104);
}

//===----------------------------------------------------------------------===//
// One move an element
//===----------------------------------------------------------------------===//

TEST_F(GenericPlanTest, MovesWhatNoTileHasRoomFor) {
  for (auto [element, shape] : {std::pair(int64_t{10}, Dims{39, 17}),
                                std::pair(int64_t{1}, Dims{15, 13}),
                                std::pair(int64_t{16}, Dims{44, 62})}) {
    const GenericPlan &moves = plan(element, shape, {1, 0});
    EXPECT_EQ(moves.kernel, wideMoves(element)) << element;
    EXPECT_EQ(moves.call.loops[0].size, shape[1]) << "columns";
    EXPECT_EQ(moves.call.loops[1].size, shape[0]) << "rows";
  }
}

TEST_F(GenericPlanTest, MovesBlocksThatTheFirstCacheHolds) {
  kernels.facts.l1Bytes = 32 << 10;
  kernels.facts.l1Ways = 8;
  // Half of 512 lines at most.
  const int64_t many = plan(10, {700, 1001}, {1, 0}).call.loops[1].step;
  EXPECT_GE(many, 128);
  EXPECT_LE(many, 256);
  // Rows of src 4 KiB apart: all of them in one set.
  EXPECT_LE(plan(12, {700, 1024}, {1, 0}).call.loops[1].step, 5);
  // All of what it holds whole.
  EXPECT_EQ(plan(12, {10, 64}, {1, 0}).call.loops[1].step, 10);
}

/// A move behind the last byte of a row in src would read what is not there.
TEST_F(GenericPlanTest, MovesOnlyElementsWhereRowsOverlap) {
  // Rows of src a third of an element apart.
  const int64_t shape[] = {40, 20, 9}, perm[] = {1, 0, 2},
                srcStrides[] = {3, 9, 1};
  FixedProblem overlapping;
  ASSERT_TRUE(overlapping.assign(1, 3, shape, perm, srcStrides,
                                 /*dstStrides=*/nullptr));
  canonicalize(overlapping, kernels.facts.foldLimit);
  makeGenericPlan(overlapping, kernels, made, dstStartsLine);
  EXPECT_NE(made.kernel, wideMoves(9));
}

//===----------------------------------------------------------------------===//
// Rows and columns that share sets
//===----------------------------------------------------------------------===//

TEST_F(GenericPlanTest, StagesTilesWhoseRowsConflict) {
  kernels.facts.l1Bytes = 32 << 10;
  kernels.facts.l1Ways = 8;
  for (auto [element, shape] : {std::pair(int64_t{8}, Dims{513, 513}),
                                std::pair(int64_t{4}, Dims{1025, 1025}),
                                std::pair(int64_t{2}, Dims{101, 8192})}) {
    const GenericPlan &staged = plan(element, shape, {1, 0});
    ASSERT_EQ(staged.body, Body::Staged) << element;
    const KernelLoop &rows = staged.call.loops[0],
                     &columns = staged.call.loops[1];
    EXPECT_LE(columns.size * columns.dst, Staging::bufferBytes);
    EXPECT_EQ(columns.dst / 64 % 2, 1) << "columns of the buffer conflict";
    EXPECT_EQ(staged.staging.call.loops[0].size, columns.size);
    EXPECT_GE(columns.dst, rows.size * element);
  }
}

TEST_F(GenericPlanTest, StagesNothingElse) {
  kernels.facts.l1Bytes = 32 << 10;
  kernels.facts.l1Ways = 8;
  EXPECT_NE(plan(8, {300, 333}, {1, 0}).body, Body::Staged);
  EXPECT_NE(plan(2, {8192, 101}, {1, 0}).body, Body::Staged) << "columns only";
  EXPECT_NE(plan(1, {15, 4095}, {1, 0}).body, Body::Staged) << "short runs";
  // Columns that share sets are taken one by one.
  EXPECT_EQ(plan(8, {1025, 100}, {1, 0}).kernel, wideMoves(8));
  EXPECT_EQ(plan(8, {257, 257}, {1, 0}).kernel, wideMoves(8));
  EXPECT_EQ(plan(8, {257, 52}, {1, 0}).kernel, wideMoves(8));
  EXPECT_NE(plan(8, {61, 510}, {1, 0}).kernel, wideMoves(8));
  EXPECT_NE(plan(8, {260, 100}, {1, 0}).kernel, wideMoves(8));
}

//===----------------------------------------------------------------------===//
// Panels
//===----------------------------------------------------------------------===//

TEST_F(StreamedPlanTest, PanelsPrefetchTheEndsOfRowsThatShareLines) {
  // Rows of 348 bytes are not worth cutting, and none begins with a line.
  const GenericPlan &odd = plan(4, {87, 49, 47, 53}, {2, 3, 1, 0});
  ASSERT_EQ(odd.body, Body::Panels);
  ASSERT_LT(odd.panel.cutDim, 0);
  EXPECT_TRUE(odd.panel.prefetchesEnds);
  // Rows of 8002 bytes are cut.
  const GenericPlan &cut = plan(2, {4001, 4003}, {1, 0});
  ASSERT_EQ(cut.body, Body::Panels);
  ASSERT_GE(cut.panel.cutDim, 0);
  EXPECT_FALSE(cut.panel.prefetchesEnds);
}

TEST_F(StreamedPlanTest, PanelsOfWholeLinesPrefetchNoEnds) {
  // Runs of one line, 20 of which make a row: nothing of dst is read.
  const GenericPlan &lines = plan(4, {20, 64, 200, 16}, {2, 1, 0, 3});
  ASSERT_EQ(lines.body, Body::Panels);
  EXPECT_EQ(lines.panel.bytes % 64, 0);
  EXPECT_FALSE(lines.panel.prefetchesEnds);
}

TEST_F(StreamedPlanTest, PanelsPrefetchAllThatTheNextOneReads) {
  for (auto [element, shape, perm] :
       {std::tuple(int64_t{4}, Dims{4001, 4003}, Dims{1, 0}),
        std::tuple(int64_t{8}, Dims{57, 58, 59, 93}, Dims{3, 2, 1, 0}),
        std::tuple(int64_t{4}, Dims{20, 64, 200, 16}, Dims{2, 1, 0, 3})}) {
    SCOPED_TRACE(spellShape(shape) + " by " + spellList(perm));
    const GenericPlan &panels = plan(element, shape, perm);
    ASSERT_EQ(panels.body, Body::Panels);
    const PanelRows &panel = panels.panel;
    EXPECT_EQ(panel.stretchBytes * panel.stretches.pieces, panelBytes());
    // The next panel is one step of the innermost loop from here.
    const BlockNest &blocks = panels.blocks;
    ASSERT_GT(blocks.loopCount, 0u);
    const Loop &inner = blocks.loops[blocks.loopCount - 1];
    EXPECT_EQ(panel.ahead, inner.step * blocks.dims[inner.dim].srcStride);
    EXPECT_GT(panel.ahead, 0);
  }
}

TEST_F(StreamedPlanTest, TilesOfPanelsPrefetchTheNextOne) {
  const Dims perm = {1, 0};
  kernels.facts.l2Bytes = 512 << 10;
  // Bytes take so long that tiles are enough.
  plan(1, {4001, 4003}, perm);
  ASSERT_EQ(made.body, Body::Panels);
  const Loop &inner = made.blocks.loops[made.blocks.loopCount - 1];
  EXPECT_EQ(made.call.ahead,
            inner.step * made.blocks.dims[inner.dim].srcStride);
  EXPECT_GT(made.call.ahead, 0);
  EXPECT_EQ(made.panel.ahead, 0);
  // Floats do not, and matrices are asked for as a whole.
  plan(4, {4001, 4003}, perm);
  ASSERT_EQ(made.body, Body::Panels);
  EXPECT_GT(made.call.ahead, 0);
  EXPECT_EQ(made.panel.ahead, made.call.ahead);
  plan(4, {1000, 90, 173}, {0, 2, 1});
  ASSERT_EQ(made.body, Body::Panels);
  EXPECT_EQ(made.call.ahead, 90 * 173 * 4);
}

/// All columns are in the panel, so that it is contiguous in src.
TEST_F(StreamedPlanTest, LongStretchesAreAskedForInPieces) {
  const GenericPlan &pieces = plan(8, {809101, 16}, {1, 0});
  ASSERT_EQ(pieces.body, Body::Panels);
  EXPECT_EQ(pieces.panel.stretchBytes, 1024);
  const int64_t asked =
      pieces.panel.stretchBytes * pieces.panel.stretches.pieces;
  EXPECT_GE(asked, panelBytes());
  EXPECT_LT(asked, panelBytes() + 1024);
}

TEST_F(StreamedPlanTest, PanelsFitTheirBuffer) {
  for (int64_t l1Bytes : {16 << 10, 48 << 10, 1 << 20})
    for (int64_t element : {1, 2, 3, 4, 6, 8, 12, 16})
      for (const Dims &shape :
           {Dims{4001, 4003}, Dims{39, 41, 43, 257}, Dims{5, 700, 801, 6}}) {
        SCOPED_TRACE(spellShape(shape) + " of " + std::to_string(element) +
                     ", " + std::to_string(l1Bytes) + " bytes of cache");
        kernels.facts.l1Bytes = l1Bytes;
        const GenericPlan &panels = plan(element, shape, reversed(shape));
        if (panels.body != Body::Panels)
          continue;
        // A row takes a line more than it needs, rounded up.
        const int64_t row = (panels.panel.bytes + 63) / 64 * 64 + 64;
        EXPECT_LE(row * panels.panel.rows.pieces, GenericPlan::bufferBytes);
        EXPECT_GE(panels.panel.bytes, 128) << "less than a kernel streams";
      }
}

//===----------------------------------------------------------------------===//
// Streamed runs and tiles
//===----------------------------------------------------------------------===//

TEST_F(StreamedPlanTest, RunsOfWholeLinesGoStraightToDst) {
  const GenericPlan &runs = plan(2, {4096, 32, 128}, {1, 0, 2});
  ASSERT_EQ(runs.body, Body::Kernel);
  EXPECT_EQ(runs.kernel, kernels.lines(4));
  // Single lines are put together.
  EXPECT_EQ(plan(2, {4096, 64, 32}, {1, 0, 2}).body, Body::Panels);
}

TEST_F(StreamedPlanTest, LinesThatDstDoesNotHaveGoThroughPanels) {
  for (auto [element, shape, perm] :
       {std::tuple(int64_t{2}, Dims{4096, 32, 128}, Dims{1, 0, 2}),
        std::tuple(int64_t{4}, Dims{4, 2048, 1024}, Dims{0, 2, 1}),
        std::tuple(int64_t{4}, Dims{40, 8, 10240}, Dims{0, 2, 1})}) {
    SCOPED_TRACE(spellShape(shape) + " by " + spellList(perm));
    dstStartsLine = true;
    EXPECT_NE(plan(element, shape, perm).body, Body::Panels);
    dstStartsLine = false;
    ASSERT_EQ(plan(element, shape, perm).body, Body::Panels);
    EXPECT_TRUE(made.panel.prefetchesEnds || made.panel.cutDim >= 0);
  }
}

TEST_F(StreamedPlanTest, OnlyWhatIsStreamedDependsOnDst) {
  alignas(64) const char lines[128] = {};
  EXPECT_TRUE(plan(4, {4, 2048, 1024}, {0, 2, 1}).isFor(lines));
  EXPECT_FALSE(made.isFor(lines + 16));
  EXPECT_TRUE(plan(4, {4, 20, 10}, {0, 2, 1}).isFor(lines));
  EXPECT_TRUE(made.isFor(lines + 16));
}

TEST_F(StreamedPlanTest, BlocksOfTilesDoNotOverlapMuch) {
  // 384 columns are two blocks of 192, not 256 and 256. Rows are of two dims.
  const GenericPlan &blocks = plan(4, {59, 8, 290, 384}, {0, 3, 2, 1});
  ASSERT_EQ(blocks.body, Body::Blocks);
  EXPECT_EQ(blocks.call.loops[1].size, 192);
  EXPECT_EQ(blocks.blocks.last[1], 192);
}
