//===- Canonicalize.h - simplify until nothing changes ----------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_LIB_PLAN_CANONICALIZE_H
#define PERMC_LIB_PLAN_CANONICALIZE_H

#include <cstdint>
#include <string_view>
#include <vector>

namespace permc {

/// The widest word up to a limit that an element is made of.
inline int64_t wordOf(int64_t elementBytes, int64_t limitBytes) {
  int64_t word = 1;
  while (word * 2 <= limitBytes && elementBytes % (word * 2) == 0)
    word *= 2;
  return word;
}

/// The order of the steps, for problems of any kind that has them.
template <typename AnyProblem, typename Step>
AnyProblem simplifyToTheEnd(const AnyProblem &problem, int64_t foldLimitBytes,
                            std::vector<Step> *steps) {
  AnyProblem current = problem;
  auto apply = [&](std::string_view name, AnyProblem next) {
    if (next == current)
      return false;
    current = std::move(next);
    if (steps)
      steps->push_back({name, current});
    return true;
  };
  bool changed = true;
  while (changed) {
    changed = apply("flip", flip(current));
    changed |= apply("squeeze", squeeze(current));
    changed |= apply("merge", merge(current));
    changed |= apply("fold", fold(current, foldLimitBytes));
  }
  return current;
}

} // namespace permc

#endif // PERMC_LIB_PLAN_CANONICALIZE_H
