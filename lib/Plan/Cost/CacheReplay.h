//===- CacheReplay.h - what a nest does to the caches -----------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whether lines stay in a cache until they are used up depends on which sets
// they fall into, and that on every stride, tile and loop together: rows of
// 4096 bytes share one set of the first cache, rows of 4104 bytes move on to
// the next after eight, and the transpose of 513x513 doubles reads and writes
// the same sets at the same time. No formula here says so. The first tiles of
// the nest are replayed, line by line, through set-associative caches that
// replace the line used longest ago.
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_LIB_PLAN_COST_CACHEREPLAY_H
#define PERMC_LIB_PLAN_COST_CACHEREPLAY_H

#include "permc/Plan/Schedule.h"

namespace permc {

/// What was seen of a nest.
struct CacheCounts {
  double bytes = 0; ///< moved by tiles, some of them twice
  double tiles = 0, panels = 0;
  double copiedLines = 0; ///< of rows that leave a panel
  /// Lines that are not in the first cache when they are loaded, and when they
  /// are stored to.
  double loadMisses = 0, storeMisses = 0;
  double l2Misses = 0; ///< ... nor in the second, though used before
  /// Lines of a tile and the one before it that their sets of the first cache
  /// have no way for. Both are under way at a time: what one brings in the
  /// other drives out before it is used.
  double overcommitted = 0;
  double splitStores = 0; ///< stores that lie across two lines
};

/// Replays the first tiles of a schedule of TileTranspose tiles, through a
/// panel or not, that is not streamed.
CacheCounts replayCaches(const Problem &problem, const Schedule &schedule,
                         const TargetFacts &facts);

} // namespace permc

#endif // PERMC_LIB_PLAN_COST_CACHEREPLAY_H
