//===- KernelExecutionOffsetTest.cpp - offsets of more than 32 bits -------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Few elements, gigabytes apart. The memory between them is mapped but never
// touched, so that it costs nothing.
//
//===----------------------------------------------------------------------===//

#include "KernelTesting.h"
#include "NaivePermute.h"
#include "PlanTesting.h"

#include <sys/mman.h>

using namespace permc;

namespace {

constexpr int64_t gigabyte = int64_t{1} << 30;

/// Memory of which only the pages that are touched exist.
class SparseBuffer {
public:
  explicit SparseBuffer(int64_t bytes) : bytes(bytes) {
    void *mapped = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapped != MAP_FAILED)
      data = static_cast<unsigned char *>(mapped);
  }
  ~SparseBuffer() {
    if (data)
      munmap(data, bytes);
  }
  SparseBuffer(const SparseBuffer &) = delete;

  int64_t bytes;
  unsigned char *data = nullptr;
};

class KernelExecutionOffset : public X86LevelTest {
protected:
  void check(const Problem &problem) {
    SCOPED_TRACE(spell(problem));
    ASSERT_GT(std::max(problem.srcSpan(), problem.dstSpan()), 4 * gigabyte);
    SparseBuffer src(problem.srcSpan()), dst(problem.dstSpan()),
        shares(problem.dstSpan());
    if (!src.data || !dst.data || !shares.data)
      GTEST_SKIP() << "this machine does not map "
                   << problem.srcSpan() + 2 * problem.dstSpan() << " bytes";
    Result<Kernel> kernel = sharedJit().compile(requestFor(problem, target));
    ASSERT_TRUE(kernel) << kernel.error().message;
    fill(problem, src);
    (*kernel)(src.data, dst.data);
    expectMoved(problem, src, dst);
    for (uint32_t part = 0; part < 3; ++part)
      kernel->part(src.data, shares.data, part, 3);
    expectMoved(problem, src, shares);
  }

private:
  static void fill(const Problem &problem, SparseBuffer &src) {
    std::mt19937_64 random(3);
    visitElements(problem, [&](int64_t from, int64_t) {
      auto element = randomBytes(problem.elementBytes(), random);
      std::memcpy(src.data + from, element.data(), problem.elementBytes());
    });
  }

  static void expectMoved(const Problem &problem, const SparseBuffer &src,
                          const SparseBuffer &dst) {
    int64_t wrong = 0;
    visitElements(problem, [&](int64_t from, int64_t to) {
      wrong += std::memcmp(dst.data + to, src.data + from,
                           problem.elementBytes()) != 0;
    });
    EXPECT_EQ(wrong, 0) << "elements are not where they belong";
  }
};

TEST_P(KernelExecutionOffset, TransposeFromFarRows) {
  check(problemOf(1, {40, 33}, {1, 0}, Dims{gigabyte / 4, 1}));
}

TEST_P(KernelExecutionOffset, TransposeToFarRows) {
  check(problemOf(4, {33, 40}, {1, 0}, {}, Dims{gigabyte / 16 + 1, 1}));
}

TEST_P(KernelExecutionOffset, RunsFarApart) {
  check(problemOf(1, {5, 7, 100}, {1, 0, 2}, Dims{gigabyte, gigabyte / 8, 1}));
  check(problemOf(1, {7, 5, 100}, {1, 0, 2}, {},
                  Dims{gigabyte, gigabyte / 8 + 3, 1}));
}

TEST_P(KernelExecutionOffset, ElementsFarApart) {
  check(problemOf(12, {9}, {0}, Dims{gigabyte / 16}));
  check(problemOf(3, {9}, {0}, {}, Dims{gigabyte / 4 + 1}));
}

INSTANTIATE_X86_LEVELS(KernelExecutionOffset);

} // namespace
