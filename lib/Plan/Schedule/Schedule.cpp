//===- Schedule.cpp - what follows from a schedule ------------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "permc/Plan/Schedule.h"

#include "permc/Plan/CeilDiv.h"
#include "permc/Plan/LoopOrder.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <ranges>

using namespace permc;

std::optional<MicroKernel> permc::kernelNamed(std::string_view name) {
  std::optional<MicroKernel> found;
  forEachKernel([&](const auto &kernel) {
    if (kernel.name == name)
      found = kernel;
  });
  return found;
}

std::string permc::kernelName(const Schedule &schedule) {
  return std::visit([](const auto &kernel) { return std::string(kernel.name); },
                    schedule.kernel);
}

bool permc::startsAligned(const Problem &canonical, const Schedule &schedule,
                          int64_t alignment) {
  std::vector<LoopDim> dims = canonical.loopDims();
  return std::all_of(
      schedule.loops.begin(), schedule.loops.end(), [&](const Loop &loop) {
        const LoopDim &dim = dims[loop.dim];
        // The last step is moved back to end with the dim, and a part begins
        // wherever a line does (Split.h), if steps do not fill the dim.
        int64_t places = std::gcd(loop.step, dim.size);
        if (places != loop.step)
          places = std::gcd(places, streamLineBytes / std::gcd(streamLineBytes,
                                                               dim.dstStride));
        places %= alignment;
        return places * (dim.srcStride % alignment) % alignment == 0 &&
               places * (dim.dstStride % alignment) % alignment == 0;
      });
}

Schedule permc::wordByWord(const Schedule &schedule) {
  Schedule words = schedule;
  words.vectorBytes = pairAlignment(schedule);
  *getIf<micro::WordMoves>(words) = {};
  if (auto *tiles = getIf<micro::TileTranspose>(words))
    tiles->stepReach = {};
  return words;
}

/// What a panel reads in one piece, and the dims that tell its pieces apart.
static void findStretches(const std::vector<LoopDim> &dims, const Dims &panel,
                          int64_t element, PanelStage &stage) {
  stage.stretchBytes = element;
  for (size_t dim :
       std::views::reverse(slowestFirst(dims, &LoopDim::srcStride))) {
    if (stage.stretchDims.empty() && dims[dim].srcStride == stage.stretchBytes)
      stage.stretchBytes *= panel[dim];
    else if (panel[dim] > 1)
      stage.stretchDims.push_back(dim);
  }
}

PanelStage permc::panelStage(const Problem &canonical,
                             const Schedule &schedule) {
  const Dims &panel = schedule.panel->extent;
  std::vector<LoopDim> dims = canonical.loopDims();
  int64_t element = canonical.elementBytes();
  std::vector<size_t> members;
  for (size_t dim = 0; dim < dims.size(); ++dim)
    if (panel[dim] > 1)
      members.push_back(dim);
  // In dst order, so that the row, the dim contiguous in dst, comes last.
  std::sort(members.begin(), members.end(), [&](size_t a, size_t b) {
    return dims[a].dstStride > dims[b].dstStride;
  });
  // The dims that are contiguous in dst make up a row.
  size_t rowDims = 0;
  int64_t rowBytes = element;
  for (size_t i = members.size(); i-- > 0; ++rowDims) {
    if (dims[members[i]].dstStride != rowBytes)
      break;
    rowBytes *= panel[members[i]];
  }
  Dims extent = panel;
  std::optional<size_t> rowDim, open;
  int64_t lineUnits = 0;
  if (rowDims > 0)
    rowDim = members[members.size() - rowDims];
  if (schedule.panel->wholeLines && rowDim) {
    open = rowDim;
    const int64_t stride = dims[*open].dstStride;
    lineUnits = ceilDiv(streamLineBytes, stride);
    extent[*open] += lineUnits;
    rowBytes += lineUnits * stride;
  }
  // An odd number of lines: rows of a power of two would share cache sets.
  constexpr int64_t line = streamLineBytes;
  int64_t rowStride = (ceilDiv(rowBytes, line) | 1) * line;

  Dims shape, perm, src, dst;
  Schedule tiles = schedule;
  tiles.panel.reset();
  tiles.tile.clear();
  tiles.loops.clear();
  tiles.unitLoops = 0;
  tiles.streaming = false;
  tiles.prefetch.dstBytes = 0;
  for (size_t i = 0; i < members.size(); ++i) {
    shape.push_back(extent[members[i]]);
    perm.push_back(static_cast<int64_t>(i));
    src.push_back(dims[members[i]].srcStride);
    dst.push_back(dims[members[i]].dstStride); // as it is within a row
    tiles.tile.push_back(schedule.tile[members[i]]);
  }
  int64_t stride = rowStride;
  for (size_t i = members.size() - rowDims; i-- > 0;) {
    dst[i] = stride;
    stride *= shape[i];
  }
  for (const Loop &loop : schedule.loops) {
    auto it = std::find(members.begin(), members.end(), loop.dim);
    if (it != members.end() && loop.step < panel[loop.dim])
      tiles.loops.push_back({it - members.begin(), loop.step});
  }
  PanelStage stage = {
      .problem = *Problem::makeWithByteStrides(element, shape, perm, src, dst),
      .schedule = tiles,
      .dims = members,
      .columnDims = {members.begin(), members.end() - rowDims},
      .stretchDims = {},
      .extent = extent,
      .rowDim = rowDim,
      .open = open,
      .lineUnits = lineUnits,
      .stretchBytes = element,
      .rowBytes = rowBytes,
      .rowStride = rowStride,
      .bufferBytes = stride};
  findStretches(dims, stage.extent, element, stage);
  return stage;
}
