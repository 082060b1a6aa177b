//===- GenericPlan.h - loops round a generic kernel -------------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What Schedule is to the compiler this is to the shim: the loops round a
// kernel that is there already. They are one flat counter of units, but for
// those round blocks.
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_LIB_RUNTIME_GENERICPLAN_H
#define PERMC_LIB_RUNTIME_GENERICPLAN_H

#include "KernelTable.h"
#include "ShuffledBatch.h"
#include "ShuffledRun.h"

#include "permc/Plan/FixedProblem.h"
#include "permc/Plan/Schedule.h"

namespace permc {

inline bool startsLine(const char *dst) {
  return reinterpret_cast<uintptr_t>(dst) % streamLineBytes == 0;
}

/// One loop of the nest.
struct NestLoop {
  int64_t count;
  int64_t src, dst; ///< bytes for each step
  /// If not negative: the loop goes through blocks of this loop of the kernel.
  /// All blocks have the same size but the last.
  int ranged = -1;
  int64_t block = 0, last = 0;
};

/// A loop inside a block.
struct BlockLoop {
  int64_t count;
  int64_t src, dst; ///< bytes for each step
};

/// Blocks of one shape that cover a tensor; the last along a dim is moved back
/// to end with it.
struct BlockNest {
  unsigned loopCount = 0;
  Loop loops[maxRank + 3]; ///< outermost first
  unsigned rank = 0;
  LoopDim dims[maxRank];
  int64_t last[maxRank]; ///< place of a block along each dim
  /// The dims that the kernel's loops go along as far as a block does; -1: the
  /// loop has a size of its own.
  int kernelDims[3] = {-1, -1, -1};
};

/// Loops over the pieces of a block, the fastest first. What is contiguous may
/// be cut into pieces too.
struct PieceLoops {
  unsigned count = 0;
  BlockLoop loops[maxRank + 1];
  int64_t pieces = 1;

  void add(const BlockLoop &loop) {
    loops[count++] = loop;
    pieces *= loop.count;
  }
};

/// A block goes through a buffer, whose rows are streamed to dst.
struct PanelRows {
  GenericKernel stream = nullptr;
  int64_t bytes = 0; ///< of a row
  PieceLoops rows;   ///< src is the buffer
  /// The slowest dim that a row goes along, or -1.
  int rowDim = -1;
  /// If not negative: rows end where lines of dst do. Along this dim blocks are
  /// `step` apart and have `line` elements more.
  int cutDim = -1;
  int64_t step = 0, line = 0;
  /// The ends of rows have to be read, and are prefetched.
  bool prefetchesEnds = false;
  /// What the next panel reads is prefetched while this one goes out: stretches
  /// of so many bytes, so far ahead. 0: nothing is.
  int64_t ahead = 0;
  int64_t stretchBytes = 0;
  PieceLoops stretches;
};

/// What goes from a buffer to dst by runs, one call for each block.
struct Staging {
  GenericKernel out = nullptr;
  KernelCall call;
  static constexpr int64_t bufferBytes = 24 << 10;
};

/// Its call points into its tables: it stays where it was made.
struct GenericPlan {
  GenericPlan() = default;
  GenericPlan(const GenericPlan &) = delete;
  GenericPlan &operator=(const GenericPlan &) = delete;

  enum class Body {
    Nothing,
    Kernel, ///< one call of the kernel for each unit
    Blocks, ///< one call of the kernel for each block
    /// The kernel fills a buffer with a block, in as many units as it takes.
    Panels,
    /// The kernel fills a buffer with a block in one call. It is copied to dst:
    /// straight there its columns would drive each other out of the cache.
    Staged,
    /// Blocks of long runs, past the cache: the kernel's inner loop goes along
    /// the run.
    StreamBlocks
  };
  Body body = Body::Nothing;
  GenericKernel kernel = nullptr;
  Shuffle shuffle;           ///< if the kernel is one of shuffledRuns
  BlockShuffle blockShuffle; ///< ... of shuffledBlocks
  /// Where the nest begins: bytes from the first element. Not 0 if a dim is
  /// walked through backwards, from its last.
  int64_t srcStart = 0, dstStart = 0;
  /// Stores go past the cache. How, depends on whether dst starts with a line.
  bool streams = false;
  bool dstStartsLine = false;
  KernelCall call;

  unsigned loopCount = 0;
  NestLoop loops[maxRank + 2]; ///< outermost first
  int64_t units = 0;
  int64_t bytes = 0; ///< moved by the whole

  BlockNest blocks;
  PanelRows panel;
  Staging staging;
  static constexpr int64_t bufferBytes = 80 << 10;

  /// Joined dims up to this many offsets; the last block of a dim can have
  /// nearly twice as many.
  static constexpr int64_t maxJoined = 512;
  intptr_t rows[2 * maxJoined];
  intptr_t columns[2 * maxJoined];

  /// Whether the plan is one for this dst.
  bool isFor(const char *dst) const {
    return !streams || dstStartsLine == startsLine(dst);
  }
};

/// Plans a canonical problem that is not empty. It may be a part of one that
/// moves `wholeBytes`.
void makeGenericPlan(const FixedProblem &canonical, const KernelTable &kernels,
                     GenericPlan &plan, bool dstStartsLine,
                     int64_t wholeBytes = 0);

/// Does all units. `src` and `dst` are where the first element is; the plan is
/// one for `dst`.
void runGenericPlan(const GenericPlan &plan, const char *src, char *dst);

} // namespace permc

#endif // PERMC_LIB_RUNTIME_GENERICPLAN_H
