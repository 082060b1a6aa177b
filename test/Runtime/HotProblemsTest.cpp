//===- HotProblemsTest.cpp - the shim with the JIT behind it --------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   permc-rt-jit-tests LIBPERMC_SO FAKE_JIT_SO
//
// Waits for the background by calling on and on: the calls must go on being
// right, whoever carries them out. What never comes is ended by ctest's limit.
//
//===----------------------------------------------------------------------===//

#include "FakeJit.h"

#include "permc-rt/permc_rt.h"

#include "gtest/gtest.h"

#include <atomic>
#include <cstring>
#include <dlfcn.h>
#include <fstream>
#include <numeric>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace {

const char *library, *fakeLibrary;

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

//===----------------------------------------------------------------------===//
// With a library that compiles nothing
//===----------------------------------------------------------------------===//

class HotProblemsFake : public testing::Test {
protected:
  void SetUp() override {
    void *handle = dlopen(fakeLibrary, RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(handle, nullptr) << dlerror();
    hold = reinterpret_cast<decltype(hold)>(dlsym(handle, "fake_jit_hold"));
    asked = reinterpret_cast<decltype(asked)>(dlsym(handle, "fake_jit_asked"));
    lastSize = reinterpret_cast<decltype(lastSize)>(
        dlsym(handle, "fake_jit_last_size"));
    breakIt =
        reinterpret_cast<decltype(breakIt)>(dlsym(handle, "fake_jit_break"));
    ASSERT_TRUE(hold && asked && lastSize && breakIt);
    enable(1);
  }
  void TearDown() override { hold(false); }

  static void enable(uint32_t threshold) {
    ASSERT_EQ(permc_rt_enable_jit(threshold, fakeLibrary), PERMC_OK)
        << permc_rt_last_error();
  }

  /// Everything that was asked for so far, waiting or begun.
  uint64_t heard() { return asked() + statistics().waiting; }

  decltype(&fake_jit_hold) hold = nullptr;
  decltype(&fake_jit_break) breakIt = nullptr;
  decltype(&fake_jit_asked) asked = nullptr;
  decltype(&fake_jit_last_size) lastSize = nullptr;
};

/// A compiler that does not come to an end holds nobody up. What finds no room
/// in its queue is asked for again.
TEST_F(HotProblemsFake, NeverWaitsAndForgetsNothing) {
  constexpr int64_t room = 1024, many = room + 100, late = 5000;
  hold(true);
  for (int64_t rows = 2; rows < many; ++rows)
    ASSERT_TRUE(transposesRight(rows, 2, 0));
  // Now and then a call finds the lock taken, and leaves it at that.
  for (int64_t rows = 2; statistics().waiting < uint64_t(room); ++rows)
    ASSERT_TRUE(transposesRight(rows, 2, 0));
  ASSERT_TRUE(transposesRight(late, 2, 0));
  EXPECT_EQ(statistics().waiting, uint64_t(room));
  hold(false);
  while (lastSize() != late)
    ASSERT_TRUE(transposesRight(late, 2, 0));
}

TEST_F(HotProblemsFake, ALowerThresholdCountsFromThenOn) {
  enable(1000);
  const uint64_t before = heard();
  for (int i = 0; i < 5; ++i)
    ASSERT_TRUE(transposesRight(101, 103, 0));
  EXPECT_EQ(heard(), before);
  enable(3);
  for (int i = 0; i < 1000 && heard() == before; ++i)
    ASSERT_TRUE(transposesRight(101, 103, 0));
  EXPECT_GT(heard(), before);
}

TEST_F(HotProblemsFake, NothingIsCompiledForAnEmptyTensor) {
  const uint64_t before = heard();
  const Ints shape{0, 5}, perm{1, 0};
  for (int i = 0; i < 5; ++i)
    ASSERT_EQ(permc_rt_permute(nullptr, nullptr, 2, shape.data(), perm.data(),
                               nullptr, nullptr, 4, 1),
              PERMC_OK);
  EXPECT_EQ(heard(), before);
}

/// Said at once, not found out later.
TEST_F(HotProblemsFake, RefusesWhatCannotCompile) {
  breakIt(true);
  EXPECT_EQ(permc_rt_enable_jit(1, fakeLibrary), PERMC_UNSUPPORTED);
  EXPECT_NE(std::strstr(permc_rt_last_error(), fakeLibrary), nullptr);
  EXPECT_NE(std::strstr(permc_rt_last_error(), "cannot compile"), nullptr);
  breakIt(false);
  enable(1);
}

/// Whether a thread waits for something.
bool isAsleep(pid_t thread) {
  std::ifstream file("/proc/self/task/" + std::to_string(thread) + "/stat");
  std::string line;
  std::getline(file, line);
  const size_t name = line.rfind(") ");
  return name != std::string::npos && line[name + 2] == 'S';
}

/// What is being compiled when a program ends is seen to its end first: what
/// the compiler has made for itself goes after that.
TEST_F(HotProblemsFake, AProgramEndsAfterWhatItCompiles) {
  while (statistics().waiting > 0)
    ASSERT_TRUE(transposesRight(107, 109, 0));
  pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    alarm(60);
    hold(true);
    const uint64_t before = asked();
    while (asked() == before)
      transposesRight(127, 131, 0);
    // The compiler goes on when the program is already ending and waits.
    static std::atomic<bool> isEnding = false;
    std::atexit([] { isEnding = true; });
    std::thread([this] {
      while (!isEnding || !isAsleep(getpid())) {
      }
      hold(false);
    }).detach();
    std::exit(0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

/// A child has no thread of its parent's; it starts one.
TEST_F(HotProblemsFake, ForkedChildrenCompileToo) {
  while (statistics().waiting > 0)
    ASSERT_TRUE(transposesRight(107, 109, 0));
  const uint64_t before = asked();
  pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    alarm(60);
    while (asked() == before)
      if (!transposesRight(109, 113, 0))
        _exit(1);
    _exit(0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

} // namespace

int main(int argc, char **argv) {
  testing::InitGoogleTest(&argc, argv);
  if (argc != 3) {
    std::fprintf(stderr, "usage: permc-rt-jit-tests LIBPERMC_SO FAKE_JIT_SO\n");
    return 2;
  }
  library = argv[1];
  fakeLibrary = argv[2];
  return RUN_ALL_TESTS();
}
