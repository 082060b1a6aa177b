//===- Nests.cpp - loops round tiles that stay in the caches --------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A nest has the loops of other dims in one of some orders, inside them those
// along the tile's column and row, and outside of these blocks of some lines of
// either side: what a block touches should stay in a cache until it is used up.
// Nothing is chosen here: the cost ranks.
//
//===----------------------------------------------------------------------===//

#include "Nests.h"

#include "permc/Plan/LoopOrder.h"

#include <algorithm>
#include <tuple>

using namespace permc;

namespace {

/// Lines of a block along either side; 0: no block.
constexpr int64_t columnLines[] = {0, 1, 2, 4, 16}, rowLines[] = {0, 4, 16};

/// All orders of so many other dims are tried.
constexpr size_t mostPermuted = 3;

class Proposal {
public:
  Proposal(const Problem &problem, const TargetFacts &facts,
           const Schedule &tile, size_t column, size_t row)
      : facts(facts), tile(tile), dims(problem.loopDims()),
        element(problem.elementBytes()), column(column), row(row) {}

  std::vector<Schedule> run() {
    for (const std::vector<size_t> &order : orders()) {
      if (column == row) {
        propose(order, 0, 0, 0, false);
        continue;
      }
      for (bool alongDst : {true, false})
        for (int64_t columns : columnLines)
          for (int64_t rows : rowLines)
            for (size_t outside : {order.size(), placeOf(order, column)})
              if (columns || rows || outside == order.size())
                propose(order, outside, blockOf(column, columns),
                        blockOf(row, rows), alongDst);
    }
    return std::move(found);
  }

private:
  using Order = std::vector<size_t>;

  /// The other dims that have loops: by their distance, as one side has them,
  /// or, if they are few, in any order.
  std::vector<Order> orders() const {
    auto others = [&](Order order) {
      std::erase_if(order, [&](size_t dim) {
        return dim == column || dim == row || tile.tile[dim] >= dims[dim].size;
      });
      return order;
    };
    Order byDistance = others(slowestFirst(dims, &LoopDim::dstStride));
    std::vector<Order> all;
    if (byDistance.size() <= mostPermuted) {
      std::ranges::sort(byDistance);
      do
        all.push_back(byDistance);
      while (std::next_permutation(byDistance.begin(), byDistance.end()));
      return all;
    }
    all.push_back(byDistance);
    std::ranges::sort(byDistance, {}, [&](size_t dim) {
      return std::tuple(-cachedDistance(dims[dim]), -dims[dim].dstStride, dim);
    });
    all.push_back(byDistance);
    all.push_back(others(slowestFirst(dims, &LoopDim::srcStride)));
    return all;
  }

  /// Where a dim would be among the others, the slower one in dst first.
  size_t placeOf(const Order &order, size_t dim) const {
    return static_cast<size_t>(
        std::ranges::find_if(order,
                             [&](size_t other) {
                               return dims[other].dstStride <
                                      dims[dim].dstStride;
                             }) -
        order.begin());
  }

  /// So many lines along a dim, in whole tiles; 0 if that is no block.
  int64_t blockOf(size_t dim, int64_t lines) const {
    const int64_t each = tile.tile[dim],
                  elements = lines * facts.lineBytes / element,
                  block = elements / each * each;
    return block > each && block < dims[dim].size ? block : 0;
  }

  void propose(const Order &order, size_t outside, int64_t columnBlock,
               int64_t rowBlock, bool alongDst) {
    Schedule nest = tile;
    auto addLoop = [&](size_t dim, int64_t step) {
      if (step < dims[dim].size)
        nest.loops.push_back({static_cast<int64_t>(dim), step});
    };
    for (size_t i = 0; i <= order.size(); ++i) {
      if (i == outside && column != row) {
        if (rowBlock)
          addLoop(row, rowBlock);
        if (columnBlock)
          addLoop(column, columnBlock);
      }
      if (i < order.size())
        addLoop(order[i], tile.tile[order[i]]);
    }
    const size_t inner = alongDst ? row : column;
    if (column != row)
      addLoop(alongDst ? column : row, tile.tile[alongDst ? column : row]);
    addLoop(inner, tile.tile[inner]);
    if (std::ranges::find(found, nest) == found.end())
      found.push_back(std::move(nest));
  }

  const TargetFacts &facts;
  const Schedule &tile;
  const std::vector<LoopDim> dims;
  const int64_t element;
  const size_t column, row;
  std::vector<Schedule> found;
};

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
    panels.prefetchBytes = 0;
    panels.panel = tile.tile;
    if (!growTo(panels, column, columns) || !growTo(panels, row, rows))
      return;
    for (size_t dim : slowestFirst(dims, &LoopDim::dstStride))
      if (dim != column && dim != row)
        addLoop(panels, dim, tile.tile[dim]);
    addLoop(panels, column, panels.panel[column]);
    addLoop(panels, row, panels.panel[row]);
    for (size_t dim : {row, column})
      if (tile.tile[dim] < panels.panel[dim])
        panels.loops.push_back({static_cast<int64_t>(dim), tile.tile[dim]});
    if (hasPanelBytes(panels))
      found.push_back(std::move(panels));
  }

  /// Gives a panel so many elements of a dim, in whole tiles, or all of it.
  bool growTo(Schedule &panels, size_t dim, int64_t elements) const {
    int64_t &panel = panels.panel[dim];
    if (elements >= dims[dim].size)
      panel = dims[dim].size;
    else if (elements % panel == 0)
      panel = elements;
    else
      return false;
    return true;
  }

  /// Enough to be worth its two stages, and no more than the first cache holds.
  bool hasPanelBytes(const Schedule &panels) const {
    constexpr int64_t minPanelBytes = 2 << 10;
    const PanelStage stage = panelStage(problem, panels);
    return stage.bufferBytes >= minPanelBytes &&
           stage.bufferBytes <= 2 * facts.l1Bytes &&
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
                                          size_t row) {
  return Proposal(problem, facts, tile, column, row).run();
}

std::vector<Schedule> permc::proposeCopiedPanels(const Problem &problem,
                                                 const TargetFacts &facts,
                                                 const Schedule &tile,
                                                 size_t column, size_t row) {
  return PanelProposal(problem, facts, tile, column, row).run();
}
