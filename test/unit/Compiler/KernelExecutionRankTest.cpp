//===- KernelExecutionRankTest.cpp - as many dims as there can be ---------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rank must cost neither correctness nor code. What a kernel costs to make
// is counted here in operations and bytes of machine code: clocks lie.
//
//===----------------------------------------------------------------------===//

#include "KernelTesting.h"
#include "PlanTesting.h"

#include <algorithm>
#include <numeric>

using namespace permc;

namespace {

constexpr int64_t maxTextBytes = 64 << 10;

Dims reversed(int64_t rank) {
  Dims perm(rank);
  std::iota(perm.rbegin(), perm.rend(), 0);
  return perm;
}

/// 1, 0, 3, 2, 5, 4, ...
Dims pairsSwapped(int64_t rank) {
  Dims perm(rank);
  for (int64_t dim = 0; dim < rank; ++dim)
    perm[dim] = std::min(dim ^ 1, rank - 1);
  return perm;
}

/// All even dims, then all odd ones.
Dims evenThenOdd(int64_t rank) {
  Dims perm;
  for (int64_t first : {0, 1})
    for (int64_t dim = first; dim < rank; dim += 2)
      perm.push_back(dim);
  return perm;
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

/// 24 dims of size 2 with 40 of size 1 spread among them.
Dims shapeOfRank64() {
  Dims shape;
  for (int64_t dim = 0; dim < 64; ++dim)
    shape.push_back(dim * 3 / 8 != (dim + 1) * 3 / 8 ? 2 : 1);
  return shape;
}

/// For each bit of an index into dst the place in src that it stands for.
std::vector<int64_t> placesOfBits(const Problem &problem) {
  std::vector<int64_t> places;
  for (const LoopDim &dim : problem.loopDims())
    if (dim.size == 2)
      places.insert(places.begin(), dim.srcStride);
  return places;
}

/// A byte that looks random and depends on all of an index.
unsigned char mixed(uint64_t index) {
  index = (index ^ (index >> 12)) * 0x9e3779b97f4a7c15;
  return static_cast<unsigned char>(index >> 56);
}

TEST(KernelExecutionRank, SixtyFourDimsRun) {
  constexpr int64_t bytes = 1 << 24;
  std::vector<unsigned char> src(bytes), dst(bytes);
  for (int64_t i = 0; i < bytes; ++i)
    src[i] = mixed(i);
  for (const Dims &perm : {reversed(64), pairsSwapped(64), evenThenOdd(64)}) {
    Problem problem = problemOf(1, shapeOfRank64(), perm);
    SCOPED_TRACE(spell(problem));
    ASSERT_EQ(problem.bytesMoved(), bytes);
    Result<Kernel> kernel =
        sharedJit().compile(requestFor(problem, *findTarget("native")));
    ASSERT_TRUE(kernel) << kernel.error().message;
    std::fill(dst.begin(), dst.end(), 0);
    (*kernel)(src.data(), dst.data());
    std::vector<int64_t> places = placesOfBits(problem);
    ASSERT_EQ(places.size(), 24u);
    int64_t wrong = 0, source = 0;
    for (int64_t i = 0; i < bytes; ++i) {
      wrong += dst[i] != src[source];
      // Count up: the lowest clear bit is set, all below it are cleared.
      for (int bit = 0; bit < 24; ++bit) {
        source ^= places[bit];
        if (source & places[bit])
          break;
      }
    }
    EXPECT_EQ(wrong, 0) << "bytes are not where they belong";
  }
}

//===----------------------------------------------------------------------===//
// The cost of a kernel
//===----------------------------------------------------------------------===//

struct Cost {
  int64_t operations; ///< in the lowered MLIR
  int64_t textBytes;
};

void measure(const Problem &problem, const Target &target, Cost &cost) {
  Compiler &compiler = sharedCompiler();
  Request request = requestFor(problem, target);
  auto lowered =
      compiler.compile({request}, Emit::MLIR, "permc-lower-to-loops");
  ASSERT_TRUE(lowered) << lowered.error().message;
  auto object = compiler.compile({request}, Emit::Object);
  ASSERT_TRUE(object) << object.error().message;
  cost.operations =
      std::count(lowered->bytes.begin(), lowered->bytes.end(), '\n');
  cost.textBytes = object->textBytes;
}

class KernelCost : public testing::TestWithParam<const char *> {};

/// 2^62 bytes in 62 dims against as many in 4.
TEST_P(KernelCost, SixtyTwoDimsCostLittleMoreThanFour) {
  Target target = *findTarget(GetParam());
  Cost four;
  ASSERT_NO_FATAL_FAILURE(
      measure(problemOf(1, {1 << 16, 1 << 15, 1 << 15, 1 << 16}, {3, 2, 1, 0}),
              target, four));
  for (const Dims &perm : {reversed(62), pairsSwapped(62), evenThenOdd(62)}) {
    Problem problem = problemOf(1, Dims(62, 2), perm);
    ASSERT_EQ(problem.bytesMoved(), int64_t{1} << 62);
    Cost many;
    ASSERT_NO_FATAL_FAILURE(measure(problem, target, many));
    EXPECT_LE(many.operations, 3 * four.operations) << spellList(perm);
    // Each dim costs the collapsed loop a division, and no more.
    EXPECT_LE(many.textBytes, maxTextBytes / 4) << spellList(perm);
  }
}

TEST_P(KernelCost, HighRanksStaySmall) {
  Target target = *findTarget(GetParam());
  std::mt19937_64 random(4);
  for (int i = 0; i < 25; ++i) {
    int64_t rank = 9 + random() % 54, bytes = 1;
    Dims shape, perm(rank);
    for (int64_t dim = 0; dim < rank; ++dim) {
      int64_t size = 1 + random() % 4;
      shape.push_back(bytes * size < int64_t{1} << 54 ? size : 1);
      bytes *= shape.back();
    }
    std::iota(perm.begin(), perm.end(), 0);
    std::shuffle(perm.begin(), perm.end(), random);
    Problem problem = problemOf(1 + random() % 80, shape, perm);
    auto object =
        sharedCompiler().compile({requestFor(problem, target)}, Emit::Object);
    ASSERT_TRUE(object) << spell(problem) << ": " << object.error().message;
    EXPECT_GT(object->textBytes, 0);
    EXPECT_LE(object->textBytes, maxTextBytes) << spell(problem);
  }
}

/// Compiled, not run: no machine is needed for it.
INSTANTIATE_X86_LEVELS(KernelCost);

} // namespace
