//===- Draw.h - the same draws everywhere -----------------------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_BENCH_DRAW_H
#define PERMC_BENCH_DRAW_H

#include <cstdint>
#include <iterator>
#include <random>

namespace permc::bench {

/// The library's distributions differ between implementations; its engine does
/// not.
class Draw {
public:
  explicit Draw(uint64_t seed) : engine(seed) {}

  int64_t between(int64_t low, int64_t high) {
    return low + int64_t(engine() % uint64_t(high - low + 1));
  }
  /// From 0 to 1.
  double fraction() { return double(engine() >> 11) * 0x1p-53; }
  template <typename Range> const auto &pick(const Range &range) {
    return range[size_t(between(0, int64_t(std::size(range)) - 1))];
  }

private:
  std::mt19937_64 engine;
};

} // namespace permc::bench

#endif // PERMC_BENCH_DRAW_H
