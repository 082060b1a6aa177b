//===- DynamicProblemTest.cpp - problems with unknown dims ----------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NaivePermute.h"
#include "PlanTesting.h"

#include "permc/Plan/DynamicProblem.h"
#include "permc/Plan/Simplify.h"

#include "gtest/gtest.h"

#include <numeric>
#include <random>

using namespace permc;

namespace {

constexpr int64_t any = dynamicDim;

DynamicProblem dynamicOf(int64_t element, const Dims &shape, const Dims &perm) {
  return *DynamicProblem::make(element, shape, perm);
}

/// "elements of 4: 8*?0x24 by [1, 0]".
std::string spell(const DynamicProblem &problem) {
  return "elements of " + std::to_string(problem.elementBytes()) + ": " +
         spellShape(problem.shape()) + " by " + spellList(problem.perm());
}

std::string canonical(int64_t element, const Dims &shape, const Dims &perm,
                      int64_t foldLimit = 8) {
  return spell(canonicalize(dynamicOf(element, shape, perm), foldLimit));
}

TEST(PlanDynamicProblem, SpellsSizes) {
  EXPECT_EQ(spellSize({224, 0}), "224");
  EXPECT_EQ(spellSize({1, 0b1}), "?0");
  EXPECT_EQ(spellSize({3, 0b101}), "3*?0*?2");
  EXPECT_EQ(spellSize({1, 0}), "1");
}

TEST(PlanDynamicProblem, DropsDimsOfOne) {
  EXPECT_EQ(spell(squeeze(dynamicOf(4, {1, any, 1, 4}, {3, 0, 1, 2}))),
            "elements of 4: ?0x4 by [1, 0]");
  // A dynamic dim may be 1, but nobody knows.
  EXPECT_EQ(spell(squeeze(dynamicOf(4, {any, 4}, {1, 0}))),
            "elements of 4: ?0x4 by [1, 0]");
  EXPECT_EQ(spell(squeeze(dynamicOf(4, {any, 0, 4}, {2, 1, 0}))),
            "elements of 4: 0 by [0]");
}

TEST(PlanDynamicProblem, MergesWhatStaysNeighbours) {
  // The seed's worked example, with each dim unknown in turn.
  EXPECT_EQ(spell(merge(dynamicOf(4, {8, 9, 4, 6}, {2, 3, 0, 1}))),
            "elements of 4: 72x24 by [1, 0]");
  EXPECT_EQ(spell(merge(dynamicOf(4, {any, 9, 4, 6}, {2, 3, 0, 1}))),
            "elements of 4: 9*?0x24 by [1, 0]");
  EXPECT_EQ(spell(merge(dynamicOf(4, {8, any, 4, any}, {2, 3, 0, 1}))),
            "elements of 4: 8*?0x4*?1 by [1, 0]");
  EXPECT_EQ(spell(merge(dynamicOf(4, {any, any, any, any}, {2, 3, 0, 1}))),
            "elements of 4: ?0*?1x?2*?3 by [1, 0]");
  EXPECT_EQ(spell(merge(dynamicOf(4, {any, any}, {1, 0}))),
            "elements of 4: ?0x?1 by [1, 0]");
}

TEST(PlanDynamicProblem, FoldsAStaticTail) {
  EXPECT_EQ(spell(fold(dynamicOf(1, {any, 8, 4}, {1, 0, 2}), 8)),
            "elements of 4: ?0x8 by [1, 0]");
  EXPECT_EQ(spell(fold(dynamicOf(4, {any, 8, 4}, {1, 0, 2}), 8)),
            "elements of 4: ?0x8x4 by [1, 0, 2]");
  EXPECT_EQ(spell(fold(dynamicOf(1, {20, 8, any}, {1, 0, 2}), 8)),
            "elements of 1: 20x8x?0 by [1, 0, 2]");
}

TEST(PlanDynamicProblem, CanonicalForms) {
  // Images to planes: the batch unknown, then the height.
  EXPECT_EQ(canonical(1, {any, 224, 224, 3}, {0, 3, 1, 2}),
            "elements of 1: ?0x50176x3 by [0, 2, 1]");
  EXPECT_EQ(canonical(1, {any, 224, 3}, {2, 0, 1}),
            "elements of 1: 224*?0x3 by [1, 0]");
  // Heads: the sequence unknown.
  EXPECT_EQ(canonical(2, {any, 12, any, 64}, {0, 2, 1, 3}),
            "elements of 2: ?0x12x?1x64 by [0, 2, 1, 3]");
  // All merged: a copy of unknown size.
  EXPECT_EQ(canonical(4, {any, 1, any}, {0, 2, 1}),
            "elements of 4: ?0*?1 by [0]");
  EXPECT_EQ(canonical(1, {any, any, 1, 2}, {0, 1, 2, 3}),
            "elements of 1: 2*?0*?1 by [0]");
  EXPECT_EQ(canonical(1, {any, 5, 2, 4}, {1, 0, 2, 3}),
            "elements of 8: ?0x5 by [1, 0]");
}

TEST(PlanDynamicProblem, UnfoldsLargeElements) {
  EXPECT_EQ(spell(unfold(dynamicOf(96, {any, 8}, {1, 0}), 64)),
            "elements of 32: ?0x8x3 by [1, 0, 2]");
  EXPECT_EQ(spell(unfold(dynamicOf(96, {any, 8}, {0, 1}), 64)),
            "elements of 32: 24*?0 by [0]");
}

/// Simplified and then given its dims, or given its dims: the same moves.
TEST(PlanDynamicProblem, SimplifiesForAllDims) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 500; ++i) {
    Dims shape, perm(1 + random() % 6), values;
    std::iota(perm.begin(), perm.end(), 0);
    std::shuffle(perm.begin(), perm.end(), random);
    for (size_t dim = 0; dim < perm.size(); ++dim) {
      shape.push_back(random() % 2 ? any : int64_t(random() % 5));
      if (shape.back() == any)
        values.push_back(int64_t(random() % 5));
    }
    DynamicProblem problem = dynamicOf(1 + int64_t(random() % 5), shape, perm);
    SCOPED_TRACE(spell(problem) + " at " + spellList(values));
    Problem fixed = *problem.at(values);
    Problem simple = *canonicalize(problem, 8).at(values);
    EXPECT_EQ(problem.bytesMoved().at(values), fixed.bytesMoved());
    // Empty problems may differ in their elements.
    ASSERT_EQ(simple.isEmpty(), fixed.isEmpty());
    // A dynamic dim that is 1 after all is left in place.
    if (!fixed.isEmpty())
      ASSERT_EQ(canonicalize(simple, 8), canonicalize(fixed, 8));
  }
}

TEST(PlanDynamicProblem, Strides) {
  using Sizes = DynamicProblem::Sizes;
  // ?x?x2x3 bytes with rows ?2 apart: 8 bytes a pair of pixels.
  const Sizes shape = {{1, 1}, {1, 2}, {2, 0}, {3, 0}},
              src = {{1, 4}, {8, 0}, {3, 0}, {1, 0}};
  auto problem = DynamicProblem::make(1, shape, {1, 0, 2, 3}, 3, src);
  ASSERT_TRUE(problem);
  EXPECT_FALSE(problem->isDense());
  EXPECT_FALSE(problem->isSrcDense());
  EXPECT_TRUE(problem->isDstDense());
  EXPECT_EQ(problem->placeOf(1), 1u);
  EXPECT_EQ(problem->placeOf(2), 4u);
  // No gap between the last two, on either side; one before them in src.
  const DynamicProblem simple = canonicalize(*problem, 8);
  EXPECT_EQ(simple.elementBytes(), 6);
  EXPECT_EQ(simple.shape(), (Sizes{{1, 1}, {1, 2}}));
  EXPECT_EQ(simple.srcByteStrides(), (Sizes{{1, 4}, {8, 0}}));
  EXPECT_EQ(simple.dstByteStrides(), (Sizes{{6, 1}, {6, 0}}));
  auto fixed = problem->at({5, 7, 100});
  ASSERT_TRUE(fixed);
  EXPECT_EQ(fixed->srcByteStrides(), (Dims{100, 8, 3, 1}));
  EXPECT_EQ(canonicalize(*fixed, 8), *simple.at({5, 7, 100}));
  EXPECT_ERROR(problem->at({INT64_MAX, 7, 100}), Cause::SizeOverflow,
               "the bytes of the shape 9223372036854775807x7x2x3 do not fit in "
               "63 bits");
  EXPECT_EQ(classify(*problem), MoveClass::Move);
  // A gap is a move even where the order stays.
  auto copy = DynamicProblem::make(1, {{1, 1}, {4, 0}}, {0, 1}, 1,
                                   Sizes{{5, 0}, {1, 0}});
  ASSERT_TRUE(copy);
  EXPECT_EQ(merge(*copy).rank(), 2u);
  EXPECT_EQ(classify(*copy), MoveClass::Move);
  // One that is as good as dense is dense.
  auto same = DynamicProblem::make(1, {{1, 1}, {4, 0}}, {0, 1}, 1,
                                   Sizes{{4, 0}, {1, 0}});
  ASSERT_TRUE(same);
  EXPECT_TRUE(same->isDense());
  EXPECT_EQ(*same, dynamicOf(1, {any, 4}, {0, 1}));
}

/// Dims that are repeated or reversed, where that is known.
TEST(PlanDynamicProblem, Views) {
  using Sizes = DynamicProblem::Sizes;
  const Sizes shape = {{1, 1}, {1, 2}, {3, 0}};
  // What goes back in dst goes forwards, and src the other way.
  auto back = DynamicProblem::make(1, shape, {1, 0, 2}, 2, std::nullopt,
                                   Sizes{{-300, 0}, {3, 0}, {-1, 0}});
  ASSERT_TRUE(back);
  EXPECT_EQ(flip(*back).dstByteStrides(), (Sizes{{300, 0}, {3, 0}, {1, 0}}));
  EXPECT_EQ(flip(*back).srcByteStrides(), (Sizes{{3, 2}, {-3, 0}, {-1, 0}}));
  EXPECT_EQ(flip(*back->at({5, 7})), *flip(*back).at({5, 7}));
  // Reversed dims merge with each other, repeated ones as well.
  auto reversed = DynamicProblem::make(1, shape, {0, 1, 2}, 2,
                                       Sizes{{-3, 2}, {-3, 0}, {-1, 0}});
  ASSERT_TRUE(reversed);
  EXPECT_EQ(merge(*reversed).shape(), (Sizes{{3, 3}}));
  EXPECT_EQ(merge(*reversed).srcByteStrides(), (Sizes{{-1, 0}}));
  auto repeated = DynamicProblem::make(1, shape, {0, 1, 2}, 2,
                                       Sizes{{0, 0}, {0, 0}, {1, 0}});
  ASSERT_TRUE(repeated);
  EXPECT_EQ(merge(*repeated).shape(), (Sizes{{1, 3}, {3, 0}}));
  EXPECT_EQ(classify(*repeated), MoveClass::Move);
  // A dim of size 1 may have any stride.
  EXPECT_TRUE(DynamicProblem::make(1, {{1, 1}, {1, 0}}, {1, 0}, 1,
                                   Sizes{{1, 0}, {0, 0}},
                                   Sizes{{0, 0}, {1, 0}}));
}

/// How far a dim reaches is known at the call only if one of its numbers is.
TEST(PlanDynamicProblem, DoesNotMergeDimsThatReachTooFar) {
  using Sizes = DynamicProblem::Sizes;
  // 2^60 times 16 is 0 in 64 bits, as the stride of the dim before.
  const Sizes dst = {{16, 1}, {1, 1}};
  for (int64_t far : {int64_t{1} << 60, -(int64_t{1} << 60)}) {
    auto problem = DynamicProblem::make(1, {{2, 0}, {16, 0}}, {0, 1}, 1,
                                        Sizes{{0, 0}, {far, 0}}, dst);
    ASSERT_TRUE(problem);
    EXPECT_EQ(merge(*problem).rank(), 2u);
    EXPECT_FALSE(problem->at({1}));
  }
}

TEST(PlanDynamicProblem, RefusesStridesThatCannotBe) {
  using Sizes = DynamicProblem::Sizes;
  const Sizes shape = {{1, 1}, {3, 0}, {4, 0}};
  auto make = [&](Sizes src, Sizes dst) {
    return DynamicProblem::make(1, shape, {0, 1, 2}, 1, std::move(src),
                                std::move(dst));
  };
  const Sizes dense = {{12, 0}, {4, 0}, {1, 0}};
  EXPECT_TRUE(make(dense, dense));
  EXPECT_ERROR(make({{4, 0}, {1, 0}}, dense), Cause::BadRank,
               "2 src strides; expected 3");
  EXPECT_ERROR(make(dense, {{0, 0}, {4, 0}, {1, 0}}), Cause::BadStride,
               "the output stride of dim 0 is 0, and its size ?0: elements of "
               "the output would overlap");
  EXPECT_FALSE(make(dense, {{12, 0}, {0, 0}, {1, 0}}));
  EXPECT_ERROR(make(dense, {{12, 2}, {4, 0}, {1, 0}}), Cause::BadStride,
               "the dst stride of dim 0 is 12*?1 bytes; expected it of the 1 "
               "numbers of a call");
  // Rows of 4 that are 3 apart; how far matrices are is known at the call only.
  EXPECT_FALSE(make(dense, {{12, 0}, {3, 0}, {1, 0}}));
  EXPECT_TRUE(make(dense, {{6, 0}, {4, 0}, {1, 0}}));
  EXPECT_FALSE(make(dense, {{6, 0}, {4, 0}, {1, 0}})->at({2}));
}

TEST(PlanDynamicProblem, RefusesWhatCannotBe) {
  EXPECT_ERROR(DynamicProblem::make(4, Dims{any, -2}, {1, 0}), Cause::BadSize,
               "dim 1 has the size -2; expected 0 or more");
  EXPECT_ERROR(DynamicProblem::make(4, Dims{any, 2}, {1, 1}),
               Cause::DuplicateAxis,
               "axis 1 twice in the order [1, 1]; expected each axis once");
  EXPECT_ERROR(
      DynamicProblem::make(4, Dims{any, INT64_MAX, 2}, {0, 1, 2}),
      Cause::SizeOverflow,
      "the bytes of the shape 1x9223372036854775807x2 do not fit in 63 bits");
  // Each of them would need a bit.
  Dims order(65);
  std::iota(order.begin(), order.end(), 0);
  EXPECT_ERROR(DynamicProblem::make(1, Dims(65, any), order), Cause::BadRank,
               "a shape of 65 dims; expected at most 64");
  EXPECT_ERROR(DynamicProblem::make(4, {{1, 0b1}, {2, 0b1}}, {1, 0}, 1),
               Cause::BadSize,
               "the dynamic dims of the shape ?0x2*?0; expected each of 1 at "
               "most once");
  EXPECT_ERROR(DynamicProblem::make(4, {{1, 0b10}}, {0}, 1), Cause::BadSize,
               "the dynamic dims of the shape ?1; expected each of 1 at most "
               "once");
  EXPECT_ERROR(dynamicOf(4, {any, 2}, {1, 0}).at({1, 2}), Cause::BadRank,
               "2 sizes [1, 2] for the dynamic dims of ?0x2; expected 1");
  EXPECT_ERROR(dynamicOf(4, {any, any}, {1, 0}).at({INT64_MAX, 2}),
               Cause::SizeOverflow,
               "the bytes of the shape 9223372036854775807x2 do not fit in 63 "
               "bits");
  // Sizes merged into one dim are checked as well.
  EXPECT_FALSE(merge(dynamicOf(1, {any, any}, {0, 1})).at({INT64_MAX, 2}));
  EXPECT_ERROR(Problem::make(4, {2, any}, {1, 0}), Cause::Unsupported,
               "dim 1 of the shape 2x? is dynamic; expected a size here");
}

} // namespace
