//===- Reference.h - what a permutation is, said once more ------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The loop that everything is compared with. It includes nothing of permc: a
// mistake there cannot hide itself here.
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_TOOLS_PERMC_FUZZ_REFERENCE_H
#define PERMC_TOOLS_PERMC_FUZZ_REFERENCE_H

#include "Case.h"

namespace permc::fuzz {

/// The bytes from the lowest that some element has to past the highest,
/// counted from the element at index 0.
struct Extent {
  int64_t low = 0, high = 0;
  int64_t bytes() const { return high - low; }
};

/// A permutation as loops over the output's dims, slowest first.
struct Moves {
  Ints sizes, srcStrides, dstStrides; ///< strides in bytes
  int64_t element = 1;
  Extent src, dst;

  int64_t elements() const;
};

/// What a run of a case has to do.
Moves movesOf(const Case &one, const Run &run);

/// dst before a run and after it, each from dst.low on. Before it no byte that
/// must be written is what it has to become; gaps have `gapByte` in both.
struct Images {
  std::vector<uint8_t> before, after;

  bool isGap(size_t offset) const;
};
inline constexpr uint8_t gapByte = 0xA5;

/// The byte of src at an offset from src.low. `salt` makes another tensor.
uint8_t srcByte(int64_t offset, uint64_t salt);

Images imagesOf(const Moves &moves, uint64_t salt);

} // namespace permc::fuzz

#endif // PERMC_TOOLS_PERMC_FUZZ_REFERENCE_H
