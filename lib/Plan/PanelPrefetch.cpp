//===- PanelPrefetch.cpp - who prefetches the next panel ------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is read a step later of a loop over panels is prefetched now, by rows
// that go out: src and dst are then busy at the same time. Machines drop some
// prefetches that come so fast; so tiles prefetch too, over all the time that
// they take.
//
//===----------------------------------------------------------------------===//

#include "permc/Plan/Panel.h"

#include "permc/Plan/Schedule.h"

#include <bit>

using namespace permc;

namespace {

/// What is further ahead than this is not sure to be on a mapped page.
constexpr int64_t maxPrefetchBytes = 16 << 20;

/// How far ahead the panel is that is prefetched: a step of the innermost loop.
/// After the loop's last step the next panel is elsewhere: if a step of a loop
/// further out reads a single piece of src, and the second cache keeps that
/// until it is read, then it is this loop.
int64_t nextPanel(std::span<const LoopDim> dims, int64_t element,
                  std::span<const Loop> loops, const TargetFacts &facts) {
  int64_t range[maxRank], bytes = element, ahead = 0;
  for (size_t dim = 0; dim < dims.size(); ++dim)
    bytes *= range[dim] = dims[dim].size;
  for (const Loop &loop : loops) {
    bytes = bytes / range[loop.dim] * loop.step;
    range[loop.dim] = loop.step;
    ahead = loop.step * dims[static_cast<size_t>(loop.dim)].srcStride;
    if (ahead == bytes && facts.keepsAhead(bytes))
      return ahead;
  }
  return ahead <= maxPrefetchBytes ? ahead : 0;
}

} // namespace

PanelPrefetch permc::prefetchPanels(std::span<const LoopDim> dims,
                                    int64_t element,
                                    std::span<const Loop> loops,
                                    std::optional<size_t> row,
                                    const TargetFacts &facts) {
  const int64_t ahead = nextPanel(dims, element, loops, facts);
  // Tiles of one and two bytes take long enough to prefetch all of it. Those
  // of odd elements would prefetch each line many times: the first cache
  // forgets what it has on its way already.
  return {.byTiles = ahead,
          .byRows = row && element <= 2 ? 0 : ahead,
          .tilesToL2 = row && std::has_single_bit(uint64_t(element))};
}
