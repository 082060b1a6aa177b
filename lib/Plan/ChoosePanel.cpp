//===- ChoosePanel.cpp - the panel of a streamed schedule -----------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A panel grows from a tile: along the dims that follow one another in src,
// which makes what is read in one stretch longer, and along those of dst, which
// makes what is written in one stretch longer. Both want to be long, and
// together they must stay in the cache nearest to the core.
//
//===----------------------------------------------------------------------===//

#include "permc/Plan/Panel.h"

#include "permc/Plan/CeilDiv.h"
#include "permc/Plan/Schedule.h"

#include <algorithm>
#include <bit>
#include <numeric>

using namespace permc;

namespace {

/// Rows of dst shorter than this are not worth streaming.
constexpr int64_t minRowLines = 4;

/// Longer stretches than these gain nothing more.
constexpr int64_t maxSrcLines = 32, maxDstLines = 64;

/// A row of dst ends in two lines that are not whole, so rows should be longer
/// than what is read in one stretch.
constexpr int64_t rowsOverStretches = 4;

class PanelGrower {
public:
  PanelGrower(std::span<const LoopDim> dims, int64_t element,
              std::span<int64_t> extent, const TargetFacts &facts,
              int64_t wantedBytes)
      : dims(dims), extent(extent), facts(facts), element(element),
        line(facts.lineBytes),
        maxBytes(std::min(maxPanelBytes, facts.l2Bytes / 4)),
        wantedBytes(std::min(wantedBytes ? wantedBytes : wanted(), maxBytes)) {
    std::ranges::copy(extent, tile);
  }

  std::optional<PanelNeighbours> run() {
    // Beside the panel the first cache holds what the panel is read from, and
    // what is being fetched for the next one. If that makes for reading less
    // than a line at a time, the second cache has to do.
    int64_t budget = wantedBytes;
    if (!growSquare())
      growTo(budget);
    while (stretch(&LoopDim::srcStride).bytes < line && 2 * budget <= maxBytes)
      growTo(budget *= 2);
    if (stretch(&LoopDim::dstStride).bytes < minRowLines * line)
      return std::nullopt;
    evenShares();
    if (!movesRuns())
      completeStretch();
    return PanelNeighbours{stretch(&LoopDim::srcStride).open,
                           stretch(&LoopDim::dstStride).open};
  }

private:
  /// What is contiguous on one side: its bytes, and the dim along which it
  /// would go on, if any.
  struct Stretch {
    int64_t bytes;
    std::optional<size_t> open;
  };

  Stretch stretch(int64_t LoopDim::*stride) const {
    Stretch result{element, std::nullopt};
    for (size_t dim = 0; dim < dims.size();) {
      if (dims[dim].*stride != result.bytes || dims[dim].size == 1) {
        ++dim;
        continue;
      }
      result.bytes *= extent[dim];
      if (extent[dim] < dims[dim].size) {
        result.open = dim;
        break;
      }
      dim = 0;
    }
    return result;
  }

  /// Takes some lines of each row of src and as many of dst, where rows of src
  /// share sets: what is prefetched of many of them is gone when its turn
  /// comes. 1.4 times as fast for floats and doubles on Zen 4. Returns whether
  /// it does; smaller elements have other tiles (SchedulePanels.cpp).
  bool growSquare() {
    const auto column = std::ranges::find(dims, element, &LoopDim::srcStride),
               row = std::ranges::find(dims, element, &LoopDim::dstStride);
    const int64_t side = minRowLines * line / element;
    if (column == dims.end() || row == dims.end() || column == row ||
        (element != 4 && element != 8) || !facts.conflicts(row->srcStride) ||
        column->size < side || row->size < side)
      return false;
    for (auto dim : {column, row}) {
      const auto i = static_cast<size_t>(dim - dims.begin());
      extent[i] = std::min(ceilDiv(side, tile[i]) * tile[i], dim->size);
    }
    return true;
  }

  void growTo(int64_t budget) {
    std::copy_n(tile, dims.size(), extent.begin());
    Stretch dst = stretch(&LoopDim::dstStride);
    while (dst.bytes < minRowLines * line && grow(dst.open, 2 * budget))
      dst = stretch(&LoopDim::dstStride);
    while (growEither(budget)) {
    }
  }

  /// Takes all of a dim of which there is half: what is read goes on in the
  /// next panel then.
  void completeStretch() {
    const std::optional<size_t> open = stretch(&LoopDim::srcStride).open;
    if (open && open != stretch(&LoopDim::dstStride).open &&
        2 * extent[*open] >= dims[*open].size &&
        bytes() / extent[*open] * dims[*open].size <= maxBytes)
      extent[*open] = dims[*open].size;
  }

  bool movesRuns() const {
    return std::ranges::any_of(dims, [&](const LoopDim &dim) {
      return dim.srcStride == element && dim.dstStride == element;
    });
  }

  /// Runs are only copied, and best through a buffer within a page: 1.3 to 1.4
  /// times as fast on Zen 3 and Zen 4 as through a third of the first cache.
  int64_t wanted() const {
    return movesRuns() ? pageBytes * 3 / 4 : facts.l1Bytes / 3;
  }

  int64_t bytes() const {
    return std::accumulate(extent.begin(), extent.end(), element,
                           std::multiplies<>());
  }

  bool growEither(int64_t budget) {
    Stretch src = stretch(&LoopDim::srcStride);
    Stretch dst = stretch(&LoopDim::dstStride);
    bool growsSrc = src.bytes < maxSrcLines * line;
    bool growsDst = dst.bytes < maxDstLines * line;
    if (src.bytes * rowsOverStretches < dst.bytes)
      return (growsSrc && grow(src.open, budget)) ||
             (growsDst && grow(dst.open, budget));
    return (growsDst && grow(dst.open, budget)) ||
           (growsSrc && grow(src.open, budget));
  }

  /// Doubles the extent of a dim, in whole tiles, as far as the budget goes.
  bool grow(std::optional<size_t> dim, int64_t budget) {
    if (!dim)
      return false;
    int64_t fitting = budget / (bytes() / extent[*dim]);
    int64_t wanted = std::min({2 * extent[*dim], dims[*dim].size, fitting});
    if (wanted < dims[*dim].size)
      wanted = wanted / tile[*dim] * tile[*dim];
    if (wanted <= extent[*dim])
      return false;
    extent[*dim] = wanted;
    return true;
  }

  /// Rounds what the panel has of each dim, if there is room for it.
  void evenShares() {
    int64_t grown[maxRank];
    std::ranges::copy(extent, grown);
    const std::optional<size_t> open = stretch(&LoopDim::dstStride).open;
    for (size_t dim = 0; dim < dims.size(); ++dim)
      extent[dim] = evenShare(dim, dim == open ? lineUnits(dim) : tile[dim]);
    if (bytes() > maxBytes)
      std::copy_n(grown, dims.size(), extent.begin());
  }

  /// The last panel of a dim is moved back over its neighbour, and should not
  /// do much of it again.
  int64_t evenShare(size_t dim, int64_t unit) const {
    int64_t size = dims[dim].size;
    int64_t share = ceilDiv(size, ceilDiv(size, extent[dim]));
    return std::min(ceilDiv(share, unit) * unit, size);
  }

  /// Elements of a dim that make whole tiles and whole lines of dst, if that is
  /// no more than a quarter of what the panel has of it.
  int64_t lineUnits(size_t dim) const {
    int64_t lines = line / std::gcd(line, dims[dim].dstStride);
    int64_t unit = std::lcm(lines, tile[dim]);
    return 4 * unit <= extent[dim] ? unit : tile[dim];
  }

  std::span<const LoopDim> dims;
  std::span<int64_t> extent;
  const TargetFacts &facts;
  int64_t element, line, maxBytes, wantedBytes;
  int64_t tile[maxRank];
};

} // namespace

int64_t permc::prefetchPiece(int64_t stretchBytes) {
  constexpr int64_t pieceLines = 16;
  const bool isLong = stretchBytes > maxSrcLines * streamLineBytes;
  return isLong ? pieceLines * streamLineBytes : stretchBytes;
}

int64_t permc::panelCutAtLines(const LoopDim &open, int64_t tile, int64_t panel,
                               const TargetFacts &facts) {
  constexpr int64_t least = 3; // measured on Zen 3
  const int64_t line = ceilDiv(facts.lineBytes, open.dstStride),
                size = open.size - line;
  if (panel < least * line || panel == tile || panel >= size)
    return 0;
  const int64_t share = ceilDiv(size, ceilDiv(size, panel));
  return std::min(panel, ceilDiv(share, tile) * tile);
}

int64_t permc::panelAlignment(int64_t bufferBytes) {
  return std::min(static_cast<int64_t>(std::bit_ceil(uint64_t(bufferBytes))),
                  pageBytes);
}

std::optional<PanelNeighbours> permc::growPanel(std::span<const LoopDim> dims,
                                                int64_t element,
                                                std::span<int64_t> extent,
                                                const TargetFacts &facts,
                                                int64_t wantedBytes) {
  return PanelGrower(dims, element, extent, facts, wantedBytes).run();
}
