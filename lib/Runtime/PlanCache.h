//===- PlanCache.h - the last few problems of a thread ----------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_LIB_RUNTIME_PLANCACHE_H
#define PERMC_LIB_RUNTIME_PLANCACHE_H

#include "GenericPlan.h"
#include "HotProblems.h"

#include "permc-c/kernel.h"

#include <memory>

namespace permc {

/// A problem as a caller gives it.
struct GivenProblem {
  uint32_t rank;
  uint64_t element;
  const int64_t *shape, *perm, *srcStrides, *dstStrides;
};

/// A problem and how it is carried out: by a kernel that was registered, or
/// generically.
struct CachedPlan {
  bool isMade = false; ///< otherwise it is the plan of no problem
  // What was given; `lists` has shape, perm and strides, those there are.
  uint32_t rank = 0;
  uint64_t element = 0;
  bool hasSrcStrides = false, hasDstStrides = false;
  int64_t lists[4][maxRank];

  FixedProblem canonical;
  uint64_t srcBytes = 0, dstBytes = 0; ///< what the buffers span
  /// Where in its buffer the first element is, as the caller counts, and as
  /// the canonical problem does; dst's is 0 there.
  int64_t srcOrigin = 0, dstOrigin = 0, canonicalOrigin = 0;
  const permc_kernel *kernel = nullptr;
  uint64_t generation = 0; ///< of the registry when `kernel` was looked up
  HotCount hot;
  GenericPlan generic;
  bool hasGeneric = false;

  bool holds(const GivenProblem &given) const {
    if (!isMade || rank != given.rank || element != given.element ||
        hasSrcStrides != (given.srcStrides != nullptr) ||
        hasDstStrides != (given.dstStrides != nullptr))
      return false;
    return isAt(0, given.shape) && isAt(1, given.perm) &&
           isAt(2, given.srcStrides) && isAt(3, given.dstStrides);
  }
  void remember(const GivenProblem &given);

private:
  /// Few words, in line: a call of memcmp takes longer.
  bool isAt(unsigned number, const int64_t *list) const {
    for (uint32_t i = 0; list && i < rank; ++i)
      if (list[i] != lists[number][i])
        return false;
    return true;
  }
};

/// Plans by a hash of what was given, one in each slot. Every thread has its
/// own: no lock.
class PlanCache {
public:
  /// This thread's, or null while the thread's variables are being destroyed.
  static PlanCache *ofThisThread();

  ~PlanCache();

  /// The plan that this thread carried out last, or null: found without a hash.
  static constinit thread_local CachedPlan *recent;

  /// The slot for a problem; another one may be in there, or none.
  std::unique_ptr<CachedPlan> &slotFor(const GivenProblem &given) {
    return slots[hash(given) >> (64 - slotBits)];
  }

private:
  static constexpr unsigned slotBits = 4;
  static uint64_t hash(const GivenProblem &given);

  std::unique_ptr<CachedPlan> slots[1u << slotBits];
};

} // namespace permc

#endif // PERMC_LIB_RUNTIME_PLANCACHE_H
