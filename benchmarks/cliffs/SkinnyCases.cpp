//===- SkinnyCases.cpp - shapes beside the beaten path --------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SkinnyCases.h"

#include "Draw.h"

#include <algorithm>
#include <bit>
#include <cmath>

using namespace permc;
using namespace permc::bench;

namespace {

constexpr int64_t minPlanes = 2, maxPlanes = 128, maxBatch = 64;

/// One tensor of each is well within a level and beyond the one before.
struct Level {
  const char *name;
  double minBytes, maxBytes;
};
constexpr Level levels[] = {{"L1", 2e3, 14e3},
                            {"L2", 40e3, 230e3},
                            {"L3", 1.2e6, 7e6},
                            {"memory", 9e6, 60e6}};

class SkinnyDraw {
public:
  explicit SkinnyDraw(uint64_t seed) : draw(seed) {}

  Case next() {
    const Level &level = draw.pick(levels);
    const double bytes =
        level.minBytes *
        std::pow(level.maxBytes / level.minBytes, draw.fraction());
    const int64_t element = drawElement(),
                  planes = draw.between(minPlanes, maxPlanes),
                  batch = draw.between(2, maxBatch);
    const auto elements = int64_t(bytes / double(element));
    Dims shape, perm;
    switch (draw.between(0, 3)) {
    case 0:
      shape = {planes, drawLength(elements / planes)};
      perm = {1, 0};
      break;
    case 1:
      shape = {drawLength(elements / planes), planes};
      perm = {1, 0};
      break;
    case 2:
      shape = {batch, planes, drawLength(elements / planes / batch)};
      perm = {0, 2, 1};
      break;
    default:
      shape = {drawLength(elements / planes / batch), planes, batch};
      perm = drawOrder();
    }
    Problem problem = *Problem::make(element, shape, perm);
    std::string name = spellTensor(problem) + " by ";
    for (size_t i = 0; i < perm.size(); ++i)
      name += (i ? "," : "") + std::to_string(perm[i]);
    return {level.name, name, problem};
  }

private:
  /// Mostly what machines have words for.
  int64_t drawElement() {
    constexpr int64_t words[] = {1, 2, 4, 8}, folded[] = {3, 6, 12, 16},
                      odd[] = {5, 7, 9, 10, 11, 13, 14, 15};
    const int64_t kind = draw.between(0, 9);
    return kind < 7   ? draw.pick(words)
           : kind < 9 ? draw.pick(folded)
                      : draw.pick(odd);
  }

  /// About so many: any residue of a line, or a power of two and its
  /// neighbours.
  int64_t drawLength(int64_t about) {
    constexpr int64_t line = 64;
    int64_t length;
    if (draw.between(0, 1) == 0)
      length = about / line * line + draw.between(0, line - 1);
    else
      length = int64_t(std::bit_floor(uint64_t(std::max<int64_t>(about, 1)))) +
               draw.between(-1, 1);
    return std::max<int64_t>(length, 2);
  }

  /// Any that moves one of three dims.
  Dims drawOrder() {
    const Dims orders[] = {
        {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    return draw.pick(orders);
  }

  Draw draw;
};

} // namespace

std::vector<Case> bench::drawSkinnyCases(size_t count, uint64_t seed) {
  SkinnyDraw draw(seed);
  std::vector<Case> cases;
  while (cases.size() < count)
    cases.push_back(draw.next());
  return cases;
}
