//===- Network.cpp - a tile's moves through vector registers --------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "permc/Plan/Network.h"

#include <algorithm>
#include <bit>
#include <iterator>
#include <numeric>
#include <set>

using namespace permc;

namespace {

/// The largest power of two that is not above `n`.
int64_t floorPowerOfTwo(int64_t n) {
  return static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(n)));
}

/// The smallest power of two that is not below `n`.
int64_t ceilPowerOfTwo(int64_t n) {
  return static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(n)));
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

int Network::shuffle(int a, int b, std::vector<int> mask, int64_t unitBytes) {
  Step step{StepKind::Shuffle};
  step.bytes = static_cast<int64_t>(mask.size()) * unitBytes;
  step.a = a;
  step.b = b;
  step.mask = std::move(mask);
  step.unitBytes = unitBytes;
  steps.push_back(std::move(step));
  return static_cast<int>(steps.size()) - 1;
}

void Network::store(int value, int64_t offset, int64_t bytes) {
  Step step{StepKind::Store, offset, bytes};
  step.a = value;
  steps.push_back(std::move(step));
}

int Network::loadPart(int64_t offset, int64_t bytes, int64_t width) {
  for (int64_t whole : {width, ceilPowerOfTwo(bytes)})
    if (offset + whole <= readable)
      return widen(load(offset, whole), width);
  int64_t half = floorPowerOfTwo(bytes);
  int value = load(offset, half);
  if (half < bytes) {
    // The rest overlaps what is already there, so that both moves are whole.
    int rest = load(offset + bytes - half, half);
    std::vector<int> mask = prefixMask(half, 2 * half);
    for (int64_t i = half; i < bytes; ++i)
      mask[i] = static_cast<int>(half + (i - (bytes - half)));
    value = shuffle(value, rest, std::move(mask), 1);
  }
  return widen(value, width);
}

int Network::widen(int value, int64_t width) {
  int64_t bytes = steps[value].bytes;
  if (bytes == width)
    return value;
  return shuffle(value, value, prefixMask(bytes, width), 1);
}

void Network::storePart(int value, int64_t offset, int64_t bytes) {
  if (steps[value].bytes == bytes)
    return store(value, offset, bytes);
  int64_t half = floorPowerOfTwo(bytes);
  store(shuffle(value, value, prefixMask(half, half), 1), offset, half);
  if (half == bytes)
    return;
  // The rest overlaps what is stored already, unless it is whole words.
  constexpr int64_t word = 4;
  const int64_t words = ceilPowerOfTwo(bytes - half),
                rest = words < word ? half : words;
  std::vector<int> mask(rest);
  std::iota(mask.begin(), mask.end(), static_cast<int>(bytes - rest));
  store(shuffle(value, value, std::move(mask), 1), offset + bytes - rest, rest);
}

int Network::concatenate(std::vector<int> values, int64_t unitBytes) {
  while (values.size() > 1) {
    int64_t units = 2 * steps[values[0]].bytes / unitBytes;
    std::vector<int> wider;
    for (size_t i = 0; i < values.size(); i += 2)
      wider.push_back(shuffle(values[i], values[i + 1],
                              prefixMask(units, units), unitBytes));
    values = std::move(wider);
  }
  return values[0];
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

void Network::storeInOrder() {
  // Nothing refers to a store, so only the places of the others matter.
  std::vector<Step> stores, others;
  std::vector<int> renamed(steps.size(), -1);
  for (size_t i = 0; i < steps.size(); ++i) {
    Step step = std::move(steps[i]);
    step.a = step.a < 0 ? -1 : renamed[step.a];
    step.b = step.b < 0 ? -1 : renamed[step.b];
    renamed[i] = static_cast<int>(others.size());
    (step.kind == StepKind::Store ? stores : others).push_back(std::move(step));
  }
  std::sort(stores.begin(), stores.end(),
            [](const Step &a, const Step &b) { return a.offset < b.offset; });
  steps = std::move(others);
  steps.insert(steps.end(), std::make_move_iterator(stores.begin()),
               std::make_move_iterator(stores.end()));
}

bool Network::storesWholeLines(int64_t lineBytes) const {
  std::set<int64_t> lanes; // that are stored, by number
  for (const Step &step : steps) {
    if (step.kind != StepKind::Store)
      continue;
    if (step.bytes < laneBytes || step.offset % step.bytes != 0)
      return false;
    for (int64_t at = 0; at < step.bytes; at += laneBytes)
      if (!lanes.insert((step.offset + at) / laneBytes).second)
        return false;
  }
  const int64_t perLine = lineBytes / laneBytes;
  return std::ranges::all_of(lanes, [&](int64_t lane) {
    const int64_t first = lane / perLine * perLine;
    for (int64_t other = first; other < first + perLine; ++other)
      if (!lanes.contains(other))
        return false;
    return true;
  });
}

bool Network::storesLast() const {
  return std::is_partitioned(steps.begin(), steps.end(), [](const Step &step) {
    return step.kind != StepKind::Store;
  });
}

bool Network::isLarge() const {
  constexpr size_t manySteps = 300;
  return steps.size() > manySteps;
}

bool Network::needsSeams() const {
  // With seams in smaller ones, tiles of bytes on AVX2 spill more.
  constexpr size_t mostWhole = 150;
  return steps.size() > mostWhole;
}

std::vector<bool> Network::seams() const {
  auto joins = [](const Step &step) {
    return step.kind == StepKind::Shuffle && step.a != step.b;
  };
  int64_t widest = laneBytes + 1;
  for (const Step &step : steps)
    widest = std::max(widest, step.bytes);
  std::vector<bool> seams;
  for (const Step &step : steps) {
    seams.push_back(joins(step) && step.bytes == widest);
    if (joins(step) || step.kind == StepKind::Load)
      continue;
    seams[step.a] = false;
    if (step.kind == StepKind::Shuffle)
      seams[step.b] = false;
  }
  return seams;
}

unsigned Network::count(StepKind kind) const {
  return static_cast<unsigned>(
      std::count_if(steps.begin(), steps.end(),
                    [&](const Step &step) { return step.kind == kind; }));
}

namespace {

/// Stands for a byte of which nothing is known.
constexpr int64_t unknown = -1;

/// Bytes of a register, each by its offset in src.
using Labels = std::vector<int64_t>;

/// Bytes of dst without a gap, as they are in the end.
struct Stretch {
  int64_t start;
  Labels labels;
};

Labels shuffleLabels(const Network::Step &step, const Labels &a,
                     const Labels &b) {
  Labels labels(step.bytes, unknown);
  const auto units = static_cast<int64_t>(a.size()) / step.unitBytes;
  auto to = labels.begin();
  for (int64_t unit : step.mask) {
    const Labels &from = unit < units ? a : b;
    const int64_t first = unit < units ? unit : unit - units;
    if (unit >= 0)
      std::copy_n(from.begin() + first * step.unitBytes, step.unitBytes, to);
    to += step.unitBytes;
  }
  return labels;
}

/// What each step's register holds; a store's stays empty.
std::vector<Labels> runOnLabels(const std::vector<Network::Step> &steps) {
  std::vector<Labels> values(steps.size());
  for (size_t i = 0; i < steps.size(); ++i) {
    const Network::Step &step = steps[i];
    if (step.kind == Network::StepKind::Load) {
      values[i].resize(step.bytes);
      std::iota(values[i].begin(), values[i].end(), step.offset);
    } else if (step.kind == Network::StepKind::Shuffle) {
      values[i] = shuffleLabels(step, values[step.a], values[step.b]);
    }
  }
  return values;
}

/// Where the steps store something.
std::vector<Stretch>
findStretches(const std::vector<const Network::Step *> &stores) {
  std::vector<const Network::Step *> sorted = stores;
  std::sort(sorted.begin(), sorted.end(),
            [](const auto *a, const auto *b) { return a->offset < b->offset; });
  std::vector<Stretch> stretches;
  for (const Network::Step *store : sorted) {
    auto endOf = [](const Stretch &stretch) {
      return stretch.start + static_cast<int64_t>(stretch.labels.size());
    };
    if (stretches.empty() || store->offset > endOf(stretches.back()))
      stretches.push_back({store->offset, {}});
    Stretch &last = stretches.back();
    int64_t end = std::max(endOf(last), store->offset + store->bytes);
    last.labels.resize(end - last.start, unknown);
  }
  return stretches;
}

/// What the steps leave in dst. Of a byte that is stored several times the last
/// value stays.
std::vector<Stretch> storedBy(const std::vector<Network::Step> &steps) {
  const std::vector<Labels> values = runOnLabels(steps);
  std::vector<const Network::Step *> stores;
  for (const Network::Step &step : steps)
    if (step.kind == Network::StepKind::Store)
      stores.push_back(&step);
  std::vector<Stretch> stretches = findStretches(stores);
  for (const Network::Step *store : stores) {
    auto after = std::upper_bound(
        stretches.begin(), stretches.end(), store->offset,
        [](int64_t at, const Stretch &stretch) { return at < stretch.start; });
    Stretch &stretch = *std::prev(after);
    std::copy_n(values[store->a].begin(), store->bytes,
                stretch.labels.begin() + (store->offset - stretch.start));
  }
  return stretches;
}

} // namespace

Status Network::proves(const std::function<int64_t(int64_t)> &sourceOf,
                       int64_t bytes) const {
  int64_t written = 0, wanted = 0;
  for (const Stretch &stretch : storedBy(steps)) {
    int64_t offset = stretch.start;
    for (int64_t source : stretch.labels) {
      if (source != sourceOf(offset))
        return Error{Cause::Internal,
                     "a network moves src byte " + std::to_string(source) +
                         " to dst byte " + std::to_string(offset) +
                         "; expected src byte " +
                         std::to_string(sourceOf(offset))};
      wanted = std::max(wanted, source + 1);
      ++offset;
    }
    written += static_cast<int64_t>(stretch.labels.size());
  }
  for (const Step &step : steps)
    if (step.kind == StepKind::Load &&
        (step.offset < 0 || step.offset + step.bytes > wanted))
      return Error{Cause::Internal,
                   "a network loads " + std::to_string(step.bytes) +
                       " bytes of src at " + std::to_string(step.offset) +
                       "; expected none outside of the tile's " +
                       std::to_string(wanted)};
  if (written != bytes)
    return Error{Cause::Internal,
                 "a network writes " + std::to_string(written) +
                     " bytes; expected " + std::to_string(bytes)};
  return Done{};
}

Network permc::copyNetwork(int64_t bytes, int64_t width) {
  width = std::min(width, floorPowerOfTwo(bytes));
  Network network;
  for (int64_t offset = 0; offset + width <= bytes; offset += width)
    network.store(network.load(offset, width), offset, width);
  if (int64_t rest = bytes % width; rest != 0) {
    // No wider than it must be: it then lies across fewer lines.
    const int64_t last = ceilPowerOfTwo(rest);
    network.store(network.load(bytes - last, last), bytes - last, last);
  }
  return network;
}
