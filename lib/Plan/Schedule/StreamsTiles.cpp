//===- StreamsTiles.cpp - tiles of whole lines ----------------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A line that is streamed must be completed by non-temporal stores, one right
// after the other: what a store misses, or does by an ordinary store, takes the
// line to memory in pieces and back, at a hundredth of the speed. So the rows
// of a tile must be whole lines, and so must its stores be, one by one.
//
//===----------------------------------------------------------------------===//

#include "permc/Plan/Schedule.h"
#include "permc/Plan/Split.h"

#include <algorithm>
#include <numeric>

using namespace permc;

/// Whether the rows of all tiles of an aligned dst are whole lines.
static bool standsOnLines(const Problem &canonical, const Schedule &schedule) {
  constexpr int64_t line = streamLineBytes, mostBytes = 4 << 10;
  const int64_t element = canonical.elementBytes();
  std::vector<LoopDim> dims = canonical.loopDims();
  std::vector<size_t> order(dims.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return dims[a].dstStride < dims[b].dstStride;
  });
  // The tile's rows must be whole lines, and every place it can stand at must
  // be the start of one: also the last, which ends with the dim.
  int64_t run = element, bytes = run;
  bool open = true;
  for (size_t dim : order) {
    int64_t tile = schedule.tile[dim], stride = dims[dim].dstStride;
    if (open && stride == run) {
      run *= tile;
      open = tile == dims[dim].size;
    } else if (tile > 1 && stride % line != 0) {
      return false;
    }
    if (tile < dims[dim].size && (tile * stride % line != 0 ||
                                  (dims[dim].size - tile) * stride % line != 0))
      return false;
    bytes *= tile;
  }
  return run % line == 0 && bytes <= mostBytes;
}

bool permc::streamsTiles(const Problem &canonical, const Schedule &schedule) {
  if (!schedule.streaming || schedule.panel ||
      !standsOnLines(canonical, schedule))
    return false;
  Result<Network> network = unprovenNetwork(canonical, schedule);
  return network && network->storesWholeLines(streamLineBytes);
}

Split permc::chooseSplit(const Problem &canonical, const Schedule &schedule,
                         const Schedule *other) {
  return splitTiles(canonical, schedule, streamsTiles(canonical, schedule),
                    other);
}
