//===- SchedulePanels.cpp - tiles through panels --------------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tiles whose rows are no whole lines of dst, or are all in one channel of the
// memory, are put together in a panel, and its rows are streamed. Panel.h and
// Channels.h say how large it is.
//
//===----------------------------------------------------------------------===//

#include "permc/Plan/CeilDiv.h"
#include "permc/Plan/Panel.h"
#include "permc/Plan/Split.h"
#include "permc/Plan/StreamedLoops.h"

#include "ScheduleRules.h"

#include <algorithm>

using namespace permc;

namespace {

/// Loops inside a panel cannot go into the counter.
constexpr int64_t maxPanelLoops = 4;

/// Fetching further ahead than this is not sure to be on a mapped page.
constexpr int64_t maxPrefetchBytes = 16 << 20;

/// Steps of a tile, which has no lines to fill: from here on half of it runs as
/// fast.
constexpr size_t maxPanelSteps = 200;

class PanelRules : public ScheduleRules {
public:
  using ScheduleRules::ScheduleRules;

  bool tryPanels(std::optional<size_t> column, std::optional<size_t> row) {
    Dims panel = schedule.tile;
    std::optional<PanelNeighbours> next =
        column && row && channels().avoidsChannels(*column, *row)
            ? channels().channelPanel(*column, *row, schedule.tile, panel)
            : growPanel(dims, element, panel, facts);
    if (!next || loopsInside(panel) > maxPanelLoops)
      return false;
    // Beside the tiles of an aligned dst there is little room for others.
    const bool fewest =
        !draft.dstStartsLine && schedule.kind == KernelKind::TileTranspose;
    while (column && hasTwoLanes(*column) &&
           (fewest || !isCompact(maxPanelSteps)))
      schedule.tile[*column] = ceilDiv(schedule.tile[*column], 2);
    schedule.panel = panel;
    schedule.streaming = true;
    if (facts.cutsAtLines && next->dst && !streamsWholeRows())
      cutAtLines(*next->dst);
    schedulePanelLoops(next->src, next->dst);
    schedule.doubleBuffered = doubleBuffers();
    prefetchNextPanel(row);
    prefetchRowEnds();
    return true;
  }

private:
  /// Whether rows of a panel go out between the tiles of the next. Bytes take
  /// so many shuffles that stores wait for them, not they for stores; short
  /// rows and many loops cost branches that are hard to foretell; of whole rows
  /// nothing is gained; and of ragged parts the code is there twice. The
  /// numbers were measured on Zen 3.
  bool doubleBuffers() const {
    constexpr int64_t minBytes = 2, maxLoops = 2, minRowLines = 10;
    const PanelStage stage = panelStage(problem, schedule);
    return facts.doubleBuffers && schedule.wholeLines &&
           schedule.kind == KernelKind::TileTranspose && element >= minBytes &&
           loopsInside(schedule.panel) <= maxLoops &&
           stage.rowBytes >= minRowLines * facts.lineBytes &&
           2 * stage.bufferBytes <= maxBufferBytes &&
           !chooseSplit(problem, schedule).dstStride;
  }

  /// Whether all rows of all panels are whole lines anyway.
  bool streamsWholeRows() const {
    int64_t row = panelStage(problem, schedule).rowBytes;
    return draft.dstStartsLine && row % facts.lineBytes == 0 &&
           std::ranges::all_of(dims, [&](const LoopDim &dim) {
             return dim.dstStride < row || dim.dstStride % facts.lineBytes == 0;
           });
  }

  /// Makes them so: a part of a line that is stored has to be read first.
  void cutAtLines(size_t open) {
    int64_t &panel = schedule.panel[open];
    if (int64_t cut =
            panelCutAtLines(dims[open], schedule.tile[open], panel, facts)) {
      panel = cut;
      schedule.wholeLines = true;
    }
  }

  /// Whether half of the tile's columns still fill a lane.
  bool hasTwoLanes(size_t column) const {
    return schedule.tile[column] > 1 &&
           schedule.tile[column] * dims[column].srcStride >= 2 * laneBytes;
  }

  int64_t loopsInside(const Dims &panel) const {
    int64_t loops = 0;
    for (size_t dim = 0; dim < dims.size(); ++dim)
      loops += schedule.tile[dim] < panel[dim];
    return loops;
  }

  /// Panels follow one another along src.
  void schedulePanelLoops(std::optional<size_t> column,
                          std::optional<size_t> row) {
    const Dims &panel = schedule.panel;
    scheduleStreamedLoops(column, row);
    // The rows of a block would end in parts of lines.
    if (schedule.wholeLines)
      std::erase_if(schedule.loops, [&](const Loop &loop) {
        return loop.dim == static_cast<int64_t>(*row) &&
               loop.step > panel[*row];
      });
    for (size_t dim : slowestFirst(&LoopDim::srcStride))
      if (schedule.tile[dim] < panel[dim])
        schedule.loops.push_back(
            {static_cast<int64_t>(dim), schedule.tile[dim]});
  }

  void scheduleStreamedLoops(std::optional<size_t> column,
                             std::optional<size_t> row) {
    StreamedLoops loops(dims, element, innermost(schedule), facts);
    const bool alongColumns = column && row &&
                              schedule.kind == KernelKind::TileTranspose &&
                              channels().goesAlongColumns(*column, *row);
    for (const Loop &loop : alongColumns
                                ? loops.chooseAlongColumns(*column, *row)
                                : loops.choose(column, row))
      schedule.loops.push_back(loop);
  }

  /// Whether rows of src share so few places of the caches that what is brought
  /// for later is driven out.
  bool sharesPlaces(size_t row) const {
    return facts.l1Ways &&
           facts.placesFor(dims[row].srcStride) <= 2 * facts.l1Ways;
  }

  /// What is read a step later of a loop over panels is fetched now, by rows
  /// that go out. What is lost of that is asked for by tiles too, over all the
  /// time that they take: of one and two bytes, and between rows of another
  /// panel, that is enough, unless rows of src compete for the places that the
  /// next panel is brought to.
  void prefetchNextPanel(std::optional<size_t> row) {
    const std::optional<Loop> loop = prefetchedLoop();
    if (!loop)
      return;
    const int64_t ahead = loop->step * dims[loop->dim].srcStride;
    if (ahead > maxPrefetchBytes)
      return;
    if (facts.losesPrefetches)
      schedule.prefetchBytes = ahead;
    const bool areEnough = facts.losesPrefetches && !copiesRuns(schedule) &&
                           (element <= 2 || schedule.doubleBuffered) &&
                           !(row && sharesPlaces(*row));
    if (!areEnough)
      schedule.prefetchPanelBytes = ahead;
  }

  /// The innermost loop over panels. After its last step the next panel is
  /// elsewhere: if a step of a loop further out reads a single piece of src,
  /// and the second cache keeps that until it is read, then it is this loop.
  std::optional<Loop> prefetchedLoop() const {
    std::optional<Loop> chosen;
    int64_t bytes = problem.bytesMoved();
    Dims range;
    for (const LoopDim &dim : dims)
      range.push_back(dim.size);
    for (const Loop &loop : schedule.loops) {
      int64_t &elements = range[loop.dim];
      if (loop.step < schedule.panel[loop.dim])
        break;
      bytes = bytes / elements * loop.step;
      elements = loop.step;
      chosen = loop;
      if (facts.losesPrefetches &&
          loop.step * dims[loop.dim].srcStride == bytes &&
          bytes <= facts.l2Bytes / 4)
        break;
    }
    return chosen;
  }

  /// Rows of a panel that are whole lines are streamed, and nothing is read.
  void prefetchRowEnds() {
    if (facts.prefetchesStores && !schedule.wholeLines && !streamsWholeRows())
      schedule.prefetchDstBytes = panelStage(problem, schedule).rowBytes - 1;
  }
};

} // namespace

bool permc::tryPanels(ScheduleDraft &draft, std::optional<size_t> column,
                      std::optional<size_t> row) {
  return PanelRules(draft).tryPanels(column, row);
}
