//===- GroupedOrderTest.cpp - orders that take dims apart -----------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "permc/Frontend/Convention.h"

#include "FrontendTesting.h"

using namespace permc;

static PermuteSpec spec(std::string_view tensor, std::string order,
                        Convention convention = Convention::Numpy) {
  return {*parseTensor(tensor), std::move(order), convention, false, {}, {}};
}

static void expectProblem(std::string_view tensor, std::string order,
                          const Dims &shape, const Dims &perm,
                          const Dims &outShape) {
  Result<ResolvedPermute> resolved = resolve(spec(tensor, order));
  ASSERT_TRUE(resolved) << resolved.error().message;
  EXPECT_EQ(resolved->problem.shape(), shape);
  EXPECT_EQ(resolved->problem.perm(), perm);
  EXPECT_EQ(resolved->outShape, outShape);
}

TEST(FrontendGroupedOrder, Splits) {
  expectProblem("8x128x768xf16", "b s (h d) -> b h s d, h=12", {8, 128, 12, 64},
                {0, 2, 1, 3}, {8, 12, 128, 64});
  expectProblem("8x128x768xf16", "b s (h d) -> b h s d, d=64, h=12",
                {8, 128, 12, 64}, {0, 2, 1, 3}, {8, 12, 128, 64});
  expectProblem("6x8xu8", "(a b) (c d)->c a (b d), b=3 , c=2", {2, 3, 2, 4},
                {2, 0, 1, 3}, {2, 2, 12});
}

TEST(FrontendGroupedOrder, Merges) {
  expectProblem("8x12x128x64xf16", "b h s d -> b s (h d)", {8, 12, 128, 64},
                {0, 2, 1, 3}, {8, 128, 768});
  expectProblem("2x3xu8", "row col -> col row", {2, 3}, {1, 0}, {3, 2});
}

TEST(FrontendGroupedOrder, DynamicDims) {
  auto resolved = resolveDynamic(spec("?x?xf32", "s (h d) -> h s d, h=12"));
  ASSERT_TRUE(resolved) << resolved.error().message;
  EXPECT_EQ(resolved->problem.staticShape(),
            (Dims{dynamicDim, 12, dynamicDim}));
  EXPECT_EQ(resolved->outShape, (Dims{12, dynamicDim, dynamicDim}));
}

TEST(FrontendGroupedOrder, PointsAtMistakes) {
  auto fails = [](std::string order, Cause cause, std::string_view text) {
    return failsWith(resolve(spec("8x128x768xf16", std::move(order))), cause,
                     text);
  };
  EXPECT_TRUE(fails("b s (h d) -> b h x d, h=12", Cause::AxisOutOfRange,
                    "character 18: 'x' names nothing on the left"));
  EXPECT_TRUE(
      fails("b s (h d) -> b h s d", Cause::BadSize,
            "character 8: the sizes of 'h' and 'd' are both not given"));
  EXPECT_TRUE(fails("b s (h d) -> b h s d, h=7", Cause::BadSize,
                    "character 5: a dim of 768 does not consist of 7"));
  EXPECT_TRUE(fails("b s (h d) -> b h s d, h=0", Cause::BadSize,
                    "character 5: a dim of 768"));
  EXPECT_TRUE(fails("b s (h d) -> b h s d, h=12, d=65", Cause::BadSize,
                    "does not consist of 780"));
  EXPECT_TRUE(fails("b s (h d) -> b h s, h=12", Cause::BadRank,
                    "character 8: 'd' is missing on the right"));
  EXPECT_TRUE(fails("b s (h b) -> b h s, h=12", Cause::DuplicateAxis,
                    "character 8: 'b' is there twice"));
  EXPECT_TRUE(fails("b s (h d -> b h s d, h=12", Cause::BadSyntax,
                    "character 5: a bracket that is not closed"));
  EXPECT_TRUE(fails("b s ) -> b s", Cause::BadSyntax, "character 5: ')'"));
  EXPECT_TRUE(fails("b s () -> b s", Cause::BadSyntax,
                    "character 6: a group of nothing"));
  EXPECT_TRUE(fails("b s (h d) -> b h s d, h=many", Cause::BadSyntax,
                    "character 23: 'h=many'"));
  EXPECT_TRUE(fails("b s (h d) -> b h s d, h=12, x=3", Cause::BadSyntax,
                    "character 29: the size of 'x'"));
  EXPECT_TRUE(fails("b s -> s b", Cause::BadRank, "names 2 dims on the left"));
  EXPECT_TRUE(failsWith(
      resolve(spec("4x6xf64", "a (b c) -> c b a, b=2", Convention::Matlab)),
      Cause::Unsupported, "in the convention matlab"));
}

TEST(FrontendGroupedOrder, RefusesSizesThatCannotBe) {
  auto fails = [](std::string order, Cause cause, std::string_view text) {
    return failsWith(resolve(spec("8x128x768xf16", std::move(order))), cause,
                     text);
  };
  EXPECT_TRUE(fails("b s (h d) -> b h s d, h=12, h=6", Cause::BadSyntax,
                    "a second size of 'h'; expected one"));
  EXPECT_TRUE(fails("b s (h d e) -> b h s d e, h=4611686018427387904, d=4",
                    Cause::SizeOverflow,
                    "sizes whose product does not fit 63 bits"));
}
