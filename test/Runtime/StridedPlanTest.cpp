//===- StridedPlanTest.cpp - views by vectors -----------------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// That views are moved right is for permc-rt-random as well, on all machines
// and between guard pages. Here are runs of every kind, one by one, and which
// of them go by vectors: no result tells.
//
//===----------------------------------------------------------------------===//

#include "StridedPlan.h"
#include "StridedElements.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <cstring>
#include <vector>

using namespace permc;

namespace {

using Bytes = std::vector<char>;

/// The bytes of src that a run takes, and not one more.
struct RunMemory {
  explicit RunMemory(const GroupedRun &run) {
    int64_t low = 0, high = 0;
    for (int64_t i : {int64_t{0}, run.count - 1})
      for (int64_t k : {int64_t{0}, run.group - 1}) {
        low = std::min(low, i * run.stride + k * run.groupStride);
        high = std::max(high, i * run.stride + k * run.groupStride);
      }
    first = -low;
    bytes.resize(size_t(high - low + run.element));
    for (size_t i = 0; i < bytes.size(); ++i)
      bytes[i] = char(i * 37 + i / 251);
  }

  const char *at(const GroupedRun &run, int64_t i, int64_t k) const {
    return bytes.data() + first + i * run.stride + k * run.groupStride;
  }

  Bytes bytes;
  int64_t first;
};

Bytes expected(const GroupedRun &run, const RunMemory &src) {
  Bytes all;
  for (int64_t i = 0; i < run.count; ++i)
    for (int64_t k = 0; k < run.group; ++k)
      all.insert(all.end(), src.at(run, i, k), src.at(run, i, k) + run.element);
  return all;
}

/// Whether it went by vectors.
bool check(const GroupedRun &run) {
  Shuffle shuffle;
  if (!shuffle.assign(run))
    return false;
  const RunMemory src(run);
  // Where windows are: all of them within what the run takes.
  auto isInside = [&](const Shuffle::Windows &windows, int64_t from,
                      int64_t count) {
    for (int64_t vector : {int64_t{0}, count - 1})
      for (int i = 0; count > 0 && i < shuffle.windowCount; ++i) {
        const int64_t at =
            src.first + from + vector * shuffle.srcStep + windows.from[i];
        if (at < 0 || at + Shuffle::vectorBytes > int64_t(src.bytes.size()))
          return false;
      }
    return true;
  };
  if (!shuffle.copied) {
    EXPECT_TRUE(isInside(shuffle.wholeWindows, 0, shuffle.whole));
    EXPECT_TRUE(
        isInside(shuffle.exactWindows, shuffle.exactSrc, shuffle.exact));
  }
  const Bytes wanted = expected(run, src);
  // A vector on either side stays as it is.
  const Bytes guard(Shuffle::vectorBytes, char(0x5A));
  Bytes dst(wanted.size() + 2 * guard.size(), char(0x5A));
  char *first = dst.data() + guard.size(), *past = first + wanted.size();
  KernelCall call;
  call.shuffle = &shuffle;
  shuffledRuns(shuffle.windowCount)(src.at(run, 0, 0), first, &call);
  EXPECT_EQ(Bytes(dst.data(), first), guard);
  EXPECT_EQ(Bytes(past, past + guard.size()), guard);
  EXPECT_EQ(Bytes(first, past), wanted);
  return true;
}

class ShuffledRun : public testing::Test {
protected:
  void SetUp() override {
    if (!canShuffle(KernelTable::forThisCPU().facts.vectorBytes))
      GTEST_SKIP() << "this CPU does not shuffle bytes";
  }
};

} // namespace

TEST_F(ShuffledRun, FillsEveryByteAndReadsNoOther) {
  int64_t byVectors = 0;
  for (int64_t element = 1; element <= 16; ++element)
    for (int64_t group : {1, 2, 3, 4, 5})
      for (int64_t inGroup = -3; inGroup <= 3; ++inGroup)
        for (int64_t step = -7; step <= 7; ++step)
          for (int64_t count :
               {1, 2, 3, 4, 5, 6, 7, 8, 9, 15, 16, 17, 33, 50}) {
            SCOPED_TRACE(testing::Message()
                         << count << " groups of " << group << "x" << element
                         << " bytes, strides " << step << ", " << inGroup);
            byVectors += check(
                {element, group, inGroup * element, count, step * element});
            if (HasFailure())
              return;
          }
  EXPECT_GT(byVectors, 15000);
}

/// Pixels without their last channels: strides that are no multiple of what is
/// moved.
TEST_F(ShuffledRun, LeavesChannelsOut) {
  int64_t byVectors = 0;
  for (auto [element, stride] :
       {std::pair<int64_t, int64_t>{3, 4}, {3, 5}, {2, 3}, {6, 8}, {5, 7}})
    for (int64_t sign : {1, -1})
      for (int64_t count = 1; count < 70; ++count) {
        SCOPED_TRACE(testing::Message() << count << " times " << element
                                        << " bytes of " << sign * stride);
        byVectors += check({element, 1, 0, count, sign * stride});
        if (HasFailure())
          return;
      }
  EXPECT_GT(byVectors, 400);
}

//===----------------------------------------------------------------------===//
// Plans
//===----------------------------------------------------------------------===//

namespace {

enum class Kind { Vectors, Elements, Other };

/// What numpy's `shape` with `strides` in elements goes by, to a dense dst.
Kind kindOf(int64_t element, Dims shape, Dims strides) {
  Dims perm(shape.size());
  for (size_t i = 0; i < perm.size(); ++i)
    perm[i] = int64_t(i);
  Result<Problem> problem =
      Problem::make(element, shape, perm, strides, std::nullopt);
  EXPECT_TRUE(problem);
  FixedProblem canonical(*problem);
  const KernelTable kernels(*KernelTable::allSets().front());
  canonicalize(canonical, kernels.facts.foldLimit);
  GenericPlan plan;
  makeGenericPlan(canonical, kernels, plan, true);
  for (int windows : {1, 2, Shuffle::maxWindows})
    if (plan.kernel == shuffledRuns(windows))
      return Kind::Vectors;
  for (int64_t size = 1; size <= maxStridedElement; ++size)
    if (plan.kernel == stridedElements(size))
      return Kind::Elements;
  return Kind::Other;
}

} // namespace

TEST(StridedPlan, ViewsGoByVectors) {
  for (int64_t element : {1, 2, 3, 4, 5, 6, 7}) {
    SCOPED_TRACE(element);
    EXPECT_EQ(kindOf(element, {50, 70}, {70, -1}), Kind::Vectors);
    EXPECT_EQ(kindOf(element, {50, 70}, {1, 0}), Kind::Vectors);
  }
  for (int64_t element : {1, 2, 4}) {
    SCOPED_TRACE(element);
    EXPECT_EQ(kindOf(element, {50, 70}, {280, 2}), Kind::Vectors);
    EXPECT_EQ(kindOf(element, {50, 70}, {280, -2}), Kind::Vectors);
    EXPECT_EQ(kindOf(element, {50, 70, 3}, {210, 3, -1}), Kind::Vectors);
    EXPECT_EQ(kindOf(element, {50, 70, 3}, {70, 1, 0}), Kind::Vectors);
  }
  EXPECT_EQ(kindOf(8, {50, 70}, {70, -1}), Kind::Vectors);
  EXPECT_EQ(kindOf(1, {50, 70, 3}, {280, 4, 1}), Kind::Vectors); // RGBA to RGB
}

TEST(StridedPlan, WhatIsFarApartGoesByElements) {
  EXPECT_EQ(kindOf(8, {50, 70}, {280, 2}), Kind::Elements);
  EXPECT_EQ(kindOf(4, {5000}, {100}), Kind::Elements);
  EXPECT_EQ(kindOf(4, {500, 500}, {2, 2000}), Kind::Elements);
}

TEST(StridedPlan, WhatIsContiguousHasKernelsOfItsOwn) {
  EXPECT_EQ(kindOf(4, {500, 500}, {1000, 1}), Kind::Other);
  EXPECT_EQ(kindOf(4, {500, 500}, {0, 1}), Kind::Other);
  EXPECT_EQ(kindOf(4, {500, 500}, {1, 500}), Kind::Other);
  EXPECT_EQ(kindOf(4, {500, 500}, {-1, 500}), Kind::Other);
}
