//===- TurnedRun.cpp - runs that src repeats or reverses ------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Plain loops, which compilers turn into vectors by themselves: made twice on
// x86, for what every such machine has and for AVX2.
//
//===----------------------------------------------------------------------===//

#include "TurnedRun.h"

using namespace permc;

namespace {

/// An integer at any address, of whatever type the memory is.
template <typename T> struct AnyPlace {
  using Type [[gnu::aligned(1), gnu::may_alias]] = T;
};

template <typename T>
[[gnu::always_inline]] inline void
reverse(const char *src, char *__restrict dst, int64_t count) {
  using Any = typename AnyPlace<T>::Type;
  const Any *first = reinterpret_cast<const Any *>(src) - (count - 1);
  Any *to = reinterpret_cast<Any *>(dst);
  for (int64_t i = 0; i < count; ++i)
    to[i] = first[count - 1 - i];
}

template <typename T>
[[gnu::always_inline]] inline void repeat(const char *src, char *__restrict dst,
                                          int64_t count) {
  using Any = typename AnyPlace<T>::Type;
  const T value = *reinterpret_cast<const Any *>(src);
  Any *to = reinterpret_cast<Any *>(dst);
  for (int64_t i = 0; i < count; ++i)
    to[i] = value;
}

struct Functions {
  TurnedRun repeats, reverses;
};

template <typename T> Functions forAny() {
  return {[](const char *src, char *dst, int64_t count) {
            repeat<T>(src, dst, count);
          },
          [](const char *src, char *dst, int64_t count) {
            reverse<T>(src, dst, count);
          }};
}

#if defined(__x86_64__)
template <typename T>
[[gnu::target("avx2")]] void repeatAvx2(const char *src, char *dst,
                                        int64_t count) {
  repeat<T>(src, dst, count);
}

template <typename T>
[[gnu::target("avx2")]] void reverseAvx2(const char *src, char *dst,
                                         int64_t count) {
  reverse<T>(src, dst, count);
}
#endif

template <typename T>
Functions functionsFor([[maybe_unused]] int64_t vectorBytes) {
#if defined(__x86_64__)
  if (vectorBytes >= 32)
    return {repeatAvx2<T>, reverseAvx2<T>};
#endif
  return forAny<T>();
}

Functions functionsFor(int64_t element, int64_t vectorBytes) {
  switch (element) {
  case 1:
    return functionsFor<uint8_t>(vectorBytes);
  case 2:
    return functionsFor<uint16_t>(vectorBytes);
  case 4:
    return functionsFor<uint32_t>(vectorBytes);
  default:
    return functionsFor<uint64_t>(vectorBytes);
  }
}

} // namespace

TurnedRun permc::turnedRun(int64_t element, bool reversed,
                           int64_t vectorBytes) {
  const Functions functions = functionsFor(element, vectorBytes);
  return reversed ? functions.reverses : functions.repeats;
}
