//===- Buffer.h - memory to measure with ------------------------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_TOOLS_MEASURE_BUFFER_H
#define PERMC_TOOLS_MEASURE_BUFFER_H

#include "permc/Plan/Error.h"

#include <cstdint>
#include <cstdlib>
#include <memory>

namespace permc {

/// Page-aligned memory whose pages are all there: no page fault is timed.
class Buffer {
public:
  static Result<Buffer> allocate(int64_t bytes);

  char *data() const { return memory.get(); }
  int64_t size() const { return bytes; }

  /// Bytes without a period that a wrong move could hide behind: little-endian
  /// words, each a hash of its own index. Read as floats of any size they are
  /// ordinary numbers, as libraries that calculate with them expect.
  void fillWithPattern();
  void fill(unsigned char value);

private:
  Buffer(char *memory, int64_t bytes)
      : memory(memory, &std::free), bytes(bytes) {}

  std::unique_ptr<char, decltype(&std::free)> memory;
  int64_t bytes;
};

} // namespace permc

#endif // PERMC_TOOLS_MEASURE_BUFFER_H
