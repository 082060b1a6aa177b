//===- ScheduleElements.cpp - elements one by one -------------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is not transposed in lanes: elements without fast dims, larger ones, and
// those that are a lane each. The latter make tiles where registers have
// several lanes.
//
//===----------------------------------------------------------------------===//

#include "permc/Plan/CeilDiv.h"

#include "ScheduleRules.h"

#include <algorithm>
#include <span>

using namespace permc;

namespace {

/// Elements along each side of a tile that are moved one by one.
constexpr int64_t maxElementMoves = 5;

/// Elements of three words, of which four are three lanes: tiles along dst and
/// along src. More code is no faster, fewer columns use up no line of src.
constexpr int64_t tripleRows[] = {16, 12, 8}, tripleColumns[] = {6, 5, 4};

class ElementRules : public ScheduleRules {
public:
  using ScheduleRules::ScheduleRules;

  void scheduleElements(std::optional<size_t> src, std::optional<size_t> dst) {
    schedule.kernel = micro::Scalar{};
    if (!src || !dst) {
      for (size_t dim : outerOrder())
        addLoop(dim, 1);
      return;
    }
    schedule.tile[*src] = tileOf(dims[*src], lineElements());
    schedule.tile[*dst] = tileOf(dims[*dst], lineElements());
    const bool tiles = !facts.wordTiles && isRectangle({*src}, {*dst});
    if (tiles && isTriple() && dims[*dst].size >= triplesOfLanes)
      return scheduleTriples(*src, *dst);
    if (tiles && fillsLane())
      schedule.kernel = micro::TileTranspose{};
    if (countsInstructions())
      countMoves();
    scheduleLoops(draft, {*src}, {*dst});
  }

private:
  int64_t lineElements() const {
    return std::clamp<int64_t>(facts.lineBytes / element, 1, maxElementMoves);
  }

  /// So much of a dim, or all if a second tile would do most of it again.
  static int64_t tileOf(const LoopDim &dim, int64_t elements) {
    return dim.size < 2 * elements ? dim.size : elements;
  }

  /// Whether elements are lanes of a register. Side by side they are stored at
  /// once: half as many stores, which is what bounds them in the caches.
  bool fillsLane() const {
    return element == laneBytes && facts.vectorBytes > laneBytes;
  }

  /// Whether elements are three words of a lane, of which four make three
  /// stores. Where instructions are counted they are moved as they are.
  bool isTriple() const {
    return element == tripleBytes && facts.vectorBytes >= laneBytes &&
           !countsInstructions();
  }

  void scheduleTriples(size_t src, size_t dst) {
    schedule.kernel = micro::TileTranspose{};
    schedule.tile[src] = leastTwice(dims[src].size, tripleColumns);
    for (int64_t rows :
         {leastTwice(dims[dst].size, tripleRows), triplesOfLanes}) {
      schedule.tile[dst] = rows;
      const Schedule tile = schedule;
      proposeLoops(draft, {src}, {dst});
      if (draft.mayStream() && tryWholeLines(draft, {src}, {dst}))
        draft.propose(schedule);
      schedule = tile;
    }
    takeLeastCost(draft);
  }

  /// Which of some tiles, largest first, does least of a dim twice: the last
  /// one is moved back over its neighbour.
  static int64_t leastTwice(int64_t size, std::span<const int64_t> tiles) {
    if (size < tiles[0] + tiles.back())
      return size;
    return *std::ranges::min_element(
        tiles, {}, [size](int64_t tile) { return ceilDiv(size, tile) * tile; });
  }

  /// Takes the tile that executes the least: one that goes on in dst.
  void countMoves() {
    const std::vector<size_t> order = slowestFirst(&LoopDim::dstStride);
    const std::vector<size_t> growth(order.rbegin(), order.rend());
    schedule.tile = grownTile(schedule, growth, order);
  }
};

} // namespace

void permc::scheduleElements(ScheduleDraft &draft, std::optional<size_t> src,
                             std::optional<size_t> dst) {
  ElementRules(draft).scheduleElements(src, dst);
}
