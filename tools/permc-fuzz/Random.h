//===- Random.h - the same dice for the same seed ---------------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_TOOLS_PERMC_FUZZ_RANDOM_H
#define PERMC_TOOLS_PERMC_FUZZ_RANDOM_H

#include <cstdint>
#include <random>
#include <utility>

namespace permc::fuzz {

/// Not std::uniform_int_distribution and std::shuffle: what these draw is left
/// to the library.
class Random {
public:
  Random(uint64_t seed, uint64_t stream)
      : engine(seed * 0x9E3779B97F4A7C15u ^ (stream + 1)) {}

  int64_t between(int64_t low, int64_t high) {
    return low + int64_t(engine() % uint64_t(high - low + 1));
  }
  bool oneIn(int64_t count) { return between(1, count) == 1; }

  template <typename List> auto &pick(List &list) {
    return list[size_t(between(0, int64_t(std::size(list)) - 1))];
  }
  template <typename List> void shuffle(List &list) {
    for (size_t i = std::size(list); i > 1; --i)
      std::swap(list[i - 1], list[size_t(between(0, int64_t(i) - 1))]);
  }

private:
  std::mt19937_64 engine;
};

} // namespace permc::fuzz

#endif // PERMC_TOOLS_PERMC_FUZZ_RANDOM_H
