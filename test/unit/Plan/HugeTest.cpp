//===- HugeTest.cpp - planning is bounded by no dim's size ----------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tensors that no machine has can be compiled for all the same. A loop in the
// planner that counts elements or tiles would not end here, nor with it the
// test.
//
//===----------------------------------------------------------------------===//

#include "KernelTesting.h"

#include "permc/Plan/CeilDiv.h"
#include "permc/Plan/Simplify.h"
#include "permc/Plan/Split.h"
#include "permc/Plan/UnalignedSchedule.h"
#include "permc/Plan/WordTile.h"

#include <numeric>

using namespace permc;

namespace {

/// Up to 2^62 bytes in all, in dims near powers of two and others.
Problem hugeProblem(std::mt19937_64 &random) {
  constexpr int64_t elements[] = {1, 1, 2, 2, 3, 4, 8, 12, 16, 24};
  const int64_t element = elements[random() % std::size(elements)];
  const size_t rank = 2 + random() % 5;
  Dims shape, perm(rank);
  int64_t room = (int64_t{1} << 62) / element;
  for (size_t i = 0; i < rank; ++i) {
    int64_t size = int64_t{1} << random() % 40;
    if (random() % 2)
      size += int64_t(random() % 3) - 1;
    else if (random() % 2)
      size += int64_t(random() % uint64_t(size));
    shape.push_back(std::clamp<int64_t>(size, 1, room));
    room /= shape.back();
  }
  std::iota(perm.begin(), perm.end(), 0);
  std::shuffle(perm.begin(), perm.end(), random);
  return *Problem::make(element, shape, perm);
}

/// Everything that is decided about a problem before code is made.
void plan(const Problem &problem, const Target &target) {
  SCOPED_TRACE(target.name + ": " + spellShape(problem.shape()) + " by " +
               spellList(problem.perm()) + ", " +
               std::to_string(problem.elementBytes()) + " bytes");
  const Problem canonical =
      unfold(canonicalize(problem, target.facts.foldLimit), maxElementBytes);
  const Schedule schedule = chooseSchedule(canonical, target.facts);
  EXPECT_TRUE(checkSchedule(canonical, schedule));
  const auto unaligned = chooseUnaligned(canonical, schedule, target.facts);
  const Split split =
      chooseSplit(canonical, schedule, unaligned ? &*unaligned : nullptr);
  EXPECT_GE(split.mostParts, 1);
  boxesOf(split, 1, 3);
}

/// Plans for a dim so large that one an eighth larger would be refused.
void planLargest(int64_t element, Dims shape, size_t large, const Dims &perm,
                 const Target &target,
                 const std::optional<Dims> &strides = std::nullopt) {
  shape[large] = INT64_MAX - 1;
  auto problem = Problem::make(element, shape, perm, strides);
  for (; !problem; problem = Problem::make(element, shape, perm, strides))
    shape[large] -= shape[large] / 9 + 1;
  plan(*problem, target);
}

} // namespace

TEST(PlanHuge, EndsForRandomShapes) {
  std::mt19937_64 random(5);
  for (int i = 0; i < 150; ++i) {
    const Problem problem = hugeProblem(random);
    for (const Target &target : allTargets())
      plan(problem, target);
  }
}

/// A src that repeats dims is small however large dst is: were it not a view,
/// no buffer would hold it.
TEST(PlanHuge, EndsForViews) {
  constexpr int64_t large = int64_t{1} << 30;
  std::mt19937_64 random(7);
  for (const Target &target : allTargets()) {
    for (const Dims &strides :
         {Dims{0, 0}, Dims{0, 1}, Dims{0, -1}, Dims{-1, 0}, Dims{-large, -1}})
      for (const Dims &perm : {Dims{0, 1}, Dims{1, 0}})
        for (int64_t element : {1, 3, 4})
          plan(*Problem::make(element, {large, large}, perm, strides), target);
    for (int i = 0; i < 20; ++i) {
      const Problem dense = hugeProblem(random);
      Dims strides = dense.srcStrides();
      for (int64_t &stride : strides)
        stride *= int64_t(random() % 3) - 1;
      plan(*Problem::make(dense.elementBytes(), dense.shape(), dense.perm(),
                          strides),
           target);
    }
  }
}

TEST(PlanHuge, EndsForTheLargest) {
  for (const Target &target : allTargets())
    for (int64_t element : {1, 2, 3, 4, 8, 12, 16, 24}) {
      planLargest(element, {1}, 0, {0}, target);
      planLargest(element, {1}, 0, {0}, target, Dims{2});
      planLargest(element, {1}, 0, {0}, target, Dims{-1});
      for (int64_t other : {2, 3, 4, 7, 16, 64, 1 << 20, 1 << 30}) {
        planLargest(element, {other, 1}, 1, {1, 0}, target);
        planLargest(element, {1, other}, 0, {1, 0}, target);
        planLargest(element, {1, other, 3}, 0, {1, 0, 2}, target);
      }
    }
}

TEST(PlanHuge, CountsPiecesOfTheLargest) {
  EXPECT_EQ(ceilDiv(INT64_MAX, 2), int64_t{1} << 62);
  EXPECT_EQ(ceilDiv(INT64_MAX, INT64_MAX), 1);
  EXPECT_EQ(ceilDiv(11, 5), 3);
  EXPECT_EQ(ceilDiv(10, 5), 2);
  EXPECT_EQ(ceilDiv(0, 5), 0);
}

TEST(PlanHuge, EndsWhereItOnceDidNot) {
  for (const Target &target : allTargets()) {
    plan(*Problem::make(1, {32767, 67108864, 524288}, {1, 2, 0}), target);
    plan(*Problem::make(2, {1, 32767, 67108864, 1, 1, 524288},
                        {2, 3, 4, 5, 0, 1}),
         target);
    plan(*Problem::make(1, {int64_t{1} << 40, 3}, {1, 0}), target);
  }
}

TEST(PlanHuge, KernelsAreCompiled) {
  std::mt19937_64 random(6);
  for (const Target &target : allTargets()) {
    if (target.facts.pointerBits < 64)
      continue;
    const Emit emit = target.route == Target::Route::C ? Emit::C : Emit::Object;
    for (int i = 0; i < 5; ++i) {
      const Problem problem = hugeProblem(random);
      auto made = sharedCompiler().compile({requestFor(problem, target)}, emit);
      EXPECT_TRUE(made) << target.name << ": " << spellShape(problem.shape())
                        << ": " << made.error().message;
    }
  }
}
