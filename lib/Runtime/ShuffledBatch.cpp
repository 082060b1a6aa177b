//===- ShuffledBatch.cpp - small matrices, by bytes -----------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ShuffledBatch.h"

#include <algorithm>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

using namespace permc;

void BlockShuffle::assign(std::span<const intptr_t> offsets, int64_t element) {
  bytes = int64_t(offsets.size()) * element;
  for (Vector &vector : vectors)
    vector = {};
  constexpr int64_t pair = 2 * vectorBytes;
  for (int64_t byte = 0; byte < bytes; ++byte) {
    const int64_t from = offsets[size_t(byte / element)] + byte % element,
                  at = byte % vectorBytes;
    Vector &vector = vectors[byte / vectorBytes];
    (from < pair ? vector.low : vector.high)[at] = uint8_t(from % pair);
    vector.isHigh |= uint64_t{from >= pair} << at;
  }
}

#if defined(__x86_64__)

namespace {

#define PERMC_VBMI                                                             \
  [[gnu::target("avx512f,avx512bw,avx512vbmi"), gnu::always_inline]]

template <int count> struct Tables {
  __m512i low[count], high[count];
  __mmask64 isHigh[count];
};

/// One vector of dst from all of src.
template <int count>
PERMC_VBMI inline __m512i take(const __m512i *src, const Tables<count> &tables,
                               int i) {
  if constexpr (count == 1) {
    // gcc 12 warns of its own header without the mask.
    return _mm512_maskz_permutexvar_epi8(~uint64_t{0}, tables.low[i], src[0]);
  } else {
    const __m512i low = _mm512_permutex2var_epi8(src[0], tables.low[i], src[1]);
    if constexpr (count == 3)
      return _mm512_mask_permutexvar_epi8(low, tables.isHigh[i], tables.high[i],
                                          src[2]);
    else if constexpr (count == 4)
      return _mm512_mask_mov_epi8(
          low, tables.isHigh[i],
          _mm512_permutex2var_epi8(src[2], tables.high[i], src[3]));
    else
      return low;
  }
}

/// Of its last vector only the bytes of `last` are touched.
template <int count>
PERMC_VBMI inline void moveBlock(const char *src, char *dst,
                                 const Tables<count> &tables, __mmask64 last) {
  constexpr int64_t vector = BlockShuffle::vectorBytes;
  __m512i loaded[count];
  for (int i = 0; i + 1 < count; ++i)
    loaded[i] = _mm512_loadu_si512(src + i * vector);
  loaded[count - 1] = _mm512_maskz_loadu_epi8(last, src + (count - 1) * vector);
  for (int i = 0; i + 1 < count; ++i)
    _mm512_storeu_si512(dst + i * vector, take<count>(loaded, tables, i));
  _mm512_mask_storeu_epi8(dst + (count - 1) * vector, last,
                          take<count>(loaded, tables, count - 1));
}

template <int count>
[[gnu::target("avx512f,avx512bw,avx512vbmi")]] void
moveBlocks(const char *src, char *dst, const KernelCall *call) {
  const BlockShuffle &shuffle = *call->blocks;
  Tables<count> tables;
  for (int i = 0; i < count; ++i) {
    tables.low[i] = _mm512_loadu_si512(shuffle.vectors[i].low);
    tables.high[i] = _mm512_loadu_si512(shuffle.vectors[i].high);
    tables.isHigh[i] = shuffle.vectors[i].isHigh;
  }
  constexpr uint64_t all = ~uint64_t{0};
  const KernelLoop loop = call->loops[1];
  const intptr_t last = loop.size - loop.step;
  // Whole vectors, which are faster: the next block stores over what is too
  // much, and there is enough of it.
  for (intptr_t i = 0; i < last; i += loop.step)
    moveBlock<count>(src + i * loop.src, dst + i * loop.dst, tables, all);
  moveBlock<count>(src + last * loop.src, dst + last * loop.dst, tables,
                   all >> (count * BlockShuffle::vectorBytes - shuffle.bytes));
}

} // namespace

bool permc::canShuffleBlocks() {
  static const bool can = __builtin_cpu_supports("avx512vbmi") &&
                          __builtin_cpu_supports("avx512bw");
  return can;
}

GenericKernel permc::shuffledBlocks(int64_t vectorCount) {
  switch (vectorCount) {
  case 1:
    return moveBlocks<1>;
  case 2:
    return moveBlocks<2>;
  case 3:
    return moveBlocks<3>;
  default:
    return moveBlocks<4>;
  }
}

#else

bool permc::canShuffleBlocks() { return false; }

GenericKernel permc::shuffledBlocks(int64_t) { return nullptr; }

#endif
