//===- PanelPrefetch.cpp - who asks for the next panel --------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is read a step later of a loop over panels is fetched now, by rows that
// go out: src and dst are then busy at the same time. Some machines lose what
// is asked for so fast; there tiles ask too, over all the time that they take.
//
//===----------------------------------------------------------------------===//

#include "permc/Plan/Panel.h"

#include "permc/Plan/Schedule.h"

#include <bit>

using namespace permc;

namespace {

/// Fetching further ahead than this is not sure to be on a mapped page.
constexpr int64_t maxPrefetchBytes = 16 << 20;

/// The panel that is asked for: how far ahead it is, and whether each panel is
/// a single piece of src, next to it.
struct NextPanel {
  int64_t ahead;
  bool arePieces;
};

/// It is a step of the innermost loop ahead. After the loop's last step the
/// next panel is elsewhere: if a step of a loop further out reads a single
/// piece of src, and the second cache keeps that until it is read, then it is
/// this loop.
NextPanel nextPanel(std::span<const LoopDim> dims, int64_t element,
                    std::span<const Loop> loops, const TargetFacts &facts) {
  int64_t range[maxRank], bytes = element, ahead = 0;
  for (size_t dim = 0; dim < dims.size(); ++dim)
    bytes *= range[dim] = dims[dim].size;
  for (const Loop &loop : loops) {
    bytes = bytes / range[loop.dim] * loop.step;
    range[loop.dim] = loop.step;
    ahead = loop.step * dims[static_cast<size_t>(loop.dim)].srcStride;
    if (facts.losesPrefetches && ahead == bytes && facts.keepsAhead(bytes))
      return {ahead, &loop == &loops.back()};
  }
  return {ahead <= maxPrefetchBytes ? ahead : 0, false};
}

/// Whether rows of src share so few places of the caches that what is brought
/// for later is driven out.
bool sharePlaces(const LoopDim &row, const TargetFacts &facts) {
  return facts.l1Ways && facts.placesFor(row.srcStride) <= 2 * facts.l1Ways;
}

/// Measured on Emerald Rapids: 10 to 20 % for 8 bytes, 5 % for 200 MB of
/// others. Smaller ones of what the last cache holds come soon enough by rows
/// alone, and tiles of odd sizes would ask for each line many times.
bool tilesFetchToL2(std::span<const LoopDim> dims, int64_t element,
                    const TargetFacts &facts) {
  int64_t bytes = element;
  for (const LoopDim &dim : dims)
    bytes *= dim.size;
  return facts.tilesFetchToL2 && std::has_single_bit(uint64_t(element)) &&
         (element == 8 || bytes > facts.l3Bytes / 2);
}

} // namespace

PanelPrefetch permc::prefetchPanels(std::span<const LoopDim> dims,
                                    int64_t element,
                                    std::span<const Loop> loops,
                                    std::optional<size_t> row,
                                    const TargetFacts &facts) {
  const auto [ahead, arePieces] = nextPanel(dims, element, loops, facts);
  if (row && tilesFetchToL2(dims, element, facts))
    return {.byTiles = ahead,
            .byRows = element <= 2 ? 0 : ahead,
            .tilesToL2 = true};
  if (!facts.losesPrefetches)
    return {.byTiles = 0, .byRows = ahead};
  // Tiles of one and two bytes take long enough. Of half words whose panels
  // are pieces of src rows gain 4 % on Zen 3, and lose 3 where several panels
  // share a piece: some of it is asked for by each of them.
  const bool areEnough = row && element <= 2 && !(element == 2 && arePieces) &&
                         !sharePlaces(dims[*row], facts);
  return {.byTiles = ahead, .byRows = areEnough ? 0 : ahead};
}
