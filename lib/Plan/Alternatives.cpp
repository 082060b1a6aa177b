//===- Alternatives.cpp - other schedules for a problem -------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "permc/Plan/Alternatives.h"

#include <algorithm>

using namespace permc;

namespace {

/// Schedules that can be carried out, each once.
class Collection {
public:
  explicit Collection(const Problem &problem) : problem(problem) {}

  void add(Schedule schedule) {
    if (std::ranges::find(all, schedule) == all.end() && isUseful(schedule))
      all.push_back(std::move(schedule));
  }

  std::vector<Schedule> all;

private:
  /// Tiles of more steps take long to compile and are no faster.
  bool isUseful(const Schedule &schedule) const {
    constexpr size_t maxSteps = 700;
    if (!checkSchedule(problem, schedule))
      return false;
    if (copiesRuns(schedule))
      return true;
    Result<Network> network = tileNetwork(problem, schedule);
    return network && network->steps.size() <= maxSteps;
  }

  const Problem &problem;
};

class Neighbours {
public:
  Neighbours(const Problem &problem, const Schedule &schedule)
      : schedule(schedule), dims(problem.loopDims()), found(problem) {
    found.all.push_back(schedule);
  }

  std::vector<Schedule> find() {
    changeLoops();
    for (size_t dim = 0; dim < dims.size(); ++dim)
      for (bool twice : {false, true}) {
        resize(dim, [](Schedule &one) -> Dims & { return one.tile; }, twice);
        if (schedule.panel && schedule.panel->extent[dim] > schedule.tile[dim])
          resize(
              dim, [](Schedule &one) -> Dims & { return one.panel->extent; },
              twice);
      }
    changePrefetches();
    found.all.erase(found.all.begin());
    return std::move(found.all);
  }

private:
  /// Whether a loop is round another of its dim, and not where panels end.
  bool isBlock(size_t place) const {
    const auto [dim, step] = schedule.loops[place];
    return step > innermost(schedule)[dim];
  }

  void changeLoops() {
    const std::vector<Loop> &loops = schedule.loops;
    for (size_t i = 0; i < loops.size(); ++i) {
      if (i + 1 < loops.size()) {
        Schedule other = schedule;
        std::swap(other.loops[i], other.loops[i + 1]);
        found.add(other);
      }
      if (!isBlock(i))
        continue;
      Schedule other = schedule;
      other.loops.erase(other.loops.begin() + static_cast<ptrdiff_t>(i));
      other.unitLoops = std::min<unsigned>(other.unitLoops, i);
      found.add(other);
      for (int64_t step : {loops[i].step / 2, loops[i].step * 2}) {
        other = schedule;
        other.loops[i].step = step;
        found.add(other);
      }
    }
  }

  /// Twice as much of a dim in each tile or panel, or half of it.
  void resize(size_t dim, Dims &(*what)(Schedule &), bool twice) {
    Schedule other = schedule;
    const int64_t now = what(other)[dim], size = dims[dim].size,
                  wanted = twice ? std::min(2 * now, size) : (now + 1) / 2;
    if (wanted == now)
      return;
    what(other)[dim] = wanted;
    std::vector<Loop> loops;
    for (size_t i = 0; i < schedule.loops.size(); ++i) {
      Loop loop = schedule.loops[i];
      if (loop.dim == static_cast<int64_t>(dim) && loop.step == now)
        loop.step = wanted;
      if (loop.dim != static_cast<int64_t>(dim) || loop.step < size)
        loops.push_back(loop);
      else if (i < schedule.unitLoops)
        --other.unitLoops;
    }
    other.loops = std::move(loops);
    // A dim that was whole has a loop now.
    if (now == size)
      other.loops.push_back({static_cast<int64_t>(dim), wanted});
    found.add(other);
  }

  void changePrefetches() {
    constexpr int64_t line = streamLineBytes;
    for (int64_t bytes : {int64_t{0}, line, 2 * line, 3 * line, 8 * line}) {
      Schedule other = schedule;
      other.prefetch.srcBytes = bytes;
      other.prefetch.toL2 &= bytes > 0;
      found.add(other);
    }
    if (!schedule.panel)
      return;
    Schedule other = schedule;
    other.panel->prefetchBytes =
        other.panel->prefetchBytes ? 0 : other.prefetch.srcBytes;
    found.add(other);
  }

  const Schedule &schedule;
  const std::vector<LoopDim> dims;
  Collection found;
};

} // namespace

std::vector<Schedule> permc::neighbours(const Problem &canonical,
                                        const Schedule &schedule) {
  if (canonical.isEmpty())
    return {};
  return Neighbours(canonical, schedule).find();
}
