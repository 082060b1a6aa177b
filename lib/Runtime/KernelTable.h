//===- KernelTable.h - the generic kernels of this machine ------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_LIB_RUNTIME_KERNELTABLE_H
#define PERMC_LIB_RUNTIME_KERNELTABLE_H

#include "permc/Runtime/GenericKernel.h"

#include <array>
#include <vector>

namespace permc {

/// A kernel in both ways to store, if it has both.
struct TileKernel {
  int rows = 0, columns = 0;
  TileWork work;
  GenericKernel plain = nullptr;
  GenericKernel streaming = nullptr; ///< for a dst that is aligned to lines
  /// The same for rows that are a stride apart, if there are such.
  GenericKernel evenPlain = nullptr, evenStreaming = nullptr;

  GenericKernel plainFor(bool evenRows) const {
    return evenRows && evenPlain ? evenPlain : plain;
  }
  GenericKernel streamingFor(bool evenRows) const {
    return evenRows && evenStreaming ? evenStreaming : streaming;
  }
};

/// The kernels of one set, by what they move.
class KernelTable {
public:
  explicit KernelTable(const GenericKernelSet &set);

  /// Those for the CPU that this process runs on.
  static const KernelTable &forThisCPU();

  /// All sets that were compiled in, the best first.
  static const std::vector<const GenericKernelSet *> &allSets();

  using Tiles = std::vector<TileKernel>;
  /// Elements of 1 to 16 bytes; empty if there are none of that size.
  const Tiles &transposes(int64_t element) const {
    return transposeTiles[element];
  }
  /// `columns` is the number of channels.
  const Tiles &splits(int64_t element) const { return splitTiles[element]; }
  const Tiles &joins(int64_t element) const { return joinTiles[element]; }

  /// A run of `pieces` moves of `width` bytes, a power of two. Null if there is
  /// none.
  GenericKernel run(int64_t width, int64_t pieces) const;
  /// So many whole aligned lines past the cache, and runs of any alignment;
  /// null without such stores.
  GenericKernel lines(int64_t count) const { return lineKernels[count]; }
  GenericKernel stream() const { return streamKernel; }
  /// The widest move, and how many of them one run may take.
  int64_t widest() const { return widestMove; }
  static constexpr int64_t maxPieces = 8;

  const char *target;
  TargetFacts facts;

private:
  void add(const GenericKernelInfo &kernel);
  Tiles &tilesOf(const GenericKernelInfo &kernel);

  static constexpr int maxElement = 16;
  std::array<Tiles, maxElement + 1> transposeTiles, splitTiles, joinTiles;
  /// By the logarithm of the width.
  GenericKernel runs[7][maxPieces + 1] = {};
  GenericKernel lineKernels[maxStreamedLines + 1] = {};
  GenericKernel streamKernel = nullptr;
  int64_t widestMove = 1;
};

} // namespace permc

#endif // PERMC_LIB_RUNTIME_KERNELTABLE_H
