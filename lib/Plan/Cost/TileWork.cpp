//===- TileWork.cpp - the cycles of a tile --------------------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The units that load, store and shuffle, and the front end, which takes each
// instruction: the busiest counts most. Shuffles that are no zip need a mask,
// which is a register or a load.
//
//===----------------------------------------------------------------------===//

#include "TileWork.h"

#include "permc/Plan/CeilDiv.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

using namespace permc;

namespace {

/// What vectors of up to so many bytes count as narrow.
constexpr int64_t narrowBytes = 32;

/// Units work side by side, but not perfectly: between 1, where each waits for
/// the others, and infinity, where the busiest is all that counts.
constexpr double unitsNorm = 4;

/// Masks of blends that stay in registers: k1 to k7.
constexpr size_t blendRegisters = 7;

using Step = Network::Step;
using StepKind = Network::StepKind;

class WorkCount {
public:
  WorkCount(const Isa &isa, const Machine &machine)
      : isa(isa), machine(machine) {}

  TileWork count(const Network &network, int64_t srcBegins, int64_t dstBegins) {
    for (const Step &step : network.steps)
      switch (step.kind) {
      case StepKind::Load:
        add(loads, step, machine.loadCycles, machine.wideLoadCycles);
        loads += machine.crossCycles * crossings(step, srcBegins);
        break;
      case StepKind::Store:
        add(stores, step, machine.storeCycles, machine.wideStoreCycles);
        stores += machine.crossCycles * crossings(step, dstBegins);
        break;
      case StepKind::Shuffle:
        addShuffle(step);
        break;
      }
    // Masks that find no register are loaded for each use, and those of blends
    // are moved to a register of their own kind.
    if (blendMasks.size() > blendRegisters)
      shuffles += machine.wideShuffleCycles * blended;
    if (masks.size() > static_cast<size_t>(isa.vectorRegisters) / 2)
      loads += machine.loadCycles * masked;
    double sum = 0;
    for (double unit :
         {loads, stores, shuffles, machine.issueCycles * instructions})
      sum += std::pow(unit, unitsNorm);
    return {std::pow(sum, 1 / unitsNorm),
            static_cast<double>(masks.size()) * machine.loadCycles * 2,
            instructions};
  }

private:
  void add(double &unit, const Step &step, double narrow, double wide,
           double number = 1) {
    unit += number * (step.bytes > narrowBytes ? wide : narrow);
    instructions += number;
  }

  /// Whether a shuffle takes a piece out of a register as it is: a store does
  /// that by the way.
  static bool isPiece(const Step &step) {
    return step.a == step.b && !step.mask.empty() &&
           fits(step, [&](int i) { return step.mask.front() + i; });
  }

  void addShuffle(const Step &step) {
    if (isPiece(step)) {
      ++instructions;
      return;
    }
    const bool blends = isBlend(step),
               plain = blends || isZip(step) || isOfLanes(step);
    add(shuffles, step, machine.shuffleCycles, machine.wideShuffleCycles,
        blends  ? blend
        : plain ? 1
                : shufflesOf(step));
    if (blends && step.bytes > narrowBytes) {
      blendMasks.insert(step.mask);
      ++blended;
    }
    if (plain)
      return;
    masks.insert(step.mask);
    ++masked;
  }

  /// Any unit blends.
  static constexpr double blend = 0.5;

  /// Shuffles of a mask that is no zip: one where an instruction has it. A mask
  /// of two sources is one of each and a blend; small units that come from
  /// another lane besides are shuffled with the lanes swapped, too.
  double shufflesOf(const Step &step) const {
    if (isa.wideShuffleBytes && step.unitBytes >= isa.wideShuffleBytes)
      return 1;
    constexpr int64_t leastAcross = 4; // vpermd
    const double each =
        step.unitBytes >= leastAcross || staysInLanes(step) ? 1 : 3 + blend;
    return step.a == step.b ? each : 2 * each + blend;
  }

  /// Whether every unit comes from its own lane of either source.
  static bool staysInLanes(const Step &step) {
    const auto units = static_cast<int>(step.mask.size()),
               lane = std::max(static_cast<int>(laneBytes / step.unitBytes), 1);
    for (int i = 0; i < units; ++i)
      if (const int from = step.mask[static_cast<size_t>(i)];
          from >= 0 && from % units / lane != i / lane)
        return false;
    return true;
  }

  /// How often a move lies across two lines.
  double crossings(const Step &step, int64_t begins) const {
    double crossed = 0;
    for (int64_t at = 0; at < machine.lineBytes; at += begins)
      crossed += (at + step.offset) % machine.lineBytes + step.bytes >
                 machine.lineBytes;
    return crossed * static_cast<double>(begins) /
           static_cast<double>(machine.lineBytes);
  }

  template <typename Wanted> static bool fits(const Step &step, Wanted wanted) {
    for (size_t i = 0; i < step.mask.size(); ++i)
      if (step.mask[i] >= 0 && step.mask[i] != wanted(static_cast<int>(i)))
        return false;
    return true;
  }

  /// Units, pairs or more of them from both in turn, within lanes.
  static bool isZip(const Step &step) {
    const auto units = static_cast<int>(step.mask.size()),
               lane = std::max(static_cast<int>(laneBytes / step.unitBytes), 1);
    for (int width = 1; width <= lane / 2; width *= 2)
      for (bool high : {false, true})
        if (fits(step, [&](int i) {
              const int at = i % lane;
              return at / width % 2 * units + i - at + (high ? lane / 2 : 0) +
                     at / (2 * width) * width + at % width;
            }))
          return true;
    return false;
  }

  /// Whole lanes, wherever they come from.
  static bool isOfLanes(const Step &step) {
    const auto lane = std::max(static_cast<int>(laneBytes / step.unitBytes), 1);
    for (size_t i = 0; i < step.mask.size(); ++i)
      if (step.mask[i] >= 0 &&
          step.mask[i] % lane != static_cast<int>(i) % lane)
        return false;
    return step.mask.size() % static_cast<size_t>(lane) == 0;
  }

  /// Units that stay in their places, of one or the other.
  static bool isBlend(const Step &step) {
    const auto units = static_cast<int>(step.mask.size());
    for (int i = 0; i < units; ++i)
      if (const int from = step.mask[static_cast<size_t>(i)];
          from >= 0 && from % units != i)
        return false;
    return true;
  }

  const Isa &isa;
  const Machine &machine;
  double loads = 0, stores = 0, shuffles = 0; ///< cycles of each unit
  double instructions = 0;
  std::set<std::vector<int>> masks, blendMasks;
  double masked = 0, blended = 0; ///< shuffles that need one
};

} // namespace

int64_t permc::tileAlignment(const std::vector<LoopDim> &dims, const Dims &tile,
                             int64_t LoopDim::*stride, const Machine &machine) {
  int64_t common = machine.lineBytes;
  for (size_t dim = 0; dim < dims.size(); ++dim)
    if (tile[dim] < dims[dim].size)
      common = std::gcd(common, dims[dim].*stride * tile[dim]);
  return common;
}

TileWork permc::tileWork(const Network &network, int64_t srcAlignment,
                         int64_t dstAlignment, const Isa &isa,
                         const Machine &machine) {
  if (machine.cycleNs == 0)
    return {static_cast<double>(network.steps.size()), 0,
            static_cast<double>(network.steps.size())};
  return WorkCount(isa, machine).count(network, srcAlignment, dstAlignment);
}

double permc::allTilesWork(const Problem &problem, const Dims &tile,
                           const Network &network, const Isa &isa,
                           const Machine &machine) {
  constexpr double countedTurn = 4; // instructions
  const std::vector<LoopDim> dims = problem.loopDims();
  const TileWork one = tileWork(
      network, tileAlignment(dims, tile, &LoopDim::srcStride, machine),
      tileAlignment(dims, tile, &LoopDim::dstStride, machine), isa, machine);
  double all =
      one.cycles + (machine.cycleNs == 0 ? countedTurn : machine.turnCycles);
  for (size_t dim = 0; dim < dims.size(); ++dim)
    all *= static_cast<double>(ceilDiv(dims[dim].size, tile[dim]));
  return all + one.start;
}
