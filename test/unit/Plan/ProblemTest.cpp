//===- ProblemTest.cpp - which problems exist -----------------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PlanTesting.h"

#include "gtest/gtest.h"

#include <numeric>

using namespace permc;

namespace {

/// A large power of two.
constexpr int64_t twoTo(int exponent) { return int64_t{1} << exponent; }

Dims identity(size_t rank) {
  Dims perm(rank);
  std::iota(perm.begin(), perm.end(), 0);
  return perm;
}

Dims reversed(size_t rank) {
  Dims perm = identity(rank);
  return {perm.rbegin(), perm.rend()};
}

//===----------------------------------------------------------------------===//
// What a valid problem says of itself
//===----------------------------------------------------------------------===//

TEST(PlanProblem, DenseStridesAreRowMajorOnBothSides) {
  Problem problem = problemOf(4, {2, 3, 5}, {2, 0, 1});
  EXPECT_EQ(problem.elementBytes(), 4);
  EXPECT_EQ(problem.rank(), 3u);
  EXPECT_EQ(problem.outShape(), (Dims{5, 2, 3}));
  EXPECT_EQ(problem.srcByteStrides(), (Dims{60, 20, 4}));
  EXPECT_EQ(problem.dstByteStrides(), (Dims{24, 12, 4}));
  EXPECT_TRUE(problem.isDense());
  EXPECT_EQ(problem.elements(), 30);
  EXPECT_EQ(problem.bytesMoved(), 120);
  EXPECT_EQ(problem.srcSpan(), 120);
  EXPECT_EQ(problem.dstSpan(), 120);
}

TEST(PlanProblem, LoopDimsAreInOutputOrder) {
  Problem problem = problemOf(2, {3, 5}, {1, 0});
  std::vector<LoopDim> expected = {{5, 2, 6}, {3, 10, 2}};
  EXPECT_EQ(problem.loopDims(), expected);
}

TEST(PlanProblem, StridesAreGivenInElements) {
  Problem problem = problemOf(4, {2, 3}, {1, 0}, Dims{8, 2}, Dims{5, 1});
  EXPECT_EQ(problem.srcByteStrides(), (Dims{32, 8}));
  EXPECT_EQ(problem.dstByteStrides(), (Dims{20, 4}));
  EXPECT_FALSE(problem.isDense());
  EXPECT_EQ(problem.srcSpan(), 32 + 2 * 8 + 4);
  EXPECT_EQ(problem.dstSpan(), 2 * 20 + 4 + 4);
  EXPECT_EQ(problem.bytesMoved(), 24);
}

TEST(PlanProblem, OneStridedSideLeavesTheOtherDense) {
  EXPECT_EQ(problemOf(1, {2, 3}, {1, 0}, Dims{4, 1}).dstByteStrides(),
            (Dims{2, 1}));
  EXPECT_EQ(problemOf(1, {2, 3}, {1, 0}, {}, Dims{4, 1}).srcByteStrides(),
            (Dims{3, 1}));
}

TEST(PlanProblem, ByteStridesNeedNotBeWholeElements) {
  auto problem =
      Problem::makeWithByteStrides(4, {3, 2}, {0, 1}, {9, 4}, {11, 5});
  ASSERT_TRUE(problem) << problem.error().message;
  EXPECT_EQ(problem->srcByteStrides(), (Dims{9, 4}));
  EXPECT_EQ(problem->dstByteStrides(), (Dims{11, 5}));
  EXPECT_EQ(problem->srcSpan(), 2 * 9 + 4 + 4);
  EXPECT_FALSE(problem->isDense());
}

TEST(PlanProblem, ByteStridesEqualElementStrides) {
  auto problem =
      Problem::makeWithByteStrides(4, {2, 3}, {1, 0}, {12, 4}, {8, 4});
  ASSERT_TRUE(problem) << problem.error().message;
  EXPECT_EQ(*problem, problemOf(4, {2, 3}, {1, 0}));
}

TEST(PlanProblem, ScalarIsOneElement) {
  Problem problem = problemOf(12, {}, {});
  EXPECT_EQ(problem.rank(), 0u);
  EXPECT_FALSE(problem.isEmpty());
  EXPECT_TRUE(problem.isDense());
  EXPECT_EQ(problem.elements(), 1);
  EXPECT_EQ(problem.srcSpan(), 12);
  EXPECT_EQ(problem.dstSpan(), 12);
}

TEST(PlanProblem, ZeroDimMakesItEmpty) {
  Problem problem = problemOf(4, {3, 0, 5}, {2, 1, 0});
  EXPECT_TRUE(problem.isEmpty());
  EXPECT_EQ(problem.elements(), 0);
  EXPECT_EQ(problem.bytesMoved(), 0);
  EXPECT_EQ(problem.srcSpan(), 0);
  EXPECT_EQ(problem.dstSpan(), 0);
}

TEST(PlanProblem, SrcElementsMayOverlap) {
  auto problem = Problem::make(1, {4, 8}, {1, 0}, Dims{1, 1});
  ASSERT_TRUE(problem) << problem.error().message;
  EXPECT_EQ(problem->srcSpan(), 3 + 7 + 1);
}

TEST(PlanProblem, StrideOfSizeOneDimCannotOverlap) {
  EXPECT_TRUE(Problem::make(4, {1, 8}, {0, 1}, {}, Dims{1, 1}));
}

TEST(PlanProblem, DstDimsMayLieInAnyOrder) {
  EXPECT_TRUE(Problem::make(1, {4, 8}, {0, 1}, {}, Dims{1, 4}));
}

//===----------------------------------------------------------------------===//
// The largest problems
//===----------------------------------------------------------------------===//

TEST(PlanProblem, RankSixtyFourIsAccepted) {
  auto problem = Problem::make(8, Dims(64, 1), reversed(64));
  ASSERT_TRUE(problem) << problem.error().message;
  EXPECT_EQ(problem->rank(), 64u);
  EXPECT_EQ(problem->elements(), 1);
}

TEST(PlanProblem, RankSixtyFiveIsRefused) {
  EXPECT_ERROR(Problem::make(8, Dims(65, 1), identity(65)), Cause::BadRank,
               "a shape of 65 dims; expected at most 64");
}

TEST(PlanProblem, TwoToTheSixtyTwoBytesAreAccepted) {
  for (const Dims &shape : {Dims{twoTo(62)}, Dims{twoTo(31), twoTo(31)},
                            Dims(62, 2), Dims{1, twoTo(61), 2}}) {
    auto problem = Problem::make(1, shape, reversed(shape.size()));
    ASSERT_TRUE(problem) << problem.error().message;
    EXPECT_EQ(problem->bytesMoved(), twoTo(62));
    EXPECT_EQ(problem->srcSpan(), twoTo(62));
    EXPECT_EQ(problem->dstSpan(), twoTo(62));
  }
}

TEST(PlanProblem, DimsOfSizeOneTakeNoRoom) {
  for (size_t place : {0, 17, 62}) {
    Dims shape(62, 2);
    shape.insert(shape.begin() + place, {1, 1});
    auto problem = Problem::make(1, shape, reversed(64));
    ASSERT_TRUE(problem) << problem.error().message;
    EXPECT_EQ(problem->bytesMoved(), twoTo(62));
  }
}

TEST(PlanProblem, TwoToTheSixtyThreeBytesOverflow) {
  EXPECT_ERROR(Problem::make(1, {twoTo(62), 2}, {1, 0}), Cause::SizeOverflow,
               "the bytes of the shape 4611686018427387904x2 do not fit in 63 "
               "bits");
  EXPECT_ERROR(Problem::make(8, {twoTo(60)}, {0}), Cause::SizeOverflow,
               "the bytes of the shape 1152921504606846976 do not fit in 63 "
               "bits");
}

TEST(PlanProblem, ZeroDimDoesNotExcuseAnOverflow) {
  EXPECT_ERROR(Problem::make(1, {0, twoTo(62), twoTo(62)}, {0, 1, 2}),
               Cause::SizeOverflow,
               "the bytes of the shape "
               "0x4611686018427387904x4611686018427387904 do not fit in 63 "
               "bits");
}

TEST(PlanProblem, OffsetsOfEitherSideOverflow) {
  Dims far = {twoTo(62), 1};
  EXPECT_ERROR(Problem::make(1, {4, 2}, {0, 1}, far), Cause::SizeOverflow,
               "the input offsets of the shape 4x2 do not fit in 63 bits");
  EXPECT_ERROR(Problem::make(1, {2, 4}, {1, 0}, {}, far), Cause::SizeOverflow,
               "the output offsets of the shape 4x2 do not fit in 63 bits");
}

TEST(PlanProblem, SumOfOffsetsOverflows) {
  EXPECT_ERROR(Problem::make(1, {2, 2}, {0, 1}, Dims{twoTo(61), twoTo(61)}),
               Cause::SizeOverflow,
               "the input offsets of the shape 2x2 do not fit in 63 bits");
}

TEST(PlanProblem, StrideInBytesOverflows) {
  EXPECT_ERROR(Problem::make(16, {2}, {0}, Dims{twoTo(61)}),
               Cause::SizeOverflow,
               "the input offsets of the shape 2 do not fit in 63 bits");
  EXPECT_TRUE(Problem::make(16, {1}, {0}, Dims{twoTo(61)}));
  EXPECT_ERROR(Problem::make(16, {2}, {0}, {}, Dims{INT64_MAX}),
               Cause::SizeOverflow,
               "the output offsets of the shape 2 do not fit in 63 bits");
}

TEST(PlanProblem, LargestElement) {
  EXPECT_TRUE(Problem::make(twoTo(62), {}, {}));
  EXPECT_TRUE(Problem::make(INT64_MAX, {}, {}));
  EXPECT_ERROR(Problem::make(INT64_MAX, {1}, {0}), Cause::SizeOverflow,
               "the input offsets of the shape 1 do not fit in 63 bits");
}

//===----------------------------------------------------------------------===//
// Each cause, with its message
//===----------------------------------------------------------------------===//

TEST(PlanProblem, BadElement) {
  EXPECT_ERROR(Problem::make(0, {2}, {0}), Cause::BadElement,
               "an element of 0 bytes; expected 1 or more");
  EXPECT_ERROR(Problem::make(INT64_MIN, {2}, {0}), Cause::BadElement,
               "an element of -9223372036854775808 bytes; expected 1 or more");
}

TEST(PlanProblem, BadSize) {
  EXPECT_ERROR(Problem::make(1, {2, -3}, {0, 1}), Cause::BadSize,
               "dim 1 has the size -3; expected 0 or more");
}

TEST(PlanProblem, OrderOfTheWrongLength) {
  EXPECT_ERROR(Problem::make(1, {2, 3}, {0}), Cause::BadRank,
               "the order [0] has 1 axes; expected 2, one for each dim");
  EXPECT_ERROR(Problem::make(1, {}, {0}), Cause::BadRank,
               "the order [0] has 1 axes; expected 0, one for each dim");
}

TEST(PlanProblem, AxisOutOfRange) {
  EXPECT_ERROR(Problem::make(1, {2, 3}, {0, 2}), Cause::AxisOutOfRange,
               "axis 2 in the order [0, 2]; expected 0 to 1");
  EXPECT_ERROR(Problem::make(1, {2, 3}, {-1, 0}), Cause::AxisOutOfRange,
               "axis -1 in the order [-1, 0]; expected 0 to 1");
}

TEST(PlanProblem, DuplicateAxis) {
  EXPECT_ERROR(Problem::make(1, {2, 3, 4}, {1, 2, 1}), Cause::DuplicateAxis,
               "axis 1 twice in the order [1, 2, 1]; expected each axis once");
}

TEST(PlanProblem, StridesOfTheWrongLength) {
  EXPECT_ERROR(Problem::make(1, {2, 3}, {0, 1}, Dims{1}), Cause::BadRank,
               "1 input strides for a tensor of rank 2");
  EXPECT_ERROR(Problem::make(1, {2, 3}, {0, 1}, {}, Dims{9, 3, 1}),
               Cause::BadRank, "3 output strides for a tensor of rank 2");
}

TEST(PlanProblem, Views) {
  Problem problem =
      *Problem::make(4, {2, 3, 5}, {1, 0, 2}, Dims{-5, 0, 1}, Dims{10, -5, 1});
  EXPECT_EQ(problem.srcSpan(), (5 + 4 + 1) * 4);
  EXPECT_EQ(problem.srcOrigin(), 5 * 4);
  EXPECT_EQ(problem.dstSpan(), 30 * 4);
  EXPECT_EQ(problem.dstOrigin(), 5 * 4);
  EXPECT_TRUE(problem.hasView());
  EXPECT_FALSE(problem.isDense());
}

TEST(PlanProblem, StridesThatMeanNothing) {
  const int64_t huge = INT64_MAX;
  // Of dims of size 1 ...
  Problem one = *Problem::make(4, {1, 3, 1}, {1, 0, 2}, Dims{0, 1, -7},
                               Dims{1, huge, -huge});
  EXPECT_EQ(one, *Problem::make(4, {1, 3, 1}, {1, 0, 2}));
  // ... and of an empty tensor.
  Problem none = *Problem::make(4, {0, 3}, {0, 1}, Dims{0, huge}, Dims{0, -1});
  EXPECT_EQ(none, *Problem::make(4, {0, 3}, {0, 1}));
}

TEST(PlanProblem, DstRepeatsNothing) {
  EXPECT_ERROR(Problem::make(4, {2, 3}, {0, 1}, {}, Dims{3, 0}),
               Cause::BadStride,
               "the output stride of dim 1 is 0 bytes, less than the 4 bytes "
               "that the faster dims span: elements of the output would "
               "overlap");
  EXPECT_ERROR(Problem::make(4, {2, 3}, {0, 1}, {}, Dims{-2, 1}),
               Cause::BadStride,
               "the output stride of dim 0 is -8 bytes, less than the 12 bytes "
               "that the faster dims span: elements of the output would "
               "overlap");
}

TEST(PlanProblem, ViewsThatReachTooFar) {
  for (int64_t stride : {INT64_MIN, INT64_MIN / 4, INT64_MIN / 8 - 1})
    EXPECT_FALSE(Problem::make(4, {2, 3}, {0, 1}, Dims{stride, 1})) << stride;
}

TEST(PlanProblem, OverlapInDst) {
  EXPECT_ERROR(Problem::make(4, {2, 3}, {0, 1}, {}, Dims{2, 1}),
               Cause::BadStride,
               "the output stride of dim 0 is 8 bytes, less than the 12 bytes "
               "that the faster dims span: elements of the output would "
               "overlap");
  EXPECT_ERROR(Problem::make(1, {4, 8}, {0, 1}, {}, Dims{1, 3}),
               Cause::BadStride,
               "the output stride of dim 1 is 3 bytes, less than the 4 bytes "
               "that the faster dims span: elements of the output would "
               "overlap");
}

TEST(PlanProblem, OverlapOfBytesWithinAnElement) {
  EXPECT_ERROR(Problem::makeWithByteStrides(4, {2}, {0}, {4}, {3}),
               Cause::BadStride,
               "the output stride of dim 0 is 3 bytes, less than the 4 bytes "
               "that the faster dims span: elements of the output would "
               "overlap");
}

TEST(PlanProblem, ByteStridesAreCheckedLikeOthers) {
  EXPECT_ERROR(Problem::makeWithByteStrides(0, {2}, {0}, {4}, {4}),
               Cause::BadElement, "an element of 0 bytes; expected 1 or more");
  EXPECT_ERROR(Problem::makeWithByteStrides(4, {2}, {1}, {4}, {4}),
               Cause::AxisOutOfRange,
               "axis 1 in the order [1]; expected 0 to 0");
  EXPECT_ERROR(Problem::makeWithByteStrides(4, {2}, {0}, {}, {4}),
               Cause::BadRank, "0 input strides for a tensor of rank 1");
}

//===----------------------------------------------------------------------===//
// Small functions
//===----------------------------------------------------------------------===//

TEST(PlanProblem, InvertPermutation) {
  EXPECT_EQ(invertPermutation({}), Dims{});
  EXPECT_EQ(invertPermutation({2, 0, 1}), (Dims{1, 2, 0}));
  EXPECT_EQ(invertPermutation({1, 0}), (Dims{1, 0}));
}

TEST(PlanProblem, DenseStridesCountZeroAsOne) {
  EXPECT_EQ(denseStrides({}), Dims{});
  EXPECT_EQ(denseStrides({4, 0, 3}), (Dims{3, 3, 1}));
}

TEST(PlanProblem, Spelling) {
  EXPECT_EQ(spellShape({}), "scalar");
  EXPECT_EQ(spellShape({2, 0, 4}), "2x0x4");
  EXPECT_EQ(spellList({}), "[]");
  EXPECT_EQ(spellList({2, 0, 1}), "[2, 0, 1]");
}

TEST(PlanError, EveryCauseHasItsName) {
  std::vector<std::string_view> names;
  for (int cause = 1; cause <= static_cast<int>(Cause::Internal); ++cause)
    names.push_back(causeName(static_cast<Cause>(cause)));
  std::vector<std::string_view> expected = {
      "BadRank",     "DuplicateAxis", "AxisOutOfRange",
      "BadSize",     "SizeOverflow",  "BadElement",
      "BadStride",   "BadSyntax",     "OverlappingBuffers",
      "NullPointer", "BadSchedule",   "UnknownTarget",
      "Unsupported", "BadFile",       "VerifyFailed",
      "Internal"};
  EXPECT_EQ(names, expected);
}

} // namespace
