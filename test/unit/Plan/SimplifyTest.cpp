//===- SimplifyTest.cpp - the simplest equivalent problem -----------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each step on worked examples, then what must hold for any problem: no step
// changes which byte goes where.
//
//===----------------------------------------------------------------------===//

#include "NaivePermute.h"
#include "PlanTesting.h"
#include "RandomProblem.h"

#include "permc/Plan/Simplify.h"

#include "gtest/gtest.h"

using namespace permc;

namespace {

//===----------------------------------------------------------------------===//
// Squeeze
//===----------------------------------------------------------------------===//

TEST(PlanSimplify, SqueezeDropsTwoDims) {
  EXPECT_EQ(squeeze(problemOf(4, {1, 9, 12, 6, 4, 6, 1, 10},
                              {2, 3, 5, 4, 1, 7, 0, 6})),
            problemOf(4, {9, 12, 6, 4, 6, 10}, {1, 2, 4, 3, 0, 5}));
}

TEST(PlanSimplify, SqueezeDropsOneDim) {
  EXPECT_EQ(squeeze(problemOf(4, {8, 9, 12, 6, 4, 6, 1, 10},
                              {2, 3, 5, 4, 1, 7, 0, 6})),
            problemOf(4, {8, 9, 12, 6, 4, 6, 10}, {2, 3, 5, 4, 1, 6, 0}));
}

TEST(PlanSimplify, SqueezeKeepsTheOtherDimsStrides) {
  EXPECT_EQ(squeeze(problemOf(2, {3, 1, 5}, {2, 1, 0}, Dims{40, 7, 2},
                              Dims{9, 50, 3})),
            problemOf(2, {3, 5}, {1, 0}, Dims{40, 2}, Dims{9, 3}));
}

TEST(PlanSimplify, SqueezeOfOnesIsAScalar) {
  EXPECT_EQ(squeeze(problemOf(7, {1, 1, 1}, {2, 0, 1})), problemOf(7, {}, {}));
}

TEST(PlanSimplify, SqueezeMakesOneEmptyProblemOfAll) {
  Problem empty = problemOf(4, {0}, {0});
  EXPECT_EQ(squeeze(problemOf(4, {3, 0, 5}, {2, 1, 0})), empty);
  EXPECT_EQ(squeeze(problemOf(4, {0, 0}, {1, 0}, Dims{9, 3})), empty);
  EXPECT_EQ(squeeze(empty), empty);
}

TEST(PlanSimplify, SqueezeLeavesTheRest) {
  Problem problem = problemOf(4, {2, 3}, {1, 0});
  EXPECT_EQ(squeeze(problem), problem);
  Problem scalar = problemOf(4, {}, {});
  EXPECT_EQ(squeeze(scalar), scalar);
}

//===----------------------------------------------------------------------===//
// Merge
//===----------------------------------------------------------------------===//

TEST(PlanSimplify, MergeIntoThreeDims) {
  EXPECT_EQ(
      merge(problemOf(4, {8, 9, 12, 6, 4, 6, 9, 10}, {2, 3, 4, 5, 0, 1, 6, 7})),
      problemOf(4, {8 * 9, 12 * 6 * 4 * 6, 9 * 10}, {1, 0, 2}));
}

TEST(PlanSimplify, MergeIntoTwoDims) {
  EXPECT_EQ(
      merge(problemOf(4, {8, 9, 12, 6, 4, 6, 9, 10}, {2, 3, 4, 5, 6, 7, 0, 1})),
      problemOf(4, {8 * 9, 12 * 6 * 4 * 6 * 9 * 10}, {1, 0}));
}

TEST(PlanSimplify, MergeIntoFiveDims) {
  EXPECT_EQ(
      merge(problemOf(4, {8, 9, 12, 6, 4, 6, 9, 10}, {2, 3, 5, 4, 6, 7, 0, 1})),
      problemOf(4, {8 * 9, 12 * 6, 4, 6, 9 * 10}, {1, 3, 2, 4, 0}));
}

TEST(PlanSimplify, MergeOfTheIdentityIsOneDim) {
  EXPECT_EQ(merge(problemOf(2, {3, 4, 5, 6}, {0, 1, 2, 3})),
            problemOf(2, {360}, {0}));
}

TEST(PlanSimplify, MergeStopsAtAGapInSrc) {
  Problem problem = problemOf(1, {3, 4, 5}, {0, 1, 2}, Dims{25, 6, 1});
  EXPECT_EQ(merge(problem), problem);
}

TEST(PlanSimplify, MergeStopsAtAGapInDst) {
  Problem problem = problemOf(1, {4, 5}, {0, 1}, {}, Dims{6, 1});
  EXPECT_EQ(merge(problem), problem);
}

TEST(PlanSimplify, MergeJoinsWhatLiesInsideAGap) {
  EXPECT_EQ(merge(problemOf(1, {3, 4, 5}, {0, 1, 2}, Dims{30, 5, 1})),
            problemOf(1, {3, 20}, {0, 1}, Dims{30, 1}));
}

TEST(PlanSimplify, MergeNeedsNoUnitStride) {
  EXPECT_EQ(merge(problemOf(1, {4, 5}, {0, 1}, Dims{10, 2}, Dims{15, 3})),
            problemOf(1, {20}, {0}, Dims{2}, Dims{3}));
}

TEST(PlanSimplify, MergeLeavesDimsThatSwap) {
  Problem problem = problemOf(1, {4, 5}, {1, 0});
  EXPECT_EQ(merge(problem), problem);
}

TEST(PlanSimplify, MergeOfNothing) {
  EXPECT_EQ(merge(problemOf(3, {}, {})), problemOf(3, {}, {}));
  EXPECT_EQ(merge(problemOf(3, {0}, {0})), problemOf(3, {0}, {0}));
}

//===----------------------------------------------------------------------===//
// Fold
//===----------------------------------------------------------------------===//

TEST(PlanSimplify, FoldEightBytes) {
  EXPECT_EQ(fold(problemOf(1, {20, 8, 16, 12, 8}, {2, 1, 3, 0, 4}), 8),
            problemOf(8, {20, 8, 16, 12}, {2, 1, 3, 0}));
}

TEST(PlanSimplify, FoldSevenBytes) {
  EXPECT_EQ(fold(problemOf(1, {20, 8, 16, 12, 7}, {2, 1, 3, 0, 4}), 8),
            problemOf(7, {20, 8, 16, 12}, {2, 1, 3, 0}));
}

TEST(PlanSimplify, FoldStaysWithinItsLimit) {
  Problem problem = problemOf(2, {6, 5, 8}, {1, 0, 2});
  EXPECT_EQ(fold(problem, 15), problem);
  EXPECT_EQ(fold(problem, 16), problemOf(16, {6, 5}, {1, 0}));
}

TEST(PlanSimplify, FoldOfALimitBelowTheElement) {
  Problem problem = problemOf(12, {6, 5}, {1, 0});
  EXPECT_EQ(fold(problem, 8), problem);
}

TEST(PlanSimplify, FoldNeedsTheLastDimToStayLast) {
  Problem problem = problemOf(1, {4, 4}, {1, 0});
  EXPECT_EQ(fold(problem, 8), problem);
}

TEST(PlanSimplify, FoldNeedsContiguousElements) {
  Problem src = problemOf(1, {5, 4}, {0, 1}, Dims{8, 2});
  EXPECT_EQ(fold(src, 8), src);
  Problem dst = problemOf(1, {5, 4}, {0, 1}, {}, Dims{8, 2});
  EXPECT_EQ(fold(dst, 8), dst);
}

TEST(PlanSimplify, FoldKeepsStridesInBytes) {
  auto expected =
      Problem::makeWithByteStrides(4, {5, 6}, {1, 0}, {70, 7}, {50, 9});
  EXPECT_EQ(
      fold(problemOf(1, {5, 6, 4}, {1, 0, 2}, Dims{70, 7, 1}, Dims{50, 9, 1}),
           8),
      *expected);
}

TEST(PlanSimplify, FoldOfNothing) {
  EXPECT_EQ(fold(problemOf(3, {}, {}), 8), problemOf(3, {}, {}));
  EXPECT_EQ(fold(problemOf(3, {0}, {0}), 8), problemOf(3, {0}, {0}));
}

//===----------------------------------------------------------------------===//
// Unfold
//===----------------------------------------------------------------------===//

TEST(PlanSimplify, UnfoldTakesTheLargestWordThatDivides) {
  EXPECT_EQ(unfold(problemOf(96, {20, 8}, {1, 0}), 64),
            problemOf(32, {20, 8, 3}, {1, 0, 2}));
  EXPECT_EQ(unfold(problemOf(128, {5, 4}, {1, 0}), 64),
            problemOf(64, {5, 4, 2}, {1, 0, 2}));
  EXPECT_EQ(unfold(problemOf(65, {5, 4}, {1, 0}), 64),
            problemOf(1, {5, 4, 65}, {1, 0, 2}));
  EXPECT_EQ(unfold(problemOf(100, {}, {}), 64), problemOf(4, {25}, {0}));
}

TEST(PlanSimplify, UnfoldMergesTheNewDimWithWhatItContinues) {
  EXPECT_EQ(unfold(problemOf(128, {4}, {0}), 64), problemOf(64, {8}, {0}));
  EXPECT_EQ(unfold(problemOf(65, {4}, {0}), 64), problemOf(1, {260}, {0}));
}

TEST(PlanSimplify, UnfoldLeavesElementsWithinTheLimit) {
  Problem problem = problemOf(64, {20, 8}, {1, 0});
  EXPECT_EQ(unfold(problem, 64), problem);
}

TEST(PlanSimplify, UnfoldKeepsStrides) {
  auto given =
      Problem::makeWithByteStrides(96, {4, 5}, {1, 0}, {501, 99}, {401, 97});
  auto expected = Problem::makeWithByteStrides(32, {4, 5, 3}, {1, 0, 2},
                                               {501, 99, 32}, {401, 97, 32});
  EXPECT_EQ(unfold(*given, 64), *expected);
}

TEST(PlanSimplify, UnfoldLeavesAProblemWithNoRoomForADim) {
  Problem full = problemOf(96, Dims(64, 1), [] {
    Dims perm(64);
    std::iota(perm.begin(), perm.end(), 0);
    return perm;
  }());
  EXPECT_EQ(unfold(full, 64), full);
}

TEST(PlanSimplify, UnfoldLeavesTheEmptyProblem) {
  Problem empty = problemOf(96, {0}, {0});
  EXPECT_EQ(unfold(empty, 64), empty);
}

//===----------------------------------------------------------------------===//
// Canonical form
//===----------------------------------------------------------------------===//

TEST(PlanSimplify, CanonicalizeTellsItsSteps) {
  std::vector<SimplifyStep> steps;
  Problem problem = problemOf(1, {1, 6, 5, 7, 2, 2}, {2, 3, 0, 1, 4, 5});
  Problem canonical = canonicalize(problem, 8, &steps);
  EXPECT_EQ(canonical, problemOf(4, {6, 35}, {1, 0}));
  ASSERT_EQ(steps.size(), 3u);
  EXPECT_EQ(steps[0].name, "squeeze");
  EXPECT_EQ(steps[0].after, problemOf(1, {6, 5, 7, 2, 2}, {1, 2, 0, 3, 4}));
  EXPECT_EQ(steps[1].name, "merge");
  EXPECT_EQ(steps[1].after, problemOf(1, {6, 35, 4}, {1, 0, 2}));
  EXPECT_EQ(steps[2].name, "fold");
  EXPECT_EQ(steps[2].after, canonical);
}

TEST(PlanSimplify, CanonicalizeTellsNoStepThatDidNothing) {
  std::vector<SimplifyStep> steps;
  Problem problem = problemOf(4, {6, 5}, {1, 0});
  EXPECT_EQ(canonicalize(problem, 8, &steps), problem);
  EXPECT_TRUE(steps.empty());
}

TEST(PlanSimplify, SqueezedDimsMayMerge) {
  EXPECT_EQ(canonicalize(problemOf(4, {8, 1, 9, 5}, {3, 0, 2, 1}), 8),
            problemOf(4, {72, 5}, {1, 0}));
}

TEST(PlanSimplify, SmallTensorsFoldIntoOneElement) {
  EXPECT_EQ(canonicalize(problemOf(1, {2, 1, 4}, {1, 0, 2}), 8),
            problemOf(8, {}, {}));
}

/// A problem small enough to be looked at byte by byte.
Problem smallProblem(std::mt19937_64 &random) {
  return randomProblem(random, 1 << 9);
}

TEST(PlanSimplifyProperty, NoStepMovesAByteElsewhere) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 3000; ++i) {
    Problem problem = smallProblem(random);
    std::vector<int64_t> moved = movedBytes(problem);
    ASSERT_EQ(movedBytes(squeeze(problem)), moved) << spell(problem);
    ASSERT_EQ(movedBytes(merge(problem)), moved) << spell(problem);
    ASSERT_EQ(movedBytes(fold(problem, 8)), moved) << spell(problem);
    ASSERT_EQ(movedBytes(unfold(problem, 4)), moved) << spell(problem);
    ASSERT_EQ(movedBytes(canonicalize(problem, 16)), moved) << spell(problem);
  }
}

/// Pairs of dims that are one: a canonical problem has none.
bool hasMergeableDims(const Problem &problem) {
  std::vector<LoopDim> dims = problem.loopDims();
  for (size_t i = 1; i < dims.size(); ++i)
    if (problem.perm()[i - 1] + 1 == problem.perm()[i] &&
        dims[i - 1].srcStride == dims[i].srcStride * dims[i].size &&
        dims[i - 1].dstStride == dims[i].dstStride * dims[i].size)
      return true;
  return false;
}

TEST(PlanSimplifyProperty, CanonicalFormIsAFixpoint) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 5000; ++i) {
    Problem problem = randomProblem(random);
    int64_t limit = i % 2 ? 8 : 16;
    Problem canonical = canonicalize(problem, limit);
    ASSERT_EQ(canonicalize(canonical, limit), canonical) << spell(problem);
    ASSERT_EQ(squeeze(canonical), canonical) << spell(problem);
    ASSERT_EQ(merge(canonical), canonical) << spell(problem);
    ASSERT_EQ(fold(canonical, limit), canonical) << spell(problem);
    ASSERT_LE(canonical.rank(), std::max(problem.rank(), 1u));
    if (canonical.isEmpty())
      continue;
    for (int64_t size : canonical.shape())
      ASSERT_GT(size, 1) << spell(problem);
    ASSERT_FALSE(hasMergeableDims(canonical)) << spell(problem);
  }
}

TEST(PlanSimplifyProperty, OneRoundIsEnough) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 5000; ++i) {
    Problem problem = randomProblem(random);
    // What the passes do, one after the other.
    Problem once = fold(merge(squeeze(problem)), 16);
    ASSERT_EQ(once, canonicalize(problem, 16)) << spell(problem);
  }
}

//===----------------------------------------------------------------------===//
// Inverse, composition, classes
//===----------------------------------------------------------------------===//

TEST(PlanSimplify, InverseSwapsTheSides) {
  Problem problem = problemOf(2, {2, 3, 5}, {2, 0, 1}, Dims{20, 6, 1});
  Problem back = inverse(problem);
  EXPECT_EQ(back.shape(), (Dims{5, 2, 3}));
  EXPECT_EQ(back.perm(), (Dims{1, 2, 0}));
  EXPECT_EQ(back.srcByteStrides(), problem.dstByteStrides());
  EXPECT_EQ(back.dstByteStrides(), problem.srcByteStrides());
}

TEST(PlanSimplifyProperty, InverseTakesEachByteBack) {
  std::mt19937_64 random(4);
  for (int i = 0; i < 2000; ++i) {
    Problem problem = smallProblem(random);
    Problem back = inverse(problem);
    ASSERT_EQ(inverse(back), problem) << spell(problem);
    std::vector<int64_t> there = movedBytes(problem), again = movedBytes(back);
    for (size_t byte = 0; byte < there.size(); ++byte)
      if (there[byte] >= 0)
        ASSERT_EQ(again[there[byte]], static_cast<int64_t>(byte))
            << spell(problem);
  }
}

/// A second step that starts where `first` ends.
Problem nextProblem(const Problem &first, std::mt19937_64 &random) {
  Dims perm(first.rank());
  std::iota(perm.begin(), perm.end(), 0);
  std::shuffle(perm.begin(), perm.end(), random);
  Dims dst;
  int64_t stride = first.elementBytes();
  for (size_t i = perm.size(); i-- > 0;) {
    dst.insert(dst.begin(), stride);
    stride *= std::max<int64_t>(first.outShape()[perm[i]], 1);
  }
  return *Problem::makeWithByteStrides(first.elementBytes(), first.outShape(),
                                       perm, first.dstByteStrides(), dst);
}

TEST(PlanSimplifyProperty, ComposeIsOneAfterTheOther) {
  std::mt19937_64 random(5);
  for (int i = 0; i < 2000; ++i) {
    Problem first = smallProblem(random), second = nextProblem(first, random);
    auto both = compose(first, second);
    ASSERT_TRUE(both) << both.error().message;
    std::vector<int64_t> halfway = movedBytes(first), moved;
    for (int64_t byte : movedBytes(second))
      moved.push_back(byte < 0 ? -1 : halfway[byte]);
    ASSERT_EQ(movedBytes(*both), moved)
        << spell(first) << "; " << spell(second);
  }
}

TEST(PlanSimplifyProperty, ComposeWithTheInverseIsTheIdentity) {
  std::mt19937_64 random(6);
  for (int i = 0; i < 500; ++i) {
    Problem problem = smallProblem(random);
    auto both = compose(problem, inverse(problem));
    ASSERT_TRUE(both) << both.error().message;
    for (unsigned dim = 0; dim < both->rank(); ++dim)
      ASSERT_EQ(both->perm()[dim], dim) << spell(problem);
    ASSERT_EQ(both->srcByteStrides(), both->dstByteStrides());
  }
}

TEST(PlanSimplify, ComposeRefusesWhatDoesNotFit) {
  Problem problem = problemOf(4, {2, 3}, {1, 0});
  EXPECT_ERROR(compose(problem, problemOf(2, {3, 2}, {1, 0})),
               Cause::BadElement,
               "the first permutation moves elements of 4 bytes, the second of "
               "2");
  EXPECT_ERROR(compose(problem, problemOf(4, {2, 3}, {1, 0})), Cause::BadRank,
               "the first permutation gives 3x2, the second takes 2x3");
  EXPECT_ERROR(compose(problem, problemOf(4, {3, 2}, {1, 0}, Dims{5, 1})),
               Cause::BadStride,
               "the first permutation writes byte strides [8, 4], the second "
               "reads [20, 4]");
}

TEST(PlanSimplify, Classify) {
  EXPECT_EQ(classify(problemOf(4, {2, 3}, {0, 1})), MoveClass::Noop);
  EXPECT_EQ(classify(problemOf(4, {}, {})), MoveClass::Noop);
  EXPECT_EQ(classify(problemOf(4, {1, 1}, {1, 0})), MoveClass::Noop);
  EXPECT_EQ(classify(problemOf(4, {1, 3}, {1, 0})), MoveClass::Reshape);
  EXPECT_EQ(classify(problemOf(4, {1, 3, 5}, {1, 0, 2})), MoveClass::Reshape);
  EXPECT_EQ(classify(problemOf(4, {0, 3}, {1, 0})), MoveClass::Reshape);
  EXPECT_EQ(classify(problemOf(4, {0, 3}, {0, 1})), MoveClass::Noop);
  EXPECT_EQ(classify(problemOf(4, {2, 3}, {1, 0})), MoveClass::Move);
  EXPECT_EQ(classify(problemOf(4, {2, 2}, {1, 0})), MoveClass::Move);
}

TEST(PlanSimplify, ClassifySeesStrides) {
  EXPECT_EQ(classify(problemOf(4, {6}, {0}, Dims{2})), MoveClass::Move);
  EXPECT_EQ(classify(problemOf(4, {2, 3}, {0, 1}, Dims{4, 1})),
            MoveClass::Move);
  // Both sides have the same gap, and still src lies elsewhere than dst.
  EXPECT_EQ(classify(problemOf(4, {2, 3}, {0, 1}, Dims{4, 1}, Dims{4, 1})),
            MoveClass::Move);
}

TEST(PlanSimplify, MoveClassNames) {
  EXPECT_EQ(moveClassName(MoveClass::Noop), "noop");
  EXPECT_EQ(moveClassName(MoveClass::Reshape), "reshape");
  EXPECT_EQ(moveClassName(MoveClass::Move), "move");
}

} // namespace
