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

  /// Lines with more places than this in the first cache do not compete.
  static constexpr int64_t manyPlaces = 128;

  /// How many lines so far apart have a place in the first cache, where
  /// `l1Ways` is known.
  int64_t placesFor(int64_t stride) const {
    const int64_t way = l1Bytes / l1Ways;
    return l1Ways * way / std::gcd(way, stride);
  }

  /// Whether lines so far apart have the fewest places that there can be.
  bool competes(int64_t stride) const {
    return l1Ways && placesFor(stride) == l1Ways;
  }

  /// Whether lines so far apart drift from place to place so slowly that as
  /// many or more follow one another as have a place: rows of 4097 bytes.
  bool nearlyCompetes(int64_t stride) const {
    return isDriftUpTo(stride, lineBytes);
  }

  /// ... twice as many, or more.
  bool crowds(int64_t stride) const {
    return isDriftUpTo(stride, lineBytes / 2);
  }

  /// Whether as many lines so far apart as one place can keep drift by so many
  /// bytes at most, and do drift.
  bool isDriftUpTo(int64_t stride, int64_t bytes) const {
    if (!l1Ways)
      return false;
    const int64_t way = l1Bytes / l1Ways, past = stride % way,
                  drift = std::min(past, way - past);
    return drift > 0 && drift * l1Ways <= bytes;
  }

  /// Whether the first cache holds src and dst.
  bool holdsBoth(int64_t bytesMoved) const { return bytesMoved <= l1Bytes / 2; }

  /// Whether the second cache keeps so much that is asked for ahead of time.
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

/// All that Plan knows of a target. The target's folder fills it in.
struct TargetFacts : Isa, Machine {
#define PERMC_POLICY_FIELD(type, member, value) type member = value;
#include "permc/Plan/PolicyFields.def"

  /// Whether tiles should not stream lines so far apart one after the other,
  /// each in several parts. Rows of a panel are streamed from end to end
  /// instead.
  bool splitsLines(int64_t stride) const {
    constexpr int64_t page = 4 << 10;
    return combiningBytes && vectorBytes < lineBytes &&
           (stride >= page || stride % combiningBytes == 0);
  }

  bool operator==(const TargetFacts &) const = default;
};

/// Calls `visit` with the name and the value of each field.
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
