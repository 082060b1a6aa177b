//===- ShuffledRun.h - runs that src has in another order -------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A run is contiguous in dst, and src reverses it, repeats it or has it in
// steps: a[::-1], a[::2], a[..., ::-1], a[:, None]. It is filled vector by
// vector. What one of them holds lies near one another in src, so it takes one
// to four loads and as many shuffles of bytes, which are the same for all
// vectors of a run. Elements have any size up to a vector.
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_LIB_RUNTIME_SHUFFLEDRUN_H
#define PERMC_LIB_RUNTIME_SHUFFLEDRUN_H

#include "permc/Runtime/GenericKernel.h"

namespace permc {

/// A run of `count` groups. Elements of a group, and groups, follow one another
/// in dst.
struct GroupedRun {
  int64_t element;     ///< bytes
  int64_t group;       ///< elements
  int64_t groupStride; ///< bytes from one to the next in src
  int64_t count;
  int64_t stride; ///< bytes from group to group in src
};

/// How the vectors of a run are filled.
struct Shuffle {
  static constexpr int vectorBytes = 16;
  static constexpr int maxWindows = 4;

  /// Where a vector's bytes are taken from: `from` is where each window starts,
  /// `masks` which of its bytes go where.
  struct Windows {
    int64_t from[maxWindows];
    uint8_t masks[maxWindows][vectorBytes];
  };

  int windowCount = 0;
  int64_t bytes = 0;   ///< of dst that a vector is to fill
  int64_t srcStep = 0; ///< bytes from vector to vector
  /// Vectors that are stored whole: what is too much of one is stored again by
  /// the next. Then some that write nothing else, and end with the run.
  int64_t whole = 0, exact = 0;
  int64_t exactSrc = 0, exactDst = 0; ///< the first of them
  Windows wholeWindows = {}, exactWindows = {};
  /// If not 0: src repeats so few bytes that they are read from a copy.
  int64_t copied = 0;
  int64_t copiedFrom = 0;

  /// Makes one for a run. False if it is too short, or its elements are too far
  /// apart, for vectors to be better than single elements. All reads are
  /// between the first and the last byte of the run in src.
  bool assign(const GroupedRun &run);
};

/// Moves runs by KernelCall::shuffle: one for each step of its loops.
GenericKernel shuffledRuns(int windowCount);

/// Whether a machine with vectors of so many bytes has such shuffles.
bool canShuffle(int64_t vectorBytes);

} // namespace permc

#endif // PERMC_LIB_RUNTIME_SHUFFLEDRUN_H
