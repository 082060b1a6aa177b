//===- KernelExecutionScheduleTest.cpp - schedules that are given ---------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The lowering must carry out any schedule that is accepted, also those which
// are not chosen for anything today. One of each form, on the plainest machine.
//
//===----------------------------------------------------------------------===//

#include "KernelTesting.h"
#include "NaivePermute.h"
#include "PlanTesting.h"

using namespace permc;

namespace {

struct GivenSchedule {
  const char *name;
  Problem problem;
  const char *schedule; ///< what stands in #permc.schedule<...>
};

class KernelExecutionSchedule : public testing::TestWithParam<GivenSchedule> {};

/// Whole and in parts, at alignments that streamed lines have to deal with.
TEST_P(KernelExecutionSchedule, MovesEveryElement) {
  const Problem &problem = GetParam().problem;
  Request request = requestFor(problem, *findTarget("x86-64"));
  request.schedule =
      "#permc.schedule<" + std::string(GetParam().schedule) + ">";
  Result<Kernel> kernel = sharedJit().compile(request);
  ASSERT_TRUE(kernel) << kernel.error().message;
  std::mt19937_64 random(7);
  for (int64_t shift : {0, 1, 16, 63}) {
    auto src = randomBytes(problem.srcSpan() + shift, random);
    auto before = randomBytes(problem.dstSpan() + 2 * 64, random);
    auto expected = before;
    naivePermute(problem, src.data() + shift, expected.data() + shift);
    for (uint32_t parts : {1u, 2u, 7u}) {
      auto dst = before;
      for (uint32_t part = parts; part-- > 0;)
        kernel->part(src.data() + shift, dst.data() + shift, part, parts);
      ASSERT_TRUE(dst == expected)
          << parts << " parts, buffers moved by " << shift;
    }
  }
}

const GivenSchedule givenSchedules[] = {
    {"ShiftedTiles", problemOf(1, {1000}, {0}),
     "copy, tile = [48], loops = [0 : 48], units = 0, vector = 16"},
    {"BlocksWithRemainders", problemOf(4, {1000}, {0}),
     "copy, tile = [12], loops = [0 : 324, 0 : 108, 0 : 36, 0 : 12], "
     "units = 1, vector = 16"},
    {"NestOfPlainLoops", problemOf(2, {6, 7, 5, 9}, {3, 2, 1, 0}),
     "scalar, tile = [1, 1, 1, 1], loops = [2 : 1, 0 : 1, 3 : 1, 1 : 1], "
     "units = 0, vector = 8"},
    {"UnitsInAnyOrder", problemOf(2, {6, 7, 5, 9}, {3, 2, 1, 0}),
     "scalar, tile = [1, 1, 1, 1], loops = [2 : 1, 0 : 1, 3 : 1, 1 : 1], "
     "units = 3, vector = 8"},
    {"RunsSeveralAtOnce", problemOf(4, {9, 8, 20}, {1, 0, 2}),
     "block_copy, tile = [4, 3, 20], loops = [0 : 4, 1 : 3], units = 2, "
     "vector = 32"},
    {"TransposeBothSidesShifted", problemOf(1, {77, 99}, {1, 0}),
     "tile_transpose, tile = [16, 32], loops = [0 : 32, 1 : 32, 0 : 16], "
     "units = 1, vector = 32"},
    {"TransposeOfOddElements", problemOf(3, {37, 41}, {1, 0}),
     "tile_transpose, tile = [4, 8], loops = [1 : 8, 0 : 4], units = 0, "
     "vector = 32"},
    {"StreamedRuns", problemOf(4, {5, 6, 200}, {1, 0, 2}),
     "block_copy, tile = [1, 1, 200], loops = [0 : 1, 1 : 1], units = 1, "
     "vector = 16, streaming"},
    // Large enough to be cut at its seams.
    {"LargeStreamedTiles", problemOf(1, {4, 32, 24, 6}, {3, 2, 1, 0}),
     "tile_transpose, tile = [6, 8, 16, 4], loops = [2 : 16, 1 : 8], "
     "units = 1, vector = 64, streaming"},
    {"StreamedTiles", problemOf(4, {128, 96}, {1, 0}),
     "tile_transpose, tile = [4, 16], loops = [0 : 4, 1 : 16], units = 1, "
     "vector = 16, streaming"},
    {"Panels", problemOf(1, {1000, 300}, {1, 0}),
     "tile_transpose, tile = [16, 16], "
     "loops = [0 : 64, 1 : 256, 0 : 32, 1 : 16, 0 : 16], units = 1, "
     "vector = 16, panel = [32, 256], streaming"},
    {"PanelsWithPrefetchedRowEnds", problemOf(1, {1000, 300}, {1, 0}),
     "tile_transpose, tile = [16, 16], "
     "loops = [0 : 64, 1 : 256, 0 : 32, 1 : 16, 0 : 16], units = 1, "
     "vector = 16, panel = [32, 256], streaming, prefetch_dst = 255"},
    // The last panel but one leaves 40 bytes, less than a line.
    {"PanelsOfWholeLines", problemOf(1, {808, 300}, {1, 0}),
     "tile_transpose, tile = [16, 16], "
     "loops = [0 : 64, 1 : 256, 0 : 32, 1 : 16, 0 : 16], units = 1, "
     "vector = 16, panel = [32, 256], whole_lines, streaming"},
    // ... and here 65, which are a panel of their own.
    {"LastPanelOfALineAndAByte", problemOf(1, {833, 300}, {1, 0}),
     "tile_transpose, tile = [16, 16], "
     "loops = [1 : 256, 0 : 32, 1 : 16, 0 : 16], units = 0, "
     "vector = 16, panel = [32, 256], whole_lines, streaming, prefetch = 32, "
     "prefetch_to_l2"},
    // A row is a panel and a line: the first panel is the last.
    {"OnePanelOfWholeLines", problemOf(2, {160, 50}, {1, 0}),
     "tile_transpose, tile = [8, 8], "
     "loops = [1 : 128, 0 : 16, 1 : 8, 0 : 8], units = 0, "
     "vector = 16, panel = [16, 128], whole_lines, streaming"},
    // Rows of two dims, of which 33 bytes are a step: two of them are a line.
    {"WholeLinesOfTwoDims", problemOf(1, {40, 50, 33}, {1, 0, 2}),
     "block_copy, tile = [1, 1, 33], "
     "loops = [1 : 8, 0 : 5, 1 : 1, 0 : 1], units = 0, vector = 16, "
     "panel = [5, 8, 33], whole_lines, streaming"},
    // The next panel reads one stretch. 10 rows prefetch its four pieces, some
    // for none. Tiles do not divide the panel.
    {"FewRowsPrefetchTheNextPanel", problemOf(4, {300, 10}, {1, 0}),
     "tile_transpose, tile = [4, 4], "
     "loops = [1 : 64, 1 : 4, 0 : 4], units = 0, vector = 16, "
     "panel = [10, 64], whole_lines, streaming, prefetch_panel = 2560"},
    // The next panel reads 64 stretches. 48 rows prefetch them, some two.
    // Panels divide both dims.
    {"ManyRowsPrefetchTheNextPanel", problemOf(4, {128, 384}, {1, 0}),
     "tile_transpose, tile = [16, 16], "
     "loops = [0 : 48, 1 : 64, 1 : 16, 0 : 16], units = 1, "
     "vector = 16, panel = [48, 64], streaming, prefetch_panel = 98304"},
    {"PanelsOverThreeDims", problemOf(1, {600, 10, 40}, {2, 1, 0}),
     "tile_transpose, tile = [16, 1, 16], "
     "loops = [0 : 16, 1 : 4, 2 : 160, 1 : 1, 2 : 16], units = 0, "
     "vector = 16, panel = [16, 4, 160], streaming"},
    {"Prefetched", problemOf(4, {40, 50, 64}, {1, 0, 2}),
     "block_copy, tile = [1, 1, 64], loops = [0 : 1, 1 : 1], units = 1, "
     "vector = 16, prefetch = 512"},
    {"PrefetchedDst", problemOf(4, {40, 50}, {1, 0}),
     "tile_transpose, tile = [4, 4], loops = [0 : 4, 1 : 4], units = 0, "
     "vector = 16, prefetch = 4096, prefetch_dst = 16"},
};

INSTANTIATE_TEST_SUITE_P(Forms, KernelExecutionSchedule,
                         testing::ValuesIn(givenSchedules),
                         [](const auto &info) {
                           return std::string(info.param.name);
                         });

} // namespace
