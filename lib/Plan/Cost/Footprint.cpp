//===- Footprint.cpp - what a box of a tensor touches ---------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "permc/Plan/Footprint.h"

#include <algorithm>
#include <cstdlib>

using namespace permc;

namespace {

/// The largest power of two that divides a distance and, with `most`, is one.
int64_t alignmentOf(int64_t distance, int64_t most) {
  return distance == 0 ? most : std::min(distance & -distance, most);
}

/// What is nearer than half of a piece counts as contiguous.
bool isNear(int64_t apart, double runBytes, int64_t grain) {
  return static_cast<double>(apart) <=
         std::max(runBytes, static_cast<double>(grain) / 2);
}

/// Of `number` points that are `apart`, modulo `period`, the most that lie
/// within `window`. Each time round they begin a little further on: by less
/// than `apart`, which is the period then.
uint32_t mostWithin(uint32_t number, uint32_t apart, uint32_t period,
                    uint32_t window) {
  const uint32_t all = number;
  while (number > 1 && window < period) {
    apart = std::min(apart, period - apart);
    if (apart == 0)
      break;
    if (apart <= window) {
      const uint64_t rounds = (uint64_t{number} * apart + period - 1) / period;
      return static_cast<uint32_t>(
          std::min<uint64_t>(rounds * ((window + apart - 1) / apart), all));
    }
    const uint32_t round = period / apart, past = period - round * apart;
    number = (number + round - 1) / round;
    period = apart;
    apart = past;
  }
  return number;
}

} // namespace

TensorSide::TensorSide(std::span<const LoopDim> dims, int64_t LoopDim::*stride,
                       int64_t element, const Machine &machine)
    : count(dims.size()), machine(machine), element(element) {
  for (size_t i = 0; i < count; ++i) {
    const Dim dim{dims[i].size, std::abs(dims[i].*stride),
                  static_cast<uint8_t>(i)};
    size_t place = i;
    for (; place > 0 && sorted[place - 1].stride > dim.stride; --place)
      sorted[place] = sorted[place - 1];
    sorted[place] = dim;
  }
}

/// Pieces of `grain` bytes, a power of two.
TensorSide::Pieces TensorSide::pieces(int64_t grain,
                                      std::span<const int64_t> extent,
                                      std::span<const int64_t> step) const {
  double runs = 1;
  auto runBytes = static_cast<double>(element);
  int64_t begins = grain; // boxes begin at multiples of that
  for (const Dim &dim : std::span(sorted, count)) {
    const int64_t size = extent[dim.index];
    if (size > 1 && isNear(dim.stride, runBytes, grain))
      runBytes += static_cast<double>(dim.stride * (size - 1));
    else if (size > 1)
      runs *= static_cast<double>(size);
    if (dim.size > size)
      begins = alignmentOf(dim.stride * step[dim.index], begins);
    else if (dim.size > 1 && static_cast<double>(dim.stride) > runBytes)
      begins = alignmentOf(dim.stride, begins);
  }
  const auto piece = static_cast<double>(grain);
  const double each =
      std::max((runBytes + piece - static_cast<double>(begins)) / piece, 1.0);
  return {runs * each, runs, runBytes};
}

/// The share of a cache that the lines fill before one of its sets is full.
/// Runs that a dim tells apart fall into the same sets as far as they are near
/// each other, modulo a way; what all of them cover is the run of the next dim.
double TensorSide::sets(std::span<const int64_t> extent, const Pieces &runs,
                        int64_t cacheBytes, int64_t ways) const {
  const auto way = static_cast<uint32_t>(cacheBytes / ways),
             line = static_cast<uint32_t>(machine.lineBytes);
  const uint32_t mostRuns = way; // more are all the same
  auto covered =
      static_cast<uint32_t>(std::clamp<double>(runs.runBytes, line, way));
  double deepest = 1;
  for (const Dim &dim : std::span(sorted, count)) {
    const int64_t size = extent[dim.index];
    if (size == 1 ||
        static_cast<double>(dim.stride) * static_cast<double>(size) <=
            runs.runBytes ||
        2 * dim.stride <= line)
      continue;
    const auto number =
        static_cast<uint32_t>(std::min<int64_t>(size, mostRuns));
    const uint32_t same = mostWithin(
        number, static_cast<uint32_t>(dim.stride % way), way, covered);
    deepest *= same;
    covered = static_cast<uint32_t>(
        std::min<uint64_t>(uint64_t{covered} * number / same, way));
  }
  return std::min(runs.count * line / (deepest * way), 1.0);
}

Footprint TensorSide::footprint(std::span<const int64_t> extent,
                                std::span<const int64_t> step) const {
  Footprint print;
  print.pages = pieces(pageBytes, extent, step).count;
  const Pieces lines = pieces(machine.lineBytes, extent, step);
  print.lines = lines.count;
  print.runs = lines.runs;
  print.runBytes = lines.runBytes;
  print.l1Sets = print.l2Sets = 1;
  if (machine.l1Ways)
    print.l1Sets = sets(extent, lines, machine.l1Bytes, machine.l1Ways);
  if (machine.l2Ways)
    print.l2Sets = sets(extent, lines, machine.l2Bytes, machine.l2Ways);
  return print;
}
