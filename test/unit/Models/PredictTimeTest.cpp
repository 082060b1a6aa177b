//===- ModelsPredictTimeTest.cpp ------------------------------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Of a prediction only what must hold on any machine is tested; how near it
// comes is measured.
//
//===----------------------------------------------------------------------===//

#include "permc/Models/PlanModel.h"

#include <gtest/gtest.h>

using namespace permc;

namespace {

double predict(const std::string &target, int64_t element, const Dims &shape,
               const Dims &order) {
  auto problem = Problem::make(element, shape, order);
  auto seconds = predictSeconds(*problem, *findTarget(target));
  EXPECT_TRUE(seconds.has_value()) << target;
  return seconds.value_or(0);
}

TEST(ModelsPredictTime, GrowsWithTheTensor) {
  for (const char *target : {"x86-64", "x86-64-v3", "x86-64-v4"}) {
    double before = 0;
    for (int64_t side = 8; side <= 8192; side *= 2) {
      const double now = predict(target, 4, {side, side}, {1, 0});
      EXPECT_GT(now, before) << target << " " << side;
      before = now;
    }
  }
}

TEST(ModelsPredictTime, FartherCachesAreSlower) {
  const TargetFacts &facts = findTarget("x86-64-v3")->facts;
  double before = 0;
  for (int64_t held :
       {facts.l1Bytes, facts.l2Bytes, facts.l3Bytes / 4, int64_t(1) << 30}) {
    // Bytes that a copy of rows has, which waits for nothing but lines.
    const int64_t rows = held / 2 / 2 / 4096;
    const double each =
        predict("x86-64-v3", 1, {2, rows, 4096}, {1, 0, 2}) / double(rows);
    EXPECT_GT(each, before) << held;
    before = each;
  }
}

TEST(ModelsPredictTime, TearingElementsApartTakesLonger) {
  // In the first cache, by the work: runs, then ever smaller elements.
  const double runs = predict("x86-64-v3", 1, {16, 8, 64}, {1, 0, 2}),
               doubles = predict("x86-64-v3", 8, {32, 32}, {1, 0}),
               bytes = predict("x86-64-v3", 1, {128, 64}, {1, 0});
  EXPECT_LT(runs, doubles);
  EXPECT_LT(doubles, bytes);
  // A run of an odd length fills its last vector in part.
  EXPECT_LT(runs, predict("x86-64-v3", 1, {16, 8, 65}, {1, 0, 2}));
}

TEST(ModelsPredictTime, OnlyWhereThereAreFacts) {
  auto problem = Problem::make(4, {8, 8}, {1, 0});
  for (const char *target :
       {"aarch64", "cortex-m4", "cortex-m55", "arc-hs", "c99"})
    EXPECT_FALSE(predictSeconds(*problem, *findTarget(target))) << target;
}

} // namespace
