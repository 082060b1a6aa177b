//===- ConventionTest.cpp - orders of every convention --------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "permc/Frontend/Convention.h"
#include "permc/Frontend/KernelName.h"

#include "FrontendTesting.h"

using namespace permc;

static PermuteSpec spec(std::string_view tensor, std::string order,
                        Convention convention = Convention::Numpy) {
  return {*parseTensor(tensor), std::move(order), convention, false, {}, {}};
}

static PermuteSpec inverseSpec(std::string_view tensor, std::string order,
                               Convention convention = Convention::Numpy) {
  PermuteSpec result = spec(tensor, std::move(order), convention);
  result.inverse = true;
  return result;
}

/// The row-major problem of a request that must resolve.
static Problem problemOf(const PermuteSpec &request) {
  Result<ResolvedPermute> resolved = resolve(request);
  EXPECT_TRUE(resolved) << resolved.error().message;
  return resolved->problem;
}

static void expectProblem(const PermuteSpec &request, const Dims &shape,
                          const Dims &perm, const Dims &outShape) {
  Result<ResolvedPermute> resolved = resolve(request);
  ASSERT_TRUE(resolved) << resolved.error().message;
  EXPECT_EQ(resolved->problem.shape(), shape);
  EXPECT_EQ(resolved->problem.perm(), perm);
  EXPECT_EQ(resolved->outShape, outShape);
}

TEST(FrontendConvention, Names) {
  EXPECT_EQ(*parseConvention("numpy"), Convention::Numpy);
  EXPECT_EQ(*parseConvention("matlab"), Convention::Matlab);
  EXPECT_EQ(*parseConvention("openvino"), Convention::OpenVINO);
  EXPECT_EQ(*parseConvention("mli"), Convention::MLI);
  EXPECT_TRUE(failsWith(parseConvention("torch"), Cause::BadSyntax,
                        "expected one of numpy, matlab, openvino, mli"));
}

TEST(FrontendConvention, ListsOfIntegers) {
  EXPECT_EQ(*parseIntegers("4,2,1", "strides"), (Dims{4, 2, 1}));
  EXPECT_EQ(*parseIntegers(" [4, -2 , 1] ", "strides"), (Dims{4, -2, 1}));
  EXPECT_EQ(*parseIntegers("[2 1 3]", "strides"), (Dims{2, 1, 3}));
  EXPECT_EQ(*parseIntegers("(2, 1, 3)", "strides"), (Dims{2, 1, 3}));
  EXPECT_EQ(*parseIntegers("[]", "strides"), Dims{});
  EXPECT_EQ(*parseIntegers("", "strides"), Dims{});
  EXPECT_TRUE(failsWith(parseIntegers("4,,1", "strides"), Cause::BadSyntax,
                        "strides '4,,1': entry 1 is empty"));
  EXPECT_TRUE(failsWith(parseIntegers("4,2,", "strides"), Cause::BadSyntax,
                        "entry 2 is empty"));
  EXPECT_TRUE(failsWith(parseIntegers("4,b", "strides"), Cause::BadSyntax,
                        "entry 1 'b' is not an integer"));
  EXPECT_TRUE(
      failsWith(parseIntegers("[4,1", "strides"), Cause::BadSyntax, "'[4'"));
  EXPECT_TRUE(failsWith(parseIntegers("99999999999999999999", "strides"),
                        Cause::SizeOverflow, "64 bits"));
}

//===----------------------------------------------------------------------===//
// numpy
//===----------------------------------------------------------------------===//

TEST(FrontendConvention, NumpyOrders) {
  expectProblem(spec("2x3x4xf32", "2,0,1"), {2, 3, 4}, {2, 0, 1}, {4, 2, 3});
  expectProblem(spec("2x3x4xf32", "-1,0,-2"), {2, 3, 4}, {2, 0, 1}, {4, 2, 3});
  expectProblem(spec("2x3x4xf32", ""), {2, 3, 4}, {2, 1, 0}, {4, 3, 2});
  expectProblem(spec("f32", ""), {}, {}, {});
  expectProblem(spec("0x3xf32", "1,0"), {0, 3}, {1, 0}, {3, 0});
}

TEST(FrontendConvention, NumpyErrors) {
  EXPECT_TRUE(failsWith(resolve(spec("2x3xf32", "0,-2")), Cause::DuplicateAxis,
                        "repeated axis in transpose"));
  EXPECT_TRUE(failsWith(resolve(spec("2x3xf32", "1,0,2")), Cause::BadRank,
                        "axes don't match array"));
  EXPECT_TRUE(failsWith(resolve(spec("f32", "0")), Cause::BadRank,
                        "axes don't match array"));
  EXPECT_TRUE(failsWith(resolve(spec("2x3xf32", "0,2")), Cause::AxisOutOfRange,
                        "axis 2 is out of bounds for array of dimension 2"));
  EXPECT_TRUE(failsWith(resolve(spec("2x3xf32", "0,-3")), Cause::AxisOutOfRange,
                        "expected -2 to 1"));
  EXPECT_TRUE(failsWith(resolve(spec("2x3xf32", "0,99999999999999999999")),
                        Cause::AxisOutOfRange, "64 bits"));
  EXPECT_TRUE(failsWith(resolve(spec("2x3xf32", "1,zero")), Cause::BadSyntax,
                        "'zero' is not an integer"));
}

//===----------------------------------------------------------------------===//
// MATLAB
//===----------------------------------------------------------------------===//

TEST(FrontendConvention, MatlabIsColumnMajor) {
  // reverse the shape, p'[i] = n-1-p[n-1-i].
  expectProblem(spec("2x3x4xf64", "2,1,3", Convention::Matlab), {4, 3, 2},
                {0, 2, 1}, {3, 2, 4});
  expectProblem(spec("2x3x2xi8", "2,3,1", Convention::Matlab), {2, 3, 2},
                {2, 0, 1}, {3, 2, 2});
}

/// permute(reshape(1:24, [2 3 4]), [3 1 2]) counted by hand: B(k,i,j) =
/// A(i,j,k), and A(i,j,k) = i + 2(j-1) + 6(k-1).
TEST(FrontendConvention, MatlabMovesWhatMatlabMoves) {
  Problem problem = problemOf(spec("2x3x4xf64", "3,1,2", Convention::Matlab));
  std::vector<ElementMove> moves = naiveMoves(problem);
  size_t out = 0;
  for (int64_t j = 0; j < 3; ++j)
    for (int64_t i = 0; i < 2; ++i)
      for (int64_t k = 0; k < 4; ++k)
        EXPECT_EQ(moves[out++].srcIndex, i + 2 * j + 6 * k);
  EXPECT_EQ(out, moves.size());
}

TEST(FrontendConvention, MatlabPadsWithSizeOne) {
  expectProblem(spec("1x5xf64", "2,1,3", Convention::Matlab), {1, 5, 1},
                {0, 2, 1}, {5, 1, 1});
  expectProblem(spec("2x3xf64", "3,2,1", Convention::Matlab), {1, 3, 2},
                {2, 1, 0}, {1, 3, 2});
  // A vector is a column, a scalar is 1x1.
  expectProblem(spec("5xf64", "2,1", Convention::Matlab), {1, 5}, {1, 0},
                {1, 5});
  expectProblem(spec("f64", "1,2", Convention::Matlab), {1, 1}, {0, 1}, {1, 1});
}

TEST(FrontendConvention, MatlabNumbersAreDoubles) {
  expectProblem(spec("2x3xf64", "[2.0 1e0]", Convention::Matlab), {3, 2},
                {1, 0}, {3, 2});
}

TEST(FrontendConvention, MatlabInverse) {
  // ipermute undoes permute: sizes and places.
  expectProblem(inverseSpec("5x4x2xf64", "3,1,2", Convention::Matlab),
                {2, 4, 5}, {2, 0, 1}, {4, 2, 5});
  expectProblem(inverseSpec("5x1x1xf64", "2,1,3", Convention::Matlab),
                {1, 1, 5}, {0, 2, 1}, {1, 5, 1});
}

TEST(FrontendConvention, MatlabErrors) {
  auto fails = [](std::string order, Cause cause, std::string_view text) {
    return failsWith(resolve(spec("2x3x4xf64", order, Convention::Matlab)),
                     cause, text);
  };
  EXPECT_TRUE(fails("0,1,2", Cause::AxisOutOfRange,
                    "permute: order indices must be >= 1"));
  EXPECT_TRUE(fails("-1,1,2", Cause::AxisOutOfRange, "found '-1'"));
  EXPECT_TRUE(fails("1.5,1,2", Cause::BadSyntax,
                    "permute: order indices must be integers"));
  for (const char *number : {"Inf", "-inf", "NaN"})
    EXPECT_TRUE(fails(std::string(number) + ",1,2", Cause::BadSyntax,
                      "permute: order indices must be finite"));
  EXPECT_TRUE(fails("1,1,2", Cause::DuplicateAxis,
                    "permute: duplicate dimension index 1"));
  EXPECT_TRUE(fails("2,1", Cause::BadRank,
                    "order length (2) must be at least ndims(A) (3)"));
  EXPECT_TRUE(fails("1,2,4", Cause::AxisOutOfRange,
                    "order indices must lie between 1 and 3, got 4"));
  EXPECT_TRUE(fails("1e300,1,2", Cause::AxisOutOfRange, "got 1e300"));
  EXPECT_TRUE(fails("2+0i,1,3", Cause::BadSyntax, "must be numeric"));
  EXPECT_TRUE(fails("1,,2", Cause::BadSyntax, "must be numeric"));
  EXPECT_TRUE(fails("", Cause::BadRank, "at least one dimension"));
  EXPECT_TRUE(
      failsWith(resolve(inverseSpec("2x3xf64", "1,1", Convention::Matlab)),
                Cause::DuplicateAxis, "ipermute: duplicate"));
}

TEST(FrontendConvention, OrdersInMemoryAreSpelled) {
  const int64_t wide[] = {2, 0, 1};
  EXPECT_EQ(spellOrder(wide, 3, OrderNumber::I64), "2,0,1");
  EXPECT_EQ(spellOrder(wide, 0, OrderNumber::I64), "");
  const int32_t narrow[] = {-1, 4};
  EXPECT_EQ(spellOrder(narrow, 2, OrderNumber::I32), "-1,4");
}

TEST(FrontendConvention, DigitsThatRunTogetherGetAHint) {
  EXPECT_TRUE(failsWith(resolve(spec("2x3x4xf32", " 201 ")), Cause::BadRank,
                        "; did you mean 2,0,1?"));
}

//===----------------------------------------------------------------------===//
// OpenVINO
//===----------------------------------------------------------------------===//

TEST(FrontendConvention, OpenVinoOrders) {
  expectProblem(spec("2x3x4xf32", "2,0,1", Convention::OpenVINO), {2, 3, 4},
                {2, 0, 1}, {4, 2, 3});
  expectProblem(spec("2x3x4xf32", "[]", Convention::OpenVINO), {2, 3, 4},
                {2, 1, 0}, {4, 3, 2});
  expectProblem(spec("f32", "", Convention::OpenVINO), {}, {}, {});
}

TEST(FrontendConvention, OpenVinoErrors) {
  auto fails = [](std::string order, Cause cause, std::string_view text) {
    return failsWith(resolve(spec("2x3x1xf32", order, Convention::OpenVINO)),
                     cause, text);
  };
  EXPECT_TRUE(fails("1,0,1", Cause::DuplicateAxis,
                    "Permutation AxisVector{1, 0, 1} is not valid for input "
                    "shape [2, 3, 1]: axis 1 is there twice"));
  EXPECT_TRUE(fails("-1,-2,-3", Cause::AxisOutOfRange,
                    "axis -1 is negative; expected 0 to 2"));
  EXPECT_TRUE(fails("0,1,3", Cause::AxisOutOfRange,
                    "axis 3 is out of range; expected 0 to 2"));
  EXPECT_TRUE(fails("0,1", Cause::BadRank, "2 axes; expected 3"));
}

//===----------------------------------------------------------------------===//
// MLI
//===----------------------------------------------------------------------===//

TEST(FrontendConvention, MliOrders) {
  expectProblem(spec("2x4x8xi8", "2,0,1", Convention::MLI), {2, 4, 8},
                {2, 0, 1}, {8, 2, 4});
  // All of perm_dim[4], of which three count.
  expectProblem(spec("2x4x8xi8", "2,0,1,9", Convention::MLI), {2, 4, 8},
                {2, 0, 1}, {8, 2, 4});
}

TEST(FrontendConvention, MliErrors) {
  auto fails = [](std::string_view tensor, std::string order, Cause cause,
                  std::string_view text) {
    return failsWith(resolve(spec(tensor, order, Convention::MLI)), cause,
                     text);
  };
  EXPECT_TRUE(fails("i8", "", Cause::BadRank, "rank 0"));
  EXPECT_TRUE(fails("1x1x1x1x1xi8", "0,1,2,3,4", Cause::BadRank, "rank 5"));
  EXPECT_TRUE(fails("2x0xi8", "1,0", Cause::BadSize, "dim 1"));
  EXPECT_TRUE(fails("2x3xi8", "", Cause::BadRank, "has 0 entries"));
  EXPECT_TRUE(fails("2x3xi8", "1", Cause::BadRank, "has 1 entries"));
  EXPECT_TRUE(fails("2x3xi8", "1,0,2,3,4", Cause::BadRank, "has 5 entries"));
  EXPECT_TRUE(fails("2x3xi8", "1,-1", Cause::AxisOutOfRange, "negative"));
  EXPECT_TRUE(fails("2x3xi8", "1,255", Cause::AxisOutOfRange, "entry 255"));
  EXPECT_TRUE(fails("2x3xi8", "1,1", Cause::DuplicateAxis, "twice"));
}

//===----------------------------------------------------------------------===//
// Letters, inverse, strides: the same in all conventions
//===----------------------------------------------------------------------===//

TEST(FrontendConvention, Letters) {
  expectProblem(spec("224x220x3xu8", "hwc->chw"), {224, 220, 3}, {2, 0, 1},
                {3, 224, 220});
  expectProblem(spec("2x3xu8", " Aa -> aA "), {2, 3}, {1, 0}, {3, 2});
  expectProblem(spec("u8", "->"), {}, {}, {});
  // The user's dims: column-major turns them about afterwards.
  expectProblem(spec("2x3x4xf64", "abc->bac", Convention::Matlab), {4, 3, 2},
                {0, 2, 1}, {3, 2, 4});
  // A vector has one letter, though MATLAB gives it a second dim.
  expectProblem(spec("5xf64", "n->n", Convention::Matlab), {1, 5}, {0, 1},
                {5, 1});
  expectProblem(spec("2x4x8xi8", "hwc->chw", Convention::MLI), {2, 4, 8},
                {2, 0, 1}, {8, 2, 4});
}

TEST(FrontendConvention, LetterErrors) {
  auto fails = [](std::string order, Cause cause, std::string_view text) {
    return failsWith(resolve(spec("2x3x4xu8", order)), cause, text);
  };
  EXPECT_TRUE(fails("hwc->chh", Cause::DuplicateAxis, "'h' is there twice"));
  EXPECT_TRUE(fails("hhc->chh", Cause::DuplicateAxis, "in 'hhc'"));
  EXPECT_TRUE(fails("hwc->chx", Cause::AxisOutOfRange,
                    "'x' on the right of the order 'hwc->chx' names no dim"));
  EXPECT_TRUE(fails("hwc->ch", Cause::BadRank, "'w' is missing"));
  EXPECT_TRUE(fails("hw->wh", Cause::BadRank, "names 2 dims"));
  EXPECT_TRUE(fails("hwc->c1w", Cause::BadSyntax, "'1' in the order"));
  EXPECT_TRUE(fails("hwc->chw->hwc", Cause::BadSyntax, "'-' in the order"));
  EXPECT_TRUE(fails("h\xc3\xa9->\xc3\xa9h", Cause::BadSyntax, "byte 0xC3"));
  EXPECT_TRUE(fails("->", Cause::BadRank, "names 0 dims"));
}

TEST(FrontendConvention, InverseTakesTheResultBack) {
  // The tensor given is the one that the order would have produced.
  expectProblem(inverseSpec("4x2x3xf32", "2,0,1"), {4, 2, 3}, {1, 2, 0},
                {2, 3, 4});
  expectProblem(inverseSpec("4x2x3xf32", "hwc->chw"), {4, 2, 3}, {1, 2, 0},
                {2, 3, 4});
  expectProblem(inverseSpec("4x2x3xf32", "2,0,1", Convention::OpenVINO),
                {4, 2, 3}, {1, 2, 0}, {2, 3, 4});
}

TEST(FrontendConvention, StridesFollowTheUsersDims) {
  PermuteSpec request = spec("2x3xf32", "1,0");
  request.inStrides = Dims{8, 1};
  request.outStrides = Dims{5, 2};
  Problem rowMajor = problemOf(request);
  EXPECT_EQ(rowMajor.srcByteStrides(), (Dims{32, 4}));
  EXPECT_EQ(rowMajor.dstByteStrides(), (Dims{20, 8}));

  request = spec("2x3xf32", "2,1", Convention::Matlab);
  request.inStrides = Dims{1, 8};
  request.outStrides = Dims{2, 6};
  Problem columnMajor = problemOf(request);
  EXPECT_EQ(columnMajor.srcByteStrides(), (Dims{32, 4}));
  EXPECT_EQ(columnMajor.dstByteStrides(), (Dims{24, 8}));
}

TEST(FrontendConvention, StridesMayLeaveOutPaddedDims) {
  PermuteSpec request = spec("2x3xf32", "3,2,1", Convention::Matlab);
  request.inStrides = Dims{1, 8};
  Problem problem = problemOf(request);
  EXPECT_EQ(problem.srcByteStrides()[1], 32);
  EXPECT_EQ(problem.srcByteStrides()[2], 4);
}

TEST(FrontendConvention, StrideErrors) {
  PermuteSpec request = spec("2x3xf32", "1,0");
  request.inStrides = Dims{8};
  EXPECT_TRUE(failsWith(resolve(request), Cause::BadRank, "input strides [8]"));
  request.inStrides = Dims{8, 0};
  EXPECT_TRUE(resolve(request));
  request.convention = Convention::MLI;
  EXPECT_TRUE(failsWith(resolve(request), Cause::BadStride,
                        "the input stride of dim 1 is 0; expected 1 or more"));
  request.convention = Convention::Numpy;
  request.inStrides.reset();
  request.outStrides = Dims{1, 1, 1};
  EXPECT_TRUE(failsWith(resolve(request), Cause::BadRank, "output strides"));
  request.outStrides = Dims{1, 1};
  EXPECT_TRUE(failsWith(resolve(request), Cause::BadStride, "overlap"));
  request.outStrides = Dims{INT64_MAX, 1};
  EXPECT_TRUE(failsWith(resolve(request), Cause::SizeOverflow, "63 bits"));
  request.convention = Convention::Matlab;
  request.order = "2,1";
  request.outStrides = Dims{1, 1};
  EXPECT_TRUE(failsWith(resolve(request), Cause::BadStride, "column-major"));
}

TEST(FrontendConvention, SizesThatOverflow) {
  for (Convention convention : {Convention::Numpy, Convention::Matlab,
                                Convention::OpenVINO, Convention::MLI})
    EXPECT_TRUE(failsWith(
        resolve(spec("4294967296x4294967296xf32", "ab->ba", convention)),
        Cause::SizeOverflow, "63 bits"));
}

TEST(FrontendConvention, MatlabOrderBeyondTheRankBound) {
  std::string order = "1";
  for (int64_t dim = 2; dim <= maxRank + 1; ++dim)
    order += "," + std::to_string(dim);
  EXPECT_TRUE(failsWith(resolve(spec("2x3xf32", order, Convention::Matlab)),
                        Cause::BadRank, "65"));
}

TEST(FrontendConvention, DynamicDimsKeepTheUsersNumbers) {
  auto numpy = resolveDynamic(spec("?x4x?x1xf32", "2,0,1,-1"));
  ASSERT_TRUE(numpy) << numpy.error().message;
  EXPECT_EQ(spellShape(numpy->problem.shape()), "?0x4x?1x1");
  EXPECT_EQ(numpy->problem.perm(), (Dims{2, 0, 1, 3}));
  EXPECT_EQ(numpy->problem.elementBytes(), 4);
  EXPECT_EQ(numpy->outShape, (Dims{dynamicDim, dynamicDim, 4, 1}));

  // Column-major: the dims are reversed, the first `?` is still dims[0].
  auto matlab = resolveDynamic(spec("?x4x?xf32", "2,3,1", Convention::Matlab));
  ASSERT_TRUE(matlab) << matlab.error().message;
  EXPECT_EQ(spellShape(matlab->problem.shape()), "?1x4x?0");
  EXPECT_EQ(matlab->problem.perm(), (Dims{2, 0, 1}));
  EXPECT_EQ(matlab->outShape, (Dims{4, dynamicDim, dynamicDim}));

  auto inverse = resolveDynamic(inverseSpec("?x4x3xf32", "1,2,0"));
  ASSERT_TRUE(inverse) << inverse.error().message;
  EXPECT_EQ(inverse->problem.perm(), (Dims{2, 0, 1}));
}

TEST(FrontendConvention, DynamicDimsAreRefusedWhereSizesMustBeKnown) {
  EXPECT_TRUE(failsWith(resolve(spec("2x?xf32", "1,0")), Cause::Unsupported,
                        "dim 1 of the shape 2x? is dynamic"));
  PermuteSpec strided = spec("4x2xf32", "1,0");
  EXPECT_FALSE(strided.isDynamic());
  strided.inStrides = Dims{dynamicDim, 1};
  EXPECT_TRUE(strided.isDynamic());
  EXPECT_TRUE(failsWith(resolve(strided), Cause::Unsupported,
                        "the strides [?, 1]; expected numbers here"));
  EXPECT_TRUE(resolveDynamic(strided));
  strided.inStrides = Dims{dynamicDim, 0};
  EXPECT_TRUE(resolveDynamic(strided));
  strided.inStrides = Dims{dynamicDim, -1};
  EXPECT_EQ(deriveName(resolveDynamic(strided)->problem, "f32"),
            "permute_4x2xf32_10_from_N_m1_to_4_1");
  for (int64_t far : {INT64_MAX / 2, -INT64_MAX / 2}) {
    strided.inStrides = Dims{dynamicDim, far};
    EXPECT_TRUE(failsWith(resolveDynamic(strided), Cause::BadStride,
                          "of a tensor with dynamic dims; expected "
                          "-2305843009213693951 to 2305843009213693951, or "
                          "'?'"));
  }
  EXPECT_TRUE(failsWith(resolveDynamic(spec("?x2xf32", "1,1")),
                        Cause::DuplicateAxis, "names axis 1 twice"));
}

TEST(FrontendConvention, CharactersAreMatlabsAndOfTwoDims) {
  const Convention matlab = Convention::Matlab;
  EXPECT_EQ(problemOf(spec("2x3xchar", "2,1", matlab)).elementBytes(), 2);
  EXPECT_EQ(problemOf(spec("2x3xchar", "ab->ba", matlab)).elementBytes(), 2);
  const char *rule = "permute: character arrays only support 2-D permutations";
  for (auto [tensor, order] : {std::pair("2x3x4xchar", "3,1,2"),
                               {"2x3xchar", "1,2,3"},
                               {"2x3x4xchar", "abc->cab"}})
    EXPECT_TRUE(
        failsWith(resolve(spec(tensor, order, matlab)), Cause::BadRank, rule));
  EXPECT_TRUE(failsWith(resolve(inverseSpec("2x3xchar", "1,2,3", matlab)),
                        Cause::BadRank, std::string("i") + rule));
  EXPECT_TRUE(failsWith(resolveDynamic(spec("?x3x4xchar", "3,1,2", matlab)),
                        Cause::BadRank, rule));
  EXPECT_TRUE(failsWith(resolve(spec("2x3xchar", "1,0")), Cause::BadElement,
                        "'char' is MATLAB's, of 16 bits; expected i8 or u8"));
}
