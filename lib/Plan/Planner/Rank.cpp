//===- Rank.cpp - the proposal of the least cost --------------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is proposed is ranked by cost. Of those that can be carried out and cost
// about as little as the least, the one proposed first is taken: generators
// propose what is simple before what is not. How far ahead to prefetch is
// proposed last, for the best few.
//
//===----------------------------------------------------------------------===//

#include "../ScheduleRules.h"

#include <algorithm>

using namespace permc;

namespace {

/// Proposals that prefetches are tried for, and how far ahead in lines: the
/// latency of the memory, at the speed at which tiles go through src.
constexpr size_t mostPrefetching = 3;
constexpr int64_t linesAhead[] = {1, 4};

/// Costs within this factor are taken to be the same, but where the first cache
/// holds all and only work counts.
constexpr double aboutTheSame = 1.05;

class Ranking {
public:
  explicit Ranking(ScheduleDraft &draft) : draft(draft) {}

  bool run() {
    proposePrefetches();
    order = draft.leastFirst();
    // A second schedule is for a first one that is streamed.
    const bool mustStream =
        !draft.dstStartsLine ||
        draft.problem.bytesMoved() >= draft.facts.streamedBytes();
    return (mustStream && takeFirst(/*streamed=*/true)) || takeFirst(false);
  }

private:
  /// Only what goes on in src in the next tile finds there what was prefetched.
  void proposePrefetches() {
    if (draft.problem.bytesMoved() <= draft.facts.l2Bytes / 2)
      return;
    std::vector<size_t> best;
    for (auto [time, i] : draft.leastFirst())
      if (best.size() < mostPrefetching &&
          mayPrefetch(draft.proposals[i].schedule))
        best.push_back(i);
    for (size_t i : best)
      for (int64_t lines : linesAhead) {
        Schedule prefetching = draft.proposals[i].schedule;
        prefetching.prefetch.srcBytes = lines * draft.facts.lineBytes;
        draft.propose(prefetching);
      }
  }

  bool mayPrefetch(const Schedule &schedule) const {
    return !schedule.streaming && !schedule.panel && !schedule.loops.empty() &&
           goesAlongSrc(schedule);
  }

  bool goesAlongSrc(const Schedule &schedule) const {
    const auto inner = static_cast<size_t>(schedule.loops.back().dim);
    return draft.dims[inner].srcStride == draft.element;
  }

  bool takeFirst(bool streamed) {
    const auto suits = [&](const auto &one) {
      return canBeTaken(draft.proposals[one.second].schedule, streamed);
    };
    const auto least = std::ranges::find_if(order, suits);
    if (least == order.end())
      return false;
    const double most =
        least->first *
        (draft.facts.holdsBoth(draft.problem.bytesMoved()) ? 1 : aboutTheSame);
    std::vector<size_t> earlier;
    for (auto one = least + 1; one != order.end() && one->first <= most; ++one)
      if (one->second < least->second)
        earlier.push_back(one->second);
    std::ranges::sort(earlier);
    const auto first = std::ranges::find_if(earlier, [&](size_t i) {
      return canBeTaken(draft.proposals[i].schedule, streamed);
    });
    const size_t taken = first == earlier.end() ? least->second : *first;
    draft.schedule = draft.proposals[taken].schedule;
    return true;
  }

  bool canBeTaken(const Schedule &proposal, bool streamed) const {
    return (!streamed || proposal.streaming) && !needsAlignedDst(proposal) &&
           checkSchedule(draft.problem, proposal);
  }

  /// Runs are streamed to any dst.
  bool needsAlignedDst(const Schedule &proposal) const {
    return !draft.dstStartsLine && streamsTiles(draft.problem, proposal) &&
           !checkStreamedRun(draft.problem, proposal);
  }

  ScheduleDraft &draft;
  std::vector<std::pair<double, size_t>> order;
};

} // namespace

bool permc::takeLeastCost(ScheduleDraft &draft) { return Ranking(draft).run(); }
