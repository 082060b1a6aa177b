//===- TargetFacts.h - what a schedule must know of a machine ---*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_PLAN_TARGETFACTS_H
#define PERMC_PLAN_TARGETFACTS_H

#include <algorithm>
#include <bit>
#include <cstdint>
#include <numeric>

namespace permc {

/// What one entry of a TLB covers where nothing larger was asked for.
inline constexpr int64_t pageBytes = 4 << 10;

/// How far from an address a move can be, in bytes.
struct Reach {
  int64_t back = 0, ahead = 0;
  bool operator==(const Reach &) const = default;
};

/// Which instructions a target has.
struct Isa {
#define PERMC_ISA_FIELD(type, member, value) type member = value;
#include "permc/Plan/IsaFields.def"

  bool operator==(const Isa &) const = default;
};

/// What the machine takes that runs them: physical quantities.
struct Machine {
#define PERMC_MACHINE_FIELD(type, member, value) type member = value;
#include "permc/Plan/MachineFields.def"

  /// More lines than this do not conflict.
  static constexpr int64_t manyLines = 128;

  /// How many lines so far apart the first cache holds, where `l1Ways` is
  /// known.
  int64_t linesHeld(int64_t stride) const {
    const int64_t way = l1Bytes / l1Ways;
    return l1Ways * way / std::gcd(way, stride);
  }

  /// Whether lines so far apart all fall into one set.
  bool conflicts(int64_t stride) const {
    return l1Ways && linesHeld(stride) == l1Ways;
  }

  /// Whether twice as many lines so far apart as there are ways, or more, fall
  /// into one set before they drift into the next: rows of 4097 bytes.
  bool nearlyConflicts(int64_t stride) const {
    if (!l1Ways)
      return false;
    const int64_t way = l1Bytes / l1Ways, past = stride % way,
                  drift = std::min(past, way - past);
    return drift > 0 && 2 * drift * l1Ways <= lineBytes;
  }

  /// Whether the first few multiples of a stride come back to within a line of
  /// the set where they began: rows of 2^n elements and their neighbours.
  bool sharesSets(int64_t stride) const {
    if (!l1Ways)
      return false;
    const int64_t way = l1Bytes / l1Ways;
    for (int64_t times : {1, 2, 4, 8})
      if (const int64_t past = times * (stride % way) % way;
          std::min(past, way - past) <= lineBytes)
        return true;
    return false;
  }

  /// From this size on tensors are streamed: src and dst are more than the last
  /// cache holds, and whoever reads dst next must fetch it from memory anyway.
  int64_t streamedBytes() const { return l3Bytes / 2; }

  /// Whether the first cache holds src and dst.
  bool holdsBoth(int64_t bytesMoved) const { return bytesMoved <= l1Bytes / 2; }

  /// Whether the second cache keeps so much that is prefetched.
  bool keepsAhead(int64_t bytes) const { return bytes <= l2Bytes / 4; }

  /// Whether tiles have so few rows of src within what the machine looks ahead
  /// that it waits for their lines one by one, and prefetches of src pay:
  /// elements of no power of two take many instructions each. Measured where
  /// the caches are known.
  bool hidesFewMisses(int64_t element) const {
    return l1Ways && !std::has_single_bit(uint64_t(element));
  }

  bool operator==(const Machine &) const = default;
};

class TargetPlanner;

/// All that Plan knows of a target. The target's folder fills it in.
struct TargetFacts : Isa, Machine {
#define PERMC_POLICY_FIELD(type, member, value) type member = value;
#include "permc/Plan/PolicyFields.def"

  /// What its family knows of schedules; null: what the rules do is fine.
  const TargetPlanner *planner = nullptr;

  /// Whether tiles should not stream lines so far apart one after the other,
  /// each in several parts. Rows of a panel are streamed from end to end
  /// instead.
  bool splitsLines(int64_t stride) const {
    return combiningBytes && vectorBytes < lineBytes &&
           (stride >= pageBytes || stride % combiningBytes == 0);
  }

  bool operator==(const TargetFacts &) const = default;
};

/// Calls `visit` with the name and the value of each field that is one.
template <typename Facts, typename Visit>
void visitFacts(Facts &facts, Visit visit) {
#define PERMC_ISA_FIELD(type, member, value) visit(#member, facts.member);
#include "permc/Plan/IsaFields.def"
#define PERMC_MACHINE_FIELD(type, member, value) visit(#member, facts.member);
#include "permc/Plan/MachineFields.def"
#define PERMC_POLICY_FIELD(type, member, value) visit(#member, facts.member);
#include "permc/Plan/PolicyFields.def"
}

} // namespace permc

#endif // PERMC_PLAN_TARGETFACTS_H
