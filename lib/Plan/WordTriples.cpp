//===- WordTriples.cpp - transposes of elements of three words ------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A column of four rows is three lanes, each with words of two elements:
//
//   a a a b | b b c c | c d d d
//
// An element is a lane with a word to spare, which is in front of it or behind:
// the load may begin a word early as well. Of `x a a a` and `b b b x` the first
// lane is four words that follow one another, of `x c c c` and `d d d x` so is
// the third. Four loads, three shuffles and three stores take less time than
// four moves that overlap: a store in a cycle is what bounds them in the
// caches.
//
//===----------------------------------------------------------------------===//

#include "WordTriples.h"

#include <algorithm>

using namespace permc;

namespace {

constexpr int64_t word = 4, wordsPerLane = laneBytes / word,
                  words = tripleBytes / word;
constexpr size_t group = triplesOfLanes;

class TripleColumn {
public:
  TripleColumn(Network &network, const TransposeTile &tile, size_t column)
      : network(network), tile(tile), column(column) {}

  void store() {
    const size_t rows = tile.rows.size();
    // The last group is moved back over its neighbour to be whole.
    for (size_t row = 0; row < rows; row += group)
      storeGroup(rows < group ? 0 : std::min(row, rows - group));
  }

private:
  /// An element in a lane, and the word of it that it begins with.
  struct Element {
    int value = -1, first = 0;
  };

  void storeGroup(size_t row) {
    const size_t count = std::min(group, tile.rows.size() - row);
    Element elements[group];
    for (size_t i = 0; i < count; ++i)
      elements[i] = load(row + i, /*early=*/i % 2 == 0);
    const int64_t start = tile.columns[column] +
                          static_cast<int64_t>(row) * tripleBytes,
                  bytes = static_cast<int64_t>(count) * tripleBytes;
    for (int64_t at = 0; at < bytes; at += laneBytes) {
      const auto first = static_cast<size_t>(at / laneBytes);
      network.storePart(join(elements[first],
                             elements[std::min(first + 1, count - 1)],
                             static_cast<int>(first)),
                        start + at, std::min(laneBytes, bytes - at));
    }
  }

  /// Lane `i` of a group, of elements `i` and `i + 1`.
  int join(const Element &a, const Element &b, int i) {
    std::vector<int> mask;
    for (int at = i * wordsPerLane; at < (i + 1) * wordsPerLane; ++at) {
      const int from = at % words;
      mask.push_back(at / words == i ? a.first + from
                                     : wordsPerLane + b.first + from);
    }
    return network.shuffle(a.value, b.value, std::move(mask), word);
  }

  Element load(size_t row, bool early) {
    const int64_t start =
        tile.rows[row] + static_cast<int64_t>(column) * tripleBytes;
    for (bool isEarly : {early, !early}) {
      const int64_t from = isEarly ? start - word : start;
      if (mayLoad(row, from))
        return {network.load(from, laneBytes), isEarly ? 1 : 0};
    }
    return {network.loadPart(start, tripleBytes, laneBytes), 0};
  }

  /// Whether a lane is within a row, or within the tile.
  bool mayLoad(size_t row, int64_t from) const {
    const int64_t rowBytes =
        static_cast<int64_t>(tile.columns.size()) * tripleBytes;
    auto isWithin = [from](int64_t begin, int64_t end) {
      return from >= begin && from + laneBytes <= end;
    };
    return isWithin(tile.rows[row], tile.rows[row] + rowBytes) ||
           isWithin(0, tile.readable);
  }

  Network &network;
  const TransposeTile &tile;
  size_t column;
};

} // namespace

Network permc::transposeTriples(const TransposeTile &tile) {
  Network network;
  network.readable = tile.readable;
  for (size_t column = 0; column < tile.columns.size(); ++column)
    TripleColumn(network, tile, column).store();
  return network;
}
