//===- GenericPlan.h - loops round a generic kernel -------------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What Schedule is to the compiler this is to the shim: the loops round a
// kernel that is there already. All loops together are one flat counter of
// units.
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_LIB_RUNTIME_GENERICPLAN_H
#define PERMC_LIB_RUNTIME_GENERICPLAN_H

#include "KernelTable.h"

#include "permc/Plan/FixedProblem.h"

namespace permc {

/// One loop of the nest.
struct NestLoop {
  int64_t count;
  int64_t src, dst; ///< bytes for each step
  /// If not negative: the loop goes through blocks of this loop of the kernel.
  /// All blocks have the same size but the last.
  int ranged = -1;
  int64_t block = 0, last = 0;
};

struct GenericPlan {
  enum class Body {
    Nothing,
    Kernel, ///< one call of the kernel for each unit
    /// The kernel fills a buffer, whose rows are streamed to dst.
    Panels,
    /// Blocks of long runs, past the cache: the kernel's inner loop goes along
    /// the run.
    StreamBlocks
  };
  Body body = Body::Nothing;
  GenericKernel kernel = nullptr;
  /// Instead of `kernel` where dst is aligned to lines; may be null.
  GenericKernel aligned = nullptr;
  GenericKernel stream = nullptr; ///< Panels: streams the buffer's rows
  bool fences = false; ///< even if dst is not aligned, something is streamed
  KernelCall call;     ///< without the addresses of the tables

  unsigned loopCount = 0;
  NestLoop loops[maxRank + 2]; ///< outermost first
  int64_t units = 0;
  int64_t bytes = 0; ///< moved by the whole

  // Panels: the kernel's inner loop goes along the columns.
  int64_t panelColumns = 0;    ///< of one panel
  int64_t panelRowBytes = 0;   ///< from a row of the buffer to the next
  int64_t columnStride = 0;    ///< from a column to the next in dst
  bool panelIsRun = false;     ///< columns follow one another without a gap
  bool asksForRowEnds = false; ///< before a panel is filled
  /// Columns of two dims: this many of the first, so far apart in dst, and then
  /// columnStride to the next of the second.
  int64_t innerColumns = 1, innerColumnStride = 0;
  /// Rows of two dims: the kernel is called for each of the first.
  KernelLoop repeat;
  static constexpr int64_t bufferBytes = 96 << 10;

  /// Joined dims up to this many offsets; the last block of a dim can have
  /// nearly twice as many.
  static constexpr int64_t maxJoined = 512;
  intptr_t rows[2 * maxJoined];
  intptr_t columns[2 * maxJoined];
};

/// Plans a canonical problem that is not empty. It may be a part of one that
/// moves `wholeBytes`.
void makeGenericPlan(const FixedProblem &canonical, const KernelTable &kernels,
                     GenericPlan &plan, int64_t wholeBytes = 0);

/// Does all units.
void runGenericPlan(const GenericPlan &plan, const char *src, char *dst);

} // namespace permc

#endif // PERMC_LIB_RUNTIME_GENERICPLAN_H
