//===- HotProblemsTest.cpp - the shim with the JIT behind it --------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   permc-rt-jit-tests LIBPERMC_SO
//
// Waits for the background by calling on and on: the calls must go on being
// right, whoever carries them out. What never comes is ended by ctest's limit.
//
//===----------------------------------------------------------------------===//

#include "permc-rt/permc_rt.h"

#include "gtest/gtest.h"

#include <cstring>
#include <numeric>
#include <thread>
#include <vector>

namespace {

const char *library;

using Ints = std::vector<int64_t>;

permc_rt_statistics statistics() {
  permc_rt_statistics statistics = {};
  statistics.size = sizeof statistics;
  EXPECT_EQ(permc_rt_get_statistics(&statistics), PERMC_OK);
  return statistics;
}

/// A 2-D transpose of 4-byte elements with gaps between the rows of src.
bool transposesRight(int64_t rows, int64_t columns, int64_t gap) {
  std::vector<uint32_t> src(size_t(rows * (columns + gap))),
      dst(size_t(rows * columns));
  std::iota(src.begin(), src.end(), 0);
  const Ints shape{rows, columns}, perm{1, 0}, strides{columns + gap, 1};
  if (permc_rt_permute(src.data(), dst.data(), 2, shape.data(), perm.data(),
                       strides.data(), nullptr, 4, 1) != PERMC_OK)
    return false;
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j)
      if (dst[size_t(j * rows + i)] != uint32_t(i * (columns + gap) + j))
        return false;
  return true;
}

TEST(HotProblems, RefusesWhatItCannotLoad) {
  EXPECT_EQ(permc_rt_enable_jit(3, "/does/not/exist.so"), PERMC_UNSUPPORTED);
  EXPECT_NE(std::strstr(permc_rt_last_error(), "/does/not/exist.so"), nullptr);
  EXPECT_EQ(permc_rt_enable_jit(3, "libc.so.6"), PERMC_UNSUPPORTED);
  EXPECT_NE(std::strstr(permc_rt_last_error(), "permc_plan_create"), nullptr);
  EXPECT_EQ(permc_rt_enable_jit(0, library), PERMC_BAD_SIZE);
  // Nothing has been enabled: no count of calls leads to a kernel.
  for (int i = 0; i < 10; ++i)
    EXPECT_TRUE(transposesRight(5, 7, 0));
  EXPECT_EQ(statistics().waiting + statistics().compiled, 0u);
}

TEST(HotProblems, CompilesWhatIsAskedForOften) {
  ASSERT_EQ(permc_rt_enable_jit(3, library), PERMC_OK) << permc_rt_last_error();
  // A thread of its own, which remembers nothing.
  std::thread([] {
    for (int i = 0; i < 2; ++i)
      ASSERT_TRUE(transposesRight(33, 45, 3));
    EXPECT_EQ(statistics().waiting + statistics().compiled, 0u);
    while (statistics().compiled < 1)
      ASSERT_TRUE(transposesRight(33, 45, 3));
    EXPECT_EQ(statistics().registered, 1u);
    // By the kernel now; and it is not asked for again.
    for (int i = 0; i < 10; ++i)
      ASSERT_TRUE(transposesRight(33, 45, 3));
    EXPECT_EQ(statistics().compiled, 1u);
    EXPECT_EQ(statistics().waiting, 0u);
  }).join();
}

/// Strides that are no multiple of what the element has become by folding.
TEST(HotProblems, CompilesAwkwardStrides) {
  ASSERT_EQ(permc_rt_enable_jit(1, library), PERMC_OK) << permc_rt_last_error();
  const uint64_t before = statistics().compiled;
  std::vector<uint8_t> src(1000), dst(1000);
  std::iota(src.begin(), src.end(), 0);
  const Ints shape{9, 5, 6}, perm{1, 0, 2}, strides{35, 7, 1};
  auto call = [&] {
    std::fill(dst.begin(), dst.end(), 0xEE);
    ASSERT_EQ(permc_rt_permute(src.data(), dst.data(), 3, shape.data(),
                               perm.data(), strides.data(), nullptr, 1, 1),
              PERMC_OK);
    for (int64_t i = 0; i < 9; ++i)
      for (int64_t j = 0; j < 5; ++j)
        for (int64_t k = 0; k < 6; ++k)
          ASSERT_EQ(dst[size_t((j * 9 + i) * 6 + k)],
                    src[size_t(i * 35 + j * 7 + k)]);
    ASSERT_EQ(dst[270], 0xEE);
  };
  while (statistics().compiled == before)
    call();
  call();
}

} // namespace

int main(int argc, char **argv) {
  testing::InitGoogleTest(&argc, argv);
  if (argc != 2) {
    std::fprintf(stderr, "usage: permc-rt-jit-tests LIBPERMC_SO\n");
    return 2;
  }
  library = argv[1];
  return RUN_ALL_TESTS();
}
