//===- NestTest.cpp - loops round a tile ----------------------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "permc/Plan/Nest.h"
#include "permc/Plan/LoopOrder.h"

#include "permc/Targets/Target.h"

#include "PlanTesting.h"

#include "gtest/gtest.h"

using namespace permc;

namespace {

/// A tile of 16 columns by 8 rows of a matrix or of a batch of them.
struct TileOf {
  TileOf(int64_t element, const Dims &shape, const Dims &perm)
      : problem(*Problem::make(element, shape, perm)), dims(problem.loopDims()),
        tile(dims.size(), 1),
        column(*fastDim(dims, &LoopDim::srcStride, element)),
        row(*fastDim(dims, &LoopDim::dstStride, element)) {
    tile[column] = 16;
    tile[row] = 8;
  }

  ProblemView problemView() const {
    return {dims, problem.elementBytes(), problem.bytesMoved()};
  }
  NestView nestView(std::span<const Loop> loops = {}) const {
    return {.tile = tile, .loops = loops, .work = {60, 0, 100}};
  }

  Problem problem;
  std::vector<LoopDim> dims;
  Dims tile;
  size_t column, row;
};

const Machine &machine() {
  static const Machine known = findTarget("x86-64-v3")->facts;
  return known;
}

const std::vector<std::pair<Dims, Dims>> &shapes() {
  static const std::vector<std::pair<Dims, Dims>> all = {
      {{300, 200}, {1, 0}},           {{1000, 1001}, {1, 0}},
      {{7, 130, 90}, {0, 2, 1}},      {{512, 512}, {1, 0}},
      {{40, 50, 60}, {2, 1, 0}},      {{513, 513}, {1, 0}},
      {{9, 20, 30, 40}, {3, 1, 2, 0}}};
  return all;
}

/// The last loop of each dim steps by its tile, and no dim is left out.
TEST(PlanNest, HasALoopForEachDim) {
  for (const auto &[shape, perm] : shapes()) {
    const TileOf one(4, shape, perm);
    const NestMaker maker(one.problemView(), one.tile, one.column, one.row, 64);
    for (const NestForm &form : nestForms())
      if (const auto nest = maker.make(form)) {
        Dims step = one.problem.outShape();
        for (const Loop &loop : nest->list()) {
          EXPECT_LT(loop.step, step[static_cast<size_t>(loop.dim)]);
          step[static_cast<size_t>(loop.dim)] = loop.step;
        }
        for (size_t dim = 0; dim < step.size(); ++dim)
          EXPECT_EQ(step[dim], std::min(one.tile[dim], one.dims[dim].size));
      }
  }
}

/// Of the nests that are tried none costs less.
TEST(PlanNest, TakesTheLeastCost) {
  for (const auto &[shape, perm] : shapes()) {
    const TileOf one(4, shape, perm);
    const RankedNest best =
        leastCostNest(one.problemView(), one.nestView(), one.column, one.row,
                      machine(), nestForms().size());
    const NestCost costs(one.problemView(), machine());
    const NestMaker maker(one.problemView(), one.tile, one.column, one.row, 64);
    for (const NestForm &form : nestForms())
      if (const auto nest = maker.make(form))
        EXPECT_LE(best.ns, costs.of(one.nestView(nest->list())).total());
  }
}

TEST(PlanNest, PrefetchesNothingThatTheSecondCacheHolds) {
  const TileOf one(4, {150, 200}, {1, 0});
  EXPECT_EQ(leastCostNest(one.problemView(), one.nestView(), one.column,
                          one.row, machine(), nestForms().size())
                .prefetchBytes,
            0);
}

/// Rows of 2^n + 1 elements: stores of a tile that drive each other out of the
/// first cache wait, and no others do.
TEST(PlanNest, StoresWaitWhereATileHasTooManyLinesOfASet) {
  const auto writeNs = [](int64_t size) {
    const TileOf one(8, {size, size}, {1, 0});
    const NestMaker maker(one.problemView(), one.tile, one.column, one.row, 64);
    const auto nest = maker.make(nestForms().front());
    return NestCost(one.problemView(), machine())
               .of(one.nestView(nest->list()))
               .write /
           static_cast<double>(size * size);
  };
  EXPECT_GT(writeNs(513), 1.5 * writeNs(540));
  EXPECT_LT(writeNs(500), 1.2 * writeNs(540));
}

} // namespace
