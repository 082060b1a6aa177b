//===- SchedulePanels.cpp - tiles through panels --------------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tiles whose rows are no whole lines of dst are put together in a panel, and
// its rows are streamed. Panel.h says how large it is.
//
//===----------------------------------------------------------------------===//

#include "permc/Plan/CeilDiv.h"
#include "permc/Plan/Panel.h"
#include "permc/Plan/StreamedLoops.h"

#include "ScheduleRules.h"

#include <algorithm>
#include <bit>

using namespace permc;

namespace {

/// Loops inside a panel cannot go into the counter.
constexpr int64_t maxPanelLoops = 4;

/// Columns of a panel whose src rows fall into one set: 1.2 to 1.5 times as
/// fast as half of them on Zen 3.
constexpr int64_t conflictColumns = 128;

/// Steps of a tile, which has no lines to fill: from here on half of it runs as
/// fast.
constexpr size_t maxPanelSteps = 200;

class PanelRules : public ScheduleRules {
public:
  using ScheduleRules::ScheduleRules;

  bool tryPanels(std::optional<size_t> column, std::optional<size_t> row,
                 int64_t wantedBytes) {
    const bool conflict = column && row && rowsConflict(*column, *row);
    if (conflict)
      takeFewRows(*column, *row);
    Dims panel = schedule.tile;
    std::optional<PanelNeighbours> next =
        conflict ? conflictPanel(*column, *row, panel)
                 : growPanel(dims, element, panel, facts, wantedBytes);
    if (!next || loopsInside(panel) > maxPanelLoops)
      return false;
    // Beside the tiles of an aligned dst there is little room for others.
    const bool fewest =
        !draft.dstStartsLine && is<micro::TileTranspose>(schedule);
    while (column && hasTwoLanes(*column) &&
           (fewest || !isCompact(maxPanelSteps)))
      schedule.tile[*column] = ceilDiv(schedule.tile[*column], 2);
    // Half of an odd number of columns need not divide the panel.
    if (column && panel[*column] < dims[*column].size)
      panel[*column] -= panel[*column] % schedule.tile[*column];
    schedule.panel = Panel{.extent = std::move(panel)};
    schedule.streaming = true;
    if (next->dst && !streamsWholeRows())
      cutAtLines(*next->dst);
    schedulePanelLoops(next->src, next->dst);
    prefetchNextPanel(row);
    prefetchRowEnds();
    return true;
  }

private:
  /// Whether rows of src drive each other out of the first cache before their
  /// lines are used up, by tiles of many rows and few bytes of each.
  bool rowsConflict(size_t column, size_t row) const {
    return is<micro::TileTranspose>(schedule) && element <= 2 &&
           (facts.nearlyConflicts(dims[row].srcStride) ||
            facts.conflicts(dims[row].srcStride)) &&
           dims[column].srcStride == element &&
           dims[row].dstStride == element &&
           dims[column].size >= 2 * conflictColumns &&
           dims[row].size >= 2 * conflictRows();
  }

  /// A tile of not many more than there are ways, with more columns. Panels
  /// have whole tiles, whatever the number of ways.
  void takeFewRows(size_t column, size_t row) {
    schedule.tile[column] = 2 * laneBytes / element;
    schedule.tile[row] =
        static_cast<int64_t>(std::bit_floor(uint64_t(2 * facts.l1Ways)));
  }

  /// The panel of such rows: as much of each as makes up for fetching it.
  PanelNeighbours conflictPanel(size_t column, size_t row, Dims &panel) const {
    panel[column] = conflictColumns;
    panel[row] = conflictRows();
    return {column, row};
  }

  int64_t conflictRows() const {
    return maxPanelBytes / (conflictColumns * element);
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
    int64_t &panel = schedule.panel->extent[open];
    if (int64_t cut =
            panelCutAtLines(dims[open], schedule.tile[open], panel, facts)) {
      panel = cut;
      schedule.panel->wholeLines = true;
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
    const Dims &panel = schedule.panel->extent;
    scheduleStreamedLoops(column, row);
    // The rows of a block would end in parts of lines.
    if (schedule.panel->wholeLines)
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
    for (const Loop &loop : loops.choose(column, row))
      schedule.loops.push_back(loop);
  }

  void prefetchNextPanel(std::optional<size_t> row) {
    const auto inside =
        std::ranges::find_if(schedule.loops, [&](const Loop &loop) {
          return loop.step < schedule.panel->extent[loop.dim];
        });
    const PanelPrefetch next =
        prefetchPanels(dims, element, {schedule.loops.begin(), inside},
                       copiesRuns(schedule) ? std::nullopt : row, facts);
    schedule.prefetch.srcBytes = next.byTiles;
    schedule.prefetch.toL2 = next.byTiles && next.tilesToL2;
    schedule.panel->prefetchBytes = next.byRows;
  }

  /// A part of a line that is stored has to be read first.
  void prefetchRowEnds() {
    if (!schedule.panel->wholeLines && !streamsWholeRows())
      schedule.prefetch.dstBytes = panelStage(problem, schedule).rowBytes - 1;
  }
};

} // namespace

void permc::proposePanels(ScheduleDraft &draft, std::optional<size_t> column,
                          std::optional<size_t> row) {
  const Schedule tile = draft.schedule;
  const int64_t l1Bytes = draft.facts.l1Bytes;
  int64_t sizes[] = {l1Bytes / 3, l1Bytes / 6, pageBytes * 3 / 4};
  // Runs are only copied, and are best taken to a page of their own.
  if (copiesRuns(tile))
    std::ranges::reverse(sizes);
  for (int64_t bytes : sizes) {
    if (PanelRules(draft).tryPanels(column, row, bytes))
      draft.propose(draft.schedule);
    draft.schedule = tile;
  }
}
