//===- DynamicSplit.h - parts of a tensor of any size -----------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is known of a Split before the sizes are: which dims it goes along and
// how. The kernel works out the rest when it is called (permc-expand-dynamic),
// and permc/JIT/Prove.h proves it for all sizes.
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_PLAN_DYNAMICSPLIT_H
#define PERMC_PLAN_DYNAMICSPLIT_H

#include "permc/Plan/DynamicProblem.h"
#include "permc/Plan/Schedule.h"

namespace permc {

struct DynamicSplit {
  enum class Kind {
    None,  ///< the first part has everything
    Range, ///< parts are ranges of one dim
    Row,   ///< two dims that follow one another in dst are one long row
    /// Grains of the inner dim at each position of the outer one; tiles have
    /// all of the dims between the two.
    Grains
  };
  Kind kind = Kind::None;
  Dims dims; ///< the outer one first
  /// The nest moves at least so many positions of the last dim at a time.
  int64_t piece = 1;
  /// Row: tiles fill every row, so that parts may meet between any two.
  bool tilesFillRows = false;

  /// Row: the shortest that is cut, if tiles do not fill it. Parts take whole
  /// rows of shorter ones.
  int64_t leastRow(int64_t grain) const { return grain + 2 * piece; }
  /// ... and the fewest grains of a part then: both its ends may be moved on to
  /// find room for a piece, and a piece must remain.
  static constexpr int64_t grainsPerPart = 4;

  /// Grains that there can be: from one position that begins with a line to the
  /// next, in whole pieces.
  Dims grains() const;
};

DynamicSplit splitDynamic(const DynamicProblem &canonical,
                          const Schedule &schedule);

} // namespace permc

#endif // PERMC_PLAN_DYNAMICSPLIT_H
