//===- TileNetwork.cpp - the moves of a schedule's micro kernel -----------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From a schedule's tile to the network of its kind. The result is proven
// against the problem's strides before anyone may use it.
//
//===----------------------------------------------------------------------===//

#include "permc/Plan/Schedule.h"

#include <algorithm>
#include <numeric>

using namespace permc;

namespace {

using Offsets = std::vector<int64_t>;

/// The offsets of all elements of `dims`, the last dim fastest.
Offsets allOffsets(const std::vector<LoopDim> &dims, int64_t LoopDim::*stride) {
  Offsets offsets{0};
  for (const LoopDim &dim : dims) {
    Offsets next;
    for (int64_t base : offsets)
      for (int64_t i = 0; i < dim.size; ++i)
        next.push_back(base + i * dim.*stride);
    offsets = std::move(next);
  }
  return offsets;
}

void sortSlowestFirst(std::vector<LoopDim> &dims, int64_t LoopDim::*stride) {
  std::sort(dims.begin(), dims.end(), [&](const LoopDim &a, const LoopDim &b) {
    return a.*stride > b.*stride;
  });
}

/// Whether the dims (slowest first) step through memory without a gap.
bool isContiguous(const std::vector<LoopDim> &dims, int64_t LoopDim::*stride,
                  int64_t element) {
  for (size_t i = dims.size(); i-- > 0;) {
    if (dims[i].*stride != element)
      return false;
    element *= dims[i].size;
  }
  return true;
}

/// Cuts contiguous stretches of elements into pieces of a lane. The last piece
/// of a stretch is moved back over its neighbour to be whole.
std::vector<ShuffleTile::Piece> cutIntoLanes(Offsets offsets, int64_t element,
                                             int64_t laneBytes) {
  std::sort(offsets.begin(), offsets.end());
  std::vector<ShuffleTile::Piece> pieces;
  for (size_t first = 0; first < offsets.size();) {
    size_t end = first + 1;
    while (end < offsets.size() && offsets[end] == offsets[end - 1] + element)
      ++end;
    int64_t bytes = static_cast<int64_t>(end - first) * element;
    for (int64_t at = 0; at < bytes; at += laneBytes) {
      int64_t start = std::max<int64_t>(0, std::min(at, bytes - laneBytes));
      pieces.push_back({offsets[first] + start,
                        std::min<int64_t>(laneBytes, bytes - start)});
    }
    first = end;
  }
  return pieces;
}

class TileBuilder {
public:
  TileBuilder(const Problem &problem, const Schedule &schedule)
      : element(problem.elementBytes()), vectorBytes(schedule.vectorBytes) {
    std::vector<LoopDim> dims = problem.loopDims();
    for (size_t dim = 0; dim < dims.size(); ++dim)
      if (schedule.tile[dim] > 1)
        tile.push_back(
            {schedule.tile[dim], dims[dim].srcStride, dims[dim].dstStride});
    // The order in which an offset of dst is taken apart.
    sortSlowestFirst(tile, &LoopDim::dstStride);
  }

  Result<Network> build(KernelKind kind) const {
    Result<Network> network = kind == KernelKind::TileTranspose ? transpose()
                              : kind == KernelKind::Shuffle ? shuffle(laneBytes)
                              : kind == KernelKind::WideShuffle
                                  ? shuffle(vectorBytes)
                                  : moves();
    if (!network)
      return network;
    int64_t bytes = element;
    for (const LoopDim &dim : tile)
      bytes *= dim.size;
    auto source = [this](int64_t offset) { return sourceOf(offset); };
    if (auto ok = network->proves(source, bytes); !ok)
      return ok.error();
    return network;
  }

private:
  int64_t sourceOf(int64_t offset) const {
    int64_t source = 0;
    for (const LoopDim &dim : tile) {
      source += offset / dim.dstStride * dim.srcStride;
      offset %= dim.dstStride;
    }
    return source + offset;
  }

  /// Contiguous runs, copied one after the other in the order of dst.
  Network moves() const {
    std::vector<LoopDim> outer = tile;
    int64_t run = element;
    while (!outer.empty() && outer.back().srcStride == run &&
           outer.back().dstStride == run) {
      run *= outer.back().size;
      outer.pop_back();
    }
    Network one = copyNetwork(run, vectorBytes), all;
    Offsets src = allOffsets(outer, &LoopDim::srcStride);
    Offsets dst = allOffsets(outer, &LoopDim::dstStride);
    for (size_t i = 0; i < src.size(); ++i) {
      int first = static_cast<int>(all.steps.size());
      for (Network::Step step : one.steps) {
        bool loads = step.kind == Network::StepKind::Load;
        step.offset += loads ? src[i] : dst[i];
        step.a += loads ? 0 : first;
        all.steps.push_back(std::move(step));
      }
    }
    return all;
  }

  /// A dim belongs to the side in which it is faster: rows of the tile are
  /// counted in dst, columns in src.
  Result<Network> transpose() const {
    std::vector<LoopDim> rows, columns;
    for (const LoopDim &dim : tile)
      (dim.dstStride < dim.srcStride ? rows : columns).push_back(dim);
    sortSlowestFirst(columns, &LoopDim::srcStride);
    if (!isContiguous(rows, &LoopDim::dstStride, element) ||
        !isContiguous(columns, &LoopDim::srcStride, element))
      return Error{Cause::BadSchedule,
                   "a tile_transpose tile that is not a rectangle of "
                   "contiguous rows and columns"};
    if (element > 8)
      return Error{Cause::BadSchedule, "a tile_transpose of elements of " +
                                           std::to_string(element) +
                                           " bytes; expected at most 8"};
    return transposeNetwork({allOffsets(rows, &LoopDim::srcStride),
                             allOffsets(columns, &LoopDim::dstStride), element,
                             vectorBytes});
  }

  /// The largest dim that divides evenly feeds the lanes of a register; each
  /// lane then carries out the same smaller tile.
  Network shuffle(int64_t laneBytes) const {
    std::vector<LoopDim> lane = tile;
    int64_t lanes = vectorBytes / laneBytes;
    LoopDim *feed = nullptr;
    for (LoopDim &dim : lane)
      if (dim.size % lanes == 0 && (!feed || dim.size > feed->size))
        feed = &dim;
    ShuffleTile parts;
    parts.laneBytes = laneBytes;
    parts.lanes = feed ? lanes : 1;
    parts.srcLaneStep = parts.dstLaneStep = laneBytes;
    if (feed) {
      feed->size /= lanes;
      parts.srcLaneStep = feed->size * feed->srcStride;
      parts.dstLaneStep = feed->size * feed->dstStride;
    }
    parts.loads =
        cutIntoLanes(allOffsets(lane, &LoopDim::srcStride), element, laneBytes);
    parts.stores =
        cutIntoLanes(allOffsets(lane, &LoopDim::dstStride), element, laneBytes);
    parts.sourceOf = [this](int64_t offset) { return sourceOf(offset); };
    // The largest power of two that divides the element.
    parts.unitBytes = std::min<int64_t>(element & -element, 8);
    return shuffleNetwork(parts);
  }

  int64_t element, vectorBytes;
  std::vector<LoopDim> tile;
};

} // namespace

Result<Network> permc::tileNetwork(const Problem &canonical,
                                   const Schedule &schedule) {
  if (schedule.kind == KernelKind::WordTranspose)
    return Error{Cause::BadSchedule,
                 "a word_transpose, which only targets that make C have"};
  return TileBuilder(canonical, schedule).build(schedule.kind);
}
