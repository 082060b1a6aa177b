//===- TileNetwork.cpp - the moves of a schedule's micro kernel -----------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "permc/Plan/Schedule.h"

#include <algorithm>

using namespace permc;

namespace {

/// One dim of a tile: how far it reaches and its strides.
struct TileDim {
  int64_t size, srcStride, dstStride;
};

std::vector<TileDim> tileDims(const Problem &problem,
                              const Schedule &schedule) {
  std::vector<LoopDim> dims = problem.loopDims();
  std::vector<TileDim> tile;
  for (size_t dim = 0; dim < dims.size(); ++dim)
    if (schedule.tile[dim] > 1)
      tile.push_back(
          {schedule.tile[dim], dims[dim].srcStride, dims[dim].dstStride});
  // Slowest in dst first: the order in which an offset is taken apart.
  std::sort(tile.begin(), tile.end(), [](const TileDim &a, const TileDim &b) {
    return a.dstStride > b.dstStride;
  });
  return tile;
}

std::vector<int64_t> offsets(int64_t count, int64_t stride) {
  std::vector<int64_t> result;
  for (int64_t i = 0; i < count; ++i)
    result.push_back(i * stride);
  return result;
}

int64_t tileBytes(const std::vector<TileDim> &tile, int64_t element) {
  for (const TileDim &dim : tile)
    element *= dim.size;
  return element;
}

Network build(const Problem &problem, const Schedule &schedule,
              const std::vector<TileDim> &tile) {
  int64_t element = problem.elementBytes();
  if (schedule.kind != KernelKind::TileTranspose)
    return copyNetwork(tileBytes(tile, element), schedule.vectorBytes);
  // A dim cut down to one element leaves a tile of a single row or column.
  TransposeTile transpose{{0}, {0}, element, schedule.vectorBytes};
  for (const TileDim &dim : tile)
    if (dim.dstStride == element)
      transpose.rows = offsets(dim.size, dim.srcStride);
    else
      transpose.columns = offsets(dim.size, dim.dstStride);
  return transposeNetwork(transpose);
}

} // namespace

Result<Network> permc::tileNetwork(const Problem &canonical,
                                   const Schedule &schedule) {
  std::vector<TileDim> tile = tileDims(canonical, schedule);
  Network network = build(canonical, schedule, tile);
  auto sourceOf = [&](int64_t offset) {
    int64_t source = 0;
    for (const TileDim &dim : tile) {
      source += offset / dim.dstStride * dim.srcStride;
      offset %= dim.dstStride;
    }
    return source + offset;
  };
  int64_t bytes = tileBytes(tile, canonical.elementBytes());
  if (auto ok = network.proves(sourceOf, bytes); !ok)
    return ok.error();
  return network;
}
