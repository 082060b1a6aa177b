//===- KernelTable.cpp - the generic kernels of this machine --------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelTable.h"

#include "Cpu.h"

#include "permc/Threads/ForkGuard.h"
#include "permc/Threads/HostCaches.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <string_view>

using namespace permc;

// PERMC_RT_SETS is a list of X(name of a set): those that were compiled in, the
// best first.
namespace permc {
#define X(set) extern const GenericKernelSet set;
PERMC_RT_SETS
#undef X
} // namespace permc

KernelTable::KernelTable(const GenericKernelSet &set)
    : target(set.target), facts(set.facts) {
  takeHostCaches(facts);
  for (size_t i = 0; i < set.count; ++i)
    add(set.kernels[i]);
}

KernelTable::Tiles &KernelTable::tilesOf(const GenericKernelInfo &kernel) {
  switch (kernel.family) {
  case KernelFamily::Split:
    return splitTiles[kernel.element];
  case KernelFamily::Join:
    return joinTiles[kernel.element];
  default:
    return transposeTiles[kernel.element];
  }
}

void KernelTable::add(const GenericKernelInfo &kernel) {
  if (kernel.family == KernelFamily::Stream) {
    streamKernel = kernel.run;
    return;
  }
  if (kernel.family == KernelFamily::Run) {
    if (kernel.streaming) {
      lineKernels[kernel.element * kernel.rows / facts.lineBytes] = kernel.run;
      return;
    }
    runs[std::countr_zero(unsigned(kernel.element))][kernel.rows] = kernel.run;
    widestMove = std::max<int64_t>(widestMove, kernel.element);
    return;
  }
  Tiles &tiles = tilesOf(kernel);
  TileKernel *tile = nullptr;
  for (TileKernel &known : tiles)
    if (known.rows == kernel.rows && known.columns == kernel.columns)
      tile = &known;
  if (!tile) {
    tiles.push_back({kernel.rows, kernel.columns, kernel.work});
    tile = &tiles.back();
  }
  if (kernel.evenRows)
    (kernel.streaming ? tile->evenStreaming : tile->evenPlain) = kernel.run;
  else
    (kernel.streaming ? tile->streaming : tile->plain) = kernel.run;
}

GenericKernel KernelTable::run(int64_t width, int64_t pieces) const {
  return runs[std::countr_zero(uint64_t(width))][pieces];
}

const std::vector<const GenericKernelSet *> &KernelTable::allSets() {
  static const std::vector<const GenericKernelSet *> sets = {
#define X(set) &set,
      PERMC_RT_SETS
#undef X
  };
  return sets;
}

/// The best set that this CPU can run, or a lesser one that the environment
/// asks for.
static const GenericKernelSet &chooseSet() {
  const char *asked = std::getenv("PERMC_RT_TARGET");
  for (const GenericKernelSet *set : KernelTable::allSets())
    if (asked && std::string_view(asked) == set->target &&
        cpuCanRun(set->target))
      return *set;
  for (const GenericKernelSet *set : KernelTable::allSets())
    if (cpuCanRun(set->target))
      return *set;
  // The last is for any CPU of the family.
  return *KernelTable::allSets().back();
}

const KernelTable &KernelTable::forThisCPU() {
  static std::atomic<const KernelTable *> table = nullptr;
  return madeOnce(table, [] { return new KernelTable(chooseSet()); });
}
