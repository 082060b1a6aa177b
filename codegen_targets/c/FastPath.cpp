//===- FastPath.cpp - fast code, and code for any buffer ------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FastPath.h"

#include "llvm/ADT/STLExtras.h"

#include <numeric>

using namespace permc;

WordAccess permc::anyAccess(const TargetFacts &facts) {
  constexpr int64_t registerBytes = 4;
  return {std::min(facts.wordBytes, registerBytes), facts.unalignedWords, 1, 1};
}

/// The sizes of all tiles that the loops of a schedule meet: its own, and what
/// is left at the end of the dims that it does not divide.
static std::vector<Dims> tileSizes(const Problem &canonical,
                                   const Schedule &schedule) {
  std::vector<LoopDim> dims = canonical.loopDims();
  std::vector<Dims> list = {schedule.tile};
  for (size_t dim = 0; dim < dims.size(); ++dim) {
    int64_t rest = dims[dim].size % schedule.tile[dim];
    if (rest == 0)
      continue;
    for (size_t i = 0, whole = list.size(); i < whole; ++i) {
      list.push_back(list[i]);
      list.back()[dim] = rest;
    }
  }
  return list;
}

Result<FastPath> permc::fastPath(const Problem &canonical,
                                 const Schedule &schedule,
                                 const TargetFacts &facts) {
  FastPath path;
  if (canonical.isEmpty())
    return path;
  auto need = [](int64_t &alignment, int64_t bytes, bool aligned) {
    if (aligned)
      alignment = std::max(alignment, std::min(bytes, maxWordAlignment));
  };
  for (const Dims &sizes : tileSizes(canonical, schedule)) {
    auto tile = wordTile(canonical, schedule, sizes, alignedAccess(facts));
    if (!tile)
      return tile.error();
    for (const WordTile::Load &load : tile->loads)
      need(path.srcAlignment, load.bytes, load.aligned);
    for (const WordTile::Store &store : tile->stores)
      need(path.dstAlignment, store.bytes, store.aligned);
    path.littleEndian |= tile->dependsOnByteOrder();
  }
  return path;
}

Schedule permc::elementSchedule(const Problem &canonical,
                                const Schedule &schedule) {
  std::vector<LoopDim> dims = canonical.loopDims();
  Schedule single = schedule;
  single.tile.assign(dims.size(), 1);
  // The units must stay what they are: both paths share them.
  single.loops.resize(schedule.unitLoops);
  auto isUnit = [&](size_t dim) {
    return schedule.unitLoops > 0 && schedule.loops[0].dim == int64_t(dim) &&
           schedule.loops[0].step == 1;
  };
  std::vector<size_t> slowestFirst(dims.size());
  std::iota(slowestFirst.begin(), slowestFirst.end(), 0);
  // Not a stable sort: clang 22 warns of what gcc 12's library does for one.
  llvm::sort(slowestFirst, [&](size_t a, size_t b) {
    return std::pair(dims[b].dstStride, a) < std::pair(dims[a].dstStride, b);
  });
  for (size_t dim : slowestFirst)
    if (dims[dim].size > 1 && !isUnit(dim))
      single.loops.push_back({static_cast<int64_t>(dim), 1});
  return single;
}
