//===- WordTile.h - a tile's moves through plain registers ------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// On a machine without vectors a tile is straight-line code of two kinds of
// step: load a word of src, store some bytes of a loaded word to dst.
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_PLAN_WORDTILE_H
#define PERMC_PLAN_WORDTILE_H

#include "permc/Plan/Schedule.h"

namespace permc {

/// What a tile may do to memory.
struct WordAccess {
  int64_t loadBytes = 4; ///< the widest load: 1, 2, 4, 8 or maxWordLoad
  /// Moves of up to four bytes may be at any address.
  bool unaligned = false;
  /// What is known of the addresses at which the buffers start.
  int64_t srcAlignment = 1, dstAlignment = 1;
};

/// An eight-byte access is two words to the machine: it needs no more than the
/// alignment of one.
inline constexpr int64_t maxWordAlignment = 4;

/// Bytes of the longest load of several words.
inline constexpr int64_t maxWordLoad = 32;

struct WordTile {
  /// Loads `bytes` (a power of two) at `offset` from the tile's first byte.
  struct Load {
    int64_t offset, bytes;
    bool aligned; ///< it must be, and is if the buffer is
  };
  /// Stores `bytes` of the word that load `load` gave, its byte `from` first
  /// (the lowest being 0), at `offset` from the tile's first byte in dst.
  struct Store {
    size_t load;
    int64_t from, bytes, offset;
    bool aligned;
  };
  std::vector<Load> loads;
  /// In the order in which they must happen. The stores of a load follow it and
  /// come before the next load.
  std::vector<Store> stores;

  /// Whether a word is stored otherwise than whole: only a little-endian
  /// machine has its bytes where the tile expects them.
  bool dependsOnByteOrder() const;
};

/// Whether the tile of a WordTranspose moves its elements right.
Status checkWordTile(const Problem &canonical, const Schedule &schedule);

/// The moves of a tile of `sizes` elements (by dim, in output order) of a
/// scheduled problem. The schedule's own tile, or what its loops leave at the
/// end of a dim. Fails only if the moves do not prove to be those of the
/// problem.
Result<WordTile> wordTile(const Problem &canonical, const Schedule &schedule,
                          const Dims &sizes, const WordAccess &access);

/// The access of code that relies on aligned buffers.
WordAccess alignedAccess(const TargetFacts &facts);

} // namespace permc

#endif // PERMC_PLAN_WORDTILE_H
