//===- ScheduleRuns.cpp - Copy and BlockCopy ------------------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The dim that is contiguous in src is so in dst: runs of it are moved. Long
// ones are streamed as they are. Short ones are if they are whole lines, some
// that follow one another in dst at a time; others are put together in panels.
//
//===----------------------------------------------------------------------===//

#include "permc/Plan/CeilDiv.h"
#include "permc/Plan/StreamedLoops.h"

#include "ScheduleRules.h"

#include <algorithm>

using namespace permc;

namespace {

/// What a micro kernel with a loop of its own moves at most: parts share pieces
/// of that size.
constexpr int64_t runPieceBytes = 64 << 10;

/// Moves of one run that are written out one after the other.
constexpr int64_t maxTileMoves = 16;

class RunRules : public ScheduleRules {
public:
  using ScheduleRules::ScheduleRules;

  void scheduleAlong(std::optional<size_t> run) {
    schedule.kernel = copyKernel(dims.size());
    if (!run)
      return;
    int64_t tile = runTile(dims[*run].size);
    schedule.tile[*run] = tile;
    if (draft.ranks())
      return rank(*run);
    if (facts.scalableVectors && tile < dims[*run].size &&
        !schedule.streaming) {
      getIf<micro::Copy>(schedule)->scalable = true;
      schedule.tile[*run] = tile = runTile(dims[*run].size);
    }
    if (countsInstructions() && !isScalable(schedule))
      tile = countMoves(*run);
    else if (!isScalable(schedule))
      unrollNext(*run, tile * element);
    for (size_t dim : outerOrder())
      if (dim != *run)
        addLoop(dim, schedule.tile[dim]);
    addLoop(*run, tile);
  }

private:
  /// Proposes runs one by one and some at a time, streamed and through panels;
  /// the least cost is taken.
  void rank(size_t run) {
    const Schedule one = schedule;
    const bool isStreamed =
        draft.mayStream() && dims[run].size * element >= minStreamedRunBytes;
    // The ends of long runs weigh little, wherever dst begins.
    if (draft.dstStartsLine || !isStreamed) {
      proposeLoops(draft, {run}, {run});
      unrollNext(run, schedule.tile[run] * element);
      if (schedule != one)
        proposeLoops(draft, {run}, {run});
    }
    schedule = one;
    if (isStreamed)
      proposeStreamed(run);
    takeLeastCost(draft);
  }

  void proposeStreamed(size_t run) {
    schedule.streaming = true;
    schedule.tile[run] = runTile(dims[run].size);
    proposeStreamedRuns(draft, run);
  }

  /// Takes the tile that executes the least. Returns what it has of a run.
  int64_t countMoves(size_t run) {
    std::vector<size_t> order = outerOrder();
    std::erase(order, run);
    order.push_back(run);
    std::vector<size_t> growth = slowestFirst(&LoopDim::dstStride);
    std::ranges::reverse(growth);
    std::erase(growth, run);
    growth.insert(growth.begin(), run);
    schedule.tile = grownTile(schedule, growth, order);
    return schedule.tile[run];
  }

  /// Elements of a run that one micro kernel moves: all of a short run, an even
  /// share of a long one, in whole vectors where elements allow it.
  int64_t runTile(int64_t size) const {
    int64_t most =
        std::max<int64_t>(maxTileMoves * draft.moveBytes() / element, 1);
    if (schedule.streaming || isScalable(schedule))
      most = std::max<int64_t>(runPieceBytes / element, 1);
    if (size <= most)
      return size;
    int64_t tile = ceilDiv(size, ceilDiv(size, most));
    int64_t whole = std::max<int64_t>(draft.moveBytes() / element, 1);
    return ceilDiv(tile, whole) * whole;
  }

  /// Gives a micro kernel of few moves several runs, so that the loop round it
  /// does not cost as much as they do.
  void unrollNext(size_t run, int64_t runBytes) {
    int64_t moves = ceilDiv(runBytes, draft.moveBytes());
    std::vector<size_t> order = slowestFirst(&LoopDim::dstStride);
    auto next = std::find_if(order.rbegin(), order.rend(),
                             [&](size_t dim) { return dim != run; });
    if (next == order.rend() || schedule.tile[run] != dims[run].size)
      return;
    int64_t most = std::min(facts.vectorRegisters, maxTileMoves);
    int64_t count = std::min(dims[*next].size, most / std::min(moves, most));
    // Only what divides: runs are not to be copied twice.
    while (count > 1 && dims[*next].size % count != 0)
      --count;
    schedule.tile[*next] = std::max<int64_t>(count, 1);
  }
};

} // namespace

void permc::scheduleRuns(ScheduleDraft &draft, std::optional<size_t> run) {
  RunRules(draft).scheduleAlong(run);
}
