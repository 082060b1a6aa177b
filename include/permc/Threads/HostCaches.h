//===- HostCaches.h - the caches of this machine ----------------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_THREADS_HOSTCACHES_H
#define PERMC_THREADS_HOSTCACHES_H

#include "permc/Plan/TargetFacts.h"

#include <array>
#include <cstdint>
#include <string>

namespace permc {

/// One data cache that a CPU sees. What is not known is 0.
struct HostCache {
  int64_t bytes = 0, ways = 0;
};

/// The first, second and third cache of this machine's first CPU. A third cache
/// is the one that it shares with some others: getconf adds up those of the
/// whole machine, or tells a number that is none.
std::array<HostCache, 3> hostCaches();

/// Puts what is known of them in the place of a target's guesses. Where a
/// target knows no ways, no rule goes by them.
void takeHostCaches(TargetFacts &facts);

/// ... as Linux tells a CPU's topology in a folder.
std::array<HostCache, 3> readCaches(const std::string &folder);

} // namespace permc

#endif // PERMC_THREADS_HOSTCACHES_H
