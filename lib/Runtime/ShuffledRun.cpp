//===- ShuffledRun.cpp - runs that src has in another order ---------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ShuffledRun.h"

#include "permc/Plan/CeilDiv.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__ARM_NEON)
#include <arm_neon.h>
#endif

using namespace permc;

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

namespace {

constexpr int64_t vectorBytes = Shuffle::vectorBytes;

/// A byte of a window that a shuffle takes as zero.
constexpr uint8_t noByte = 0x80;

/// Fewer bytes of a vector do not pay.
constexpr int64_t minBytes = vectorBytes / 2;

/// Which bytes of src a run, or a part of it, takes: [low, high) from where its
/// first element is.
struct Extent {
  int64_t low, high;
  int64_t bytes() const { return high - low; }
};

Extent extentOf(const GroupedRun &run, int64_t groups) {
  const int64_t across = (run.group - 1) * run.groupStride,
                along = (groups - 1) * run.stride;
  return {std::min<int64_t>(across, 0) + std::min<int64_t>(along, 0),
          std::max<int64_t>(across, 0) + std::max<int64_t>(along, 0) +
              run.element};
}

/// Places windows for the vectors of a run.
class WindowMaker {
public:
  WindowMaker(const GroupedRun &run, int windows, int64_t groupsOfEach)
      : run(run), windows(windows), groups(groupsOfEach),
        window(extentOf(run, groups)), whole(extentOf(run, run.count)) {}

  int64_t groupsOfVector() const { return windows * groups; }

  /// Of a window that has room left: where it starts, from the first element it
  /// takes, if the room is above or below what it takes.
  int64_t startWith(bool roomAbove) const {
    return roomAbove ? window.low : window.high - vectorBytes;
  }

  Shuffle::Windows make(bool roomAbove) const {
    Shuffle::Windows made = {};
    for (int i = 0; i < windows; ++i) {
      made.from[i] = i * groups * run.stride + startWith(roomAbove);
      fillMask(made.masks[i], i, startWith(roomAbove));
    }
    return made;
  }

  /// Whether the windows of the vector that begins with a group stay inside.
  bool stayInside(int64_t first, bool roomAbove) const {
    const int64_t ends[] = {first, first + (windows - 1) * groups};
    for (int64_t group : ends) {
      const int64_t start = group * run.stride + startWith(roomAbove);
      if (start < whole.low || start + vectorBytes > whole.high)
        return false;
    }
    return true;
  }

private:
  void fillMask(uint8_t *mask, int index, int64_t start) const {
    std::fill_n(mask, vectorBytes, noByte);
    const int64_t groupBytes = run.group * run.element;
    for (int64_t byte = 0; byte < groups * groupBytes; ++byte) {
      const int64_t from = byte / groupBytes * run.stride +
                           byte % groupBytes / run.element * run.groupStride +
                           byte % run.element;
      mask[index * groups * groupBytes + byte] = uint8_t(from - start);
    }
  }

  const GroupedRun &run;
  const int windows;
  const int64_t groups;
  const Extent window, whole;
};

/// How many groups a window and its share of the vector hold.
int64_t groupsOfWindow(const GroupedRun &run, int windows) {
  const int64_t room = vectorBytes / (run.group * run.element * windows),
                across = extentOf(run, 1).bytes();
  if (across > vectorBytes)
    return 0;
  if (run.stride == 0)
    return room;
  return std::min(room, (vectorBytes - across) / std::abs(run.stride) + 1);
}

} // namespace

bool Shuffle::assign(const GroupedRun &run) {
  const int64_t groupBytes = run.group * run.element;
  int64_t groups = 0;
  windowCount = 0;
  bytes = 0;
  for (int windows : {1, 2, maxWindows}) {
    const int64_t some = groupsOfWindow(run, windows);
    if (windows * some * groupBytes <= bytes)
      continue;
    windowCount = windows;
    groups = some;
    bytes = windows * some * groupBytes;
  }
  // One element in a window is better moved by itself.
  if (bytes < minBytes || groups * run.group < 2)
    return false;

  const WindowMaker maker(run, windowCount, groups);
  const int64_t atOnce = maker.groupsOfVector();
  copied = copiedFrom = 0;
  if (run.stride == 0) {
    copiedFrom = extentOf(run, 1).low;
    copied = extentOf(run, 1).bytes();
  }
  // Vectors go on in src to where there is room, but for the last ones.
  const bool roomAbove = run.stride >= 0;
  auto isWhole = [&](int64_t first) {
    return first * groupBytes + vectorBytes <= run.count * groupBytes &&
           (copied || maker.stayInside(first, roomAbove));
  };
  // The further on, the less room there is.
  int64_t none = run.count / atOnce + 1;
  whole = 0;
  while (whole < none)
    if (int64_t middle = whole + (none - whole) / 2; isWhole(middle * atOnce))
      whole = middle + 1;
    else
      none = middle;
  if (whole == 0)
    return false;
  exact = ceilDiv(run.count - whole * atOnce, atOnce);
  const int64_t first = run.count - exact * atOnce;
  if (exact > 0 && !copied && !maker.stayInside(first, !roomAbove))
    return false;

  srcStep = atOnce * run.stride;
  exactSrc = first * run.stride;
  exactDst = first * groupBytes;
  wholeWindows = maker.make(roomAbove);
  exactWindows = maker.make(!roomAbove);
  return true;
}

//===----------------------------------------------------------------------===//
// Vectors
//===----------------------------------------------------------------------===//

// Made for x86-64-v3 and later: the first x86-64 shuffles no bytes.
#if defined(__x86_64__)
#define PERMC_SHUFFLES [[gnu::target("avx2")]]
#else
#define PERMC_SHUFFLES
#endif

namespace {

#if defined(__x86_64__)

using Vector = __m128i;

PERMC_SHUFFLES inline Vector load(const void *at) {
  return _mm_loadu_si128(static_cast<const Vector *>(at));
}
PERMC_SHUFFLES inline void store(char *at, Vector value) {
  _mm_storeu_si128(reinterpret_cast<Vector *>(at), value);
}
PERMC_SHUFFLES inline Vector shuffle(Vector bytes, Vector mask) {
  return _mm_shuffle_epi8(bytes, mask);
}
PERMC_SHUFFLES inline Vector both(Vector a, Vector b) {
  return _mm_or_si128(a, b);
}
/// The vector and once more behind it, in one.
PERMC_SHUFFLES inline void storeTwice(char *at, Vector value) {
  _mm256_storeu_si256(reinterpret_cast<__m256i *>(at),
                      _mm256_broadcastsi128_si256(value));
}

#elif defined(__ARM_NEON)

using Vector = uint8x16_t;

inline Vector load(const void *at) {
  return vld1q_u8(static_cast<const uint8_t *>(at));
}
inline void store(char *at, Vector value) {
  vst1q_u8(reinterpret_cast<uint8_t *>(at), value);
}
/// Bytes that the mask has out of range are zeros.
inline Vector shuffle(Vector bytes, Vector mask) {
#if defined(__aarch64__)
  return vqtbl1q_u8(bytes, mask);
#else
  const uint8x8x2_t table = {{vget_low_u8(bytes), vget_high_u8(bytes)}};
  return vcombine_u8(vtbl2_u8(table, vget_low_u8(mask)),
                     vtbl2_u8(table, vget_high_u8(mask)));
#endif
}
inline Vector both(Vector a, Vector b) { return vorrq_u8(a, b); }
inline void storeTwice(char *at, Vector value) {
  store(at, value);
  store(at + Shuffle::vectorBytes, value);
}

#endif

#if defined(__x86_64__) || defined(__ARM_NEON)

/// A vector whose windows are so far from `src`.
template <int windowCount>
PERMC_SHUFFLES inline Vector gather(const char *src, const int64_t *from,
                                    const Vector *masks) {
  Vector value = shuffle(load(src + from[0]), masks[0]);
  for (int i = 1; i < windowCount; ++i)
    value = both(value, shuffle(load(src + from[i]), masks[i]));
  return value;
}

/// The first of a vector's bytes, 8 at least.
PERMC_SHUFFLES inline void storeSome(char *at, Vector value, int64_t bytes) {
  if (bytes == vectorBytes)
    return store(at, value);
  char all[vectorBytes];
  store(all, value);
  std::memcpy(at, all, minBytes);
  std::memcpy(at + bytes - minBytes, all + bytes - minBytes, minBytes);
}

/// The same vector all over a run.
PERMC_SHUFFLES inline void fill(char *dst, const Shuffle &run, Vector value) {
  char *write = dst;
  int64_t left = run.whole;
  for (; run.bytes == vectorBytes && left >= 2; left -= 2) {
    storeTwice(write, value);
    write += 2 * vectorBytes;
  }
  for (; left > 0; --left, write += run.bytes)
    store(write, value);
  write = dst + run.exactDst;
  for (int64_t k = 0; k < run.exact; ++k, write += run.bytes)
    storeSome(write, value, run.bytes);
}

template <int windowCount> struct Masks {
  Vector whole[windowCount], exact[windowCount];
};

template <int windowCount>
PERMC_SHUFFLES inline void moveRun(const char *src, char *dst,
                                   const Shuffle &run,
                                   const Masks<windowCount> &masks) {
  const char *read = src;
  char *write = dst;
  for (int64_t k = 0; k < run.whole; ++k) {
    store(write, gather<windowCount>(read, run.wholeWindows.from, masks.whole));
    read += run.srcStep;
    write += run.bytes;
  }
  read = src + run.exactSrc;
  write = dst + run.exactDst;
  for (int64_t k = 0; k < run.exact; ++k) {
    storeSome(write,
              gather<windowCount>(read, run.exactWindows.from, masks.exact),
              run.bytes);
    read += run.srcStep;
    write += run.bytes;
  }
}

template <int windowCount>
PERMC_SHUFFLES inline void moveOrFill(const char *src, char *dst,
                                      const Shuffle &run,
                                      const Masks<windowCount> &masks) {
  if (!run.copied)
    return moveRun<windowCount>(src, dst, run, masks);
  char copy[vectorBytes] = {};
  std::memcpy(copy, src + run.copiedFrom, size_t(run.copied));
  fill(dst, run, shuffle(load(copy), masks.whole[0]));
}

template <int windowCount>
PERMC_SHUFFLES void moveRuns(const char *src, char *dst,
                             const KernelCall *call) {
  // A copy: what is stored could be a part of the one that the plan has, as far
  // as a compiler knows.
  const Shuffle run = *call->shuffle;
  const KernelLoop outer = call->loops[0], inner = call->loops[1],
                   batch = call->loops[2];
  Masks<windowCount> masks;
  for (int i = 0; i < windowCount; ++i) {
    masks.whole[i] = load(run.wholeWindows.masks[i]);
    masks.exact[i] = load(run.exactWindows.masks[i]);
  }
  for (intptr_t b = 0; b < batch.size; ++b, src += batch.src, dst += batch.dst)
    for (intptr_t i = 0; i < outer.size; ++i)
      for (intptr_t j = 0; j < inner.size; ++j)
        moveOrFill(src + i * outer.src + j * inner.src,
                   dst + i * outer.dst + j * inner.dst, run, masks);
}

#endif

} // namespace

bool permc::canShuffle([[maybe_unused]] int64_t vectorBytes) {
#if defined(__x86_64__)
  return vectorBytes >= 32;
#elif defined(__ARM_NEON)
  return true;
#else
  return false;
#endif
}

GenericKernel permc::shuffledRuns([[maybe_unused]] int windowCount) {
#if defined(__x86_64__) || defined(__ARM_NEON)
  switch (windowCount) {
  case 1:
    return moveRuns<1>;
  case 2:
    return moveRuns<2>;
  default:
    return moveRuns<Shuffle::maxWindows>;
  }
#else
  return nullptr;
#endif
}
