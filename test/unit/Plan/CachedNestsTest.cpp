//===- CachedNestsTest.cpp - nests that share few sets --------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tensors in the caches whose rows fall into few sets, and the panels that are
// copied because of that. How often lines are fetched is ChosenNestsTest's.
//
//===----------------------------------------------------------------------===//

#include "KernelTesting.h"
#include "NaivePermute.h"
#include "PlanTesting.h"

#include <functional>
#include <numeric>

using namespace permc;

namespace {

class CachedNests : public X86LevelTest {
protected:
  Schedule choose(const Problem &problem) const {
    return chooseSchedule(problem, target.facts);
  }
};

/// Copied panels of every shape of tile and tensor, moved back at both ends.
TEST_P(CachedNests, MoveEveryElement) {
  std::mt19937_64 random(31);
  int panels = 0;
  const std::vector<std::pair<Dims, Dims>> problems = {
      {{513, 513}, {1, 0}},       {{257, 259}, {1, 0}},
      {{26, 4095}, {1, 0}},       {{1025, 49}, {1, 0}},
      {{3, 257, 129}, {0, 2, 1}}, {{129, 2, 513}, {2, 1, 0}},
      {{1025, 130}, {1, 0}}};
  for (const auto &[shape, perm] : problems)
    for (int64_t element : {1, 2, 4, 8, 3, 12}) {
      const Problem problem = *Problem::make(element, shape, perm);
      SCOPED_TRACE(spell(problem));
      panels += choose(problem).panel.has_value();
      auto kernel = sharedJit().compile(requestFor(problem, target));
      ASSERT_TRUE(kernel) << kernel.error().message;
      const auto src = randomBytes(problem.srcSpan(), random);
      auto expected = randomBytes(problem.dstSpan() + 64, random);
      auto whole = expected, parts = expected;
      naivePermute(problem, src.data(), expected.data() + 3);
      (*kernel)(src.data(), whole.data() + 3);
      ASSERT_TRUE(whole == expected);
      for (uint32_t part = 0; part < 5; ++part)
        kernel->part(src.data(), parts.data() + 3, part, 5);
      ASSERT_TRUE(parts == expected);
    }
  EXPECT_GE(panels, 3);
}

/// One element at a time is for what no tile suits: not for matrices.
TEST_P(CachedNests, AreNotGivenUp) {
  std::mt19937_64 random(37);
  for (int i = 0; i < 150; ++i) {
    const auto element = static_cast<int64_t>(1 + random() % 8);
    const auto planes = static_cast<int64_t>(8 + random() % 121);
    const auto bytes = int64_t{9} << 20 << random() % 2;
    const int64_t length =
        bytes / planes / element + static_cast<int64_t>(random() % 64);
    for (const Dims &shape : {Dims{planes, length}, Dims{length, planes}}) {
      const Problem problem = *Problem::make(element, shape, {1, 0});
      const Schedule schedule = choose(problem);
      EXPECT_NE(std::accumulate(schedule.tile.begin(), schedule.tile.end(),
                                int64_t{1}, std::multiplies()),
                1)
          << spell(problem);
    }
  }
}

INSTANTIATE_X86_LEVELS(CachedNests);

} // namespace
