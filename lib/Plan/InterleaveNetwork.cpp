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
//===----------------------------------------------------------------------===//

#include "permc/Plan/Network.h"

using namespace permc;

/// Registers of a stream that are moved one after the other: there are moves of
/// two (AArch64's ldp and stp).
static constexpr size_t registersInTurn = 2;

/// What a move takes of each stream starts at one of these.
using Starts = std::vector<int64_t>;

static void splitStreams(Network &network, const InterleaveTile &tile,
                         const Starts &starts) {
  auto streams = static_cast<int>(tile.streams.size());
  int64_t bytes = tile.vectorBytes;
  std::vector<int> all;
  for (int64_t from : starts)
    all.push_back(network.load(from * streams, bytes * streams));
  for (int stream = 0; stream < streams; ++stream) {
    std::vector<int> mask;
    for (int i = 0; i < bytes / tile.elementBytes; ++i)
      mask.push_back(i * streams + stream);
    for (size_t i = 0; i < starts.size(); ++i)
      network.store(network.shuffle(all[i], all[i], mask, tile.elementBytes),
                    tile.streams[stream] + starts[i], bytes);
  }
}

static void joinStreams(Network &network, const InterleaveTile &tile,
                        const Starts &starts) {
  auto streams = static_cast<int>(tile.streams.size());
  int64_t bytes = tile.vectorBytes;
  auto units = static_cast<int>(bytes / tile.elementBytes);
  std::vector<int> mask;
  for (int i = 0; i < units; ++i)
    for (int stream = 0; stream < streams; ++stream)
      mask.push_back(stream * units + i);
  std::vector<std::vector<int>> loaded(starts.size());
  for (int64_t stream : tile.streams)
    for (size_t i = 0; i < starts.size(); ++i)
      loaded[i].push_back(network.load(stream + starts[i], bytes));
  for (size_t i = 0; i < starts.size(); ++i) {
    std::vector<int> &registers = loaded[i];
    // Both inputs of the shuffle are of one width: half of the streams each.
    if (streams == 3)
      registers.push_back(registers.back());
    size_t half = registers.size() / 2;
    int a = network.concatenate({registers.begin(), registers.begin() + half},
                                tile.elementBytes);
    int b = network.concatenate({registers.begin() + half, registers.end()},
                                tile.elementBytes);
    network.store(network.shuffle(a, b, mask, tile.elementBytes),
                  starts[i] * streams, bytes * streams);
  }
}

Network permc::interleaveNetwork(const InterleaveTile &tile) {
  Network network;
  int64_t bytes = tile.elements * tile.elementBytes;
  // The last register of each stream is moved back to end with the tile.
  Starts starts;
  for (int64_t at = 0; at < bytes; at += tile.vectorBytes) {
    starts.push_back(std::min(at, bytes - tile.vectorBytes));
    bool isLast = at + tile.vectorBytes >= bytes;
    if (starts.size() < registersInTurn && !isLast)
      continue;
    (tile.splits ? splitStreams : joinStreams)(network, tile, starts);
    starts.clear();
  }
  return network;
}
