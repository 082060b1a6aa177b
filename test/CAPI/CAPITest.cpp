//===- CAPITest.cpp - libpermc.so from outside ----------------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "permc-c/permc.h"

#include "gtest/gtest.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <stdlib.h>
#include <string>
#include <thread>
#include <vector>

extern "C" permc_status permuteFromC(const void *src, void *dst);

namespace {

using Ints = std::vector<int64_t>;

permc_problem problemOf(uint64_t element, const Ints &shape, const Ints &perm) {
  return {sizeof(permc_problem),
          uint32_t(shape.size()),
          element,
          shape.data(),
          perm.data(),
          nullptr,
          nullptr};
}

/// Releases a plan at the end of a scope.
struct Plan {
  permc_plan *plan = nullptr;
  ~Plan() { permc_plan_release(plan); }
};

struct OwnJit {
  permc_jit *jit = nullptr;
  ~OwnJit() { permc_jit_destroy(jit); }
};

std::vector<float> counting(size_t count) {
  std::vector<float> values(count);
  for (size_t i = 0; i < count; ++i)
    values[i] = float(i);
  return values;
}

bool isTransposed(const std::vector<float> &src, const std::vector<float> &dst,
                  size_t rows, size_t columns) {
  for (size_t i = 0; i < rows; ++i)
    for (size_t j = 0; j < columns; ++j)
      if (dst[j * rows + i] != src[i * columns + j])
        return false;
  return true;
}

TEST(CAPI, VersionsAgree) {
  EXPECT_EQ(permc_version(), uint32_t(PERMC_VERSION));
  const uint32_t version = permc_version();
  EXPECT_EQ(permc_version_string(), std::to_string(version / 10000) + "." +
                                        std::to_string(version / 100 % 100) +
                                        "." + std::to_string(version % 100));
}

TEST(CAPI, StatusesHaveNames) {
  EXPECT_STREQ(permc_status_name(PERMC_OK), "Ok");
  EXPECT_STREQ(permc_status_name(PERMC_OVERLAPPING_BUFFERS),
               "OverlappingBuffers");
  EXPECT_STREQ(permc_status_name(PERMC_INTERNAL), "Internal");
  EXPECT_STREQ(permc_status_name(-1), "Unknown");
  EXPECT_STREQ(permc_status_name(1000), "Unknown");
}

TEST(CAPI, IsUsableFromC) {
  const float src[] = {1, 2, 3, 4, 5, 6}, expected[] = {1, 4, 2, 5, 3, 6};
  float dst[6];
  ASSERT_EQ(permuteFromC(src, dst), PERMC_OK);
  EXPECT_EQ(std::memcmp(dst, expected, sizeof dst), 0);
}

/// A call that must fail and leave dst alone; then its message.
std::string messageOf(permc_status expected, uint32_t rank, const Ints *shape,
                      const Ints *perm, uint64_t element, const void *src,
                      bool withDst = true) {
  unsigned char dst[256];
  std::memset(dst, 77, sizeof dst);
  EXPECT_EQ(permc_permute(src, withDst ? dst : nullptr, rank,
                          shape ? shape->data() : nullptr,
                          perm ? perm->data() : nullptr, element),
            expected)
      << permc_last_error();
  for (unsigned char byte : dst)
    EXPECT_EQ(byte, 77);
  return permc_last_error();
}

TEST(CAPI, ReportsWhatIsWrong) {
  const std::vector<float> src = counting(64);
  const Ints shape{8, 8}, perm{1, 0}, twice{0, 0}, past{0, 2}, negative{-1, 8},
      huge{INT64_MAX / 2, 8};
  const void *from = src.data();
  EXPECT_NE(messageOf(PERMC_DUPLICATE_AXIS, 2, &shape, &twice, 4, from)
                .find("[0, 0]"),
            std::string::npos);
  messageOf(PERMC_AXIS_OUT_OF_RANGE, 2, &shape, &past, 4, from);
  messageOf(PERMC_BAD_SIZE, 2, &negative, &perm, 4, from);
  messageOf(PERMC_SIZE_OVERFLOW, 2, &huge, &perm, 4, from);
  messageOf(PERMC_BAD_ELEMENT, 2, &shape, &perm, 0, from);
  messageOf(PERMC_BAD_ELEMENT, 2, &shape, &perm, UINT64_MAX, from);
  messageOf(PERMC_BAD_RANK, UINT32_MAX, &shape, &perm, 4, from);
  messageOf(PERMC_NULL_POINTER, 2, nullptr, &perm, 4, from);
  messageOf(PERMC_NULL_POINTER, 2, &shape, nullptr, 4, from);
  messageOf(PERMC_NULL_POINTER, 2, &shape, &perm, 4, nullptr);
  messageOf(PERMC_NULL_POINTER, 2, &shape, &perm, 4, from, /*withDst=*/false);
}

TEST(CAPI, TakesOtherPeoplesOrders) {
  uint32_t rank = 0;
  int64_t shape[PERMC_MAX_RANK], perm[PERMC_MAX_RANK], result[PERMC_MAX_RANK];
  const int64_t given[] = {2, 3, 4};
  permc_order order = {};
  order.size = sizeof(order);
  order.rank = order.length = 3;
  order.shape = given;

  const double matlab[] = {2, 1, 3};
  order.convention = PERMC_MATLAB;
  order.order = matlab;
  order.number = PERMC_ORDER_F64;
  ASSERT_EQ(permc_resolve_order(&order, &rank, shape, perm, result), PERMC_OK)
      << permc_last_error();
  EXPECT_EQ(std::vector<int64_t>(shape, shape + rank),
            (std::vector<int64_t>{4, 3, 2}));
  EXPECT_EQ(std::vector<int64_t>(perm, perm + rank),
            (std::vector<int64_t>{0, 2, 1}));
  EXPECT_EQ(std::vector<int64_t>(result, result + rank),
            (std::vector<int64_t>{3, 2, 4}));
  const double half[] = {1.5, 1, 3};
  order.order = half;
  EXPECT_NE(permc_resolve_order(&order, &rank, shape, perm, nullptr), PERMC_OK);
  EXPECT_NE(std::string(permc_last_error()).find("must be integers"),
            std::string::npos);
  order.order = matlab;
  order.is_char = 1;
  EXPECT_EQ(permc_resolve_order(&order, &rank, shape, perm, nullptr),
            PERMC_BAD_RANK);
  order.is_char = 0;

  // OpenVINO's, of every type; an empty one reverses.
  order.convention = PERMC_OPENVINO;
  const int64_t wanted[] = {2, 0, 1};
  auto resolves = [&](const auto &entries, permc_order_number number) {
    order.order = entries;
    order.number = number;
    return permc_resolve_order(&order, &rank, shape, perm, result) ==
               PERMC_OK &&
           std::equal(wanted, wanted + 3, perm);
  };
  EXPECT_TRUE(resolves(wanted, PERMC_ORDER_I64));
  EXPECT_TRUE(resolves((const int32_t[]){2, 0, 1}, PERMC_ORDER_I32));
  EXPECT_TRUE(resolves((const int16_t[]){2, 0, 1}, PERMC_ORDER_I16));
  EXPECT_TRUE(resolves((const int8_t[]){2, 0, 1}, PERMC_ORDER_I8));
  EXPECT_TRUE(resolves((const uint64_t[]){2, 0, 1}, PERMC_ORDER_U64));
  EXPECT_TRUE(resolves((const uint32_t[]){2, 0, 1}, PERMC_ORDER_U32));
  EXPECT_TRUE(resolves((const uint16_t[]){2, 0, 1}, PERMC_ORDER_U16));
  EXPECT_TRUE(resolves((const uint8_t[]){2, 0, 1}, PERMC_ORDER_U8));
  EXPECT_FALSE(resolves((const uint64_t[]){2, 0, UINT64_MAX}, PERMC_ORDER_U64));
  order.length = 0;
  ASSERT_EQ(permc_resolve_order(&order, &rank, shape, perm, result), PERMC_OK);
  EXPECT_EQ(perm[0], 2);

  // MLI reads the first `rank` entries.
  const uint8_t mli[] = {2, 0, 1, 9};
  order.convention = PERMC_MLI;
  order.order = mli;
  order.number = PERMC_ORDER_U8;
  order.length = 4;
  EXPECT_EQ(permc_resolve_order(&order, &rank, shape, perm, result), PERMC_OK);
  order.convention = 4;
  EXPECT_EQ(permc_resolve_order(&order, &rank, shape, perm, result),
            PERMC_BAD_SYNTAX);
  EXPECT_EQ(permc_resolve_order(nullptr, &rank, shape, perm, result),
            PERMC_NULL_POINTER);
}

TEST(CAPI, RefusesOverlap) {
  std::vector<float> memory = counting(128);
  const std::vector<float> before = memory;
  const Ints shape{8, 8}, perm{1, 0};
  EXPECT_EQ(permc_permute(memory.data(), memory.data() + 63, 2, shape.data(),
                          perm.data(), 4),
            PERMC_OVERLAPPING_BUFFERS);
  EXPECT_EQ(memory, before);
  EXPECT_EQ(permc_permute(memory.data(), memory.data() + 64, 2, shape.data(),
                          perm.data(), 4),
            PERMC_OK);
}

TEST(CAPI, EachThreadHasItsOwnLastError) {
  const Ints shape{8, 8}, twice{0, 0};
  float from[64], to[64];
  ASSERT_EQ(permc_permute(from, to, 2, shape.data(), twice.data(), 4),
            PERMC_DUPLICATE_AXIS);
  const std::string mine = permc_last_error();
  std::string theirs = "not asked";
  std::thread([&] { theirs = permc_last_error(); }).join();
  EXPECT_EQ(theirs, "");
  EXPECT_EQ(permc_last_error(), mine);
}

TEST(CAPI, ScalarsAndEmptyTensors) {
  const double src = 5;
  double dst = 0;
  EXPECT_EQ(permc_permute(&src, &dst, 0, nullptr, nullptr, 8), PERMC_OK);
  EXPECT_EQ(dst, 5);
  const Ints shape{0, 3}, perm{1, 0};
  EXPECT_EQ(permc_permute(nullptr, nullptr, 2, shape.data(), perm.data(), 8),
            PERMC_OK);
}

TEST(CAPI, PlansDescribeThemselvesAndRun) {
  const Ints shape{5, 7}, perm{1, 0};
  const permc_problem problem = problemOf(4, shape, perm);
  Plan made;
  ASSERT_EQ(permc_plan_create(nullptr, &problem, nullptr, &made.plan),
            PERMC_OK);
  const permc_kernel *kernel = permc_plan_kernel(made.plan);
  EXPECT_EQ(kernel->size, sizeof *kernel);
  EXPECT_EQ(kernel->rank, 2u);
  EXPECT_EQ(kernel->shape[1], 7);
  EXPECT_EQ(kernel->perm[0], 1);
  EXPECT_EQ(kernel->src_bytes, 140u);
  // By its own name: `native` means something else elsewhere.
  EXPECT_TRUE(std::string(kernel->target).starts_with("x86-64"));

  const std::vector<float> src = counting(35);
  std::vector<float> dst(35), parts(35);
  EXPECT_EQ(permc_plan_run(made.plan, src.data(), dst.data()), PERMC_OK);
  EXPECT_TRUE(isTransposed(src, dst, 5, 7));
  for (uint32_t part = 0; part < 3; ++part)
    EXPECT_EQ(permc_plan_run_part(made.plan, src.data(), parts.data(), part, 3),
              PERMC_OK);
  EXPECT_EQ(parts, dst);
  EXPECT_EQ(permc_plan_run_part(made.plan, src.data(), parts.data(), 3, 3),
            PERMC_BAD_SIZE);
  EXPECT_EQ(permc_plan_run_part(made.plan, src.data(), parts.data(), 0, 0),
            PERMC_BAD_SIZE);
}

TEST(CAPI, SizedRunsCheckTheBuffers) {
  const Ints shape{5, 7}, perm{1, 0};
  const permc_problem problem = problemOf(4, shape, perm);
  Plan made;
  ASSERT_EQ(permc_plan_create(nullptr, &problem, nullptr, &made.plan),
            PERMC_OK);
  const std::vector<float> src = counting(35);
  std::vector<float> dst(35);
  auto run = [&](uint64_t srcBytes, uint64_t dstBytes) {
    return permc_plan_run_sized(made.plan, src.data(), srcBytes, dst.data(),
                                dstBytes);
  };
  EXPECT_EQ(run(139, 140), PERMC_BAD_SIZE);
  EXPECT_EQ(run(140, 139), PERMC_BAD_SIZE);
  EXPECT_EQ(dst, std::vector<float>(35));
  EXPECT_EQ(run(140, 140), PERMC_OK);
  EXPECT_TRUE(isTransposed(src, dst, 5, 7));
}

TEST(CAPI, StridesLeavePaddingAlone) {
  const Ints shape{3, 4}, perm{1, 0}, srcStrides{5, 1}, dstStrides{6, 2};
  permc_problem problem = problemOf(4, shape, perm);
  problem.src_strides = srcStrides.data();
  problem.dst_strides = dstStrides.data();
  Plan made;
  ASSERT_EQ(permc_plan_create(nullptr, &problem, nullptr, &made.plan), PERMC_OK)
      << permc_last_error();
  const std::vector<float> src = counting(15);
  std::vector<float> dst(24, -1), expected(24, -1);
  for (size_t i = 0; i < 3; ++i)
    for (size_t j = 0; j < 4; ++j)
      expected[j * 6 + i * 2] = src[i * 5 + j];
  EXPECT_EQ(permc_plan_run(made.plan, src.data(), dst.data()), PERMC_OK);
  EXPECT_EQ(dst, expected);
}

/// Pointers are to the first elements, whatever the signs of strides.
TEST(CAPI, ViewsBeginWithTheFirstElement) {
  const Ints shape{3, 4}, perm{1, 0}, srcStrides{-4, 1}, dstStrides{3, -1};
  permc_problem problem = problemOf(4, shape, perm);
  problem.src_strides = srcStrides.data();
  problem.dst_strides = dstStrides.data();
  Plan made;
  ASSERT_EQ(permc_plan_create(nullptr, &problem, nullptr, &made.plan), PERMC_OK)
      << permc_last_error();
  const std::vector<float> src = counting(12);
  std::vector<float> expected(12), whole(12), sized(12), part(12);
  for (size_t i = 0; i < 3; ++i)
    for (size_t j = 0; j < 4; ++j)
      expected[2 + j * 3 - i] = src[8 - i * 4 + j];
  EXPECT_EQ(permc_plan_run(made.plan, &src[8], &whole[2]), PERMC_OK);
  EXPECT_EQ(whole, expected);
  EXPECT_EQ(permc_plan_run_sized(made.plan, &src[8], 48, &sized[2], 48),
            PERMC_OK);
  EXPECT_EQ(sized, expected);
  EXPECT_EQ(permc_plan_run_part(made.plan, &src[8], &part[2], 0, 1), PERMC_OK);
  EXPECT_EQ(part, expected);
}

TEST(CAPI, PlansAreCounted) {
  const Ints shape{5, 7}, perm{1, 0};
  const permc_problem problem = problemOf(4, shape, perm);
  permc_plan *plan = nullptr;
  ASSERT_EQ(permc_plan_create(nullptr, &problem, nullptr, &plan), PERMC_OK);
  EXPECT_EQ(permc_plan_retain(plan), plan);
  permc_plan_release(plan);
  const std::vector<float> src = counting(35);
  std::vector<float> dst(35);
  EXPECT_EQ(permc_plan_run(plan, src.data(), dst.data()), PERMC_OK);
  permc_plan_release(plan);
}

TEST(CAPI, NullHandlesAreErrorsOrNothing) {
  float src[4], dst[4];
  permc_plan *plan = nullptr;
  EXPECT_EQ(permc_plan_create(nullptr, nullptr, nullptr, &plan),
            PERMC_NULL_POINTER);
  const Ints shape{2, 2}, perm{1, 0};
  const permc_problem problem = problemOf(4, shape, perm);
  EXPECT_EQ(permc_plan_create(nullptr, &problem, nullptr, nullptr),
            PERMC_NULL_POINTER);
  EXPECT_EQ(permc_plan_run(nullptr, src, dst), PERMC_NULL_POINTER);
  EXPECT_EQ(permc_plan_run_sized(nullptr, src, 16, dst, 16),
            PERMC_NULL_POINTER);
  EXPECT_EQ(permc_plan_run_part(nullptr, src, dst, 0, 1), PERMC_NULL_POINTER);
  EXPECT_EQ(permc_plan_kernel(nullptr), nullptr);
  EXPECT_EQ(permc_plan_retain(nullptr), nullptr);
  EXPECT_EQ(permc_jit_create(nullptr, nullptr), PERMC_NULL_POINTER);
  EXPECT_EQ(permc_jit_get_statistics(nullptr, nullptr), PERMC_NULL_POINTER);
  permc_plan_release(nullptr);
  permc_jit_destroy(nullptr);
}

TEST(CAPI, StructsOfOtherVersions) {
  const Ints shape{2, 2}, perm{1, 0};
  struct Newer {
    permc_problem known;
    uint64_t added;
  } newer = {problemOf(4, shape, perm), 0};
  newer.known.size = sizeof newer;
  Plan made;
  EXPECT_EQ(permc_plan_create(nullptr, &newer.known, nullptr, &made.plan),
            PERMC_OK);
  permc_plan *none = nullptr;
  newer.added = 1;
  EXPECT_EQ(permc_plan_create(nullptr, &newer.known, nullptr, &none),
            PERMC_UNSUPPORTED);
  for (uint32_t garbage : {0u, 47u, UINT32_MAX}) {
    newer.known.size = garbage;
    EXPECT_EQ(permc_plan_create(nullptr, &newer.known, nullptr, &none),
              PERMC_UNSUPPORTED);
  }
  EXPECT_EQ(none, nullptr);

  // Nothing is written past what the caller says is there.
  permc_jit_statistics statistics;
  std::memset(&statistics, 0x55, sizeof statistics);
  const uint64_t untouched = statistics.cached_bytes;
  statistics.size = offsetof(permc_jit_statistics, evicted);
  ASSERT_EQ(permc_jit_get_statistics(nullptr, &statistics), PERMC_OK);
  EXPECT_EQ(statistics.cached_bytes, untouched);
  EXPECT_NE(statistics.compiled, untouched);
  // A size that was never set.
  permc_jit_statistics unset = {};
  EXPECT_EQ(permc_jit_get_statistics(nullptr, &unset), PERMC_UNSUPPORTED);
}

TEST(CAPI, ReservedFieldsMustBeZero) {
  permc_jit_options options = {};
  options.size = sizeof options;
  options.reserved = 1;
  permc_jit *jit = nullptr;
  EXPECT_EQ(permc_jit_create(&options, &jit), PERMC_UNSUPPORTED);
  EXPECT_EQ(jit, nullptr);
  EXPECT_NE(std::string(permc_last_error()).find("reserved is 1"),
            std::string::npos);
}

TEST(CAPI, UnknownTargetsAreNamed) {
  const Ints shape{2, 2}, perm{1, 0};
  const permc_problem problem = problemOf(4, shape, perm);
  permc_plan_options options = {};
  options.size = sizeof options;
  options.target = "z80";
  permc_plan *plan = nullptr;
  EXPECT_EQ(permc_plan_create(nullptr, &problem, &options, &plan),
            PERMC_UNKNOWN_TARGET);
  EXPECT_NE(std::string(permc_last_error()).find("z80"), std::string::npos);
}

TEST(CAPI, AJitOfOnesOwnCountsForItself) {
  OwnJit own;
  permc_jit_options options = {};
  options.size = sizeof options;
  options.cache_bytes = 1 << 20;
  ASSERT_EQ(permc_jit_create(&options, &own.jit), PERMC_OK);
  const Ints shape{6, 7}, perm{1, 0};
  const permc_problem problem = problemOf(4, shape, perm);
  Plan first, second;
  ASSERT_EQ(permc_plan_create(own.jit, &problem, nullptr, &first.plan),
            PERMC_OK);
  ASSERT_EQ(permc_plan_create(own.jit, &problem, nullptr, &second.plan),
            PERMC_OK);
  permc_jit_statistics statistics = {};
  statistics.size = sizeof statistics;
  ASSERT_EQ(permc_jit_get_statistics(own.jit, &statistics), PERMC_OK);
  EXPECT_EQ(statistics.compiled, 1u);
  EXPECT_EQ(statistics.cache_hits, 1u);
  EXPECT_EQ(statistics.cached_kernels, 1u);
  EXPECT_GT(statistics.cached_bytes, 0u);

  // Plans outlive it.
  permc_jit_destroy(own.jit);
  own.jit = nullptr;
  const std::vector<float> src = counting(42);
  std::vector<float> dst(42);
  EXPECT_EQ(permc_plan_run(first.plan, src.data(), dst.data()), PERMC_OK);
  EXPECT_TRUE(isTransposed(src, dst, 6, 7));
}

TEST(CAPI, ACacheDirectoryThatIsNoneIsRefused) {
  permc_jit_options options = {};
  options.size = sizeof options;
  options.cache_directory = "/dev/null/cache";
  permc_jit *jit = nullptr;
  EXPECT_EQ(permc_jit_create(&options, &jit), PERMC_BAD_FILE);
  EXPECT_EQ(jit, nullptr);
  EXPECT_NE(std::string(permc_last_error()).find("/dev/null/cache"),
            std::string::npos);
}

TEST(CAPI, AMachineFileThatIsNoneIsRefused) {
  permc_jit_options options = {};
  options.size = sizeof options;
  options.machine_file = "/dev/null/machine.yaml";
  permc_jit *jit = nullptr;
  EXPECT_EQ(permc_jit_create(&options, &jit), PERMC_BAD_FILE);
  EXPECT_EQ(jit, nullptr);
  EXPECT_NE(std::string(permc_last_error()).find("/dev/null/machine.yaml"),
            std::string::npos);
}

/// In a process of its own, for the compiler of the process reads it once.
TEST(CAPIDeathTest, TheEnvironmentNamesAMachineFile) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  auto permuteWith = [](const char *machine) {
    setenv("PERMC_MACHINE", machine, 1);
    const int64_t shape[] = {2, 3}, perm[] = {1, 0};
    const std::vector<float> src = counting(6);
    std::vector<float> dst(6);
    const permc_status status =
        permc_permute(src.data(), dst.data(), 2, shape, perm, 4);
    std::fputs(status == PERMC_OK ? "permuted" : permc_last_error(), stderr);
    std::_Exit(status);
  };
  EXPECT_EXIT(permuteWith(""), testing::ExitedWithCode(PERMC_OK), "permuted");
  EXPECT_EXIT(permuteWith("/dev/null/machine.yaml"),
              testing::ExitedWithCode(PERMC_BAD_FILE),
              "cannot read the machine '/dev/null/machine.yaml'");
}

TEST(CAPI, ACacheDirectoryIsBounded) {
  std::string folder =
      (std::filesystem::temp_directory_path() / "permc-XXXXXX").string();
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  const Ints shape{6, 7}, perm{1, 0};
  const permc_problem problem = problemOf(4, shape, perm);
  // Room for no kernel, then for all.
  for (auto [bytes, files] : {std::pair(1, 0), std::pair(0, 1)}) {
    permc_jit_options options = {};
    options.size = sizeof options;
    options.cache_directory = folder.c_str();
    options.cache_directory_bytes = uint64_t(bytes);
    permc_jit *jit = nullptr;
    ASSERT_EQ(permc_jit_create(&options, &jit), PERMC_OK);
    Plan made;
    EXPECT_EQ(permc_plan_create(jit, &problem, nullptr, &made.plan), PERMC_OK);
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), {}),
              files);
    permc_jit_destroy(jit);
  }
  std::filesystem::remove_all(folder);
}

TEST(CAPI, RunsPartsOnTheCallersScheduler) {
  const Ints shape{1500, 1400}, perm{1, 0};
  const permc_problem problem = problemOf(4, shape, perm);
  std::atomic<uint32_t> parts = 0;
  permc_plan_options options = {};
  options.size = sizeof options;
  options.threads = 3;
  options.parallel_context = &parts;
  options.parallel_for = [](void *context, uint32_t count,
                            void (*body)(void *, uint32_t), void *argument) {
    std::vector<std::thread> threads;
    for (uint32_t part = 0; part < count; ++part)
      threads.emplace_back([=] { body(argument, part); });
    for (std::thread &thread : threads)
      thread.join();
    *static_cast<std::atomic<uint32_t> *>(context) += count;
  };
  Plan made;
  ASSERT_EQ(permc_plan_create(nullptr, &problem, &options, &made.plan),
            PERMC_OK);
  const std::vector<float> src = counting(2100000);
  std::vector<float> dst(2100000);
  ASSERT_EQ(permc_plan_run(made.plan, src.data(), dst.data()), PERMC_OK);
  EXPECT_EQ(parts, 3u);
  EXPECT_TRUE(isTransposed(src, dst, 1500, 1400));
}

TEST(CAPI, ThreadsCanBeSet) {
  const Ints shape{1500, 1400}, perm{1, 0};
  const std::vector<float> src = counting(2100000);
  for (uint32_t threads : {1, 3, 0}) {
    permc_set_threads(threads);
    std::vector<float> dst(2100000);
    ASSERT_EQ(
        permc_permute(src.data(), dst.data(), 2, shape.data(), perm.data(), 4),
        PERMC_OK);
    EXPECT_TRUE(isTransposed(src, dst, 1500, 1400)) << threads;
  }
}

} // namespace
