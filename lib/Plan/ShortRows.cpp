//===- ShortRows.cpp - transposes of fewer rows than fill a register ------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What TransposeNetwork.cpp would do with rows to spare: a register of several
// lanes takes as many rows as it has units, and most of them would be there
// twice. Here the lanes take different columns of the same rows, of which there
// is a power of two, R. log2(R) rounds of zips leave some columns in each lane,
// one behind the other, and each is a store of its own.
//
// If the rows fill a lane but the columns no second one, lanes take half of the
// rows each, in half as many registers. A round of zips less leaves two columns
// in each register, upper halves in one lane and lower ones in the other, which
// then change places.
//
//===----------------------------------------------------------------------===//

#include "ShortRows.h"

#include <algorithm>
#include <bit>
#include <numeric>

using namespace permc;

namespace {

class ShortRows {
public:
  ShortRows(Network &network, const TransposeTile &tile, size_t left)
      : network(network), tile(tile), unit(tile.elementBytes),
        perLane(static_cast<size_t>(laneBytes / unit)),
        padded(std::bit_ceil(left)), rows(std::min(padded, tile.rows.size())),
        firstRow(tile.rows.size() - rows) {}

  void run() {
    const size_t count = tile.columns.size();
    if (rows == 1 && (tile.vectorBytes < laneBytes || perLane == 1))
      return moveRow();
    int64_t width = std::max(tile.vectorBytes, laneBytes);
    while (width > laneBytes && width > static_cast<int64_t>(count) * unit)
      width /= 2;
    const auto columns = static_cast<size_t>(width / unit);
    for (size_t column = 0; column < count; column += columns) {
      // The last ones are moved back to be whole.
      const size_t start =
          count < columns ? 0 : std::min(column, count - columns);
      if (width == laneBytes && rows == perLane)
        transposeSquare(start, column);
      else
        transpose(start, column, width);
    }
  }

private:
  /// Where a column is one element.
  void moveRow() {
    for (size_t column = 0; column < tile.columns.size(); ++column)
      network.store(network.load(tile.rows[firstRow] +
                                     static_cast<int64_t>(column) * unit,
                                 unit),
                    place(column), unit);
  }

  /// All columns of a register from `start` on; those from `column` on are
  /// stored.
  void transpose(size_t start, size_t column, int64_t width) {
    std::vector<int> values;
    for (size_t row = 0; row < padded; ++row)
      values.push_back(load(row, start, width));
    zipAll(values);
    const size_t each = perLane / padded,
                 end = std::min(start + width / unit, tile.columns.size());
    for (size_t i = column; i < end; ++i) {
      const size_t lane = (i - start) / perLane, at = (i - start) % perLane;
      const auto from =
          static_cast<int64_t>(lane * perLane + at % each * padded);
      store(part(values[at / each], from * unit,
                 static_cast<int64_t>(padded) * unit),
            i);
    }
  }

  /// As many rows as columns, both of one lane.
  void transposeSquare(size_t start, size_t column) {
    std::vector<int> values;
    for (size_t row = 0; row < perLane / 2; ++row)
      values.push_back(
          network.concatenate({load(row, start, laneBytes),
                               load(row + perLane / 2, start, laneBytes)},
                              unit));
    zipAll(values);
    const size_t end = std::min(start + perLane, tile.columns.size());
    for (size_t i = start; i < end; i += 2) {
      const int both =
          network.shuffle(values[(i - start) / 2], values[(i - start) / 2],
                          {0, 2, 1, 3}, laneBytes / 2);
      if (i >= column && i + 1 < end && isFollowed(i)) {
        network.store(both, place(i), 2 * laneBytes);
        continue;
      }
      for (size_t j = std::max(i, column); j < std::min(i + 2, end); ++j)
        store(part(both, static_cast<int64_t>(j - i) * laneBytes, laneBytes),
              j);
    }
  }

  /// A row that does not exist repeats the last one.
  int load(size_t row, size_t column, int64_t width) {
    const int64_t bytes =
        static_cast<int64_t>(tile.columns.size() - column) * unit;
    return network.loadPart(tile.rows[firstRow + std::min(row, rows - 1)] +
                                static_cast<int64_t>(column) * unit,
                            std::min(bytes, width), width);
  }

  /// Zips each register with the one half of them further until all have met.
  void zipAll(std::vector<int> &values) {
    for (size_t met = 1; met < values.size(); met *= 2) {
      std::vector<int> zipped;
      for (size_t i = 0; i < values.size() / 2; ++i)
        for (bool high : {false, true})
          zipped.push_back(zip(values[i], values[i + values.size() / 2], high));
      values = std::move(zipped);
    }
  }

  /// The low or high halves of all lanes, unit by unit.
  int zip(int a, int b, bool high) {
    const auto units = static_cast<size_t>(network.steps[a].bytes / unit);
    std::vector<int> mask;
    for (size_t lane = 0; lane < units; lane += perLane)
      for (size_t i = 0; i < perLane / 2; ++i)
        for (size_t from : {lane + i, units + lane + i})
          mask.push_back(static_cast<int>(high ? from + perLane / 2 : from));
    return network.shuffle(a, b, std::move(mask), unit);
  }

  int part(int value, int64_t from, int64_t bytes) {
    if (bytes == network.steps[value].bytes)
      return value;
    // NEON has moves of one element.
    if (tile.vectorBytes < laneBytes)
      return network.shuffle(value, value, {static_cast<int>(from / bytes)},
                             bytes);
    std::vector<int> mask(static_cast<size_t>(bytes));
    std::iota(mask.begin(), mask.end(), static_cast<int>(from));
    return network.shuffle(value, value, std::move(mask), 1);
  }

  int64_t place(size_t column) const {
    return tile.columns[column] + static_cast<int64_t>(firstRow) * unit;
  }

  /// What a register has too much may go to a column that follows without a
  /// gap: it is stored later.
  void store(int value, size_t column) {
    network.storePart(value, place(column),
                      isFollowed(column) ? network.steps[value].bytes
                                         : static_cast<int64_t>(rows) * unit);
  }

  bool isFollowed(size_t column) const {
    return tile.hasExactPlaces() && column + 1 < tile.columns.size() &&
           tile.columns[column + 1] ==
               tile.columns[column] + static_cast<int64_t>(rows) * unit;
  }

  Network &network;
  const TransposeTile &tile;
  int64_t unit;
  size_t perLane; ///< units of a lane
  size_t padded;  ///< rows with those that repeat the last
  size_t rows, firstRow;
};

} // namespace

/// Columns of half a register or less, in rows of a whole one or more: small
/// tensors, and what is left at the end of rows.
static bool hasHalfColumns(const TransposeTile &tile) {
  return tile.vectorBytes == laneBytes / 2 &&
         static_cast<int64_t>(tile.rows.size()) * tile.elementBytes <=
             tile.vectorBytes &&
         static_cast<int64_t>(tile.columns.size()) * tile.elementBytes >=
             laneBytes &&
         std::has_single_bit(uint64_t(tile.elementBytes));
}

size_t permc::shortRows(const TransposeTile &tile) {
  if (hasHalfColumns(tile))
    return tile.rows.size();
  if (tile.vectorBytes < 2 * laneBytes || tile.storesByColumn ||
      !std::has_single_bit(uint64_t(tile.elementBytes)))
    return 0;
  const size_t left = tile.rows.size() %
                      static_cast<size_t>(tile.vectorBytes / tile.elementBytes);
  return left <= static_cast<size_t>(laneBytes / tile.elementBytes) ? left : 0;
}

void permc::transposeShortRows(Network &network, const TransposeTile &tile) {
  if (size_t left = shortRows(tile))
    ShortRows(network, tile, left).run();
}
