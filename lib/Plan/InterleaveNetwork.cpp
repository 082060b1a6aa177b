//===- InterleaveNetwork.cpp - streams split and joined -------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two to four interleaved streams, the channels of an image for example. One
// load takes a register's worth of every stream, and one shuffle each picks a
// stream out of it; the other way round one shuffle joins all and one store
// puts them away. Machines with structure moves (NEON's ld3 and st3) do the
// load and all its shuffles in one instruction.
//
// Rows of dst that are 8, 16 or 32 elements are as many streams. Zips make four
// of them, in fewer rounds than it takes to transpose. Where bytes can be
// looked up in four registers at once, a table does two rounds. Sixteen streams
// of one register each that follow one another in src are words to a structure
// load, which leaves a block of elements in each register:
//
//   ld4 {v0.4s-v3.4s}      v0 = row 0: a b c d, row 1: e f g h, rows 2 and 3
//   tbl v4.16b             v4 = a e i m, b f j n, ...: four rows of each column
//   st4 {v4.4s-v7.4s}      columns, four rows of v4 and as many of v5 to v7
//
//===----------------------------------------------------------------------===//

#include "permc/Plan/Network.h"

#include <algorithm>
#include <numeric>

using namespace permc;

/// Registers of a stream that are moved one after the other: there are moves of
/// two (AArch64's ldp and stp).
static constexpr size_t registersInTurn = 2;

/// Streams that one move joins.
static constexpr size_t maxJoined = 4;

/// What a move takes of each stream starts at one of these.
using Starts = std::vector<int64_t>;

/// Stores the units of two to four registers in the order of `mask`.
static void storeUnits(Network &network, std::vector<int> registers,
                       std::vector<int> mask, int64_t unitBytes, int64_t to) {
  const auto bytes = static_cast<int64_t>(mask.size()) * unitBytes;
  // Both inputs of the shuffle are of one width: half of the registers each.
  if (registers.size() == 3)
    registers.push_back(registers.back());
  size_t half = registers.size() / 2;
  int a = network.concatenate({registers.begin(), registers.begin() + half},
                              unitBytes);
  int b = network.concatenate({registers.begin() + half, registers.end()},
                              unitBytes);
  network.store(network.shuffle(a, b, std::move(mask), unitBytes), to, bytes);
}

/// Stores registers that follow one another in dst.
static void storeAtOnce(Network &network, std::vector<int> registers,
                        int64_t unitBytes, int64_t to) {
  const int64_t bytes = network.steps[registers[0]].bytes;
  std::vector<int> mask(registers.size() * bytes / unitBytes);
  std::iota(mask.begin(), mask.end(), 0);
  storeUnits(network, std::move(registers), std::move(mask), unitBytes, to);
}

static void splitStreams(Network &network, const InterleaveTile &tile,
                         const Starts &starts) {
  auto streams = static_cast<int>(tile.streams.size());
  int64_t bytes = tile.vectorBytes;
  std::vector<int> all, split;
  for (int64_t from : starts)
    all.push_back(network.load(from * streams, bytes * streams));
  for (int stream = 0; stream < streams; ++stream) {
    std::vector<int> mask;
    for (int i = 0; i < bytes / tile.elementBytes; ++i)
      mask.push_back(i * streams + stream);
    for (size_t i = 0; i < starts.size(); ++i) {
      split.push_back(network.shuffle(all[i], all[i], mask, tile.elementBytes));
      if (!tile.vectorsPerStore)
        network.store(split.back(), tile.streams[stream] + starts[i], bytes);
    }
  }
  if (tile.vectorsPerStore)
    storeAtOnce(network, std::move(split), tile.elementBytes, tile.streams[0]);
}

/// Stores registers of three or four streams, unit by unit.
static void storeJoined(Network &network, std::vector<int> registers,
                        int64_t unitBytes, int64_t to) {
  auto streams = static_cast<int>(registers.size());
  int64_t bytes = network.steps[registers[0]].bytes;
  auto units = static_cast<int>(bytes / unitBytes);
  std::vector<int> mask;
  for (int i = 0; i < units; ++i)
    for (int stream = 0; stream < streams; ++stream)
      mask.push_back(stream * units + i);
  storeUnits(network, std::move(registers), std::move(mask), unitBytes, to);
}

/// Loads some registers at once, which follow one another in src, and takes
/// them apart.
static std::vector<int> loadAtOnce(Network &network,
                                   const InterleaveTile &tile) {
  std::vector<int> registers;
  for (size_t i = 0; i < tile.streams.size(); i += tile.vectorsPerLoad) {
    int all =
        network.load(tile.streams[i], tile.vectorsPerLoad * tile.vectorBytes);
    for (int64_t one = 0; one < tile.vectorsPerLoad; ++one) {
      std::vector<int> mask(tile.vectorBytes);
      std::iota(mask.begin(), mask.end(),
                static_cast<int>(one * tile.vectorBytes));
      registers.push_back(network.shuffle(all, all, std::move(mask), 1));
    }
  }
  return registers;
}

static void joinStreams(Network &network, const InterleaveTile &tile,
                        const Starts &starts) {
  auto streams = static_cast<int64_t>(tile.streams.size());
  int64_t bytes = tile.vectorBytes;
  std::vector<std::vector<int>> loaded(starts.size());
  if (tile.vectorsPerLoad)
    loaded[0] = loadAtOnce(network, tile);
  else
    for (int64_t stream : tile.streams)
      for (size_t i = 0; i < starts.size(); ++i)
        loaded[i].push_back(network.load(stream + starts[i], bytes));
  for (size_t i = 0; i < starts.size(); ++i)
    storeJoined(network, loaded[i], tile.elementBytes, starts[i] * streams);
}

/// Joins the last element of each stream.
static void joinLast(Network &network, const InterleaveTile &tile) {
  const int64_t place = (tile.elements - 1) * tile.elementBytes;
  const int64_t start = place + tile.elementBytes - tile.vectorBytes;
  const auto units = static_cast<int>(tile.vectorBytes / tile.elementBytes);
  std::vector<int> loaded, mask;
  for (int64_t stream : tile.streams) {
    loaded.push_back(network.load(stream + start, tile.vectorBytes));
    mask.push_back(static_cast<int>(loaded.size()) * units - 1);
  }
  storeUnits(network, std::move(loaded), std::move(mask), tile.elementBytes,
             place * static_cast<int64_t>(tile.streams.size()));
}

/// Each register and the one half of them further, unit by unit: what was in
/// their lower halves, and in the upper ones.
static std::vector<int>
zipHalves(Network &network, const std::vector<int> &values, int64_t unitBytes) {
  const size_t half = values.size() / 2;
  auto units = static_cast<int>(network.steps[values[0]].bytes / unitBytes);
  std::vector<int> zipped;
  for (size_t i = 0; i < half; ++i)
    for (int first : {0, units / 2}) {
      std::vector<int> mask;
      for (int unit = first; unit < first + units / 2; ++unit) {
        mask.push_back(unit);
        mask.push_back(units + unit);
      }
      zipped.push_back(network.shuffle(values[i], values[i + half],
                                       std::move(mask), unitBytes));
    }
  return zipped;
}

/// What two rounds of zips make of a list of registers, in one: each is looked
/// up in four that lie as far apart in the list, a quarter of each. Made when
/// they are asked for, so that they need not wait in registers.
class Quarters {
public:
  Quarters(Network &network, const std::vector<int> &values, int64_t unitBytes)
      : network(network), unitBytes(unitBytes) {
    const size_t count = values.size() / maxJoined;
    auto pair = [&](size_t a, size_t b) {
      return network.concatenate({values[a], values[b]}, unitBytes);
    };
    for (size_t i = 0; i < count; ++i)
      tables.push_back(
          {pair(i, count + i), pair(2 * count + i, 3 * count + i)});
  }

  int operator[](size_t place) const {
    const auto [low, high] = tables[place / maxJoined];
    auto units = static_cast<int>(laneBytes / unitBytes), some = units / 4;
    auto first = static_cast<int>(place % maxJoined) * some;
    std::vector<int> mask;
    for (int unit = first; unit < first + some; ++unit)
      for (int from = 0; from < 4; ++from)
        mask.push_back(from * units + unit);
    return network.shuffle(low, high, std::move(mask), unitBytes);
  }

private:
  Network &network;
  int64_t unitBytes;
  std::vector<std::pair<int, int>> tables;
};

/// Stores `count` registers of four streams. What was in the upper halves of
/// registers is stored further on.
template <typename Values>
static void storeAll(Network &network, const Values &values, size_t count,
                     const InterleaveTile &tile, int64_t to) {
  const size_t stores = count / maxJoined;
  for (size_t i = 0; i < stores; ++i)
    storeJoined(network,
                {values[i], values[stores + i], values[2 * stores + i],
                 values[3 * stores + i]},
                tile.elementBytes,
                to + static_cast<int64_t>(i * maxJoined) * tile.vectorBytes);
}

/// Joins 8, 16 or 32 streams. A round of zips halves their number, for elements
/// of two streams are then neighbours that stay together; four are joined by
/// the store.
static void zipAndJoin(Network &network, std::vector<int> values,
                       const InterleaveTile &tile, int64_t to) {
  const size_t zipped = tile.tables ? maxJoined * maxJoined : maxJoined;
  for (size_t left = tile.streams.size(); left > zipped; left /= 2)
    values = zipHalves(network, values, tile.elementBytes);
  if (tile.tables)
    storeAll(network, Quarters(network, values, tile.elementBytes),
             values.size(), tile, to);
  else
    storeAll(network, values, values.size(), tile, to);
}

/// One of two registers that were loaded at once.
static int halfOf(Network &network, int both, int which) {
  std::vector<int> mask(laneBytes);
  std::iota(mask.begin(), mask.end(), which * static_cast<int>(laneBytes));
  return network.shuffle(both, both, std::move(mask), 1);
}

/// Joins two registers of 16 streams, one after the other. Those of half of the
/// tables are loaded at once: there are registers for the second ones of as
/// many, beside what is looked up and what is stored.
static void joinInPairs(Network &network, const InterleaveTile &tile,
                        const Starts &starts) {
  const size_t count = tile.streams.size();
  auto isPair = [](size_t i) { return i % maxJoined < maxJoined / 2; };
  std::vector<int> first(count), second(count);
  for (size_t i = 0; i < count; ++i) {
    const int64_t place = tile.streams[i] + starts[0];
    if (isPair(i)) {
      int both = network.load(place, 2 * laneBytes);
      first[i] = halfOf(network, both, 0);
      second[i] = halfOf(network, both, 1);
    } else {
      first[i] = network.load(place, laneBytes);
    }
  }
  zipAndJoin(network, first, tile, starts[0] * static_cast<int64_t>(count));
  for (size_t i = 0; i < count; ++i)
    if (!isPair(i))
      second[i] = network.load(tile.streams[i] + starts[1], laneBytes);
  zipAndJoin(network, second, tile, starts[1] * static_cast<int64_t>(count));
}

static void joinManyStreams(Network &network, const InterleaveTile &tile,
                            const Starts &starts) {
  if (tile.pairs && starts.size() > 1) {
    if (starts[1] == starts[0] + laneBytes)
      return joinInPairs(network, tile, starts);
    for (int64_t start : starts)
      joinManyStreams(network, tile, {start});
    return;
  }
  const auto streams = static_cast<int64_t>(tile.streams.size());
  const int64_t bytes = tile.vectorBytes;
  std::vector<std::vector<int>> loaded(starts.size());
  if (tile.vectorsPerLoad)
    loaded[0] = loadAtOnce(network, tile);
  else if (int64_t all = tile.elements * tile.elementBytes; all < bytes)
    // Short ones follow one another.
    for (int64_t at = 0; at < all * streams; at += bytes)
      loaded[0].push_back(network.load(tile.streams[0] + at, bytes));
  else
    for (int64_t stream : tile.streams)
      for (size_t i = 0; i < starts.size(); ++i)
        loaded[i].push_back(network.load(stream + starts[i], bytes));
  for (size_t i = 0; i < starts.size(); ++i)
    zipAndJoin(network, loaded[i], tile,
               std::max<int64_t>(starts[i], 0) * streams);
}

/// Joins 16 streams of a register each that follow one another. A load of four
/// splits them into words, so that each register has a word of each of its
/// four: a block, which a table transposes. Four of them are four streams of
/// columns.
static void joinBlocks(Network &network, const InterleaveTile &tile) {
  constexpr int rows = maxJoined, wordBytes = 4, words = laneBytes / wordBytes;
  const int perWord = static_cast<int>(wordBytes / tile.elementBytes);
  std::vector<int> transposed;
  for (int column = 0; column < perWord; ++column)
    for (int row = 0; row < rows; ++row)
      transposed.push_back(row * perWord + column);
  std::vector<std::vector<int>> blocks(words);
  for (int i = 0; i < rows; ++i) {
    const int64_t all = rows * laneBytes;
    int loaded = network.load(tile.streams[0] + i * all, all);
    for (int word = 0; word < words; ++word)
      blocks[word].push_back(network.shuffle(
          loaded, loaded,
          {word, word + words, word + 2 * words, word + 3 * words}, wordBytes));
  }
  for (int word = 0; word < words; ++word) {
    for (int &block : blocks[word])
      block = network.shuffle(block, block, transposed, tile.elementBytes);
    storeJoined(network, blocks[word], rows * tile.elementBytes,
                int64_t{word} * rows * laneBytes);
  }
}

/// How many registers of each stream are loaded at a time: many streams fill
/// the machine's with one.
static size_t inTurn(const InterleaveTile &tile) {
  constexpr size_t manyRegisters = 16;
  if (tile.pairs)
    return 2;
  return std::clamp<size_t>(manyRegisters / tile.streams.size(), 1,
                            registersInTurn);
}

Network permc::interleaveNetwork(const InterleaveTile &tile) {
  Network network;
  if (tile.tables == 1) {
    joinBlocks(network, tile);
    return network;
  }
  int64_t bytes = (tile.elements - tile.lastLane) * tile.elementBytes;
  // The last register of each stream is moved back to end with the tile.
  Starts starts;
  for (int64_t at = 0; at < bytes; at += tile.vectorBytes) {
    starts.push_back(std::min(at, bytes - tile.vectorBytes));
    bool isLast = at + tile.vectorBytes >= bytes;
    if (starts.size() < inTurn(tile) && !isLast)
      continue;
    auto join = tile.streams.size() > maxJoined ? joinManyStreams : joinStreams;
    (tile.splits ? splitStreams : join)(network, tile, starts);
    starts.clear();
  }
  if (tile.lastLane)
    joinLast(network, tile);
  return network;
}

Network permc::regroupNetwork(const InterleaveTile &tile, int64_t batches) {
  Network network;
  const auto streams = static_cast<int>(tile.streams.size());
  const int64_t stream = tile.elements * tile.elementBytes,
                bytes = batches * stream,
                loaded = tile.splits ? tile.elementBytes : stream,
                stored = tile.splits ? stream : tile.elementBytes;
  for (int64_t at = 0; at < bytes; at += tile.vectorBytes) {
    const int64_t start = std::min(at, bytes - tile.vectorBytes) * streams;
    const int all = network.load(start, tile.vectorBytes * streams);
    std::vector<int> registers;
    for (int i = 0; i < streams; ++i) {
      std::vector<int> mask;
      for (int unit = 0; unit < tile.vectorBytes / loaded; ++unit)
        mask.push_back(unit * streams + i);
      registers.push_back(network.shuffle(all, all, std::move(mask), loaded));
    }
    storeJoined(network, std::move(registers), stored, start);
  }
  return network;
}
