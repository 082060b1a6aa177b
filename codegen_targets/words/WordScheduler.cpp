//===- WordScheduler.cpp - schedules of plain words -----------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WordScheduler.h"

#include "permc/Plan/LoopOrder.h"
#include "permc/Plan/WordTile.h"

#include <algorithm>
#include <bit>

using namespace permc;

WordScheduler::WordScheduler(const Problem &problem, const TargetFacts &facts)
    : problem(problem), dims(problem.loopDims()),
      element(problem.elementBytes()), facts(facts) {
  schedule.tile.assign(dims.size(), 1);
  schedule.vectorBytes = facts.wordBytes;
}

Schedule WordScheduler::run() {
  const FastDim src = fastDim(dims, &LoopDim::srcStride, element),
                dst = fastDim(dims, &LoopDim::dstStride, element);
  if (dims.empty() || (src && src == dst))
    scheduleRun(src);
  else if (src && dst)
    scheduleTile(*src, *dst);
  else
    scheduleElements(src, dst);
  refine(src, dst);
  chooseUnits();
  return std::move(schedule);
}

Schedule WordScheduler::runOneByOne() {
  schedule.kernel = micro::Scalar{};
  addLoops({});
  chooseUnits();
  return std::move(schedule);
}

int64_t WordScheduler::runMoves() const { return 8; }

int64_t WordScheduler::columnsOf(size_t, int64_t word) const { return word; }

int64_t WordScheduler::chooseRows(const LoopDim &dim) const {
  return dividingRows(dim.size, maxRows).value_or(std::min(dim.size, maxRows));
}

void WordScheduler::takeMore(int64_t) {}

void WordScheduler::refine(FastDim, FastDim) {}

/// Of the outermost loop the kernel's parts are ranges.
void WordScheduler::chooseUnits() {
  if (divides(0))
    schedule.unitLoops = 1;
}

void WordScheduler::scheduleRun(FastDim run) {
  schedule.kernel = copyKernel(dims.size());
  if (!run)
    return;
  const int64_t most =
      std::max<int64_t>(runMoves() * facts.wordBytes / element, 1);
  schedule.tile[*run] = std::min(dims[*run].size, most);
  takeMore(most);
  addLoops({*run});
}

void WordScheduler::scheduleTile(size_t src, size_t dst) {
  schedule.kernel = micro::WordTranspose{};
  const int64_t word = std::max<int64_t>(facts.wordBytes / element, 1);
  schedule.tile[src] = std::min(dims[src].size, columnsOf(src, word));
  schedule.tile[dst] = chooseRows(dims[dst]);
  takeMore(2 * tileElements);
  addLoops({src, dst});
  if (loadsWords())
    return;
  schedule.loops.clear();
  schedule.tile.assign(dims.size(), 1);
  scheduleElements(src, dst);
}

void WordScheduler::scheduleElements(FastDim, FastDim) {
  schedule.kernel = micro::Scalar{};
  schedule.vectorBytes = std::max(facts.vectorBytes, facts.wordBytes);
  addLoops({});
}

/// Whether the tile takes more than one element a load; without that it is no
/// better than a loop over elements, and larger.
bool WordScheduler::loadsWords() const {
  if (element >= facts.wordBytes || !std::has_single_bit(uint64_t(element)))
    return false;
  auto tile = wordTile(problem, schedule, schedule.tile, alignedAccess(facts));
  return tile &&
         std::any_of(tile->loads.begin(), tile->loads.end(),
                     [&](const auto &load) { return load.bytes > element; });
}

void WordScheduler::addLoops(const std::vector<size_t> &inner) {
  for (size_t dim : slowestFirst(dims, &LoopDim::dstStride))
    if (std::find(inner.begin(), inner.end(), dim) == inner.end())
      addLoop(dim);
  for (size_t dim : inner)
    addLoop(dim);
}

void WordScheduler::addLoop(size_t dim) {
  if (schedule.tile[dim] < dims[dim].size)
    schedule.loops.push_back({static_cast<int64_t>(dim), schedule.tile[dim]});
}

bool WordScheduler::divides(size_t place) const {
  const std::vector<Loop> &loops = schedule.loops;
  return place < loops.size() &&
         dims[loops[place].dim].size % loops[place].step == 0;
}

std::optional<int64_t> WordScheduler::dividingRows(int64_t size, int64_t most) {
  for (int64_t rows = most; rows >= minRows; --rows)
    if (size % rows == 0)
      return rows;
  return std::nullopt;
}

Schedule permc::chooseWordSchedule(const Problem &canonical,
                                   const TargetFacts &facts) {
  return WordScheduler(canonical, facts).run();
}
