//===- WordSteps.cpp - moves of words that step their addresses -----------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WordSteps.h"

#include <algorithm>

using namespace permc;

namespace {

using Moves = std::vector<WordSteps::Move>;

class StepPlanner {
public:
  StepPlanner(const Network &network, Reach reach, std::optional<TileStep> next)
      : network(network), reach(reach), next(next) {}

  WordSteps run() {
    addLoads();
    addStores();
    std::sort(
        plan.moves.begin(), plan.moves.end(),
        [](const auto &a, const auto &other) { return a.step < other.step; });
    return plan;
  }

private:
  std::vector<size_t> stepsOf(Network::StepKind kind) const {
    std::vector<size_t> steps;
    for (size_t i = 0; i < network.steps.size(); ++i)
      if (network.steps[i].kind == kind)
        steps.push_back(i);
    return steps;
  }
  int64_t placeOf(size_t step) const { return network.steps[step].offset; }

  /// Two rows are loaded in turn. Where neither address is at the place of a
  /// load, the one that was not used last is moved there: in rows without a gap
  /// the other is at the end of a row, which is where the next one starts.
  void addLoads() {
    std::array<int64_t, WordSteps::srcAddresses> at;
    size_t last = WordSteps::srcAddresses - 1, started = 0;
    for (size_t step : stepsOf(Network::StepKind::Load)) {
      const int64_t place = placeOf(step);
      size_t address = 1 - last;
      if (started < at.size()) {
        address = started++;
        plan.starts[address] = at[address] = place;
      } else if (at[last] == place) {
        address = last;
      }
      plan.moves.push_back({.step = step,
                            .address = address,
                            .before = place - at[address],
                            .after = network.steps[step].bytes});
      at[address] = place + plan.moves.back().after;
      last = address;
    }
    for (size_t i = 0; next && i < at.size(); ++i)
      plan.next[i] = next->src + plan.starts[i] - at[i];
  }

  /// Stores have offsets from one place, or each steps on to the next:
  /// whichever takes fewer additions.
  void addStores() {
    const std::vector<size_t> steps = stepsOf(Network::StepKind::Store);
    int64_t nextByOffsets = 0, nextBySteps = 0;
    const Moves offsets = byOffsets(steps, nextByOffsets),
                stepping = bySteps(steps, nextBySteps);
    const bool all =
        std::all_of(offsets.begin(), offsets.end(),
                    [&](const auto &move) { return reaches(move.offset); });
    const bool chosen = all && additions(offsets, nextByOffsets) <=
                                   additions(stepping, nextBySteps);
    const Moves &moves = chosen ? offsets : stepping;
    plan.moves.insert(plan.moves.end(), moves.begin(), moves.end());
    plan.starts[WordSteps::dstAddress] = placeOf(steps.front());
    plan.next[WordSteps::dstAddress] = chosen ? nextByOffsets : nextBySteps;
  }

  bool reaches(int64_t distance) const {
    return -reach.back <= distance && distance <= reach.ahead;
  }

  static int64_t additions(const Moves &moves, int64_t atEnd) {
    return (atEnd != 0) +
           std::count_if(moves.begin(), moves.end(),
                         [](const auto &move) { return move.before != 0; });
  }

  Moves byOffsets(const std::vector<size_t> &steps, int64_t &atEnd) const {
    Moves moves;
    for (size_t step : steps)
      moves.push_back({.step = step,
                       .address = WordSteps::dstAddress,
                       .offset = placeOf(step) - placeOf(steps.front())});
    atEnd = next ? next->dst : 0;
    return moves;
  }

  Moves bySteps(const std::vector<size_t> &steps, int64_t &atEnd) const {
    Moves moves;
    int64_t left = 0; // what the move before could not add
    for (size_t i = 0; i < steps.size(); ++i) {
      moves.push_back(
          {.step = steps[i], .address = WordSteps::dstAddress, .before = left});
      const bool isLast = i + 1 == steps.size();
      int64_t distance = 0;
      if (!isLast)
        distance = placeOf(steps[i + 1]) - placeOf(steps[i]);
      else if (next)
        distance = next->dst + placeOf(steps[0]) - placeOf(steps[i]);
      moves.back().after = reaches(distance) ? distance : 0;
      left = distance - moves.back().after;
    }
    atEnd = left;
    return moves;
  }

  const Network &network;
  const Reach reach;
  const std::optional<TileStep> next;
  WordSteps plan;
};

} // namespace

int64_t WordSteps::instructions() const {
  auto isAddition = [](int64_t distance) { return distance != 0; };
  int64_t count = std::count_if(next.begin(), next.end(), isAddition);
  for (const Move &move : moves)
    count += 1 + isAddition(move.before);
  return count;
}

WordSteps permc::wordSteps(const Network &network, Reach reach,
                           std::optional<TileStep> next) {
  return StepPlanner(network, reach, next).run();
}
