//===- PermuteTest.cpp - the one call -------------------------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NaivePermute.h"
#include "RandomProblem.h"

#include "permc/JIT/Permute.h"
#include "permc/Threads/ThreadPool.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace permc;

namespace {

using Bytes = std::vector<unsigned char>;

Bytes counting(size_t bytes) {
  Bytes data(bytes);
  for (size_t i = 0; i < bytes; ++i)
    data[i] = static_cast<unsigned char>(i * 7 + (i >> 8));
  return data;
}

bool permutesRight(int64_t element, const Dims &shape, const Dims &perm) {
  const Problem problem = *Problem::make(element, shape, perm);
  const Bytes src = counting(problem.srcSpan());
  Bytes dst(problem.dstSpan()), expected(problem.dstSpan());
  naivePermute(problem, src.data(), expected.data());
  return permute(element, shape, perm, src.data(), dst.data()) &&
         dst == expected;
}

/// The cause of the failure of a call whose dst must stay as it is.
std::optional<Cause> failure(int64_t element, const Dims &shape,
                             const Dims &perm, const void *src, Bytes &dst) {
  const Bytes before = dst;
  Status status = permute(element, shape, perm, src, dst.data());
  EXPECT_TRUE(dst == before);
  return status ? std::nullopt : std::optional<Cause>(status.error().cause);
}

TEST(JitPermute, AgreesWithTheNaiveLoop) {
  std::mt19937_64 random(4);
  for (int i = 0; i < 100; ++i) {
    const Problem problem = randomProblem(random, 1 << 12);
    // Twice: compiled, then remembered.
    for (int round = 0; round < 2; ++round)
      ASSERT_TRUE(permutesRight(problem.elementBytes(), problem.shape(),
                                problem.perm()))
          << spellShape(problem.shape()) << " " << spellList(problem.perm());
  }
}

TEST(JitPermute, AlternatingProblemsAreNotMixedUp) {
  for (int round = 0; round < 40; ++round)
    for (int64_t size = 1; size < 40; ++size)
      ASSERT_TRUE(permutesRight(4, {size, 3}, {1, 0}));
}

TEST(JitPermute, LargeTensorsGoToSeveralThreads) {
  setDefaultThreads(3);
  EXPECT_TRUE(permutesRight(4, {700, 1300}, {1, 0}));
  EXPECT_TRUE(permutesRight(1, {300, 20, 301}, {2, 0, 1}));
  setDefaultThreads(0);
  EXPECT_EQ(defaultThreads(), availableCPUs());
}

TEST(JitPermute, EmptyTensorsNeedNoBuffers) {
  EXPECT_TRUE(permute(4, Dims{3, 0}, Dims{1, 0}, nullptr, nullptr));
}

TEST(JitPermute, ReportsBadArguments) {
  const Bytes src = counting(256);
  Bytes dst(256, 1);
  const void *from = src.data();
  EXPECT_EQ(failure(4, {8, 8}, {0}, from, dst), Cause::BadRank);
  EXPECT_EQ(failure(4, {8, 8}, {0, 0}, from, dst), Cause::DuplicateAxis);
  EXPECT_EQ(failure(4, {8, 8}, {0, 2}, from, dst), Cause::AxisOutOfRange);
  EXPECT_EQ(failure(4, {8, 8}, {0, -1}, from, dst), Cause::AxisOutOfRange);
  EXPECT_EQ(failure(4, {8, -8}, {1, 0}, from, dst), Cause::BadSize);
  EXPECT_EQ(failure(0, {8, 8}, {1, 0}, from, dst), Cause::BadElement);
  EXPECT_EQ(failure(-4, {8, 8}, {1, 0}, from, dst), Cause::BadElement);
  EXPECT_EQ(failure(8, {INT64_MAX / 4, 8}, {1, 0}, from, dst),
            Cause::SizeOverflow);
  EXPECT_EQ(failure(4, {8, 8}, {1, 0}, nullptr, dst), Cause::NullPointer);
  EXPECT_EQ(failure(4, Dims(65, 1), Dims(65, 0), from, dst), Cause::BadRank);
}

TEST(JitPermute, RefusesOverlapButNotNeighbours) {
  const Dims shape{8, 8}, perm{1, 0};
  Bytes memory = counting(512);
  auto call = [&](size_t from, size_t to) {
    const Bytes before = memory;
    Status status = permute(4, shape, perm, &memory[from], &memory[to]);
    if (status)
      return true;
    EXPECT_EQ(status.error().cause, Cause::OverlappingBuffers);
    EXPECT_TRUE(memory == before);
    return false;
  };
  EXPECT_FALSE(call(0, 0));
  EXPECT_FALSE(call(0, 255));
  EXPECT_FALSE(call(255, 0));
  EXPECT_TRUE(call(0, 256));
  EXPECT_TRUE(call(256, 0));
}

TEST(JitPermute, OverlapIsJudgedBySpansNotBytesMoved) {
  // Every second row of one buffer to the other half: the spans interleave.
  auto jit = std::move(*Jit::create());
  Request request{"k",
                  *Problem::make(4, {8, 4}, {0, 1}, Dims{8, 1}, Dims{8, 1}),
                  "f32", *findTarget("native"), ""};
  auto kernel = jit->compile(request);
  ASSERT_TRUE(kernel);
  std::vector<float> memory(64);
  Status status = run(*kernel, memory.data(), memory.data() + 4);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().cause, Cause::OverlappingBuffers);
}

TEST(JitPermute, OverlapIsJudgedByTheSpanOfTheFirstBuffer) {
  auto jit = std::move(*Jit::create());
  Request request{"k", *Problem::make(4, {8, 4}, {0, 1}, Dims{8, 1}), "f32",
                  *findTarget("native"), ""};
  auto kernel = jit->compile(request);
  ASSERT_TRUE(kernel);
  const ptrdiff_t srcFloats = 60, dstFloats = 32;
  std::vector<float> memory(200);
  float *middle = memory.data() + 100;
  EXPECT_FALSE(run(*kernel, middle, middle + srcFloats - 1));
  EXPECT_TRUE(run(*kernel, middle, middle + srcFloats));
  EXPECT_FALSE(run(*kernel, middle, middle - dstFloats + 1));
  EXPECT_TRUE(run(*kernel, middle, middle - dstFloats));
}

TEST(JitPermute, UsesTheCallersThreads) {
  auto jit = std::move(*Jit::create());
  const Problem problem = *Problem::make(4, {1500, 1400}, {1, 0});
  auto kernel = jit->compile({"k", problem, "f32", *findTarget("native"), ""});
  ASSERT_TRUE(kernel);
  const Bytes src = counting(problem.srcSpan());
  Bytes dst(problem.dstSpan()), expected(problem.dstSpan());
  naivePermute(problem, src.data(), expected.data());
  uint32_t seen = 0;
  RunOptions options;
  options.threads = 5;
  options.parallelFor = [&](uint32_t parts, const auto &body) {
    seen = parts;
    for (uint32_t part = parts; part-- > 0;)
      body(part);
  };
  ASSERT_TRUE(run(*kernel, src.data(), dst.data(), options));
  EXPECT_EQ(seen, 5u);
  EXPECT_TRUE(dst == expected);

  // Not worth a second thread.
  auto little = jit->compile({"k", *Problem::make(4, {8, 8}, {1, 0}), "f32",
                              *findTarget("native"), ""});
  seen = 0;
  ASSERT_TRUE(run(*little, src.data(), dst.data(), options));
  EXPECT_EQ(seen, 0u);
}

TEST(JitPermute, CallsThatDoNotSayTakeTheThreadsThatWereSet) {
  auto jit = std::move(*Jit::create());
  const Problem problem = *Problem::make(4, {1500, 1400}, {1, 0});
  auto kernel = jit->compile({"k", problem, "f32", *findTarget("native"), ""});
  ASSERT_TRUE(kernel);
  const Bytes src = counting(problem.srcSpan());
  Bytes dst(problem.dstSpan());
  uint32_t seen = 0;
  RunOptions options;
  options.parallelFor = [&](uint32_t parts, const auto &) { seen = parts; };
  setDefaultThreads(3);
  EXPECT_EQ(defaultThreads(), 3u);
  EXPECT_TRUE(run(*kernel, src.data(), dst.data(), options));
  EXPECT_EQ(seen, 3u);
  setDefaultThreads(0);
  EXPECT_EQ(defaultThreads(), availableCPUs());
}

/// In a process of its own, for the environment is read once.
TEST(JitPermuteDeathTest, TheEnvironmentSaysHowManyThreads) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  auto threadsWith = [](const char *threads) {
    setenv("PERMC_THREADS", threads, 1);
    std::_Exit(static_cast<int>(std::min(defaultThreads(), 200u)));
  };
  EXPECT_EXIT(threadsWith("3"), testing::ExitedWithCode(3), "");
  EXPECT_EXIT(threadsWith("1"), testing::ExitedWithCode(1), "");
  EXPECT_EXIT(threadsWith("4095"), testing::ExitedWithCode(200), "");
  // No number of threads: all CPUs.
  const auto all = testing::ExitedWithCode(
      static_cast<int>(std::min(availableCPUs(), 200u)));
  for (const char *wrong : {"", "0", "-3", "many", "4096"})
    EXPECT_EXIT(threadsWith(wrong), all, "") << wrong;
}

TEST(JitPermute, WorksInAForkedChild) {
  ASSERT_TRUE(permutesRight(4, {16, 24}, {1, 0}));
  // Another thread compiles all the time, so that forks find it at work.
  std::atomic<bool> stop = false;
  std::thread compiling([&] {
    for (int64_t size = 2; !stop; size = size % 500 + 2)
      permutesRight(2, {size, 6}, {1, 0});
  });
  for (int64_t round = 0; round < 10; ++round) {
    pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0)
      _exit(permutesRight(4, {16, 24}, {1, 0}) &&                // remembered
                    permutesRight(4, {round + 5, 24}, {1, 0}) && // compiled
                    permutesRight(2, {round + 2, 6}, {1, 0})
                ? 0
                : 1);
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  stop = true;
  compiling.join();
}

} // namespace
