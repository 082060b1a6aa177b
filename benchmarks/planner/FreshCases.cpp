//===- FreshCases.cpp - problems drawn by a seed --------------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FreshCases.h"

#include "Draw.h"

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace permc;
using namespace permc::bench;

namespace {

/// Bytes of src, for both sides to fit a level of usual sizes.
struct Level {
  const char *name;
  double minBytes, maxBytes;
};
constexpr Level levels[] = {{"L1", 1e3, 16e3},
                            {"L2", 20e3, 0.5e6},
                            {"L3", 0.6e6, 7.5e6},
                            {"memory", 9e6, 64e6}};

class ProblemDraw {
public:
  explicit ProblemDraw(uint64_t seed) : draw(seed) {}

  Case next() {
    constexpr int64_t words[] = {1, 2, 4, 8}, others[] = {16, 3, 5, 6, 12};
    while (true) {
      const Level &level = draw.pick(levels);
      const double bytes =
          level.minBytes *
          std::pow(level.maxBytes / level.minBytes, draw.fraction());
      const int64_t element =
          draw.between(0, 7) ? draw.pick(words) : draw.pick(others);
      const int64_t rank = draw.between(2, draw.between(2, 8));
      auto problem = Problem::make(
          element, drawShape(rank, bytes / double(element)), drawOrder(rank));
      if (problem && problem->bytesMoved() <= level.maxBytes)
        return {level.name, spellTensor(*problem), *problem};
    }
  }

private:
  Dims drawShape(int64_t rank, double elements) {
    Dims shape;
    for (int64_t left = rank; left > 0; --left) {
      const double even = std::log(elements) / double(left);
      const double share =
          left == 1 ? even : even * (0.3 + 1.4 * draw.fraction());
      auto size = std::max<int64_t>(2, std::llround(std::exp(share)));
      // What people have is often round.
      if (draw.between(0, 2) == 0 && size > 8)
        size = (size + 4) / 8 * 8;
      shape.push_back(size);
      elements = std::max(elements / double(size), 2.0);
    }
    for (size_t i = shape.size(); i-- > 1;)
      std::swap(shape[i], shape[size_t(draw.between(0, int64_t(i)))]);
    return shape;
  }

  Dims drawOrder(int64_t rank) {
    Dims perm(static_cast<size_t>(rank));
    do {
      std::iota(perm.begin(), perm.end(), 0);
      for (size_t i = perm.size(); i-- > 1;)
        std::swap(perm[i], perm[size_t(draw.between(0, int64_t(i)))]);
    } while (std::is_sorted(perm.begin(), perm.end())); // a copy is no case
    return perm;
  }

  Draw draw;
};

} // namespace

std::vector<Case> bench::drawFreshCases(size_t count, uint64_t seed) {
  ProblemDraw draw(seed);
  std::vector<Case> cases;
  while (cases.size() < count)
    cases.push_back(draw.next());
  return cases;
}
