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

#include "permc/Plan/Cost.h"

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
  explicit Ranking(ScheduleDraft &draft)
      : draft(draft), model(draft.problem, draft.facts, draft.facts) {}

  bool run() {
    rank();
    proposePrefetches();
    const bool mustStream =
        draft.problem.bytesMoved() >= draft.facts.streamBytes;
    return (mustStream && takeFirst(/*streamed=*/true)) || takeFirst(false);
  }

private:
  void rank() {
    for (size_t i = 0; i < draft.proposals.size(); ++i)
      add(i);
    std::ranges::sort(order);
  }

  void add(size_t proposal) {
    if (const auto its = model.cost(draft.proposals[proposal]))
      order.emplace_back(its->total(), proposal);
  }

  /// Only what goes on in src in the next tile finds there what was prefetched.
  void proposePrefetches() {
    const size_t ranked = std::min(mostPrefetching, order.size());
    for (size_t i = 0; i < ranked; ++i) {
      const Schedule best = draft.proposals[order[i].second];
      if (best.streaming || !best.panel.empty() || best.loops.empty() ||
          !goesAlongSrc(best) ||
          2 * draft.problem.bytesMoved() <= draft.facts.l2Bytes)
        continue;
      for (int64_t lines : linesAhead) {
        draft.proposals.push_back(best);
        draft.proposals.back().prefetchBytes = lines * draft.facts.lineBytes;
        add(draft.proposals.size() - 1);
      }
    }
    std::ranges::sort(order);
  }

  bool goesAlongSrc(const Schedule &schedule) const {
    const auto inner = static_cast<size_t>(schedule.loops.back().dim);
    return draft.dims[inner].srcStride == draft.element;
  }

  bool takeFirst(bool streamed) {
    const double tolerance =
        draft.facts.holdsBoth(draft.problem.bytesMoved()) ? 1 : aboutTheSame;
    double most = 0;
    std::optional<size_t> taken;
    for (auto [time, i] : order) {
      if (taken && time > most)
        break;
      if ((taken && i > *taken) || !canBeTaken(draft.proposals[i], streamed))
        continue;
      if (!taken)
        most = tolerance * time;
      taken = i;
    }
    if (taken)
      draft.schedule = draft.proposals[*taken];
    return taken.has_value();
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
  CostModel model;
  std::vector<std::pair<double, size_t>> order;
};

} // namespace

bool permc::takeLeastCost(ScheduleDraft &draft) { return Ranking(draft).run(); }
