//===- ShuffledBatchTest.cpp - small matrices, by bytes -------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every shape of matrices up to the largest, and some more, between pages that
// cannot be touched.
//
//===----------------------------------------------------------------------===//

#include "ShuffledBatch.h"
#include "GenericPlan.h"

#include "gtest/gtest.h"

#include <cstring>
#include <new>
#include <optional>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

using namespace permc;

namespace {

/// Bytes between two pages that cannot be touched.
class GuardedBytes {
public:
  GuardedBytes() {
    void *memory = mmap(nullptr, room + 2 * page, PROT_NONE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
      throw std::bad_alloc();
    start = static_cast<char *>(memory) + page;
    mprotect(start, room, PROT_READ | PROT_WRITE);
  }
  GuardedBytes(const GuardedBytes &) = delete;
  ~GuardedBytes() { munmap(start - page, room + 2 * page); }

  char *first() { return start; }
  char *last(int64_t bytes) { return start + room - bytes; }
  /// All of it, to see what was touched.
  std::vector<char> copy() const { return {start, start + room}; }
  void fill(char byte) { std::memset(start, byte, room); }
  int64_t size() const { return int64_t(room); }

private:
  const size_t page = size_t(sysconf(_SC_PAGESIZE)), room = 2 * page;
  char *start;
};

class ShuffledBatch : public testing::Test {
protected:
  ShuffledBatch() : kernels(*KernelTable::allSets().front()) {
    for (int64_t i = 0; i < src.size(); ++i)
      src.first()[i] = char(i * 37 + i / 251);
  }

  void SetUp() override {
    if (!canShuffleBlocks() || kernels.facts.vectorBytes != 64)
      GTEST_SKIP() << "this processor does not shuffle the bytes of two "
                      "vectors of 64";
  }

  /// Plans and moves, at both ends of memory. Returns whether it went by
  /// blocks.
  bool check(int64_t element, const Dims &shape, const Dims &perm,
             const std::optional<Dims> &srcStrides = std::nullopt) {
    const Problem problem =
        *Problem::make(element, shape, perm, srcStrides, std::nullopt);
    const int64_t bytes = problem.dstSpan();
    FixedProblem canonical(problem);
    canonicalize(canonical, kernels.facts.foldLimit);
    makeGenericPlan(canonical, kernels, plan, false);
    for (bool atEnd : {false, true}) {
      const char *from = atEnd ? src.last(problem.srcSpan()) : src.first();
      char *to = atEnd ? dst.last(bytes) : dst.first();
      dst.fill(char(0xa5));
      move(problem, from, to);
      const std::vector<char> expected = dst.copy();
      dst.fill(char(0xa5));
      runGenericPlan(plan, from, to);
      EXPECT_EQ(dst.copy(), expected)
          << spellShape(shape) << " of " << element << " by " << spellList(perm)
          << (atEnd ? " at the end" : " at the start");
    }
    return plan.kernel == shuffledBlocks(plan.blockShuffle.vectorCount());
  }

  /// Element by element.
  static void move(const Problem &problem, const char *from, char *to) {
    const std::vector<LoopDim> dims = problem.loopDims();
    std::vector<int64_t> at(dims.size());
    for (bool goesOn = true; goesOn;) {
      int64_t read = 0, write = 0;
      for (size_t i = 0; i < dims.size(); ++i) {
        read += at[i] * dims[i].srcStride;
        write += at[i] * dims[i].dstStride;
      }
      std::memcpy(to + write, from + read, size_t(problem.elementBytes()));
      goesOn = false;
      for (size_t i = dims.size(); i-- > 0 && !goesOn;)
        if (++at[i] < dims[i].size)
          goesOn = true;
        else
          at[i] = 0;
    }
  }

  KernelTable kernels;
  GenericPlan plan;
  GuardedBytes src, dst;
};

TEST_F(ShuffledBatch, MatricesOfAnyShape) {
  for (int64_t element : {1, 2, 3, 4, 5, 7, 8, 12, 16})
    for (int64_t rows = 2; rows <= 40; ++rows)
      for (int64_t columns = 2; rows * columns * element <= 256; ++columns)
        for (int64_t batch : {2, 3, 7})
          ASSERT_TRUE(check(element, {batch, rows, columns}, {0, 2, 1}))
              << batch << "x" << rows << "x" << columns << "x" << element;
}

TEST_F(ShuffledBatch, AnyOrder) {
  for (const Dims &perm :
       {Dims{0, 3, 2, 1}, Dims{0, 2, 1, 3}, Dims{0, 2, 3, 1}, Dims{0, 3, 1, 2}})
    for (int64_t batch : {2, 9, 30})
      EXPECT_TRUE(check(1, {batch, 3, 4, 5}, perm));
}

TEST_F(ShuffledBatch, WhatIsLargerOrNotContiguousGoesOtherWays) {
  EXPECT_TRUE(check(1, {4, 16, 16}, {0, 2, 1}));
  EXPECT_FALSE(check(1, {4, 16, 17}, {0, 2, 1}));
  EXPECT_FALSE(check(1, {4, 8, 8}, {1, 0, 2}));
}

/// The batch is as far apart as blocks are large, but they are not contiguous.
TEST_F(ShuffledBatch, StridesThatAgreeByChance) {
  EXPECT_FALSE(check(4, {2, 10, 12}, {1, 2, 0}, Dims{240, 24, 1}));
  EXPECT_FALSE(check(1, {2, 30, 12}, {1, 2, 0}, Dims{720, 24, 1}));
}

} // namespace
