//===- WordSteps.h - moves of words that step their addresses ---*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   ldm  r0!, {r2, r3, r4, r5}     four words of a row, and on along it
//   ldm  r1!, {r6, r8, r9, r10}    and of the row below
//   strd r2, r6, [r12], #256       two words of a column, and on to the next
//   ...
//
// Such a load has no offset, but leaves its address behind what it loaded. A
// store has an offset, or steps its address by as much, as far as the machine
// can. So it takes few additions to get from one move to the next.
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_CODEGEN_TARGETS_ARM_PLAN_WORDSTEPS_H
#define PERMC_CODEGEN_TARGETS_ARM_PLAN_WORDSTEPS_H

#include "permc/Plan/Schedule.h"

#include <array>

namespace permc {

/// How the moves of a tile get at their places.
struct WordSteps {
  static constexpr size_t srcAddresses = 2, dstAddress = srcAddresses,
                          addresses = srcAddresses + 1;
  struct Move {
    size_t step;        ///< of the network
    size_t address;     ///< two of src, one of dst
    int64_t before = 0; ///< what is added to it first
    int64_t offset = 0; ///< from it
    int64_t after = 0;  ///< what the move itself adds
  };
  std::vector<Move> moves;
  std::array<int64_t, addresses> starts = {}; ///< from the tile's first bytes
  std::array<int64_t, addresses> next = {};   ///< added behind the last move

  /// How many instructions a tile takes.
  int64_t instructions() const;
};

/// From a tile to the next, in bytes of src and of dst.
struct TileStep {
  int64_t src, dst;
};

/// The steps of a tile that the innermost loop follows with others, if there is
/// a loop. `reach` is that of the stores.
WordSteps wordSteps(const Network &network, Reach reach,
                    std::optional<TileStep> next);

} // namespace permc

#endif // PERMC_CODEGEN_TARGETS_ARM_PLAN_WORDSTEPS_H
