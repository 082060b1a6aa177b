//===- Loops.cpp - loops that do one thing each ---------------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Loops.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <random>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

using namespace permc;

namespace {

/// What was loaded counts as used.
void use(uint64_t value) { asm volatile("" : : "r"(value)); }

/// What was stored counts as read.
void settle() { asm volatile("" ::: "memory"); }

uint64_t load(const char *data) {
  uint64_t word;
  std::memcpy(&word, data, sizeof word);
  return word;
}

Order shuffled(int64_t count) {
  Order order(static_cast<size_t>(count));
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), std::mt19937(1));
  return order;
}

} // namespace

Order permc::ordered(int64_t windowBytes) {
  Order order;
  for (int64_t at = 0; at < windowBytes; at += calibratedLine)
    order.push_back(static_cast<uint32_t>(at));
  return order;
}

Order permc::inRuns(int64_t windowBytes, int64_t runBytes) {
  Order order;
  for (int64_t run : shuffled(windowBytes / runBytes))
    for (int64_t at = 0; at < runBytes; at += calibratedLine)
      order.push_back(static_cast<uint32_t>(run * runBytes + at));
  return order;
}

Order permc::farApart(int64_t windowBytes) {
  constexpr int64_t apart = 4 * calibratedLine;
  Order order = shuffled(windowBytes / apart);
  for (uint32_t &at : order)
    at *= apart;
  return order;
}

Order permc::aPage(int64_t pages) {
  constexpr int64_t linesOfPage = calibratedPage / calibratedLine;
  Order order = shuffled(pages);
  // Another line of each, or all would be in the same few sets of the caches.
  for (size_t i = 0; i < order.size(); ++i)
    order[i] = static_cast<uint32_t>(order[i] * calibratedPage +
                                     static_cast<int64_t>(i) % linesOfPage *
                                         calibratedLine);
  return order;
}

void permc::readLines(const Windows &windows, const Order &order) {
  uint64_t sum = 0;
  for (int64_t i = 0; i < windows.count; ++i) {
    const char *window = windows.data + i * windows.windowBytes;
    for (uint32_t at : order)
      sum |= load(window + at);
  }
  use(sum);
}

void permc::chaseLines(const Windows &windows, const Order &order) {
  uint64_t none = 0, last = 0;
  asm volatile("" : "+r"(none)); // for all that the compiler knows it is not 0
  for (int64_t i = 0; i < windows.count; ++i) {
    const char *window = windows.data + i * windows.windowBytes;
    for (uint32_t at : order)
      last = load(window + at + (last & none));
  }
  use(last);
}

void permc::dirtyLines(const Windows &windows, const Order &order) {
  for (int64_t i = 0; i < windows.count; ++i) {
    char *window = windows.data + i * windows.windowBytes;
    for (uint32_t at : order)
      window[at] = static_cast<char>(i);
  }
  settle();
}

void permc::readRows(const char *data, int64_t rows, int64_t rowBytes,
                     int64_t rowStride) {
  uint64_t sum = 0;
  for (int64_t at = 0; at < rowBytes; at += calibratedLine)
    for (int64_t row = 0; row < rows; ++row)
      sum |= load(data + row * rowStride + at);
  use(sum);
}

void permc::addUp(int64_t times) {
  uint64_t sum = 0;
  for (int64_t i = 0; i < times; i += 16)
#if defined(__x86_64__)
    // Some machines do small constants while they rename registers.
    asm volatile(".rept 16\n\tadd %0, %0\n\t.endr" : "+r"(sum));
#else
    asm volatile("" : "+r"(sum));
#endif
  use(sum);
}

#if defined(__SSE2__)

static void storeLine(char *line, __m128i value) {
  for (int64_t at = 0; at < calibratedLine; at += 16)
    _mm_stream_si128(reinterpret_cast<__m128i *>(line + at), value);
}

void permc::streamLines(char *data, int64_t bytes) {
  const __m128i value = _mm_set1_epi8(3);
  for (int64_t at = 0; at < bytes; at += calibratedLine)
    storeLine(data + at, value);
  _mm_sfence();
}

void permc::streamAfterParts(char *data, int64_t pieces) {
  const __m128i value = _mm_set1_epi8(3);
  for (int64_t i = 0; i < pieces; ++i, data += 4 * calibratedLine) {
    _mm_storeu_si128(reinterpret_cast<__m128i *>(data + 8), value);
    storeLine(data + calibratedLine, value);
    storeLine(data + 2 * calibratedLine, value);
  }
  _mm_sfence();
}

#else

// Nobody calls these: other machines are not measured.
void permc::streamLines(char *, int64_t) {}
void permc::streamAfterParts(char *, int64_t) {}

#endif
