//===- CachedNestsTest.cpp - nests that share few sets --------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tensors in the caches whose rows fall into few sets, and the panels that are
// copied because of that.
//
//===----------------------------------------------------------------------===//

#include "KernelTesting.h"
#include "NaivePermute.h"
#include "PlanTesting.h"

#include <functional>
#include <numeric>
#include <set>

using namespace permc;

namespace {

class CachedNests : public X86LevelTest {
protected:
  Schedule choose(const Problem &problem) const {
    return chooseSchedule(problem, target.facts);
  }

  /// Without knowing of sets.
  Schedule chooseByRules(const Problem &problem) const {
    TargetFacts facts = target.facts;
    facts.l2Ways = 0;
    return chooseSchedule(problem, facts);
  }
};

/// Lines of one tile that fall into one set of the first cache, at most: those
/// of a panel's tile are read from src and written to the buffer.
int64_t mostLinesOfSet(const Problem &problem, const Schedule &schedule,
                       const TargetFacts &facts) {
  const int64_t sets = facts.l1Bytes / facts.l1Ways / facts.lineBytes;
  std::vector<std::set<int64_t>> lines(static_cast<size_t>(sets));
  auto touch = [&](int64_t base, int64_t stride, int64_t count, int64_t bytes) {
    for (int64_t i = 0; i < count; ++i)
      for (int64_t at = base + i * stride;
           at < base + i * stride + bytes + facts.lineBytes - 1;
           at += facts.lineBytes)
        lines[static_cast<size_t>(at / facts.lineBytes % sets)].insert(
            at / facts.lineBytes);
  };
  const std::vector<LoopDim> dims = problem.loopDims();
  const int64_t element = problem.elementBytes(), columns = schedule.tile[0],
                rows = schedule.tile[1];
  const int64_t written = schedule.panel.empty()
                              ? dims[0].dstStride
                              : panelStage(problem, schedule).rowStride;
  touch(0, dims[1].srcStride, rows, columns * element);
  touch(int64_t{1} << 40, written, columns, rows * element);
  size_t most = 0;
  for (const auto &set : lines)
    most = std::max(most, set.size());
  return static_cast<int64_t>(most);
}

/// Rows of 2^n + 1 elements, and of 2^n: src and dst share sets.
TEST_P(CachedNests, ShareFewerSets) {
  for (auto [element, size] :
       {std::pair<int64_t, int64_t>{8, 513}, {4, 1025}, {4, 513}, {2, 1025}}) {
    const Problem problem = *Problem::make(element, {size, size}, {1, 0});
    const Schedule chosen = choose(problem), rules = chooseByRules(problem);
    SCOPED_TRACE(spell(problem));
    EXPECT_NE(chosen, rules);
    EXPECT_LT(mostLinesOfSet(problem, chosen, target.facts),
              mostLinesOfSet(problem, rules, target.facts));
  }
}

TEST_P(CachedNests, StayWhereNothingIsShared) {
  for (int64_t size : {520, 1000, 1032}) {
    const Problem problem = *Problem::make(8, {size, size}, {1, 0});
    EXPECT_TRUE(choose(problem).panel.empty()) << size;
  }
}

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
      panels += !choose(problem).panel.empty();
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
