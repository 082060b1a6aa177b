//===- SamplerTest.cpp - samples of several competitors -------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Sampler.h"

#include "gtest/gtest.h"

using namespace permc;

namespace {

/// The time is made up: every third reading says that nothing passed, as the
/// clock of a virtual machine may.
TEST(MeasureSampler, DropsSamplesOfAClockThatStoodStill) {
  int readings = 0;
  SamplerOptions options;
  options.budgetSeconds = 0;
  options.stopwatch = [&](const Competitor &, int64_t calls) {
    return ++readings % 3 == 0 ? 0.0 : 1e-3 * double(calls);
  };
  auto all = takeSamples({compete("a", [] {}), compete("b", [] {})}, options);
  ASSERT_EQ(all.size(), 2u);
  for (const Samples &samples : all) {
    EXPECT_DOUBLE_EQ(samples.best(), 1e-3) << samples.name;
    EXPECT_DOUBLE_EQ(samples.medianRatio(), 1) << samples.name;
  }
  EXPECT_GT(readings, 3);
}

/// A slow competitor uses up the budget and sits the other rounds out.
TEST(MeasureSampler, TakesEnoughRoundsOfQuickOnes) {
  SamplerOptions options;
  options.budgetSeconds = 0;
  options.minRounds = 7;
  options.stopwatch = [](const Competitor &, int64_t calls) {
    return 1e-3 * double(calls);
  };
  Competitor slow = compete("slow", [] {}), near = compete("near", [] {});
  slow.firstCall = 1e9;
  near.firstCall = 3e-3; // more than its share, three times the first's
  auto all = takeSamples({compete("first", [] {}), slow, near}, options);
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].seconds.size(), 1 + options.minRounds);
  EXPECT_EQ(all[1].seconds.size(), 1u);
  EXPECT_EQ(all[2].seconds.size(), 1 + options.minRounds);
}

} // namespace
