//===- ShuffleNetwork.cpp - several dims in one register ------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Interleaving three planes, splitting pairs and the like: n registers in, m
// registers out, every unit somewhere else. Several arrangements are tried on
// labels, and the one with the fewest shuffles is taken:
//
//   zips      rounds of zips over all registers, if they happen to end at the
//             goal (2, 4, 8 planes)
//   blends    for each output blend the registers that hold what it wants in
//             different places, permute once for each such group, and blend
//             what comes of that; the mirror image of it: permute each input
//             once for each group of units that end in different places, then
//             blend. One group is enough for odd numbers of planes, since an
//             odd step visits every place of a lane; two for 6 or 10 planes
//   sorted    permute each input so that what belongs together lies together,
//             then transpose these groups by zips (powers of two again)
//   merge     for each output, take what it wants of one input after the other:
//             one shuffle for an input, on machines that shuffle two whole
//             registers at once
//
// Blends and permutes are ordinary shuffle steps; that a blend keeps each unit
// in its place is what makes it cheap.
//
//===----------------------------------------------------------------------===//

#include "permc/Plan/Network.h"

#include <algorithm>
#include <bit>
#include <map>
#include <set>

using namespace permc;

namespace {

constexpr int unknown = -1;

/// What one lane of a register holds: for each unit the number of the source
/// unit, or `unknown`.
using Labels = std::vector<int64_t>;

/// For each unit of a lane the unit it takes: 0..n-1 from the first register,
/// n..2n-1 from the second, or `unknown`.
using Mask = std::vector<int>;

/// A register: its value in the network and what it holds.
struct Register {
  int value;
  Labels labels;
};

class Arranger {
public:
  explicit Arranger(const ShuffleTile &tile)
      : tile(tile), perLane(static_cast<int>(tile.laneBytes / tile.unitBytes)) {
  }

  Network run() {
    setGoals();
    std::vector<Network> candidates;
    for (auto method : {&Arranger::byZips, &Arranger::byBlendThenPermute,
                        &Arranger::byPermuteThenBlend, &Arranger::bySorting,
                        &Arranger::byMerging}) {
      network = Network();
      network.readable = tile.readable;
      std::vector<Register> inputs = loadAll();
      std::vector<Register> outputs;
      if (!(this->*method)(inputs, outputs) || !reachAll(outputs))
        continue;
      storeAll(outputs);
      network.prune();
      candidates.push_back(std::move(network));
    }
    auto shuffles = [](const Network &n) {
      return n.count(Network::StepKind::Shuffle);
    };
    return *std::min_element(candidates.begin(), candidates.end(),
                             [&](const Network &a, const Network &b) {
                               return shuffles(a) < shuffles(b);
                             });
  }

private:
  //===--- loads, stores, goals -------------------------------------------===//

  int64_t labelOf(int64_t offset) const { return offset / tile.unitBytes; }

  void setGoals() {
    for (const ShuffleTile::Piece &store : tile.stores) {
      Labels goal(perLane, unknown);
      for (int64_t i = 0; i < store.bytes / tile.unitBytes; ++i) {
        goal[i] = labelOf(tile.sourceOf(store.offset + i * tile.unitBytes));
        placeOf[goal[i]] = static_cast<int>(i);
      }
      goals.push_back(std::move(goal));
    }
  }

  std::vector<Register> loadAll() {
    std::vector<Register> registers;
    for (const ShuffleTile::Piece &load : tile.loads) {
      Labels labels(perLane, unknown);
      for (int64_t i = 0; i < load.bytes / tile.unitBytes; ++i)
        labels[i] = labelOf(load.offset + i * tile.unitBytes);
      registers.push_back({loadLanes(load), std::move(labels)});
    }
    return registers;
  }

  int loadLanes(const ShuffleTile::Piece &load) {
    if (tile.srcLaneStep == tile.laneBytes && load.bytes == tile.laneBytes)
      return network.load(load.offset, tile.laneBytes * tile.lanes);
    std::vector<int> lanes;
    for (int64_t lane = 0; lane < tile.lanes; ++lane)
      lanes.push_back(network.loadPart(load.offset + lane * tile.srcLaneStep,
                                       load.bytes, tile.laneBytes));
    return network.concatenate(lanes, tile.unitBytes);
  }

  void storeAll(const std::vector<Register> &outputs) {
    for (size_t i = 0; i < outputs.size(); ++i)
      storeLanes(outputs[i].value, tile.stores[i]);
  }

  void storeLanes(int value, const ShuffleTile::Piece &store) {
    if (tile.lanes == 1)
      return network.storePart(value, store.offset, store.bytes);
    if (tile.dstLaneStep == tile.laneBytes && store.bytes == tile.laneBytes)
      return network.store(value, store.offset, tile.laneBytes * tile.lanes);
    for (int lane = 0; lane < tile.lanes; ++lane) {
      std::vector<int> mask(perLane);
      for (int i = 0; i < perLane; ++i)
        mask[i] = lane * perLane + i;
      int part = network.shuffle(value, value, std::move(mask), tile.unitBytes);
      network.storePart(part, store.offset + lane * tile.dstLaneStep,
                        store.bytes);
    }
  }

  //===--- shuffles within lanes ------------------------------------------===//

  Register shuffle(const Register &a, const Register &b, const Mask &mask) {
    Labels labels(perLane, unknown);
    for (int i = 0; i < perLane; ++i)
      if (mask[i] >= 0)
        labels[i] =
            mask[i] < perLane ? a.labels[mask[i]] : b.labels[mask[i] - perLane];
    std::vector<int> wide;
    int units = perLane * static_cast<int>(tile.lanes);
    for (int lane = 0; lane < units; lane += perLane)
      for (int from : mask)
        wide.push_back(from < 0         ? -1
                       : from < perLane ? lane + from
                                        : units + lane + from - perLane);
    return {network.shuffle(a.value, b.value, std::move(wide), tile.unitBytes),
            std::move(labels)};
  }

  /// Each unit to the place that `goal` has for it; the others do not matter.
  Register permute(const Register &from, const Labels &goal) {
    Mask mask(perLane, unknown);
    bool moves = false;
    for (int i = 0; i < perLane; ++i) {
      if (goal[i] == unknown)
        continue;
      auto it = std::find(from.labels.begin(), from.labels.end(), goal[i]);
      if (it == from.labels.end())
        continue;
      mask[i] = static_cast<int>(it - from.labels.begin());
      moves |= mask[i] != i;
    }
    return moves ? shuffle(from, from, mask) : from;
  }

  /// Takes from b, in place, what `goal` has and a has not.
  Register blend(const Register &a, const Register &b, const Labels &goal) {
    Mask mask(perLane);
    for (int i = 0; i < perLane; ++i)
      mask[i] =
          goal[i] != unknown && a.labels[i] != goal[i] && b.labels[i] == goal[i]
              ? perLane + i
              : i;
    return shuffle(a, b, mask);
  }

  /// Interleaves register i with register i + n/2, `group` units at a time.
  std::vector<Register> zipRound(const std::vector<Register> &in, int group) {
    std::vector<Register> out;
    size_t half = in.size() / 2;
    for (size_t i = 0; i < half; ++i)
      for (int first : {0, perLane / 2}) {
        Mask mask;
        for (int at = first; at < first + perLane / 2; at += group)
          for (int from : {at, perLane + at})
            for (int k = 0; k < group; ++k)
              mask.push_back(from + k);
        out.push_back(shuffle(in[i], in[i + half], mask));
      }
    return out;
  }

  //===--- arrangements ---------------------------------------------------===//

  static bool reaches(const Labels &labels, const Labels &goal) {
    for (size_t i = 0; i < goal.size(); ++i)
      if (goal[i] != unknown && labels[i] != goal[i])
        return false;
    return true;
  }

  /// Not all methods see that a unit which two stores overlap on is wanted in
  /// two places.
  bool reachAll(const std::vector<Register> &outputs) const {
    for (size_t i = 0; i < goals.size(); ++i)
      if (!reaches(outputs[i].labels, goals[i]))
        return false;
    return true;
  }

  /// Puts registers in the order of the goals; false if one is missing.
  bool match(const std::vector<Register> &have, std::vector<Register> &out) {
    out.clear();
    for (const Labels &goal : goals) {
      auto it = std::find_if(have.begin(), have.end(), [&](const Register &r) {
        return reaches(r.labels, goal);
      });
      if (it == have.end())
        return false;
      out.push_back(*it);
    }
    return true;
  }

  bool byZips(const std::vector<Register> &in, std::vector<Register> &out) {
    if (in.size() < 2 || !std::has_single_bit(in.size()))
      return false;
    std::vector<Register> zipped = in;
    for (int round = 0; round < 8; ++round) {
      zipped = zipRound(zipped, 1);
      if (match(zipped, out))
        return true;
    }
    return false;
  }

  /// The inputs that hold something of `goal`, each unit counted once.
  std::vector<size_t> sourcesOf(const std::vector<Register> &in,
                                const Labels &goal) const {
    std::vector<size_t> sources;
    std::set<int64_t> missing(goal.begin(), goal.end());
    missing.erase(unknown);
    for (size_t i = 0; i < in.size(); ++i) {
      size_t before = missing.size();
      for (int64_t label : in[i].labels)
        if (label != unknown)
          missing.erase(label);
      if (missing.size() != before)
        sources.push_back(i);
    }
    return sources;
  }

  /// Registers that hold what an output wants in different places.
  struct BlendGroup {
    Labels places; ///< what is taken from each place
    std::vector<Register> members;
  };

  /// Adds a register to the first group that has room for what is taken of it.
  static void addToGroups(std::vector<BlendGroup> &groups, const Register &in,
                          const Labels &taken) {
    auto hasRoom = [&](const BlendGroup &group) {
      for (size_t i = 0; i < taken.size(); ++i)
        if (taken[i] != unknown && group.places[i] != unknown)
          return false;
      return true;
    };
    auto group = std::find_if(groups.begin(), groups.end(), hasRoom);
    if (group == groups.end())
      group = groups.insert(group, {Labels(taken.size(), unknown), {}});
    for (size_t i = 0; i < taken.size(); ++i)
      if (taken[i] != unknown)
        group->places[i] = taken[i];
    group->members.push_back(in);
  }

  /// Groups of the registers that `goal` needs, each unit taken once.
  std::vector<BlendGroup> groupsFor(const std::vector<Register> &in,
                                    const Labels &goal) const {
    std::vector<BlendGroup> groups;
    std::set<int64_t> wanted(goal.begin(), goal.end());
    for (size_t source : sourcesOf(in, goal)) {
      Labels taken(perLane, unknown);
      for (int i = 0; i < perLane; ++i)
        if (in[source].labels[i] != unknown &&
            wanted.erase(in[source].labels[i]))
          taken[i] = in[source].labels[i];
      addToGroups(groups, in[source], taken);
    }
    return groups;
  }

  bool byBlendThenPermute(const std::vector<Register> &in,
                          std::vector<Register> &out) {
    for (const Labels &goal : goals) {
      std::vector<Register> permuted;
      for (const BlendGroup &group : groupsFor(in, goal))
        permuted.push_back(
            permute(blendAll(group.members, group.places), goal));
      out.push_back(blendAll(permuted, goal));
    }
    return true;
  }

  /// Which units of a register go where, so that no two go to one place: as
  /// many goals for it as that takes.
  std::vector<Labels> placesFor(const Register &input) const {
    std::vector<Labels> places;
    for (int64_t label : input.labels) {
      auto it = label == unknown ? placeOf.end() : placeOf.find(label);
      if (it == placeOf.end())
        continue;
      auto free =
          std::find_if(places.begin(), places.end(), [&](const Labels &taken) {
            return taken[it->second] == unknown;
          });
      if (free == places.end())
        free = places.insert(free, Labels(perLane, unknown));
      (*free)[it->second] = label;
    }
    return places;
  }

  bool byPermuteThenBlend(const std::vector<Register> &in,
                          std::vector<Register> &out) {
    std::vector<Register> placed;
    for (const Register &input : in)
      for (const Labels &places : placesFor(input))
        placed.push_back(permute(input, places));
    for (const Labels &goal : goals)
      out.push_back(blendAll(placed, goal));
    return true;
  }

  Register blendAll(const std::vector<Register> &in, const Labels &goal) {
    std::vector<size_t> sources = sourcesOf(in, goal);
    Register blended = in[sources[0]];
    for (size_t i = 1; i < sources.size(); ++i)
      blended = blend(blended, in[sources[i]], goal);
    return blended;
  }

  /// Within lanes no machine has such shuffles.
  bool byMerging(const std::vector<Register> &in, std::vector<Register> &out) {
    if (tile.laneBytes == permc::laneBytes)
      return false;
    for (const Labels &goal : goals) {
      std::vector<size_t> sources = sourcesOf(in, goal);
      Register merged = in[sources[0]];
      if (sources.size() == 1)
        merged = permute(merged, goal);
      for (size_t i = 1; i < sources.size(); ++i)
        merged = merge(merged, in[sources[i]], goal);
      out.push_back(merged);
    }
    return true;
  }

  /// Puts in place what `goal` wants of both.
  Register merge(const Register &a, const Register &b, const Labels &goal) {
    Mask mask(perLane, unknown);
    for (int i = 0; i < perLane; ++i) {
      if (goal[i] == unknown)
        continue;
      auto inA = std::find(a.labels.begin(), a.labels.end(), goal[i]);
      auto inB = std::find(b.labels.begin(), b.labels.end(), goal[i]);
      if (inA != a.labels.end())
        mask[i] = static_cast<int>(inA - a.labels.begin());
      else if (inB != b.labels.end())
        mask[i] = perLane + static_cast<int>(inB - b.labels.begin());
    }
    return shuffle(a, b, mask);
  }

  /// n inputs, n outputs, and of each input an equal share to each output, in
  /// the order of the inputs.
  bool bySorting(const std::vector<Register> &in, std::vector<Register> &out) {
    int n = static_cast<int>(in.size());
    if (n < 2 || n > perLane || !std::has_single_bit(in.size()) ||
        goals.size() != in.size())
      return false;
    int64_t share = perLane / n;
    std::vector<Register> sorted;
    for (int i = 0; i < n; ++i) {
      Labels wanted;
      for (const Labels &goal : goals)
        wanted.insert(wanted.end(), goal.begin() + i * share,
                      goal.begin() + (i + 1) * share);
      sorted.push_back(permute(in[i], wanted));
      if (!reaches(sorted.back().labels, wanted))
        return false;
    }
    for (int64_t size = share; size < perLane; size *= 2)
      sorted = zipRound(sorted, static_cast<int>(share));
    return match(sorted, out);
  }

  const ShuffleTile &tile;
  int perLane; ///< units in a lane
  std::vector<Labels> goals;
  /// Where each unit ends up, whatever output it goes to.
  std::map<int64_t, int> placeOf;
  Network network;
};

} // namespace

Network permc::shuffleNetwork(const ShuffleTile &tile) {
  return Arranger(tile).run();
}
