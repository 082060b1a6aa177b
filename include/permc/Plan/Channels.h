//===- Channels.h - columns in one channel ----------------------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which way streamed tiles go through a tensor. A memory has several channels.
// Where the lines of a column in dst are all in one, a tile should not be
// followed by the next one of its columns: rows are swept, or tiles go on along
// rows, or they go through panels. Nothing here takes memory: the shim asks
// while it is called.
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_PLAN_CHANNELS_H
#define PERMC_PLAN_CHANNELS_H

#include "permc/Plan/Panel.h"
#include "permc/Plan/Schedule.h"

namespace permc {

class ChannelRules {
public:
  /// `tile` is what a tile has of each dim. All must outlive this object.
  ChannelRules(std::span<const LoopDim> dims, int64_t element,
               std::span<const int64_t> tile, const TargetFacts &facts)
      : dims(dims), element(element), tile(tile), facts(facts) {}

  /// Whether rows of src compete for the fewest places of the first cache that
  /// there can be.
  bool rowsCompete(size_t row) const;

  /// Whether rows are written from one end to the other, a few at a time: long
  /// ones, and shorter ones whose lines are all in one channel.
  bool sweepsRows(size_t column, size_t row) const;

  /// The dim that follows short rows in dst, if they are swept with it, one
  /// after the other.
  std::optional<size_t> sweptWith(size_t column, size_t row) const;

  /// ... and how many: half a line of src. Of lines that are near and share
  /// more than a channel half as many.
  int64_t sweptColumns(size_t column) const;

  /// Whether columns in one channel are left after each tile: if the lines
  /// asked for in other rows of src are still in the caches when their turn
  /// comes.
  bool goesAlongRows(size_t column, size_t row) const;

  /// Whether columns in one channel are written along src all the same: where a
  /// tile has three lines of each. Measured on Zen 3: 1.5 to 2.1 times as fast.
  bool goesAlongSrc(size_t column) const;

  /// Whether the loops lead from one line of a channel to the next, though
  /// tiles leave nothing of a column for later.
  bool staysInChannel(size_t column, size_t row,
                      std::span<const Loop> loops) const;

  /// Whether they go through panels, whose rows are in all channels.
  bool avoidsChannels(size_t column, size_t row) const;

  /// The panel of such columns: a line of each row of src. Of rows that compete
  /// for places in the cache it is more, by tiles of few of them, for what is
  /// read of a line later is read again. `inCaches`: the last one holds the
  /// tensor. `changed` is this object's tile.
  PanelNeighbours channelPanel(size_t column, size_t row, bool inCaches,
                               std::span<int64_t> changed,
                               std::span<int64_t> panel) const;

  /// Whether panels follow one another along src, without blocks: these would
  /// leave what is not read of a page yet, and what has been asked for in it,
  /// and come back to it, up to a fifth slower on Zen 3. Blocks
  /// are better of what is long in src, if its rows do not compete.
  bool goesAlongColumns(size_t column, size_t row) const;

private:
  /// Whether the lines of a column in dst are all in one channel of the memory.
  bool sharesChannel(size_t column) const;

  /// ... and so far apart that they share more than that: panels, with tiles
  /// that ask for the next one, are up to twice as fast.
  bool sharesMore(size_t column) const;

  bool staysNear(size_t column, size_t row) const;

  /// The dim that follows a column in src, if the column is short and tiles do
  /// not have the dim too. Where rows compete it must not be so short that a
  /// tile has all of it.
  std::optional<size_t> nextInSrc(size_t column, size_t row) const;

  /// Elements of a row in whole lines, as many as a panel can have.
  int64_t longestRow(size_t row, std::span<const int64_t> panel) const;

  std::span<const LoopDim> dims;
  int64_t element;
  std::span<const int64_t> tile;
  const TargetFacts &facts;
};

} // namespace permc

#endif // PERMC_PLAN_CHANNELS_H
