//===- RuntimeTest.cpp - libpermc_rt.so from outside ----------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "permc-rt/permc_rt.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <malloc.h>
#include <numeric>
#include <sched.h>
#include <stdexcept>
#include <string>
#include <sys/mman.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

extern "C" permc_status permuteFromC(const void *src, void *dst);

namespace {

using Ints = std::vector<int64_t>;

constexpr int64_t huge = int64_t{1} << 62;

std::vector<uint32_t> counting(size_t count) {
  std::vector<uint32_t> values(count);
  std::iota(values.begin(), values.end(), 0);
  return values;
}

permc_status permute(const void *src, void *dst, const Ints &shape,
                     const Ints &perm, uint64_t element = 4,
                     uint32_t threads = 1) {
  return permc_rt_permute(src, dst, uint32_t(shape.size()), shape.data(),
                          perm.data(), nullptr, nullptr, element, threads);
}

permc_rt_statistics statistics() {
  permc_rt_statistics statistics = {};
  statistics.size = sizeof statistics;
  EXPECT_EQ(permc_rt_get_statistics(&statistics), PERMC_OK);
  return statistics;
}

TEST(Runtime, KnowsItsVersion) {
  EXPECT_EQ(permc_rt_version(), uint32_t(PERMC_RT_VERSION));
  EXPECT_STREQ(permc_rt_version_string(), "0.2.0");
}

TEST(Runtime, IsUsableFromC) {
  auto src = counting(6);
  std::vector<uint32_t> dst(6);
  ASSERT_EQ(permuteFromC(src.data(), dst.data()), PERMC_OK);
  EXPECT_EQ(dst, (std::vector<uint32_t>{0, 3, 1, 4, 2, 5}));
}

/// A call that says 0 threads uses as many as were set, and 0 of those means
/// all CPUs.
TEST(Runtime, ThreadsOfCallsThatDoNotSay) {
  constexpr size_t rows = 700, columns = 1100;
  auto src = counting(rows * columns);
  for (uint32_t set : {3, 1, 0}) {
    permc_rt_set_threads(set);
    std::vector<uint32_t> dst(src.size());
    ASSERT_EQ(permute(src.data(), dst.data(), {rows, columns}, {1, 0}, 4,
                      /*threads=*/0),
              PERMC_OK);
    for (size_t i = 0; i < dst.size(); ++i)
      ASSERT_EQ(dst[i], i % rows * columns + i / rows) << set << " threads";
  }
}

/// Pointers are to the first elements, whatever the signs of strides.
TEST(Runtime, ViewsBeginWithTheFirstElement) {
  const Ints shape{2, 3}, perm{1, 0}, srcStrides{-3, 1}, dstStrides{-2, 1};
  auto src = counting(6);
  std::vector<uint32_t> dst(6);
  ASSERT_EQ(permc_rt_permute(&src[3], &dst[4], 2, shape.data(), perm.data(),
                             srcStrides.data(), dstStrides.data(), 4, 1),
            PERMC_OK);
  EXPECT_EQ(dst, (std::vector<uint32_t>{5, 2, 4, 1, 3, 0}));
}

/// numpy's x[None, :] has a stride of 0 where nothing is repeated.
TEST(Runtime, StridesOfDimsOfSizeOneMeanNothing) {
  const Ints shape{1, 3}, perm{1, 0}, srcStrides{0, 1}, dstStrides{1, -99};
  auto src = counting(3);
  std::vector<uint32_t> dst(3);
  ASSERT_EQ(permc_rt_permute(src.data(), dst.data(), 2, shape.data(),
                             perm.data(), srcStrides.data(), dstStrides.data(),
                             4, 1),
            PERMC_OK);
  EXPECT_EQ(dst, src);
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

/// A call that must fail, and leave dst as it was.
struct BadCall {
  const char *name;
  permc_status status;
  std::string message; ///< a part of it
  Ints shape, perm;
  uint64_t element = 4;
  Ints srcStrides = {}, dstStrides = {};
};

TEST(Runtime, RefusesBadCalls) {
  const BadCall calls[] = {
      {"axis twice",
       PERMC_DUPLICATE_AXIS,
       "axis 1 twice in the order [1, 1]",
       {2, 3},
       {1, 1}},
      {"axis too large",
       PERMC_AXIS_OUT_OF_RANGE,
       "expected 0 to 1",
       {2, 3},
       {1, 2}},
      {"negative axis", PERMC_AXIS_OUT_OF_RANGE, "axis -1", {2, 3}, {-1, 0}},
      {"negative size",
       PERMC_BAD_SIZE,
       "dim 1 has the size -3",
       {2, -3},
       {1, 0}},
      {"bytes overflow", PERMC_SIZE_OVERFLOW, "63 bits", {huge, 2}, {1, 0}},
      {"empty, but overflows",
       PERMC_SIZE_OVERFLOW,
       "63 bits",
       {0, huge, 8},
       {2, 1, 0}},
      {"no element",
       PERMC_BAD_ELEMENT,
       "an element of 0 bytes",
       {2, 3},
       {1, 0},
       0},
      {"element too large",
       PERMC_BAD_ELEMENT,
       "expected at most",
       {2, 3},
       {1, 0},
       uint64_t(INT64_MAX) + 1},
      {"dst stride of 0",
       PERMC_BAD_STRIDE,
       "output stride of dim 0 is 0",
       {2, 3},
       {1, 0},
       4,
       {},
       {0, 1}},
      {"dst overlaps itself",
       PERMC_BAD_STRIDE,
       "would overlap",
       {2, 3},
       {1, 0},
       4,
       {},
       {1, 1}},
      {"offset overflows",
       PERMC_SIZE_OVERFLOW,
       "63 bits",
       {2, 3},
       {1, 0},
       4,
       {huge, 1}},
      {"too many dims", PERMC_BAD_RANK, "a rank of 65", Ints(65, 1),
       Ints(65, 0)},
  };
  auto src = counting(64);
  for (const BadCall &call : calls) {
    SCOPED_TRACE(call.name);
    std::vector<uint32_t> dst(64, 0xEEEEEEEE);
    auto list = [](const Ints &ints) {
      return ints.empty() ? nullptr : ints.data();
    };
    EXPECT_EQ(permc_rt_permute(src.data(), dst.data(),
                               uint32_t(call.shape.size()), call.shape.data(),
                               call.perm.data(), list(call.srcStrides),
                               list(call.dstStrides), call.element, 1),
              call.status);
    EXPECT_NE(std::string(permc_rt_last_error()).find(call.message),
              std::string::npos)
        << permc_rt_last_error();
    EXPECT_EQ(dst, std::vector<uint32_t>(64, 0xEEEEEEEE));
  }
}

/// Not only the first time: a thread must not remember what was refused, nor
/// take it for the problem that it remembers in the same place.
TEST(Runtime, RefusesABadCallAgainAndAgain) {
  auto src = counting(600);
  for (int64_t rows = 1; rows < 200; ++rows) {
    std::vector<uint32_t> dst(600);
    ASSERT_EQ(permute(src.data(), dst.data(), {rows, 3}, {1, 0}), PERMC_OK);
    for (int round = 0; round < 2; ++round) {
      std::fill(dst.begin(), dst.end(), 7);
      ASSERT_EQ(permute(src.data(), dst.data(), {rows, 3}, {1, 0}, 0),
                PERMC_BAD_ELEMENT);
      ASSERT_EQ(permute(src.data(), dst.data(), {}, {}, 0), PERMC_BAD_ELEMENT);
      ASSERT_EQ(dst, std::vector<uint32_t>(600, 7));
    }
  }
}

/// No product of a plan may overflow, however far apart the elements are said
/// to be: UndefinedBehaviorSanitizer watches this one.
TEST(Runtime, PlansTensorsThatSpanAllMemory) {
  char place[8];
  for (int64_t element : {1, 2, 4, 8, 12, 16, 100})
    for (int64_t size : {3, 40})
      for (const Ints &perm : {Ints{1, 0}, Ints{0, 1}}) {
        const int64_t most = INT64_MAX / element / (size + 1);
        const Ints shape{size, size}, far{most, most / (size + 1)},
            dense{size, 1}, apart{most, 1};
        for (const Ints *src : {&far, &dense, &apart})
          for (const Ints *dst : {&far, &dense, &apart})
            EXPECT_EQ(permc_rt_permute(place, place, 2, shape.data(),
                                       perm.data(), src->data(), dst->data(),
                                       uint64_t(element), 1),
                      PERMC_OVERLAPPING_BUFFERS);
      }
}

TEST(Runtime, RefusesMissingThings) {
  auto src = counting(6);
  std::vector<uint32_t> dst(6, 7);
  const Ints shape{2, 3}, perm{1, 0};
  EXPECT_EQ(permute(nullptr, dst.data(), shape, perm), PERMC_NULL_POINTER);
  EXPECT_STREQ(permc_rt_last_error(),
               "src is null; expected a buffer of 24 bytes");
  EXPECT_EQ(permute(src.data(), nullptr, shape, perm), PERMC_NULL_POINTER);
  EXPECT_STREQ(permc_rt_last_error(),
               "dst is null; expected a buffer of 24 bytes");
  EXPECT_EQ(permc_rt_permute(src.data(), dst.data(), 2, nullptr, perm.data(),
                             nullptr, nullptr, 4, 1),
            PERMC_NULL_POINTER);
  EXPECT_STREQ(permc_rt_last_error(), "shape is null; expected 2 integers");
  EXPECT_EQ(permc_rt_permute(src.data(), dst.data(), 2, shape.data(), nullptr,
                             nullptr, nullptr, 4, 1),
            PERMC_NULL_POINTER);
  EXPECT_STREQ(permc_rt_last_error(), "perm is null; expected 2 integers");
  EXPECT_EQ(permc_rt_get_statistics(nullptr), PERMC_NULL_POINTER);
  EXPECT_EQ(dst, std::vector<uint32_t>(6, 7));
}

TEST(Runtime, ChecksBuffersOfProblemsItKnows) {
  auto src = counting(6);
  std::vector<uint32_t> dst(6, 7);
  const Ints shape{2, 3}, perm{1, 0};
  const std::vector<uint32_t> right{0, 3, 1, 4, 2, 5};
  for (int times = 0; times < 3; ++times) {
    std::ranges::fill(dst, 7);
    ASSERT_EQ(permute(src.data(), dst.data(), shape, perm), PERMC_OK);
    EXPECT_EQ(dst, right);
    EXPECT_EQ(permute(nullptr, dst.data(), shape, perm), PERMC_NULL_POINTER);
    EXPECT_EQ(permute(src.data(), nullptr, shape, perm), PERMC_NULL_POINTER);
    EXPECT_EQ(permute(dst.data(), dst.data() + 1, shape, perm),
              PERMC_OVERLAPPING_BUFFERS);
    EXPECT_EQ(dst, right);
    // Another order of the same shape is another problem.
    EXPECT_EQ(permute(src.data(), dst.data(), shape, {1, 1}),
              PERMC_DUPLICATE_AXIS);
    ASSERT_EQ(permute(src.data(), dst.data(), shape, {0, 1}), PERMC_OK);
    EXPECT_EQ(dst, src);
  }
}

TEST(Runtime, FindsOverlap) {
  auto buffer = counting(100);
  const auto before = buffer;
  const Ints shape{5, 8}, perm{1, 0};
  for (int distance : {0, 1, 39, -1, -39}) {
    uint32_t *src = buffer.data() + 50;
    // Both ways round, in the first call for a problem and in later ones.
    EXPECT_EQ(permute(src, src + distance, shape, perm),
              PERMC_OVERLAPPING_BUFFERS)
        << distance;
  }
  EXPECT_NE(std::string(permc_rt_last_error()).find("dst starts -156 bytes"),
            std::string::npos)
      << permc_rt_last_error();
  EXPECT_EQ(buffer, before);
  EXPECT_EQ(permute(buffer.data(), buffer.data() + 40, shape, perm), PERMC_OK);
  EXPECT_EQ(permute(buffer.data() + 40, buffer.data(), shape, perm), PERMC_OK);
}

TEST(Runtime, JudgesOverlapByTheSpanOfTheFirstBuffer) {
  const Ints shape{8, 4}, perm{0, 1}, gaps{8, 1};
  const ptrdiff_t srcWords = 60, dstWords = 32;
  std::vector<uint32_t> memory(200);
  uint32_t *middle = memory.data() + 100;
  auto call = [&](uint32_t *dst) {
    return permc_rt_permute(middle, dst, 2, shape.data(), perm.data(),
                            gaps.data(), nullptr, 4, 1);
  };
  EXPECT_EQ(call(middle + srcWords - 1), PERMC_OVERLAPPING_BUFFERS);
  EXPECT_EQ(call(middle + srcWords), PERMC_OK);
  EXPECT_EQ(call(middle - dstWords + 1), PERMC_OVERLAPPING_BUFFERS);
  EXPECT_EQ(call(middle - dstWords), PERMC_OK);
}

TEST(Runtime, NamesStatuses) {
  EXPECT_STREQ(permc_rt_status_name(PERMC_OK), "Ok");
  EXPECT_STREQ(permc_rt_status_name(PERMC_OVERLAPPING_BUFFERS),
               "OverlappingBuffers");
  EXPECT_STREQ(permc_rt_status_name(PERMC_INTERNAL), "Internal");
  EXPECT_STREQ(permc_rt_status_name(17), "Unknown");
  EXPECT_STREQ(permc_rt_status_name(-1), "Unknown");
}

//===----------------------------------------------------------------------===//
// Small and empty problems
//===----------------------------------------------------------------------===//

TEST(Runtime, MovesNothingOfAnEmptyTensor) {
  uint32_t value = 7;
  EXPECT_EQ(permute(nullptr, nullptr, {0, 3}, {1, 0}), PERMC_OK);
  EXPECT_EQ(permute(&value, &value, {3, 0}, {1, 0}), PERMC_OK);
  EXPECT_EQ(value, 7u);
}

TEST(Runtime, CopiesAScalar) {
  uint32_t src = 7, dst = 0;
  EXPECT_EQ(
      permc_rt_permute(&src, &dst, 0, nullptr, nullptr, nullptr, nullptr, 4, 1),
      PERMC_OK);
  EXPECT_EQ(dst, 7u);
}

TEST(Runtime, TakesAsManyDimsAsThereCanBe) {
  Ints shape(64, 1), perm(64);
  shape[3] = 3;
  shape[60] = 2;
  std::iota(perm.rbegin(), perm.rend(), 0);
  auto src = counting(6);
  std::vector<uint32_t> dst(6);
  EXPECT_EQ(permute(src.data(), dst.data(), shape, perm), PERMC_OK);
  EXPECT_EQ(dst, (std::vector<uint32_t>{0, 2, 4, 1, 3, 5}));
}

/// Large enough to be streamed, which is done one way where dst starts with a
/// line of 64 bytes and another way where it does not.
TEST(Runtime, PlansAgainForADstThatLiesElsewhere) {
  const int64_t rows = 2048, columns = 2048;
  const auto src = counting(rows * columns);
  std::vector<uint32_t> memory(rows * columns + 32);
  const size_t past = reinterpret_cast<uintptr_t>(memory.data()) % 64 / 4;
  for (size_t behind : {0, 4, 0, 1}) {
    uint32_t *dst = memory.data() + (16 - past) % 16 + behind;
    std::fill(memory.begin(), memory.end(), 0);
    ASSERT_EQ(permute(src.data(), dst, {rows, columns}, {1, 0}), PERMC_OK);
    size_t wrong = 0;
    for (int64_t i = 0; i < columns; ++i)
      for (int64_t j = 0; j < rows; ++j)
        wrong += dst[i * rows + j] != src[size_t(j * columns + i)];
    EXPECT_EQ(wrong, 0u) << 4 * behind << " bytes behind a line";
  }
}

TEST(Runtime, KeepsProblemsApart) {
  for (int round = 0; round < 3; ++round)
    for (int64_t rows = 1; rows < 40; ++rows) {
      int64_t columns = 41 - rows;
      auto src = counting(size_t(rows * columns));
      std::vector<uint32_t> dst(src.size());
      ASSERT_EQ(permute(src.data(), dst.data(), {rows, columns}, {1, 0}),
                PERMC_OK);
      for (int64_t i = 0; i < rows; ++i)
        for (int64_t j = 0; j < columns; ++j)
          ASSERT_EQ(dst[size_t(j * rows + i)], src[size_t(i * columns + j)]);
    }
}

/// There are so many that some follow one another in the same slot of what a
/// thread remembers.
TEST(Runtime, KeepsStridesApart) {
  const auto src = counting(3 * 150);
  const Ints shape{3, 5}, perm{1, 0};
  for (int64_t gap = 0; gap < 120; ++gap)
    for (bool ofDst : {false, true}) {
      const Ints srcStrides{ofDst ? 5 : 5 + gap, 1};
      const Ints dstStrides{ofDst ? 3 + gap : 3, 1};
      std::vector<uint32_t> dst(5 * 150, 77);
      ASSERT_EQ(permc_rt_permute(src.data(), dst.data(), 2, shape.data(),
                                 perm.data(), srcStrides.data(),
                                 dstStrides.data(), 4, 1),
                PERMC_OK);
      for (int64_t i = 0; i < 3; ++i)
        for (int64_t j = 0; j < 5; ++j)
          ASSERT_EQ(dst[size_t(j * dstStrides[0] + i)],
                    src[size_t(i * srcStrides[0] + j)])
              << gap;
    }
}

//===----------------------------------------------------------------------===//
// Registered kernels
//===----------------------------------------------------------------------===//

std::atomic<int> firstRuns, secondRuns, partRuns;

/// A kernel that only says that it ran.
struct FakeKernel {
  FakeKernel(Ints shape, Ints perm, const char *target,
             void (*run)(const void *, void *))
      : shape(std::move(shape)), perm(std::move(perm)) {
    info.size = sizeof info;
    info.rank = uint32_t(this->shape.size());
    info.element_bytes = 4;
    info.shape = this->shape.data();
    info.perm = this->perm.data();
    info.name = "fake";
    info.element = "f32";
    info.target = target;
    info.run = run;
    kept().push_back(this);
  }
  FakeKernel(const FakeKernel &) = delete;

  Ints shape, perm;
  permc_kernel info = {};

private:
  /// All there are, so that whoever looks for leaks finds them in use.
  static std::vector<const FakeKernel *> &kept() {
    static auto *kernels = new std::vector<const FakeKernel *>;
    return *kernels;
  }
};

void countFirst(const void *, void *) { ++firstRuns; }
void countSecond(const void *, void *) { ++secondRuns; }
void countPart(const void *, void *, uint32_t, uint32_t) { ++partRuns; }

/// The level every CPU of this family has.
const char *plainTarget() {
  std::string target = statistics().target;
  return target.starts_with("x86-64") ? "x86-64" : statistics().target;
}

// Infos must stay where they are: these are never freed. The shapes are no
// other test's.

TEST(RuntimeRegistry, UsesAKernelHoweverItsProblemIsSpelled) {
  auto src = counting(7 * 11 * 13);
  std::vector<uint32_t> dst(src.size());
  // Seen before it was registered: what a thread remembers must not hide it.
  ASSERT_EQ(permute(src.data(), dst.data(), {7, 143}, {1, 0}), PERMC_OK);
  auto *kernel =
      new FakeKernel({7, 11, 13}, {1, 2, 0}, plainTarget(), countFirst);
  firstRuns = 0;
  ASSERT_EQ(permc_rt_register_kernel(&kernel->info), PERMC_OK);
  EXPECT_EQ(permute(src.data(), dst.data(), {7, 143}, {1, 0}), PERMC_OK);
  EXPECT_EQ(firstRuns, 1);
  EXPECT_EQ(permute(src.data(), dst.data(), {1, 7, 11, 13, 1}, {2, 4, 3, 1, 0}),
            PERMC_OK);
  EXPECT_EQ(firstRuns, 2);
  // Other elements, another order, another shape.
  std::vector<uint64_t> wide(src.size()), wideDst(src.size());
  EXPECT_EQ(permute(wide.data(), wideDst.data(), {7, 143}, {1, 0}, 8),
            PERMC_OK);
  EXPECT_EQ(permute(src.data(), dst.data(), {143, 7}, {1, 0}), PERMC_OK);
  EXPECT_EQ(permute(src.data(), dst.data(), {7, 11, 13}, {2, 1, 0}), PERMC_OK);
  EXPECT_EQ(firstRuns, 2);
  // The checks are still made.
  EXPECT_EQ(permute(src.data(), src.data(), {7, 143}, {1, 0}),
            PERMC_OVERLAPPING_BUFFERS);
  EXPECT_EQ(firstRuns, 2);
}

TEST(RuntimeRegistry, TheLastOfTwoWins) {
  auto *first = new FakeKernel({17, 19}, {1, 0}, plainTarget(), countFirst);
  auto *second = new FakeKernel({17, 19}, {1, 0}, plainTarget(), countSecond);
  auto src = counting(17 * 19);
  std::vector<uint32_t> dst(src.size());
  firstRuns = secondRuns = 0;
  uint64_t before = statistics().registered;
  const permc_kernel *both[] = {&first->info, &second->info};
  ASSERT_EQ(permc_rt_register_kernels(both, 2), PERMC_OK);
  EXPECT_EQ(statistics().registered, before + 1);
  EXPECT_EQ(permute(src.data(), dst.data(), {17, 19}, {1, 0}), PERMC_OK);
  EXPECT_EQ(firstRuns, 0);
  EXPECT_EQ(secondRuns, 1);
  ASSERT_EQ(permc_rt_register_kernel(&first->info), PERMC_OK);
  EXPECT_EQ(permute(src.data(), dst.data(), {17, 19}, {1, 0}), PERMC_OK);
  EXPECT_EQ(firstRuns, 1);
  EXPECT_EQ(secondRuns, 1);
}

TEST(RuntimeRegistry, NeverUsesAKernelForAnotherCPU) {
  auto src = counting(23 * 29);
  std::vector<uint32_t> dst(src.size());
  firstRuns = 0;
  uint64_t before = statistics().registered;
  for (const char *target : {"x86-64-v99", "cortex-m4", "", "c99"}) {
    auto *kernel = new FakeKernel({23, 29}, {1, 0}, target, countFirst);
    EXPECT_EQ(permc_rt_register_kernel(&kernel->info), PERMC_OK) << target;
  }
  EXPECT_EQ(statistics().registered, before);
  EXPECT_EQ(permute(src.data(), dst.data(), {23, 29}, {1, 0}), PERMC_OK);
  EXPECT_EQ(firstRuns, 0);
  EXPECT_EQ(dst[1], 29u);
}

/// They are in the list of a library's kernels with the others.
TEST(RuntimeRegistry, LeavesOutKernelsWithDynamicDims) {
  auto *dynamic = new FakeKernel({-1, 43}, {1, 0}, plainTarget(), nullptr);
  auto *plain = new FakeKernel({47, 43}, {1, 0}, plainTarget(), countFirst);
  uint64_t before = statistics().registered;
  const permc_kernel *both[] = {&dynamic->info, &plain->info};
  EXPECT_EQ(permc_rt_register_kernels(both, 2), PERMC_OK);
  EXPECT_EQ(statistics().registered, before + 1);
}

TEST(RuntimeRegistry, RunsPartsOnThreads) {
  auto *kernel = new FakeKernel({1031, 257}, {1, 0}, plainTarget(), countFirst);
  kernel->info.run_part = countPart;
  auto *whole = new FakeKernel({1033, 257}, {1, 0}, plainTarget(), countFirst);
  const permc_kernel *both[] = {&kernel->info, &whole->info};
  ASSERT_EQ(permc_rt_register_kernels(both, 2), PERMC_OK);
  auto src = counting(1033 * 257);
  std::vector<uint32_t> dst(src.size());
  firstRuns = partRuns = 0;
  EXPECT_EQ(permute(src.data(), dst.data(), {1031, 257}, {1, 0}, 4, 3),
            PERMC_OK);
  EXPECT_EQ(partRuns, 3);
  EXPECT_EQ(permute(src.data(), dst.data(), {1031, 257}, {1, 0}, 4, 1),
            PERMC_OK);
  EXPECT_EQ(firstRuns, 1);
  // One that has no parts runs as a whole.
  EXPECT_EQ(permute(src.data(), dst.data(), {1033, 257}, {1, 0}, 4, 3),
            PERMC_OK);
  EXPECT_EQ(firstRuns, 2);
  EXPECT_EQ(partRuns, 3);
}

/// Threads that there may be: no more than the tensor is worth.
int availableThreads() {
  cpu_set_t cpus;
  EXPECT_EQ(sched_getaffinity(0, sizeof cpus, &cpus), 0);
  return std::min(CPU_COUNT(&cpus), 8);
}

/// The parts of a call that does not say how many threads.
int partsByDefault() {
  static FakeKernel *kernel = [] {
    auto *made = new FakeKernel({1049, 257}, {1, 0}, plainTarget(), countFirst);
    made->info.run_part = countPart;
    EXPECT_EQ(permc_rt_register_kernel(&made->info), PERMC_OK);
    return made;
  }();
  const std::vector<uint32_t> src(kernel->shape[0] * kernel->shape[1]);
  std::vector<uint32_t> dst(src.size());
  firstRuns = partRuns = 0;
  EXPECT_EQ(permute(src.data(), dst.data(), kernel->shape, kernel->perm, 4,
                    /*threads=*/0),
            PERMC_OK);
  return firstRuns + partRuns;
}

TEST(RuntimeRegistry, CallsThatDoNotSayTakeTheThreadsThatWereSet) {
  permc_rt_set_threads(3);
  EXPECT_EQ(partsByDefault(), 3);
  permc_rt_set_threads(1);
  EXPECT_EQ(partsByDefault(), 1);
  permc_rt_set_threads(100);
  EXPECT_EQ(partsByDefault(), 8);
  permc_rt_set_threads(0);
  EXPECT_EQ(partsByDefault(), availableThreads());
}

/// In a process of its own, for the environment is read once.
TEST(RuntimeDeathTest, TheEnvironmentSaysHowManyThreads) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  auto callWith = [](const char *threads) {
    setenv("PERMC_THREADS", threads, 1);
    std::_Exit(partsByDefault());
  };
  EXPECT_EXIT(callWith("3"), testing::ExitedWithCode(3), "");
  EXPECT_EXIT(callWith("1"), testing::ExitedWithCode(1), "");
  EXPECT_EXIT(callWith("4095"), testing::ExitedWithCode(8), "");
  // No number of threads: all CPUs.
  const auto all = testing::ExitedWithCode(availableThreads());
  for (const char *wrong : {"", "0", "-3", "many", "4096"})
    EXPECT_EXIT(callWith(wrong), all, "") << wrong;
}

/// No exception leaves the library, whoever made the kernel: not from the first
/// call, nor from those that find it in the cache, nor from other threads.
TEST(RuntimeRegistry, TurnsWhatKernelsThrowIntoAStatus) {
  auto *kernel = new FakeKernel(
      {1039, 257}, {1, 0}, plainTarget(),
      [](const void *, void *) { throw std::runtime_error("a kernel's own"); });
  kernel->info.run_part = [](const void *, void *, uint32_t part, uint32_t) {
    if (part != 0)
      throw part;
  };
  ASSERT_EQ(permc_rt_register_kernel(&kernel->info), PERMC_OK);
  auto src = counting(1039 * 257);
  std::vector<uint32_t> dst(src.size());
  for (int call = 0; call < 3; ++call) {
    EXPECT_EQ(permute(src.data(), dst.data(), {1039, 257}, {1, 0}, 4, 1),
              PERMC_INTERNAL);
    EXPECT_STREQ(permc_rt_last_error(), "a kernel's own");
    EXPECT_EQ(permute(src.data(), dst.data(), {1039, 257}, {1, 0}, 4, 3),
              PERMC_INTERNAL);
    EXPECT_STREQ(permc_rt_last_error(), "an unknown exception");
  }
  // The threads are there for others.
  EXPECT_EQ(permute(src.data(), dst.data(), {257, 1039}, {1, 0}, 4, 3),
            PERMC_OK);
  EXPECT_EQ(dst[1], 1039u);
}

TEST(RuntimeRegistry, RegistersAllOrNone) {
  auto *good = new FakeKernel({31, 37}, {1, 0}, plainTarget(), countFirst);
  auto *bad = new FakeKernel({31, 37}, {1, 1}, plainTarget(), countFirst);
  uint64_t before = statistics().registered;
  const permc_kernel *both[] = {&good->info, &bad->info};
  EXPECT_EQ(permc_rt_register_kernels(both, 2), PERMC_DUPLICATE_AXIS);
  EXPECT_NE(std::string(permc_rt_last_error()).find("permc_kernel fake"),
            std::string::npos)
      << permc_rt_last_error();
  const permc_kernel *missing[] = {&good->info, nullptr};
  EXPECT_EQ(permc_rt_register_kernels(missing, 2), PERMC_NULL_POINTER);
  EXPECT_EQ(permc_rt_register_kernels(nullptr, 2), PERMC_NULL_POINTER);
  EXPECT_EQ(permc_rt_register_kernels(nullptr, 0), PERMC_OK);
  bad->perm = {1, 0};
  bad->info.run = nullptr;
  EXPECT_EQ(permc_rt_register_kernel(&bad->info), PERMC_NULL_POINTER);
  bad->info.size = 8;
  EXPECT_EQ(permc_rt_register_kernel(&bad->info), PERMC_UNSUPPORTED);
  EXPECT_EQ(statistics().registered, before);
}

/// What `size` says is not there is not read.
TEST(RuntimeRegistry, ReadsNothingBehindAShortDescription) {
  const auto page = size_t(sysconf(_SC_PAGESIZE));
  auto *memory =
      static_cast<char *>(mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(memory, MAP_FAILED);
  ASSERT_EQ(mprotect(memory + page, page, PROT_NONE), 0);
  const uint32_t sizeAndRank[2] = {8, 2};
  void *last = memory + page - sizeof sizeAndRank;
  std::memcpy(last, sizeAndRank, sizeof sizeAndRank);
  EXPECT_EQ(permc_rt_register_kernel(static_cast<const permc_kernel *>(last)),
            PERMC_UNSUPPORTED);
  munmap(memory, 2 * page);
}

TEST(RuntimeRegistry, RefusesTooManyDims) {
  auto *kernel =
      new FakeKernel(Ints(65, 1), Ints(65, 0), plainTarget(), countFirst);
  EXPECT_EQ(permc_rt_register_kernel(&kernel->info), PERMC_BAD_RANK);
  EXPECT_STREQ(permc_rt_last_error(), "the permc_kernel fake has a rank of 65; "
                                      "expected at most 64");
}

/// A program that changes its mind all the time does not fill memory.
TEST(RuntimeRegistry, TakesNoMemoryForAProblemItKnows) {
  auto *first = new FakeKernel({53, 59}, {1, 0}, plainTarget(), countFirst);
  auto *second = new FakeKernel({53, 59}, {1, 0}, plainTarget(), countSecond);
  ASSERT_EQ(permc_rt_register_kernel(&first->info), PERMC_OK);
  const size_t before = mallinfo2().uordblks;
  for (int round = 0; round < 1000; ++round) {
    ASSERT_EQ(permc_rt_register_kernel(&second->info), PERMC_OK);
    ASSERT_EQ(permc_rt_register_kernel(&first->info), PERMC_OK);
  }
  EXPECT_LT(mallinfo2().uordblks, before + (64 << 10));
}

/// The table grows while others read it.
TEST(RuntimeRegistry, GrowsWhileItIsRead) {
  constexpr int64_t kernels = 500;
  auto src = counting(41 * (kernels + 1));
  std::atomic<bool> done = false;
  std::atomic<int> wrong = 0;
  std::thread reader([&] {
    std::vector<uint32_t> dst(src.size());
    while (!done)
      if (permute(src.data(), dst.data(), {41, 2}, {1, 0}) != PERMC_OK ||
          dst[1] != 2)
        ++wrong;
  });
  std::vector<uint32_t> dst(src.size());
  for (int64_t i = 3; i < kernels; ++i) {
    auto *kernel = new FakeKernel({41, i}, {1, 0}, plainTarget(), countFirst);
    ASSERT_EQ(permc_rt_register_kernel(&kernel->info), PERMC_OK);
  }
  firstRuns = 0;
  for (int64_t i = 3; i < kernels; ++i)
    ASSERT_EQ(permute(src.data(), dst.data(), {41, i}, {1, 0}), PERMC_OK);
  done = true;
  reader.join();
  EXPECT_EQ(firstRuns, int(kernels) - 3);
  EXPECT_EQ(wrong, 0);
}

//===----------------------------------------------------------------------===//
// Elements that own memory
//===----------------------------------------------------------------------===//

TEST(RuntimeIndices, AreWhatAPermutationOfNumbersGives) {
  const std::pair<Ints, Ints> problems[] = {
      {{}, {}},
      {{5}, {0}},
      {{2, 3}, {1, 0}},
      {{2, 3, 4}, {2, 0, 1}},
      {{1, 3, 1, 4}, {3, 2, 1, 0}},
      {{2, 3, 4, 5}, {3, 1, 0, 2}},
      {{3, 0, 2}, {2, 1, 0}},
  };
  for (const auto &[shape, perm] : problems) {
    size_t count = 1;
    for (int64_t size : shape)
      count *= size_t(size);
    auto src = counting(count);
    std::vector<uint32_t> expected(count);
    ASSERT_EQ(permute(src.data(), expected.data(), shape, perm), PERMC_OK);
    // One more than there are: it must not be written.
    std::vector<uint64_t> indices(count + 1, 999);
    ASSERT_EQ(permc_rt_permute_indices(uint32_t(shape.size()), shape.data(),
                                       perm.data(), indices.data(), count),
              PERMC_OK);
    EXPECT_TRUE(std::equal(expected.begin(), expected.end(), indices.begin()));
    EXPECT_EQ(indices[count], 999u);
  }
}

TEST(RuntimeIndices, RefuseTooLittleRoom) {
  const Ints shape{2, 3}, perm{1, 0}, bad{1, 1};
  std::vector<uint64_t> indices(6, 7);
  EXPECT_EQ(
      permc_rt_permute_indices(2, shape.data(), perm.data(), indices.data(), 5),
      PERMC_BAD_SIZE);
  EXPECT_STREQ(permc_rt_last_error(),
               "room for 5 indices; expected at least 6");
  EXPECT_EQ(permc_rt_permute_indices(2, shape.data(), perm.data(), nullptr, 6),
            PERMC_NULL_POINTER);
  EXPECT_EQ(
      permc_rt_permute_indices(2, shape.data(), bad.data(), indices.data(), 6),
      PERMC_DUPLICATE_AXIS);
  EXPECT_EQ(
      permc_rt_permute_indices(2, nullptr, perm.data(), indices.data(), 6),
      PERMC_NULL_POINTER);
  EXPECT_EQ(indices, std::vector<uint64_t>(6, 7));
}

TEST(RuntimeElements, MovesStrings) {
  std::vector<std::string> src = {"a", "bb", "ccc", "dddd", "e", "ff"}, dst(6);
  struct Both {
    std::vector<std::string> &src, &dst;
  } both{src, dst};
  const Ints shape{2, 3}, perm{1, 0};
  ASSERT_EQ(permc_rt_permute_elements(
                2, shape.data(), perm.data(),
                [](void *context, uint64_t to, uint64_t from) {
                  auto *both = static_cast<Both *>(context);
                  both->dst[to] = std::move(both->src[from]);
                },
                &both),
            PERMC_OK);
  EXPECT_EQ(dst,
            (std::vector<std::string>{"a", "dddd", "bb", "e", "ccc", "ff"}));
  EXPECT_EQ(
      permc_rt_permute_elements(2, shape.data(), perm.data(), nullptr, nullptr),
      PERMC_NULL_POINTER);
}

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

TEST(RuntimeThreads, ManyCallersAtOnce) {
  constexpr int64_t rows = 700, columns = 300;
  auto src = counting(rows * columns);
  std::atomic<int> wrong = 0;
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 4; ++caller)
    callers.emplace_back([&] {
      std::vector<uint32_t> dst(src.size());
      for (int round = 0; round < 20; ++round) {
        std::fill(dst.begin(), dst.end(), 0);
        if (permute(src.data(), dst.data(), {rows, columns}, {1, 0}, 4, 4) !=
                PERMC_OK ||
            dst[size_t(7 * rows + 5)] != 5 * columns + 7 ||
            dst.back() != src.back())
          ++wrong;
      }
    });
  for (std::thread &caller : callers)
    caller.join();
  EXPECT_EQ(wrong, 0);
}

TEST(RuntimeThreads, ForkedChildrenGoOn) {
  auto src = counting(700 * 300);
  std::vector<uint32_t> dst(src.size());
  ASSERT_EQ(permute(src.data(), dst.data(), {700, 300}, {1, 0}, 4, 4),
            PERMC_OK);
  pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    std::fill(dst.begin(), dst.end(), 0);
    bool right =
        permute(src.data(), dst.data(), {700, 300}, {1, 0}, 4, 4) == PERMC_OK &&
        dst[1] == 300 && dst.back() == src.back();
    _exit(right ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

/// Whatever another thread is doing at the moment of a fork, the child finds
/// nothing locked.
TEST(RuntimeThreads, ForkedChildrenFindNothingLocked) {
  auto *kernel = new FakeKernel({61, 67}, {1, 0}, plainTarget(), countFirst);
  std::atomic<bool> done = false;
  std::thread registers([&] {
    while (!done)
      permc_rt_register_kernel(&kernel->info);
  });
  std::thread asks([&] {
    while (!done)
      statistics();
  });
  int hung = 0;
  for (int i = 0; i < 100 && hung == 0; ++i) {
    pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      alarm(20);
      permc_rt_register_kernel(&kernel->info);
      statistics();
      _exit(0);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    hung += status != 0;
  }
  done = true;
  registers.join();
  asks.join();
  EXPECT_EQ(hung, 0);
}

/// A thread's own plans are gone while its variables are being destroyed.
TEST(RuntimeThreads, PermutesWhileAThreadEnds) {
  static std::atomic<uint32_t> moved;
  struct AtExit {
    ~AtExit() {
      auto src = counting(6);
      std::vector<uint32_t> dst(6);
      if (permute(src.data(), dst.data(), {2, 3}, {1, 0}) == PERMC_OK)
        moved = dst[1];
    }
  };
  std::thread([] {
    thread_local AtExit early; // destroyed after the shim's own
    (void)&early;
    auto src = counting(6);
    std::vector<uint32_t> dst(6);
    // The second time it is found as the one before.
    for (int times = 0; times < 3; ++times)
      permute(src.data(), dst.data(), {2, 3}, {1, 0});
  }).join();
  EXPECT_EQ(moved, 3u);
}

} // namespace
