//===- Nests.cpp - loops round tiles that stay in the caches --------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All nests that are worth a look (Nest.h), and copied panels. Nothing is
// chosen here: the cost ranks.
//
//===----------------------------------------------------------------------===//

#include "Nests.h"

#include "permc/Plan/LoopOrder.h"
#include "permc/Plan/Nest.h"

#include <algorithm>

using namespace permc;

namespace {

/// Lines of a block along either side; 0: no block.
constexpr int64_t columnLines[] = {0, 1, 2, 4, 16}, rowLines[] = {0, 4, 16};

/// All orders of so many other dims are tried.
constexpr size_t mostPermuted = 3;

/// The orders of other dims: by their distance, as one side has them, or, if
/// they are few, any.
std::vector<DimOrder> ordersOf(const NestMaker &maker) {
  DimOrder order = maker.bySide(&LoopDim::dstStride);
  std::vector<DimOrder> all;
  if (order.count > mostPermuted)
    return {order, maker.byDistance(), maker.bySide(&LoopDim::srcStride)};
  std::ranges::sort(order.list());
  do
    all.push_back(order);
  while (std::ranges::next_permutation(order.list()).found);
  return all;
}

/// All blocks of a tile that goes on along two dims.
std::vector<NestBlocks> allBlocks() {
  std::vector<NestBlocks> all;
  for (bool alongDst : {true, false})
    for (int64_t columns : columnLines)
      for (int64_t rows : rowLines)
        for (bool atColumn : {false, true})
          if (columns || rows || !atColumn)
            all.push_back({columns, rows, alongDst, atColumn});
  return all;
}

class PanelProposal {
public:
  PanelProposal(const Problem &problem, const TargetFacts &facts,
                const Schedule &tile, size_t column, size_t row)
      : problem(problem), facts(facts), tile(tile), dims(problem.loopDims()),
        column(column), row(row) {}

  std::vector<Schedule> run() {
    for (int64_t columns : {32, 64})
      for (int64_t rows : {64, 128})
        propose(columns, rows);
    return std::move(found);
  }

private:
  void propose(int64_t columns, int64_t rows) {
    Schedule panels = tile;
    panels.prefetch.srcBytes = 0;
    panels.panel = Panel{.extent = tile.tile};
    if (!growTo(panels, column, columns) || !growTo(panels, row, rows))
      return;
    for (size_t dim : slowestFirst(dims, &LoopDim::dstStride))
      if (dim != column && dim != row)
        addLoop(panels, dim, tile.tile[dim]);
    addLoop(panels, column, panels.panel->extent[column]);
    addLoop(panels, row, panels.panel->extent[row]);
    for (size_t dim : {row, column})
      if (tile.tile[dim] < panels.panel->extent[dim])
        panels.loops.push_back({static_cast<int64_t>(dim), tile.tile[dim]});
    if (hasPanelBytes(panels))
      found.push_back(std::move(panels));
  }

  /// Gives a panel so many elements of a dim, in whole tiles, or all of it.
  bool growTo(Schedule &panels, size_t dim, int64_t elements) const {
    int64_t &panel = panels.panel->extent[dim];
    if (elements >= dims[dim].size)
      panel = dims[dim].size;
    else if (elements % panel == 0)
      panel = elements;
    else
      return false;
    return true;
  }

  /// Enough to be worth its two stages, in rows of a line or more, and no more
  /// than the first cache holds.
  bool hasPanelBytes(const Schedule &panels) const {
    constexpr int64_t minPanelBytes = 2 << 10;
    const PanelStage stage = panelStage(problem, panels);
    return stage.bufferBytes >= minPanelBytes &&
           stage.bufferBytes <= 2 * facts.l1Bytes &&
           stage.rowBytes >= facts.lineBytes &&
           stage.rowBytes <= maxCopiedRowBytes;
  }

  void addLoop(Schedule &nest, size_t dim, int64_t step) const {
    if (step < dims[dim].size)
      nest.loops.push_back({static_cast<int64_t>(dim), step});
  }

  const Problem &problem;
  const TargetFacts &facts;
  const Schedule &tile;
  const std::vector<LoopDim> dims;
  const size_t column, row;
  std::vector<Schedule> found;
};

} // namespace

std::vector<Schedule> permc::proposeNests(const Problem &problem,
                                          const TargetFacts &facts,
                                          const Schedule &tile, size_t column,
                                          size_t row, Nests number) {
  const std::vector<LoopDim> dims = problem.loopDims();
  const NestMaker maker({dims, problem.elementBytes(), problem.bytesMoved()},
                        tile.tile, column, row, facts.lineBytes);
  std::vector<Schedule> found;
  const auto add = [&](const std::optional<Nest> &nest) {
    if (!nest)
      return;
    found.push_back(tile);
    found.back().loops.assign(nest->loops, nest->loops + nest->count);
  };
  if (number == Nests::Few) {
    for (const NestForm &form : nestForms())
      add(maker.make(form));
    return found;
  }
  const std::vector<NestBlocks> blocks =
      column == row ? std::vector<NestBlocks>(1) : allBlocks();
  for (const DimOrder &order : ordersOf(maker))
    for (const NestBlocks &some : blocks)
      add(maker.make(order, some));
  return found;
}

std::vector<Schedule> permc::proposeCopiedPanels(const Problem &problem,
                                                 const TargetFacts &facts,
                                                 const Schedule &tile,
                                                 size_t column, size_t row) {
  return PanelProposal(problem, facts, tile, column, row).run();
}
