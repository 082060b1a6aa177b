//===- SmallWorld.cpp - every small permutation there is ------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SmallWorld.h"

#include <algorithm>
#include <numeric>

using namespace permc;
using namespace permc::fuzz;

SmallWorld::SmallWorld(const Menu &menu) {
  for (const std::string &target : menu.here)
    add(target, Api::Jit);
  for (const std::string &target : menu.shims)
    add(target, Api::Shim);
  for (const std::string &target : menu.elsewhere)
    add(target, Api::Program);
}

void SmallWorld::add(const std::string &target, Api api) {
  for (int64_t element : {1, 2, 3, 4, 8, 16})
    if (api != Api::Program || (element != 3 && element <= 4))
      list.push_back({target, api, element});
}

std::string SmallWorld::name(uint64_t number) const {
  const Group &group = list[number];
  return group.target + " " + apiName(group.api) + " bytes" +
         std::to_string(group.element);
}

/// Every order of every shape of a rank, with dims up to `most`.
static void visitRank(Case &one, size_t rank, int64_t most,
                      const std::function<void(const Case &)> &body) {
  one.shape.assign(rank, 1);
  one.order.resize(rank);
  for (bool more = true; more;) {
    std::iota(one.order.begin(), one.order.end(), 0);
    do
      body(one);
    while (std::ranges::next_permutation(one.order).found);
    size_t dim = rank;
    while (dim > 0 && ++one.shape[dim - 1] > most)
      one.shape[--dim] = 1;
    more = dim > 0;
  }
}

void SmallWorld::visit(uint64_t number,
                       const std::function<void(const Case &)> &body) const {
  const Group &group = list[number];
  Case one;
  one.target = group.target;
  one.api = group.api;
  one.element = group.element;
  one.runs.resize(2);
  one.runs[0].src.atEnd = one.runs[0].dst.atEnd = true;
  one.runs[1].parts = group.api == Api::Shim ? 0 : 3;
  one.runs[1].threads = 2;
  const bool subset = group.api == Api::Program;
  for (size_t rank = 1; rank <= (subset ? 3 : 4); ++rank)
    visitRank(one, rank, subset ? 4 : 5, body);
  if (!subset)
    visitRank(one, 5, 3, body);
}
