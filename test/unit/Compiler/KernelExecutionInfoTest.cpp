//===- KernelExecutionInfoTest.cpp - what a kernel says of itself ---------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelTesting.h"
#include "NaivePermute.h"
#include "PlanTesting.h"

using namespace permc;

namespace {

Dims list(const int64_t *values, uint32_t count) {
  return {values, values + count};
}

TEST(KernelExecutionInfo, EveryFieldIsTheRequests) {
  Target target = *findTarget("x86-64");
  Problem problem =
      problemOf(6, {3, 5, 7}, {2, 0, 1}, Dims{50, 9, 1}, Dims{40, 12, 2});
  Request request{"my_kernel", problem, "bytes6", target, ""};
  Result<Kernel> kernel = sharedJit().compile(request);
  ASSERT_TRUE(kernel) << kernel.error().message;
  const permc_kernel &info = kernel->describe();
  EXPECT_EQ(info.size, sizeof(permc_kernel));
  EXPECT_EQ(info.rank, 3u);
  EXPECT_EQ(info.element_bytes, 6u);
  EXPECT_EQ(info.alignment, target.facts.lineBytes);
  EXPECT_EQ(info.src_bytes, (2 * 50 + 4 * 9 + 6 + 1) * 6u);
  EXPECT_EQ(info.dst_bytes, (6 * 40 + 2 * 12 + 4 * 2 + 1) * 6u);
  EXPECT_EQ(list(info.shape, 3), (Dims{3, 5, 7}));
  EXPECT_EQ(list(info.perm, 3), (Dims{2, 0, 1}));
  EXPECT_EQ(list(info.src_strides, 3), (Dims{50, 9, 1}));
  EXPECT_EQ(list(info.dst_strides, 3), (Dims{40, 12, 2}));
  EXPECT_STREQ(info.name, "my_kernel");
  EXPECT_STREQ(info.element, "bytes6");
  EXPECT_STREQ(info.target, "x86-64");
}

TEST(KernelExecutionInfo, EntryPointsAreTheKernels) {
  Problem problem = problemOf(2, {30, 20}, {1, 0});
  Result<Kernel> kernel =
      sharedJit().compile(requestFor(problem, *findTarget("x86-64")));
  ASSERT_TRUE(kernel) << kernel.error().message;
  std::mt19937_64 random(5);
  auto src = randomBytes(problem.srcSpan(), random);
  LineBuffer expected(problem.dstSpan()), whole = expected, part = expected;
  naivePermute(problem, src.data(), expected.data());
  kernel->describe().run(src.data(), whole.data());
  EXPECT_TRUE(whole == expected);
  kernel->describe().run_part(src.data(), part.data(), 0, 1);
  EXPECT_TRUE(part == expected);
}

TEST(KernelExecutionInfo, AScalarHasNoDims) {
  Result<Kernel> kernel = sharedJit().compile(
      requestFor(problemOf(16, {}, {}), *findTarget("x86-64")));
  ASSERT_TRUE(kernel) << kernel.error().message;
  EXPECT_EQ(kernel->describe().rank, 0u);
  EXPECT_EQ(kernel->describe().src_bytes, 16u);
  EXPECT_EQ(kernel->describe().dst_bytes, 16u);
}

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

class KernelExecutionParts : public testing::Test {
protected:
  /// A megabyte: enough to be cut into many shares.
  const Problem problem = problemOf(4, {512, 8, 64}, {1, 0, 2});

  void SetUp() override {
    Result<Kernel> compiled =
        sharedJit().compile(requestFor(problem, *findTarget("x86-64")));
    ASSERT_TRUE(compiled) << compiled.error().message;
    kernel = *compiled;
    std::mt19937_64 random(6);
    src = randomBytes(problem.srcSpan(), random);
    naivePermute(problem, src.data(), expected.data());
    // No byte of dst is right before it is written.
    untouched = expected;
    for (int64_t i = 0; i < problem.dstSpan(); ++i)
      untouched.data()[i] = ~untouched.data()[i];
  }

  std::optional<Kernel> kernel;
  LineBuffer src{0}, expected{problem.dstSpan()}, untouched{0};
};

TEST_F(KernelExecutionParts, EachByteIsOnePartsOnly) {
  for (uint32_t parts : {2u, 3u, 5u, 16u}) {
    std::vector<int> writers(problem.dstSpan());
    for (uint32_t part = 0; part < parts; ++part) {
      auto dst = untouched;
      kernel->part(src.data(), dst.data(), part, parts);
      for (size_t i = 0; i < writers.size(); ++i)
        writers[i] += dst.data()[i] != untouched.data()[i];
    }
    ASSERT_EQ(std::count(writers.begin(), writers.end(), 1),
              problem.bytesMoved())
        << parts << " parts";
  }
}

TEST_F(KernelExecutionParts, AnyNumberOfPartsIsTheWhole) {
  for (uint32_t parts : {1u, 2u, 7u, 63u, 64u, 65u, 4096u, 100000u}) {
    auto dst = untouched;
    for (uint32_t part = 0; part < parts; ++part)
      kernel->part(src.data(), dst.data(), part, parts);
    ASSERT_TRUE(dst == expected) << parts << " parts";
  }
}

TEST_F(KernelExecutionParts, MorePartsThanUnits) {
  // The first parts take a unit each; that is all of them long before 100000.
  auto dst = untouched;
  for (uint32_t part = 0; part < 100000; ++part)
    kernel->part(src.data(), dst.data(), part, UINT32_MAX);
  EXPECT_TRUE(dst == expected);
}

TEST_F(KernelExecutionParts, APartThatDoesNotExistMovesNothing) {
  auto dst = untouched;
  kernel->part(src.data(), dst.data(), 0, 0);
  kernel->part(src.data(), dst.data(), 4, 4);
  kernel->part(src.data(), dst.data(), UINT32_MAX, 4);
  EXPECT_TRUE(dst == untouched);
}

} // namespace
