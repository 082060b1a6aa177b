//===- Panel.h - the panel of a streamed schedule ---------------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A panel is a block of a tensor that is moved through a buffer. Nothing here
// takes memory: the shim chooses panels while it is called.
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_PLAN_PANEL_H
#define PERMC_PLAN_PANEL_H

#include "permc/Plan/Problem.h"
#include "permc/Plan/TargetFacts.h"

#include <optional>
#include <span>

namespace permc {

struct Loop;

/// How the buffer of a panel is aligned: one that fits a page lies in one. A
/// store across two pages, while lines are streamed, takes some 400 cycles on
/// Zen 3: runs of 400 bytes through panels of 2 KB are twice as fast without.
int64_t panelAlignment(int64_t bufferBytes);

/// The dims along which what is contiguous in src, and in dst, goes on in the
/// next panel, if it does.
struct PanelNeighbours {
  std::optional<size_t> src, dst;
};

/// Grows `extent`, the elements of a tile along each dim, to those of a panel
/// of about so many bytes; 0: of the usual number. None if its rows in dst
/// would be too short to stream.
std::optional<PanelNeighbours> growPanel(std::span<const LoopDim> dims,
                                         int64_t element,
                                         std::span<int64_t> extent,
                                         const TargetFacts &facts,
                                         int64_t wantedBytes = 0);

/// How far ahead in src the next panel is that the tiles and the rows of a
/// panel prefetch; 0 if they do not.
struct PanelPrefetch {
  int64_t byTiles, byRows;
  bool tilesToL2 = false; ///< to the second cache, not the first
};

/// By the loops over panels. `row` is what tiles go along in dst, if they are
/// no runs.
PanelPrefetch prefetchPanels(std::span<const LoopDim> dims, int64_t element,
                             std::span<const Loop> loops,
                             std::optional<size_t> row,
                             const TargetFacts &facts);

/// How many bytes are prefetched at a time of a stretch that the next panel is
/// read from. A panel that is contiguous in src is one stretch of hundreds of
/// lines: each would be an instruction, and all would come with the last row.
int64_t prefetchPiece(int64_t stretchBytes);

/// What a panel has of the dim along which its rows go on in dst if they are to
/// end where lines do. Each row has a line more then, which the next has too: 0
/// if that is much of it, or if there is no next.
int64_t panelCutAtLines(const LoopDim &open, int64_t tile, int64_t panel,
                        const TargetFacts &facts);

} // namespace permc

#endif // PERMC_PLAN_PANEL_H
