//===- Network.cpp - a tile's moves through vector registers --------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "permc/Plan/Network.h"

#include <algorithm>
#include <bit>
#include <numeric>

using namespace permc;

namespace {

/// The largest power of two that is not above `n`.
int64_t floorPowerOfTwo(int64_t n) {
  return static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(n)));
}

/// 0, 1, ..., used - 1, then don't-care up to `lanes`.
std::vector<int> prefixMask(int64_t used, int64_t lanes) {
  std::vector<int> mask(lanes, -1);
  std::iota(mask.begin(), mask.begin() + used, 0);
  return mask;
}

} // namespace

int Network::load(int64_t offset, int64_t bytes) {
  steps.push_back({StepKind::Load, offset, bytes});
  return static_cast<int>(steps.size()) - 1;
}

int Network::shuffle(int a, int b, std::vector<int> mask, int64_t laneBytes) {
  Step step{StepKind::Shuffle};
  step.bytes = static_cast<int64_t>(mask.size()) * laneBytes;
  step.a = a;
  step.b = b;
  step.mask = std::move(mask);
  step.laneBytes = laneBytes;
  steps.push_back(std::move(step));
  return static_cast<int>(steps.size()) - 1;
}

void Network::store(int value, int64_t offset, int64_t bytes) {
  Step step{StepKind::Store, offset, bytes};
  step.a = value;
  steps.push_back(std::move(step));
}

int Network::loadPart(int64_t offset, int64_t bytes, int64_t width) {
  int64_t half = floorPowerOfTwo(bytes);
  int value = load(offset, half);
  if (half < bytes) {
    // The rest overlaps what is already there, so that both moves are whole.
    int rest = load(offset + bytes - half, half);
    std::vector<int> mask = prefixMask(half, 2 * half);
    for (int64_t i = half; i < bytes; ++i)
      mask[i] = static_cast<int>(half + (i - (bytes - half)));
    value = shuffle(value, rest, std::move(mask), 1);
    half *= 2;
  }
  if (half < width)
    value = shuffle(value, value, prefixMask(half, width), 1);
  return value;
}

void Network::storePart(int value, int64_t offset, int64_t bytes) {
  if (steps[value].bytes == bytes)
    return store(value, offset, bytes);
  int64_t half = floorPowerOfTwo(bytes);
  store(shuffle(value, value, prefixMask(half, half), 1), offset, half);
  if (half == bytes)
    return;
  std::vector<int> mask(half);
  std::iota(mask.begin(), mask.end(), static_cast<int>(bytes - half));
  store(shuffle(value, value, std::move(mask), 1), offset + bytes - half, half);
}

void Network::prune() {
  std::vector<bool> needed(steps.size());
  for (size_t i = steps.size(); i-- > 0;) {
    const Step &step = steps[i];
    if (step.kind == StepKind::Store)
      needed[i] = true;
    if (!needed[i] || step.kind == StepKind::Load)
      continue;
    needed[step.a] = true;
    if (step.b >= 0)
      needed[step.b] = true;
  }
  std::vector<int> renamed(steps.size(), -1);
  std::vector<Step> kept;
  for (size_t i = 0; i < steps.size(); ++i) {
    if (!needed[i])
      continue;
    renamed[i] = static_cast<int>(kept.size());
    Step step = std::move(steps[i]);
    step.a = step.a < 0 ? -1 : renamed[step.a];
    step.b = step.b < 0 ? -1 : renamed[step.b];
    kept.push_back(std::move(step));
  }
  steps = std::move(kept);
}

unsigned Network::count(StepKind kind) const {
  return static_cast<unsigned>(
      std::count_if(steps.begin(), steps.end(),
                    [&](const Step &step) { return step.kind == kind; }));
}

Status Network::proves(const std::function<int64_t(int64_t)> &sourceOf,
                       int64_t bytes) const {
  constexpr int64_t unknown = -1;
  std::vector<std::vector<int64_t>> values(steps.size());
  std::vector<int64_t> written;
  for (size_t i = 0; i < steps.size(); ++i) {
    const Step &step = steps[i];
    switch (step.kind) {
    case StepKind::Load:
      values[i].resize(step.bytes);
      std::iota(values[i].begin(), values[i].end(), step.offset);
      break;
    case StepKind::Shuffle: {
      std::vector<int64_t> both = values[step.a];
      both.insert(both.end(), values[step.b].begin(), values[step.b].end());
      for (int lane : step.mask)
        for (int64_t byte = 0; byte < step.laneBytes; ++byte)
          values[i].push_back(lane < 0 ? unknown
                                       : both[lane * step.laneBytes + byte]);
      break;
    }
    case StepKind::Store:
      for (int64_t byte = 0; byte < step.bytes; ++byte) {
        int64_t offset = step.offset + byte, source = values[step.a][byte];
        if (source != sourceOf(offset))
          return Error{Cause::Internal,
                       "a network moves src byte " + std::to_string(source) +
                           " to dst byte " + std::to_string(offset) +
                           "; expected src byte " +
                           std::to_string(sourceOf(offset))};
        written.push_back(offset);
      }
      break;
    }
  }
  // Overlapping stores write a byte twice, with the same value.
  std::sort(written.begin(), written.end());
  written.erase(std::unique(written.begin(), written.end()), written.end());
  if (static_cast<int64_t>(written.size()) != bytes)
    return Error{Cause::Internal,
                 "a network writes " + std::to_string(written.size()) +
                     " bytes; expected " + std::to_string(bytes)};
  return Done{};
}

namespace {

constexpr int64_t laneGroupBytes = 16;

/// Builds one block of a transpose: as many columns as fit in 16 bytes of a
/// row, as many rows as fit in one register of a column.
class TransposeBlock {
public:
  TransposeBlock(Network &network, const TransposeTile &tile, size_t firstRow,
                 size_t firstColumn)
      : network(network), tile(tile), firstRow(firstRow), first(firstColumn),
        perGroup(laneGroupBytes / tile.elementBytes),
        columns(std::min<size_t>(perGroup, tile.columns.size() - firstColumn)),
        rows(std::min<size_t>(tile.vectorBytes / tile.elementBytes,
                              tile.rows.size() - firstRow)),
        width(std::max<int64_t>(
            laneGroupBytes, std::bit_ceil(uint64_t(rows * tile.elementBytes)))),
        loaded(rows, -1) {}

  void build() {
    std::vector<int> values = loadRows();
    for (int64_t stage = 1; stage < perGroup; stage *= 2)
      values = zipStage(values);
    for (size_t j = 0; j < columns; ++j)
      network.storePart(values[j],
                        tile.columns[first + j] + firstRow * tile.elementBytes,
                        rows * tile.elementBytes);
  }

private:
  /// Register i holds, side by side, the rows i, i + n, i + 2n, ..., n being
  /// the elements of 16 bytes. A row that does not exist repeats the last one.
  std::vector<int> loadRows() {
    std::vector<int> values;
    for (int64_t i = 0; i < perGroup; ++i) {
      std::vector<int> pieces;
      for (int64_t bytes = 0; bytes < width; bytes += laneGroupBytes)
        pieces.push_back(loadRow(i + bytes / tile.elementBytes));
      values.push_back(concatenate(pieces));
    }
    return values;
  }

  int loadRow(size_t row) {
    row = std::min(row, rows - 1);
    if (loaded[row] < 0)
      loaded[row] = network.loadPart(
          tile.rows[firstRow + row] + first * tile.elementBytes,
          columns * tile.elementBytes, laneGroupBytes);
    return loaded[row];
  }

  int concatenate(std::vector<int> pieces) {
    while (pieces.size() > 1) {
      int64_t lanes = 2 * network.steps[pieces[0]].bytes / tile.elementBytes;
      std::vector<int> wider;
      for (size_t i = 0; i < pieces.size(); i += 2)
        wider.push_back(network.shuffle(pieces[i], pieces[i + 1],
                                        prefixMask(lanes, lanes),
                                        tile.elementBytes));
      pieces = std::move(wider);
    }
    return pieces[0];
  }

  /// Interleaves register i with register i + n/2. As many such stages as n has
  /// bits transpose n registers.
  std::vector<int> zipStage(const std::vector<int> &values) {
    std::vector<int> zipped;
    for (int64_t i = 0; i < perGroup / 2; ++i) {
      zipped.push_back(zip(values[i], values[i + perGroup / 2], 0));
      zipped.push_back(zip(values[i], values[i + perGroup / 2], perGroup / 2));
    }
    return zipped;
  }

  int zip(int a, int b, int64_t firstLane) {
    int lanes = static_cast<int>(width / tile.elementBytes);
    std::vector<int> mask;
    for (int group = 0; group < lanes; group += static_cast<int>(perGroup))
      for (int i = 0; i < perGroup / 2; ++i) {
        mask.push_back(group + static_cast<int>(firstLane) + i);
        mask.push_back(lanes + group + static_cast<int>(firstLane) + i);
      }
    return network.shuffle(a, b, std::move(mask), tile.elementBytes);
  }

  Network &network;
  const TransposeTile &tile;
  size_t firstRow, first;
  int64_t perGroup;     ///< elements in 16 bytes
  size_t columns, rows; ///< of this block
  int64_t width;        ///< of its registers
  std::vector<int> loaded;
};

} // namespace

Network permc::transposeNetwork(const TransposeTile &tile) {
  Network network;
  size_t columns = laneGroupBytes / tile.elementBytes;
  size_t rows = tile.vectorBytes / tile.elementBytes;
  // Rows inside, so that the pieces of a dst line follow one another.
  for (size_t column = 0; column < tile.columns.size(); column += columns)
    for (size_t row = 0; row < tile.rows.size(); row += rows)
      TransposeBlock(network, tile, row, column).build();
  network.prune();
  return network;
}

Network permc::copyNetwork(int64_t bytes, int64_t width) {
  width = std::min(width, floorPowerOfTwo(bytes));
  Network network;
  std::vector<int64_t> offsets;
  for (int64_t offset = 0; offset + width <= bytes; offset += width)
    offsets.push_back(offset);
  if (bytes % width != 0)
    offsets.push_back(bytes - width);
  for (int64_t offset : offsets)
    network.store(network.load(offset, width), offset, width);
  return network;
}
