//===- PermuteHeaderTest.cpp - spans and views ----------------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiled without exceptions and without run-time types, as some users are.
//
//===----------------------------------------------------------------------===//

#include "permc/permute.hpp"

#include <gtest/gtest.h>

#include <array>
#include <numeric>
#include <vector>

namespace {

/// What std::mdspan shows, and no more: ranks and sizes that are static.
template <typename T, size_t Rows, size_t Columns> struct Matrix {
  T *memory;
  T *data_handle() const { return memory; }
  static constexpr size_t rank() { return 2; }
  static constexpr size_t extent(size_t dim) { return dim ? Columns : Rows; }
  static constexpr size_t stride(size_t dim) { return dim ? 1 : Columns; }
};

std::vector<int> counting(size_t count) {
  std::vector<int> values(count);
  std::iota(values.begin(), values.end(), 0);
  return values;
}

TEST(PermuteHeader, Spans) {
  const auto src = counting(6);
  std::vector<int> dst(6);
  ASSERT_EQ(permc::permute<int>(src, dst, {2, 3}, {1, 0}), PERMC_OK);
  EXPECT_EQ(dst, (std::vector<int>{0, 3, 1, 4, 2, 5}));
  const std::vector<int64_t> shape{3, 2}, order{1, 0};
  std::vector<int> back(6);
  ASSERT_EQ(permc::permute<int>(dst, back, shape, order, /*threads=*/2),
            PERMC_OK);
  EXPECT_EQ(back, src);
}

TEST(PermuteHeader, SpansOfTheWrongSize) {
  const auto src = counting(6);
  std::vector<int> dst(5, -1);
  EXPECT_EQ(permc::permute<int>(src, dst, {2, 3}, {1, 0}), PERMC_BAD_SIZE);
  EXPECT_EQ(permc::permute<int>(src, dst, {2, 4}, {1, 0}), PERMC_BAD_SIZE);
  EXPECT_EQ(permc::permute<int>(src, dst, {2, 3}, {0}), PERMC_BAD_RANK);
  EXPECT_EQ(permc::permute<int>(src, dst, {2, -3}, {1, 0}), PERMC_BAD_SIZE);
  EXPECT_EQ(permc::permute<int>(src, dst, {INT64_MAX, 3}, {1, 0}),
            PERMC_SIZE_OVERFLOW);
  EXPECT_EQ(dst, std::vector<int>(5, -1));
}

TEST(PermuteHeader, ViewsLikeMdspan) {
  const auto src = counting(12);
  std::vector<int> dst(12);
  const Matrix<const int, 3, 4> from{src.data()};
  const Matrix<int, 4, 3> to{dst.data()};
  ASSERT_EQ(permc::permute(from, to, {1, 0}), PERMC_OK);
  for (size_t i = 0; i < 3; ++i)
    for (size_t j = 0; j < 4; ++j)
      EXPECT_EQ(dst[j * 3 + i], src[i * 4 + j]);
  EXPECT_EQ(permc::permute(from, to, {0, 1}), PERMC_BAD_SIZE);
  EXPECT_EQ(permc::permute(from, to, {0}), PERMC_BAD_RANK);
  EXPECT_EQ(permc::permute(from, to, {1, 1}), PERMC_BAD_SIZE);
  EXPECT_EQ(permc::permute(from, to, {2, 0}), PERMC_AXIS_OUT_OF_RANGE);
}

TEST(PermuteHeader, ReversedAndRepeated) {
  const auto src = counting(4);
  std::vector<int> dst(12);
  const std::array<int64_t, 2> shape{3, 4}, repeated{0, -1}, dense{4, 1};
  const permc::strided<const int> from{&src[3], shape, repeated};
  const permc::strided<int> to{dst.data(), shape, dense};
  ASSERT_EQ(permc::copy(from, to), PERMC_OK);
  EXPECT_EQ(dst, (std::vector<int>{3, 2, 1, 0, 3, 2, 1, 0, 3, 2, 1, 0}));
}

TEST(PermuteHeader, TooManyDims) {
  int value = 1, other = 0;
  const std::vector<int64_t> ones(65, 1);
  const permc::strided<const int> from{&value, ones, ones};
  const permc::strided<int> to{&other, ones, ones};
  EXPECT_EQ(permc::copy(from, to), PERMC_BAD_RANK);
  EXPECT_NE(std::string(permc_rt_last_error()).find("65"), std::string::npos);
}

} // namespace
