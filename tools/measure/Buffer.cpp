//===- Buffer.cpp - memory to measure with --------------------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Buffer.h"

#include "llvm/Support/Endian.h"

#include <cstring>

using namespace permc;

namespace {
constexpr int64_t pageBytes = 4096;
} // namespace

Result<Buffer> Buffer::allocate(int64_t bytes) {
  // Whole pages, and one at least: aligned_alloc wants a multiple.
  const int64_t rounded = (bytes / pageBytes + 1) * pageBytes;
  auto *memory =
      static_cast<char *>(std::aligned_alloc(pageBytes, size_t(rounded)));
  if (!memory)
    return Error{Cause::Unsupported, "no memory for a buffer of " +
                                         std::to_string(bytes) + " bytes"};
  std::memset(memory, 1, size_t(rounded));
  return Buffer(memory, bytes);
}

void Buffer::fillWithPattern() {
  // The same words as pattern() in benchmarks/python_peers.py.
  constexpr uint64_t oddFactor = 0x9E3779B97F4A7C15;
  const int64_t words = bytes / 8;
  auto word = [](int64_t index) {
    const uint64_t product = (uint64_t(index) + 1) * oddFactor;
    return ((product ^ (product >> 29)) & 0x9F9F9F9F9F9F9F9F) |
           0x2020202020202020;
  };
  for (int64_t i = 0; i < words; ++i)
    llvm::support::endian::write64le(data() + 8 * i, word(i));
  char last[8];
  llvm::support::endian::write64le(last, word(words));
  std::memcpy(data() + 8 * words, last, size_t(bytes % 8));
}

void Buffer::fill(unsigned char value) {
  std::memset(data(), value, size_t(bytes));
}
