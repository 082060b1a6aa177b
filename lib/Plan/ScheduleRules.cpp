//===- ScheduleRules.cpp - what the rules of a schedule share -------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScheduleRules.h"

#include "permc/Plan/LoopOrder.h"
#include "permc/Plan/TargetPlanner.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <tuple>

using namespace permc;

ScheduleDraft::ScheduleDraft(const Problem &problem, const TargetFacts &facts,
                             bool dstStartsLine)
    : problem(problem), facts(facts), dims(problem.loopDims()),
      element(problem.elementBytes()), dstStartsLine(dstStartsLine),
      model(problem, facts, facts) {
  schedule.tile.assign(dims.size(), 1);
  schedule.vectorBytes = moveBytes();
}

void ScheduleDraft::propose(const Schedule &schedule) {
  if (std::ranges::find(proposals, schedule, &Proposal::schedule) !=
      proposals.end())
    return;
  // What has no cost comes last.
  constexpr double unknown = std::numeric_limits<double>::infinity();
  const auto its = model.cost(schedule);
  const double ns = its ? its->total() : unknown;
  proposals.push_back({schedule, std::isfinite(ns) ? ns : unknown});
}

std::vector<std::pair<double, size_t>> ScheduleDraft::leastFirst() const {
  std::vector<std::pair<double, size_t>> order;
  for (size_t i = 0; i < proposals.size(); ++i)
    order.emplace_back(proposals[i].ns, i);
  std::ranges::sort(order);
  return order;
}

bool ScheduleDraft::ranks() const {
  return facts.cycleNs > 0 &&
         !(facts.planner && facts.planner->countsInstructions());
}

bool ScheduleRules::isCompact(size_t mostSteps) const {
  Result<Network> network = tileNetwork(problem, schedule);
  return network && network->steps.size() <= mostSteps;
}

bool ScheduleRules::countsInstructions() const {
  return facts.planner && facts.planner->countsInstructions();
}

Dims ScheduleRules::grownTile(Schedule counted,
                              const std::vector<size_t> &growth,
                              const std::vector<size_t> &order) const {
  counted.tile.assign(dims.size(), 1);
  auto &moves = *getIf<micro::FixedMoves>(counted);
  moves.srcReach = moves.dstReach = facts.vectorReach;
  return facts.planner->growTile(problem, facts, counted, growth, order);
}

std::vector<size_t> ScheduleRules::slowestFirst(Stride stride) const {
  return permc::slowestFirst(dims, stride);
}

std::vector<size_t> ScheduleRules::outerOrder() const {
  if (schedule.streaming)
    return slowestFirst(&LoopDim::srcStride);
  // Of dims as far away the slower one in dst first, and of those the first.
  std::vector<size_t> order(dims.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, {}, [&](size_t dim) {
    return std::tuple(-cachedDistance(dims[dim]), -dims[dim].dstStride, dim);
  });
  return order;
}

void ScheduleRules::addLoop(size_t dim, int64_t step) {
  if (step < dims[dim].size)
    schedule.loops.push_back({static_cast<int64_t>(dim), step});
}

std::vector<size_t> ScheduleRules::chain(size_t fast, Stride stride,
                                         int64_t wanted) const {
  std::vector<size_t> chain{fast};
  int64_t bytes = element * dims[fast].size;
  while (bytes < wanted) {
    auto next = std::find_if(dims.begin(), dims.end(), [&](const LoopDim &dim) {
      return dim.*stride == bytes && dim.size > 1;
    });
    if (next == dims.end())
      break;
    chain.push_back(next - dims.begin());
    bytes *= next->size;
  }
  return chain;
}

std::vector<size_t> ScheduleRules::moreRows(const std::vector<size_t> &columns,
                                            const std::vector<size_t> &rows,
                                            int64_t wanted) const {
  std::vector<size_t> more = chain(rows.front(), &LoopDim::dstStride, wanted);
  bool fits = more.size() > rows.size() && !haveCommonDim(columns, more) &&
              isRectangle(columns, more);
  return fits ? more : rows;
}

bool ScheduleRules::isRectangle(const std::vector<size_t> &columns,
                                const std::vector<size_t> &rows) const {
  auto isRowDim = [&](size_t dim) { return isRow(dims[dim]); };
  return std::all_of(rows.begin(), rows.end(), isRowDim) &&
         std::none_of(columns.begin(), columns.end(), isRowDim);
}

bool ScheduleRules::haveCommonDim(const std::vector<size_t> &a,
                                  const std::vector<size_t> &b) {
  return std::any_of(a.begin(), a.end(), [&](size_t dim) {
    return std::find(b.begin(), b.end(), dim) != b.end();
  });
}
