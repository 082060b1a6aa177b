//===- PlanCache.cpp - the last few problems of a thread ------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PlanCache.h"

#include "Hash.h"

#include <algorithm>
#include <cstring>

using namespace permc;

namespace {

/// A program may still permute while its threads' variables are destroyed.
thread_local bool isGone = false;

} // namespace

constinit thread_local CachedPlan *PlanCache::recent = nullptr;

PlanCache::~PlanCache() {
  isGone = true;
  recent = nullptr;
}

PlanCache *PlanCache::ofThisThread() {
  thread_local PlanCache cache;
  return isGone ? nullptr : &cache;
}

uint64_t PlanCache::hash(const GivenProblem &given) {
  uint64_t hash = mix(given.rank, int64_t(given.element));
  // A size is below 2^32 nearly always, and an axis below 64: one word for
  // both.
  for (uint32_t i = 0; i < given.rank; ++i)
    hash = mix(hash, int64_t(uint64_t(given.shape[i]) +
                             (uint64_t(given.perm[i]) << 48)));
  for (const int64_t *strides : {given.srcStrides, given.dstStrides})
    for (uint32_t i = 0; strides && i < given.rank; ++i)
      hash = mix(hash, strides[i]);
  return hash;
}

void CachedPlan::remember(const GivenProblem &given) {
  rank = given.rank;
  element = given.element;
  hasSrcStrides = given.srcStrides != nullptr;
  hasDstStrides = given.dstStrides != nullptr;
  unsigned number = 0;
  for (const int64_t *list :
       {given.shape, given.perm, given.srcStrides, given.dstStrides}) {
    if (list)
      std::copy_n(list, rank, lists[number]);
    ++number;
  }
  isMade = true;
}
