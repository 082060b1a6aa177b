//===- WordSchedule.cpp - schedules for machines without vectors ----------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Such a machine has no cache worth blocking for: what counts is instructions.
// The innermost loop is the one that compilers make a zero-overhead loop of, so
// it gets the tile; the others step by one.
//
//===----------------------------------------------------------------------===//

#include "permc/Plan/WordTile.h"

#include "LoopOrder.h"

#include <bit>

using namespace permc;

namespace {

/// Rows of a transpose tile. Each tile pays once for its first row and for its
/// column pointers; 16 rows are within 4 % of 32 at half the code (ARC HS).
constexpr int64_t maxRows = 16;
constexpr int64_t minRows = 8;

/// Moves of one run that are written out one after the other.
constexpr int64_t maxRunMoves = 8;

class WordScheduler {
public:
  WordScheduler(const Problem &problem, const TargetFacts &facts)
      : facts(facts), problem(problem), dims(problem.loopDims()),
        element(problem.elementBytes()) {}

  Schedule run() {
    schedule.tile.assign(dims.size(), 1);
    schedule.vectorBytes = facts.wordBytes;
    std::optional<size_t> src = fastDim(dims, &LoopDim::srcStride, element);
    std::optional<size_t> dst = fastDim(dims, &LoopDim::dstStride, element);
    if (dims.empty() || (src && src == dst))
      scheduleRun(src);
    else if (src && dst)
      scheduleTile(*src, *dst);
    else
      scheduleElements();
    // A share of the kernel is a range of its outermost loop.
    schedule.unitLoops =
        !schedule.loops.empty() &&
        dims[schedule.loops[0].dim].size % schedule.loops[0].step == 0;
    return schedule;
  }

private:
  /// Loops through all dims but `inner` from the slowest in dst to the fastest,
  /// then through those.
  void addLoops(const std::vector<size_t> &inner) {
    for (size_t dim : slowestFirst(dims, &LoopDim::dstStride))
      if (std::find(inner.begin(), inner.end(), dim) == inner.end())
        addLoop(dim);
    for (size_t dim : inner)
      addLoop(dim);
  }

  void addLoop(size_t dim) {
    if (schedule.tile[dim] < dims[dim].size)
      schedule.loops.push_back({static_cast<int64_t>(dim), schedule.tile[dim]});
  }

  void scheduleRun(std::optional<size_t> run) {
    schedule.kind = dims.size() <= 1 ? KernelKind::Copy : KernelKind::BlockCopy;
    if (!run)
      return;
    int64_t most =
        std::max<int64_t>(maxRunMoves * facts.wordBytes / element, 1);
    schedule.tile[*run] = std::min(dims[*run].size, most);
    addLoops({*run});
  }

  void scheduleTile(size_t src, size_t dst) {
    schedule.kind = KernelKind::WordTranspose;
    schedule.tile[src] = std::min(
        dims[src].size, std::max<int64_t>(facts.wordBytes / element, 1));
    schedule.tile[dst] = chooseRows(dims[dst].size);
    addLoops({src, dst});
    if (loadsWords())
      return;
    schedule.loops.clear();
    schedule.tile.assign(dims.size(), 1);
    scheduleElements();
  }

  /// Rows that divide the dim are best: no second tile for the remainder.
  static int64_t chooseRows(int64_t size) {
    for (int64_t rows = maxRows; rows >= minRows; --rows)
      if (size % rows == 0)
        return rows;
    return std::min(size, maxRows);
  }

  /// Whether the tile takes more than one element a load; without that it is no
  /// better than a loop over elements, and larger.
  bool loadsWords() const {
    if (element >= facts.wordBytes || !std::has_single_bit(uint64_t(element)))
      return false;
    auto tile =
        wordTile(problem, schedule, schedule.tile, alignedAccess(facts));
    return tile &&
           std::any_of(tile->loads.begin(), tile->loads.end(),
                       [&](const auto &load) { return load.bytes > element; });
  }

  void scheduleElements() {
    schedule.kind = KernelKind::Scalar;
    addLoops({});
  }

  const TargetFacts &facts;
  const Problem &problem;
  std::vector<LoopDim> dims;
  int64_t element;
  Schedule schedule;
};

} // namespace

Schedule permc::chooseWordSchedule(const Problem &canonical,
                                   const TargetFacts &facts) {
  return WordScheduler(canonical, facts).run();
}
