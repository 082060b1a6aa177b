//===- FixedProblemTest.cpp - problems that take no memory ----------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A FixedProblem is held against Problem, whose own tests say what is right.
//
//===----------------------------------------------------------------------===//

#include "PlanTesting.h"
#include "RandomProblem.h"

#include "permc/Plan/FixedProblem.h"
#include "permc/Plan/Simplify.h"

#include "gtest/gtest.h"

using namespace permc;

namespace {

/// What Problem::make and assign say of the same arguments.
void expectSameVerdict(int64_t element, const Dims &shape, const Dims &perm,
                       const std::optional<Dims> &src = {},
                       const std::optional<Dims> &dst = {}) {
  Result<Problem> problem = Problem::make(element, shape, perm, src, dst);
  FixedProblem fixed;
  bool valid =
      fixed.assign(element, unsigned(shape.size()), shape.data(), perm.data(),
                   src ? src->data() : nullptr, dst ? dst->data() : nullptr);
  EXPECT_EQ(valid, bool(problem)) << spellShape(shape) << spellList(perm);
  if (valid && problem)
    EXPECT_TRUE(fixed == FixedProblem(*problem)) << spell(*problem);
}

Dims inElements(Dims strides, int64_t element) {
  for (int64_t &stride : strides)
    stride /= element;
  return strides;
}

TEST(PlanFixedProblem, TakesWhatProblemTakes) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 2000; ++i) {
    Problem problem = randomProblem(random);
    int64_t element = problem.elementBytes();
    expectSameVerdict(element, problem.shape(), problem.perm());
    expectSameVerdict(element, problem.shape(), problem.perm(),
                      inElements(problem.srcByteStrides(), element),
                      inElements(problem.dstByteStrides(), element));
  }
}

TEST(PlanFixedProblem, RefusesWhatProblemRefuses) {
  const int64_t huge = int64_t{1} << 62;
  expectSameVerdict(0, {2}, {0});
  expectSameVerdict(-1, {2}, {0});
  expectSameVerdict(4, {2, -3}, {1, 0});
  expectSameVerdict(4, {2, 3}, {1, 1});
  expectSameVerdict(4, {2, 3}, {0, 2});
  expectSameVerdict(4, {2, 3}, {-1, 0});
  expectSameVerdict(4, {huge, 2}, {1, 0});
  expectSameVerdict(4, {0, huge, 4}, {2, 1, 0});
  expectSameVerdict(1, {2, 3}, {1, 0}, Dims{0, 1});
  expectSameVerdict(1, {2, 3}, {1, 0}, Dims{-3, -1});
  expectSameVerdict(1, {2, 3}, {1, 0}, Dims{INT64_MIN, -1});
  expectSameVerdict(4, {2, 3}, {1, 0}, Dims{INT64_MIN / 4, -1});
  expectSameVerdict(1, {2, 1}, {1, 0}, Dims{1, huge}, Dims{0, -1});
  expectSameVerdict(1, {2, 0}, {1, 0}, Dims{huge, huge}, Dims{0, 0});
  expectSameVerdict(1, {2, 3}, {1, 0}, {}, Dims{0, 1});
  expectSameVerdict(1, {2, 3}, {1, 0}, {}, Dims{-2, -1});
  expectSameVerdict(1, {2, 3}, {1, 0}, {}, Dims{-1, -2});
  expectSameVerdict(1, {2, 3}, {1, 0}, Dims{huge, huge});
  expectSameVerdict(4, {2, 3}, {1, 0}, Dims{huge, 1});
  expectSameVerdict(4, {2, 3}, {1, 0}, {}, Dims{1, 1});
  expectSameVerdict(4, {2, 3}, {1, 0}, {}, Dims{2, 1});
  expectSameVerdict(4, {2, 3}, {1, 0}, {}, Dims{1, 3});
  expectSameVerdict(4, {2, 3}, {1, 0}, {}, Dims{1, 2});
  expectSameVerdict(4, Dims(64, 1), [] {
    Dims perm(64);
    std::iota(perm.rbegin(), perm.rend(), 0);
    return perm;
  }());
}

TEST(PlanFixedProblem, RefusesTooManyDims) {
  Dims shape(65, 1), perm(65);
  std::iota(perm.begin(), perm.end(), 0);
  FixedProblem fixed;
  EXPECT_FALSE(
      fixed.assign(1, 65, shape.data(), perm.data(), nullptr, nullptr));
}

/// The registry and the JIT's cache must mean the same by "the same problem".
TEST(PlanFixedProblem, SimplifiesAsProblemDoes) {
  std::mt19937_64 random(11);
  for (int i = 0; i < 5000; ++i) {
    Problem problem = i % 3 ? randomProblem(random) : randomView(random);
    int64_t limit = i % 2 ? 8 : 16;
    FixedProblem fixed(problem);
    canonicalize(fixed, limit);
    EXPECT_TRUE(fixed == FixedProblem(canonicalize(problem, limit)))
        << spell(problem);
  }
}

TEST(PlanFixedProblem, KnowsItsSizes) {
  std::mt19937_64 random(13);
  for (int i = 0; i < 1000; ++i) {
    Problem problem = i % 3 ? randomProblem(random) : randomView(random);
    FixedProblem fixed(problem);
    EXPECT_EQ(fixed.srcOrigin(), problem.srcOrigin()) << spell(problem);
    EXPECT_EQ(fixed.dstOrigin(), problem.dstOrigin()) << spell(problem);
    EXPECT_EQ(fixed.srcSpan(), problem.srcSpan()) << spell(problem);
    EXPECT_EQ(fixed.dstSpan(), problem.dstSpan()) << spell(problem);
    EXPECT_EQ(fixed.bytesMoved(), problem.bytesMoved()) << spell(problem);
    EXPECT_EQ(fixed.isEmpty(), problem.isEmpty()) << spell(problem);
  }
}

} // namespace
