//===- StreamingCopy.cpp - a copy that passes by the caches ---------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StreamingCopy.h"

#include <algorithm>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

using namespace permc;

#if defined(__SSE2__)

bool permc::hasStreamingCopy() { return true; }

void permc::streamingCopy(void *dst, const void *src, int64_t bytes) {
  constexpr int64_t line = 64;
  auto *to = static_cast<char *>(dst);
  const auto *from = static_cast<const char *>(src);
  const int64_t misaligned = -reinterpret_cast<intptr_t>(dst) & (line - 1);
  const int64_t head = std::min(bytes, misaligned);
  std::memcpy(to, from, size_t(head));
  int64_t done = head;
  // Whole lines: four stores fill one buffer of the write-combining unit, so
  // 16-byte stores are as fast here as wider ones.
  for (; done + line <= bytes; done += line) {
    __m128i words[4];
    for (int64_t i = 0; i < 4; ++i)
      words[i] = _mm_loadu_si128(
          reinterpret_cast<const __m128i *>(from + done + 16 * i));
    for (int64_t i = 0; i < 4; ++i)
      _mm_stream_si128(reinterpret_cast<__m128i *>(to + done + 16 * i),
                       words[i]);
  }
  std::memcpy(to + done, from + done, size_t(bytes - done));
  _mm_sfence();
}

#else

bool permc::hasStreamingCopy() { return false; }

void permc::streamingCopy(void *dst, const void *src, int64_t bytes) {
  std::memcpy(dst, src, size_t(bytes));
}

#endif
