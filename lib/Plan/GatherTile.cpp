//===- GatherTile.cpp - columns gathered from rows ------------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A machine without zips can still transpose by vectors if it has gathers
// (Helium): one load takes an element of each of several rows. Small elements
// travel in 16-bit lanes, and so do the distances of their rows.
//
//===----------------------------------------------------------------------===//

#include "permc/Plan/Schedule.h"

using namespace permc;

static Error badTile(const std::string &message) {
  return {Cause::BadSchedule, "a gather tile " + message};
}

Result<GatherTile> permc::gatherTile(const Problem &canonical,
                                     const Schedule &schedule) {
  constexpr int64_t maxSmallDistance = UINT16_MAX;
  int64_t element = canonical.elementBytes();
  if (element != 1 && element != 2 && element != 4)
    return badTile("of elements of " + std::to_string(element) +
                   " bytes; expected 1, 2 or 4");
  std::vector<LoopDim> dims = canonical.loopDims();
  GatherTile tile = {{}, 0, 0, element, element == 4 ? 4 : 8};
  LoopDim along = {0, 0, 0};
  for (size_t dim = 0; dim < dims.size(); ++dim) {
    if (dims[dim].srcStride % element != 0)
      return badTile("whose src has a stride of " +
                     std::to_string(dims[dim].srcStride) +
                     " bytes; expected a multiple of the element");
    if (schedule.tile[dim] == 1)
      continue;
    bool isRows = tile.rows == 0 && dims[dim].dstStride == element;
    if (!isRows && along.size != 0)
      return badTile("of more than rows and columns");
    if (isRows) {
      tile.rows = schedule.tile[dim];
      tile.rowStride = dims[dim].srcStride;
    } else {
      along = {schedule.tile[dim], dims[dim].srcStride, dims[dim].dstStride};
    }
  }
  if (tile.rows < tile.perGather)
    return badTile("of " + std::to_string(tile.rows) +
                   " rows contiguous in dst; expected " +
                   std::to_string(tile.perGather) + " or more");
  if (tile.rowStride >
      (element == 4 ? INT32_MAX : maxSmallDistance) / (tile.perGather - 1))
    return badTile("with rows " + std::to_string(tile.rowStride) +
                   " bytes apart, farther than an offset reaches");
  for (int64_t i = 0; i < std::max<int64_t>(along.size, 1); ++i)
    tile.columns.push_back({i * along.srcStride, i * along.dstStride});
  return tile;
}
