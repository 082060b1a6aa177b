//===- Footprint.cpp - what a box of a tensor touches ---------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Footprint.h"

#include "permc/Plan/CeilDiv.h"
#include "permc/Plan/Panel.h"

#include <algorithm>
#include <array>
#include <numeric>

using namespace permc;

namespace {

class Box {
public:
  Box(std::span<const LoopDim> dims, std::span<const int64_t> extent,
      std::span<const int64_t> step, int64_t LoopDim::*stride, int64_t element)
      : dims(dims), extent(extent), step(step), stride(stride),
        element(element) {
    for (size_t dim = 0; dim < dims.size(); ++dim)
      order[dim] = dim;
    std::sort(order, order + dims.size(),
              [&](size_t a, size_t b) { return strideOf(a) < strideOf(b); });
  }

  /// Pieces of `grain` bytes that a box touches. What is nearer than half of
  /// one counts as contiguous.
  double count(int64_t grain, double &runs, double &runBytes) const {
    runs = 1;
    runBytes = static_cast<double>(element);
    int64_t begins = grain; // boxes begin at multiples of that
    for (size_t dim : std::span(order, dims.size())) {
      const int64_t apart = strideOf(dim), size = extent[dim];
      if (size > 1 && isNear(apart, runBytes, grain))
        runBytes += static_cast<double>(apart * (size - 1));
      else if (size > 1)
        runs *= static_cast<double>(size);
      if (dims[dim].size > size)
        begins = std::gcd(begins, apart * step[dim]);
      else if (dims[dim].size > 1 && static_cast<double>(apart) > runBytes)
        begins = std::gcd(begins, apart);
    }
    const auto piece = static_cast<double>(grain);
    return runs *
           std::max((runBytes + piece - static_cast<double>(begins)) / piece,
                    1.0);
  }

  /// The share of `sets` that the lines fill before one of them is full, by the
  /// first runs.
  double sets(int64_t line, int64_t sets, double runBytes) const {
    const int64_t runLines =
        std::max<int64_t>(static_cast<int64_t>(runBytes) / line, 1);
    const auto count = static_cast<size_t>(std::min(sets, maxSets));
    if (sets <= 1 || runLines >= sets)
      return 1;
    std::array<int64_t, maxSets> lines{};
    int64_t most = 0, all = 0;
    const int64_t mostRuns = std::max<int64_t>(2 * maxSets / runLines, 1);
    int64_t place[maxRank] = {};
    for (int64_t run = 0; run < mostRuns; ++run) {
      int64_t at = 0;
      for (size_t dim = 0; dim < dims.size(); ++dim)
        at += place[dim] * strideOf(dim);
      for (int64_t i = 0; i < runLines; ++i, ++all)
        most =
            std::max(most, ++lines[static_cast<size_t>(at / line + i) % count]);
      if (!next(place, runBytes, line))
        break;
    }
    return std::min(static_cast<double>(all) /
                        static_cast<double>(most * static_cast<int64_t>(count)),
                    1.0);
  }

private:
  static constexpr int64_t maxSets = 64;

  int64_t strideOf(size_t dim) const { return std::abs(dims[dim].*stride); }

  static bool isNear(int64_t apart, double runBytes, int64_t grain) {
    return static_cast<double>(apart) <=
           std::max(runBytes, static_cast<double>(grain) / 2);
  }

  /// The first element of the next run, nearest first.
  bool next(int64_t *place, double runBytes, int64_t line) const {
    for (size_t dim : std::span(order, dims.size())) {
      if (extent[dim] == 1 ||
          static_cast<double>(strideOf(dim)) <=
              std::max(runBytes / static_cast<double>(extent[dim]),
                       static_cast<double>(line) / 2))
        continue;
      if (++place[dim] < extent[dim])
        return true;
      place[dim] = 0;
    }
    return false;
  }

  std::span<const LoopDim> dims;
  std::span<const int64_t> extent, step;
  int64_t LoopDim::*stride;
  int64_t element;
  size_t order[maxRank]; ///< dims, nearest first
};

} // namespace

Footprint permc::footprintOf(std::span<const LoopDim> dims,
                             std::span<const int64_t> extent,
                             std::span<const int64_t> step,
                             int64_t LoopDim::*stride, int64_t element,
                             const Machine &machine) {
  const Box box(dims, extent, step, stride, element);
  Footprint print;
  double runs, bytes;
  print.pages = box.count(pageBytes, runs, bytes);
  print.lines = box.count(machine.lineBytes, print.runs, print.runBytes);
  if (machine.l1Ways)
    print.sets = box.sets(machine.lineBytes,
                          machine.l1Bytes / machine.l1Ways / machine.lineBytes,
                          print.runBytes);
  return print;
}
