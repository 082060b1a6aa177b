//===- GuardedMemory.h - memory whose edges cannot be touched ---*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_TOOLS_PERMC_FUZZ_GUARDEDMEMORY_H
#define PERMC_TOOLS_PERMC_FUZZ_GUARDEDMEMORY_H

#include "Case.h"

#include <span>

namespace permc::fuzz {

/// A buffer between two pages whose touch ends the process.
class GuardedMemory {
public:
  GuardedMemory(int64_t bytes, const Place &place);
  GuardedMemory(const GuardedMemory &) = delete;
  GuardedMemory &operator=(const GuardedMemory &) = delete;
  ~GuardedMemory();

  uint8_t *data() { return start; }
  /// What there is before and behind the buffer.
  std::span<uint8_t> before() { return {first, start}; }
  std::span<uint8_t> behind() { return {start + bytes, last}; }

  void protectFromWrites(bool on);

private:
  int64_t bytes;
  uint8_t *mapped, *first, *last, *start;
  size_t mappedBytes;
};

} // namespace permc::fuzz

#endif // PERMC_TOOLS_PERMC_FUZZ_GUARDEDMEMORY_H
