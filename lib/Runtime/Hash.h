//===- Hash.h - hash the numbers of a problem -------------------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_LIB_RUNTIME_HASH_H
#define PERMC_LIB_RUNTIME_HASH_H

#include <cstdint>

namespace permc {

/// Fibonacci hashing: the high bits depend on all bits.
inline uint64_t mix(uint64_t hash, int64_t word) {
  hash = (hash ^ uint64_t(word)) * 0x9E3779B97F4A7C15u;
  return hash ^ (hash >> 29);
}

} // namespace permc

#endif // PERMC_LIB_RUNTIME_HASH_H
