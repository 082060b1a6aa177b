//===- TurnedRun.h - runs that src repeats or reverses ----------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_LIB_RUNTIME_TURNEDRUN_H
#define PERMC_LIB_RUNTIME_TURNEDRUN_H

#include <cstdint>

namespace permc {

/// Elements of such a size are turned by vectors.
inline bool canTurn(int64_t element) {
  return element == 1 || element == 2 || element == 4 || element == 8;
}

/// Fills `count` elements that follow one another in dst: all with the one at
/// src, or, if it is `reversed`, with that one and those before it.
using TurnedRun = void (*)(const char *src, char *dst, int64_t count);

/// The function for elements of a size that can be turned. `vectorBytes` is
/// what the machine is known to have.
TurnedRun turnedRun(int64_t element, bool reversed, int64_t vectorBytes);

} // namespace permc

#endif // PERMC_LIB_RUNTIME_TURNEDRUN_H
