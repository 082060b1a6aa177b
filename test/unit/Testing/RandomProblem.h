//===- RandomProblem.h - problems that look for trouble ---------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_TEST_UNIT_RANDOMPROBLEM_H
#define PERMC_TEST_UNIT_RANDOMPROBLEM_H

#include "permc/Plan/Problem.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <random>

namespace permc {

/// Strides of a buffer whose dims lie in random order with random gaps.
inline Dims randomStrides(const Dims &shape, std::mt19937_64 &random) {
  Dims order(shape.size()), strides(shape.size());
  std::iota(order.begin(), order.end(), 0);
  if (random() % 4 == 0)
    std::shuffle(order.begin(), order.end(), random);
  int64_t stride = random() % 4 == 0 ? 1 + random() % 3 : 1;
  for (size_t i = order.size(); i-- > 0;) {
    strides[order[i]] = stride;
    stride = stride * std::max<int64_t>(shape[order[i]], 1) +
             (random() % 3 == 0 ? random() % 5 : 0);
  }
  return strides;
}

/// Rank 0 to 8, sizes biased to 0, 1, 2, 3, primes and neighbours of powers of
/// two, elements of every size, now and then with strides.
inline Problem randomProblem(std::mt19937_64 &random,
                             int64_t maxElements = 1 << 16) {
  static constexpr int64_t sizes[] = {
      1,  1,  2,  2,  3,  3,  4,  5,  7,  8,  9,   11,  13,  15,  16,  17,
      23, 31, 32, 33, 37, 53, 63, 64, 65, 97, 127, 128, 129, 255, 257, 1021};
  static constexpr int64_t elements[] = {1,  1,  1,  2,  2,  2,  3,  4,  4,
                                         4,  5,  6,  7,  8,  8,  9,  12, 16,
                                         24, 32, 48, 64, 65, 96, 100};
  size_t rank = random() % 9;
  Dims shape, perm(rank);
  int64_t product = 1;
  for (size_t i = 0; i < rank; ++i) {
    int64_t size = sizes[random() % std::size(sizes)];
    while (product * size > maxElements)
      size = (size + 1) / 2 == size ? 1 : (size + 1) / 2;
    if (random() % 200 == 0)
      size = 0;
    shape.push_back(size);
    product *= std::max<int64_t>(size, 1);
  }
  std::shuffle(shape.begin(), shape.end(), random);
  std::iota(perm.begin(), perm.end(), 0);
  std::shuffle(perm.begin(), perm.end(), random);
  int64_t element = elements[random() % std::size(elements)];
  std::optional<Dims> src, dst;
  Dims outShape;
  for (int64_t axis : perm)
    outShape.push_back(shape[axis]);
  if (random() % 4 == 0)
    src = randomStrides(shape, random);
  if (random() % 4 == 0)
    dst = randomStrides(outShape, random);
  return *Problem::make(element, shape, perm, src, dst);
}

/// The same with some dims of src reversed or repeated and some of dst
/// reversed: one of them at least, if there are dims.
inline Problem randomView(std::mt19937_64 &random,
                          int64_t maxElements = 1 << 16) {
  const Problem plain = randomProblem(random, maxElements);
  Dims src = plain.srcStrides(), dst = plain.dstStrides();
  for (int64_t &stride : src)
    if (const auto kind = random() % 4; kind < 2)
      stride = kind == 0 ? 0 : -stride;
  for (int64_t &stride : dst)
    if (random() % 4 == 0)
      stride = -stride;
  if (!src.empty() && !plain.hasView())
    src.back() = random() % 2 ? 0 : -std::abs(src.back());
  return *Problem::make(plain.elementBytes(), plain.shape(), plain.perm(), src,
                        dst);
}

} // namespace permc

#endif // PERMC_TEST_UNIT_RANDOMPROBLEM_H
