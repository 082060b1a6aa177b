//===- Variants.h - how a dynamic problem is carried out --------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel with dynamic dims is a list of variants; the first whose guards hold
// is run. A variant is a schedule like any other. It was chosen for a nominal
// problem, in which each dynamic dim has some size that is typical of those the
// guards admit; what the schedule takes for granted of that size, the guards
// make sure of.
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_PLAN_VARIANTS_H
#define PERMC_PLAN_VARIANTS_H

#include "permc/Plan/DynamicProblem.h"
#include "permc/Plan/Schedule.h"

namespace permc {

/// A condition on the dims of a call.
struct Guard {
  enum class Kind {
    AtLeast,   ///< `size` is `bound` or more
    MultipleOf ///< `bound` divides `size`
  };
  Kind kind;
  DynamicSize size;
  int64_t bound;

  bool admits(const Dims &values) const;
  bool operator==(const Guard &) const = default;
};

/// "?0 >= 16", "64*?1 divides by 16".
std::string spellGuard(const Guard &guard);

struct Variant {
  std::vector<Guard> guards; ///< all must hold; none: always used
  Problem nominal;           ///< rank and order are the canonical problem's
  Schedule schedule;
  /// The guards are not all: dst must begin with a line.
  bool dstStartsLine = false;

  /// Whether all guards hold.
  bool admits(const Dims &values) const;
};

/// The variants for a canonical problem on a machine. The last has no guards.
/// An empty problem has no variants. Fails for so many dynamic dims that no
/// nominal problem fits 63 bits.
Result<std::vector<Variant>> chooseVariants(const DynamicProblem &canonical,
                                            const TargetFacts &facts);

/// A variant must be right for every size that its guards admit.
Status checkVariant(const DynamicProblem &canonical, const Variant &variant);

/// Whether a schedule can be carried out where sizes and strides are known at
/// run time only.
Status checkNominal(const Schedule &schedule);

} // namespace permc

#endif // PERMC_PLAN_VARIANTS_H
