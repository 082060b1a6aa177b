//===- RandomSuite.cpp - cases drawn by a seed ----------------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RandomSuite.h"

#include "Draw.h"

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace permc;
using namespace permc::bench;

namespace {

constexpr int caseCount = 40;
constexpr int64_t minCaseRank = 2, maxCaseRank = 7;
constexpr double minBytes = 1e5, maxBytes = 1e8;

/// Sizes whose product is about `elements`, none of them 1. Each dim takes an
/// uneven share of what is left.
Dims drawShape(Draw &draw, int64_t rank, double elements) {
  Dims shape;
  for (int64_t left = rank; left > 0; --left) {
    const double even = std::log(elements) / double(left);
    const double share =
        left == 1 ? even : even * (0.4 + 1.2 * draw.fraction());
    const int64_t size = std::max<int64_t>(2, std::llround(std::exp(share)));
    shape.push_back(size);
    elements = std::max(elements / double(size), 2.0);
  }
  return shape;
}

Dims drawOrder(Draw &draw, int64_t rank) {
  Dims perm(static_cast<size_t>(rank));
  do {
    std::iota(perm.begin(), perm.end(), 0);
    for (int64_t i = rank - 1; i > 0; --i)
      std::swap(perm[size_t(i)], perm[size_t(draw.between(0, i))]);
  } while (std::is_sorted(perm.begin(), perm.end())); // a copy is no case
  return perm;
}

} // namespace

std::vector<Case> bench::randomSuite(uint64_t seed) {
  Draw draw(seed);
  std::vector<Case> cases;
  for (int i = 0; i < caseCount; ++i) {
    const int64_t elementBytes = int64_t(1) << draw.between(0, 3);
    const int64_t rank = draw.between(minCaseRank, maxCaseRank);
    const double bytes =
        minBytes * std::pow(maxBytes / minBytes, draw.fraction());
    const Dims shape = drawShape(draw, rank, bytes / double(elementBytes));
    auto problem = Problem::make(elementBytes, shape, drawOrder(draw, rank));
    // "s1_07_9x32x18xf32": the seed, the number, the tensor.
    const std::string number = (i < 10 ? "0" : "") + std::to_string(i);
    cases.push_back({"random",
                     "s" + std::to_string(seed) + "_" + number + "_" +
                         spellTensor(*problem),
                     *problem});
  }
  return cases;
}
