//===- ShuffledBatch.h - small matrices, by bytes ---------------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A batch of small blocks of memory, in each of which bytes change places in
// the same way: matrices of a few hundred bytes, for which tiles are too large
// and loops too short. As many as fit are loaded into vectors, and each vector
// of dst takes its bytes from all of them by tables. For processors that
// shuffle the bytes of two whole vectors (AVX-512 VBMI).
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_LIB_RUNTIME_SHUFFLEDBATCH_H
#define PERMC_LIB_RUNTIME_SHUFFLEDBATCH_H

#include "permc/Runtime/GenericKernel.h"

#include <span>

namespace permc {

/// Which bytes of a block go where.
struct BlockShuffle {
  static constexpr int64_t vectorBytes = 64, maxVectors = 4,
                           maxBytes = maxVectors * vectorBytes;
  int64_t bytes = 0; ///< of a block
  /// For each vector of dst the bytes of the first two of src, of the others,
  /// and which of its own are the others'.
  struct Vector {
    uint8_t low[vectorBytes], high[vectorBytes];
    uint64_t isHigh;
  };
  Vector vectors[maxVectors];

  int64_t vectorCount() const {
    return (bytes + vectorBytes - 1) / vectorBytes;
  }

  /// `offsets` are where in src the elements of a block are, in the order of
  /// dst.
  void assign(std::span<const intptr_t> offsets, int64_t element);
};

/// Whether this processor can.
bool canShuffleBlocks();

/// Moves blocks by KernelCall::blocks, for each step of the call's inner loop;
/// the last is moved back to end with it. A unit of the loop has more bytes
/// than the last vector of a block has left.
GenericKernel shuffledBlocks(int64_t vectorCount);

} // namespace permc

#endif // PERMC_LIB_RUNTIME_SHUFFLEDBATCH_H
