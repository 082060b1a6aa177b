//===- TransposeNetwork.cpp - transposes in registers ---------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A 16-byte lane holds n units (16 one-byte units, ..., 2 eight-byte ones). A
// block is n columns by as many rows as a register has units: register i gets
// the 16-byte pieces of the rows i, i + n, i + 2n, ... side by side, straight
// from memory, and log2(n) rounds of zips within the lanes turn the n registers
// into n columns. Registers of 8 bytes are one lane of 8.
//
// Plain words are transposed by exchanges instead: units of two words change
// places, half words first. Zips would be several instructions there.
//
// Elements that are no power of two are spread over units after the load and
// packed before the store, lane by lane. A packed lane is not full: what
// follows it in the register is stored too, and overwritten by the next lane.
//
// Where two registers are one move, four blocks of one lane each are done
// together, and their values are in an order that needs few registers. So are
// those of tiles whose rows and columns are one move each.
//
//===----------------------------------------------------------------------===//

#include "permc/Plan/Network.h"

#include "ShortRows.h"
#include "WordTriples.h"

#include <algorithm>
#include <bit>
#include <map>
#include <numeric>

using namespace permc;

namespace {

/// Registers of this size are plain words.
constexpr int64_t exchangedBytes = 4;

class TransposeBlock {
public:
  TransposeBlock(Network &network, const TransposeTile &tile, size_t firstRow,
                 size_t firstColumn)
      : network(network), tile(tile), firstRow(firstRow),
        firstColumn(firstColumn), element(tile.elementBytes),
        unit(static_cast<int64_t>(std::bit_ceil(uint64_t(element)))),
        lane(std::min(laneBytes, tile.vectorBytes)), perLane(lane / unit),
        columns(std::min<size_t>(perLane, tile.columns.size() - firstColumn)),
        rows(std::min<size_t>(tile.vectorBytes / unit,
                              tile.rows.size() - firstRow)),
        width(std::max<int64_t>(lane, std::bit_ceil(uint64_t(rows * unit)))),
        loaded(rows, -1) {}

  /// Takes row `row` from a register instead of loading it.
  void setRow(size_t row, int value) { loaded[row] = value; }

  void transpose() {
    values = loadRows();
    if (lane == exchangedBytes)
      return exchangeAll();
    for (int64_t group = 1; group < perLane; group *= 2)
      values = width / unit > manyUnits ? zipRound(values, group, group)
                                        : zipRound(values, perLane / 2, 1);
  }

  void storeColumn(size_t column) {
    const int64_t offset = tile.columns[firstColumn + column] +
                           static_cast<int64_t>(firstRow) * element;
    const int64_t spare = spareBytes(firstColumn + column);
    if (element == unit)
      storeWithin(values[column], offset, rows * element, spare);
    else
      storePacked(pack(values[column]), offset, spare);
  }

  size_t columnCount() const { return columns; }
  int column(size_t column) const { return values[column]; }

private:
  /// A row that does not exist repeats the last one.
  std::vector<int> loadRows() {
    std::vector<int> values;
    for (int64_t i = 0; i < perLane; ++i) {
      std::vector<int> pieces;
      for (int64_t row = i; row < width / unit; row += perLane)
        pieces.push_back(loadRow(std::min<size_t>(row, rows - 1)));
      values.push_back(spread(network.concatenate(pieces, unit)));
    }
    return values;
  }

  /// How far in front of its first column a row is loaded: so far that the load
  /// ends with the row at the latest.
  int64_t lead() const {
    int64_t rowBytes = static_cast<int64_t>(tile.columns.size()) * element;
    int64_t start = static_cast<int64_t>(firstColumn) * element;
    bool fits = element == unit || rowBytes < lane;
    return fits ? 0 : std::max<int64_t>(0, start + lane - rowBytes);
  }

  int loadRow(size_t row) {
    if (loaded[row] < 0) {
      int64_t start = static_cast<int64_t>(firstColumn) * element - lead();
      int64_t rowBytes = static_cast<int64_t>(tile.columns.size()) * element;
      int64_t bytes = std::min(lane, rowBytes - start);
      loaded[row] =
          network.loadPart(tile.rows[firstRow + row] + start, bytes, lane);
    }
    return loaded[row];
  }

  /// Gives each element a whole unit.
  int spread(int value) {
    if (element == unit)
      return value;
    std::vector<int> mask(width, -1);
    for (int64_t at = 0; at < width; at += lane)
      for (int64_t i = 0; i < static_cast<int64_t>(columns); ++i)
        for (int64_t byte = 0; byte < element; ++byte)
          mask[at + i * unit + byte] =
              static_cast<int>(at + lead() + i * element + byte);
    return network.shuffle(value, value, std::move(mask), 1);
  }

  /// The reverse: the elements of each lane side by side.
  int pack(int value) {
    std::vector<int> mask(width, -1);
    for (int64_t at = 0; at < width; at += lane)
      for (int64_t i = 0; i < perLane * element; ++i)
        mask[at + i] = static_cast<int>(at + i / element * unit + i % element);
    return network.shuffle(value, value, std::move(mask), 1);
  }

  /// Of a word and the one `distance` further every second group of so many
  /// units changes places. Each round leaves a block of words transposed whose
  /// units are the groups.
  void exchangeAll() {
    for (int64_t distance = perLane / 2; distance > 0; distance /= 2)
      for (int64_t i = 0; i < perLane; i += 2 * distance)
        for (int64_t j = i; j < i + distance; ++j) {
          int a = values[j], b = values[j + distance];
          values[j] = exchange(a, b, distance, 0);
          values[j + distance] = exchange(a, b, distance, distance);
        }
  }

  /// The groups of `a` and `b` that start at `first`, in turn.
  int exchange(int a, int b, int64_t group, int64_t first) {
    std::vector<int> mask;
    for (int64_t at = first; at < perLane; at += 2 * group)
      for (int64_t from : {at, perLane + at})
        for (int64_t i = 0; i < group; ++i)
          mask.push_back(static_cast<int>(from + i));
    return network.shuffle(a, b, std::move(mask), unit);
  }

  /// Registers of more units than this are zipped in groups.
  static constexpr int64_t manyUnits = 32;

  /// Zips each register with the one `distance` further, `group` units at a
  /// time. Either rounds of single units at half the number of registers, or
  /// rounds in which both double: the same columns come out. The former is what
  /// armv7 has instructions for; the latter leaves a back end fewer units to
  /// look through one by one.
  std::vector<int> zipRound(const std::vector<int> &values, int64_t distance,
                            int64_t group) {
    std::vector<int> zipped;
    for (int64_t i = 0; i < perLane; i += 2 * distance)
      for (int64_t j = i; j < i + distance; ++j)
        for (bool high : {false, true})
          zipped.push_back(zip(values[j], values[j + distance], group, high));
    return zipped;
  }

  /// Interleaves groups of units from one half of each lane.
  int zip(int a, int b, int64_t group, bool high) {
    int groups = static_cast<int>(width / (unit * group));
    int inLane = static_cast<int>(perLane / group);
    std::vector<int> mask;
    for (int at = 0; at < groups; at += inLane)
      for (int i = 0; i < inLane / 2; ++i) {
        int from = at + (high ? inLane / 2 : 0) + i;
        mask.push_back(from);
        mask.push_back(groups + from);
      }
    return network.shuffle(a, b, std::move(mask), unit * group);
  }

  /// Bytes behind a column of this block that are stored later: those of the
  /// rows below it, or, if it has all rows, of a column that follows without a
  /// gap. ARM's registers of one lane have moves for their parts.
  int64_t spareBytes(size_t column) const {
    const size_t below = tile.rows.size() - firstRow - rows;
    const auto all = static_cast<int64_t>(tile.rows.size()) * element;
    if (tile.vectorBytes <= laneBytes || tile.storesByColumn ||
        !tile.hasExactPlaces())
      return 0;
    if (below > 0)
      return static_cast<int64_t>(below) * element;
    bool followed = firstRow == 0 && column + 1 < tile.columns.size() &&
                    tile.columns[column + 1] == tile.columns[column] + all;
    return followed ? all : 0;
  }

  /// Stores some bytes of a register, or all of it if the others do no harm.
  void storeWithin(int value, int64_t offset, int64_t bytes, int64_t spare) {
    const int64_t all = network.steps[value].bytes;
    network.storePart(value, offset, all - bytes <= spare ? all : bytes);
  }

  void storePacked(int value, int64_t offset, int64_t spare) {
    for (size_t row = 0; row < rows; row += perLane) {
      std::vector<int> mask(lane);
      std::iota(mask.begin(), mask.end(), static_cast<int>(row * unit));
      int packed = network.shuffle(value, value, std::move(mask), 1);
      int64_t left = static_cast<int64_t>(rows - row) * element;
      storeWithin(packed, offset + row * element, std::min(left, lane), spare);
    }
  }

  Network &network;
  const TransposeTile &tile;
  size_t firstRow, firstColumn;
  int64_t element, unit;
  int64_t lane, perLane; ///< bytes and units of a lane
  size_t columns, rows;  ///< of this block
  int64_t width;         ///< bytes of its registers
  std::vector<int> loaded;
  std::vector<int> values; ///< the columns, once transposed
};

} // namespace

/// Elements of 8 bytes fill half a register each: loaded in the order of src,
/// and two of a column stored at once.
static Network transposeHalves(const TransposeTile &tile) {
  Network network;
  std::vector<std::vector<int>> loaded;
  for (int64_t row : tile.rows) {
    std::vector<int> &values = loaded.emplace_back();
    for (size_t i = 0; i < tile.columns.size(); ++i)
      values.push_back(network.load(
          row + static_cast<int64_t>(i) * tile.elementBytes, tile.vectorBytes));
  }
  for (size_t i = 0; i < tile.columns.size(); ++i)
    for (size_t row = 0; row < loaded.size(); row += 2) {
      const int64_t to =
          tile.columns[i] + static_cast<int64_t>(row) * tile.elementBytes;
      if (row + 1 == loaded.size())
        network.store(loaded[row][i], to, tile.vectorBytes);
      else
        network.store(
            network.concatenate({loaded[row][i], loaded[row + 1][i]}, 1), to,
            2 * tile.vectorBytes);
    }
  return network;
}

/// Where a block of `count` starts that must not reach past `size`.
static size_t movedBack(size_t start, size_t count, size_t size) {
  return start + count <= size || size < count ? start : size - count;
}

namespace {

/// Blocks of words, and what is left at the end of both sides. Up to half a
/// word of that is moved element by element, which takes less than a block.
class WordBlocks {
public:
  WordBlocks(Network &network, const TransposeTile &tile)
      : network(network), tile(tile),
        n(static_cast<size_t>(tile.vectorBytes / tile.elementBytes)),
        columns(inBlocks(tile.columns.size())),
        rows(inBlocks(tile.rows.size())) {}

  void run() {
    for (size_t column = 0; column < columns; column += n)
      for (size_t row = 0; row < rows; row += n)
        transposeBlock(row, column);
    for (size_t row = 0; row < tile.rows.size(); ++row)
      for (size_t column = row < rows ? columns : 0;
           column < tile.columns.size();)
        column += scatter(row, column);
  }

private:
  size_t inBlocks(size_t size) const {
    return size % n <= n / 2 ? size - size % n : size;
  }

  void transposeBlock(size_t row, size_t column) {
    const size_t start = movedBack(column, n, columns);
    TransposeBlock block(network, tile, movedBack(row, n, rows), start);
    block.transpose();
    for (size_t j = column - start; j < block.columnCount(); ++j)
      block.storeColumn(j);
  }

  /// Some neighbours of a row; returns how many.
  size_t scatter(size_t row, size_t column) {
    const int64_t element = tile.elementBytes;
    const size_t count =
        std::bit_floor(std::min(n, tile.columns.size() - column));
    int word =
        network.load(tile.rows[row] + static_cast<int64_t>(column) * element,
                     static_cast<int64_t>(count) * element);
    for (size_t i = 0; i < count; ++i) {
      std::vector<int> mask(static_cast<size_t>(element));
      std::iota(mask.begin(), mask.end(),
                static_cast<int>(static_cast<int64_t>(i) * element));
      int piece =
          count == 1 ? word : network.shuffle(word, word, std::move(mask), 1);
      network.store(
          piece, tile.columns[column + i] + static_cast<int64_t>(row) * element,
          element);
    }
    return count;
  }

  Network &network;
  const TransposeTile &tile;
  size_t n;             ///< elements of a word
  size_t columns, rows; ///< what the blocks are of
};

/// Blocks of plain words side by side, so that two words of a row are one load.
/// Half words, and words, have registers for as many below them: two words of a
/// column are one store.
class WordPairs {
public:
  WordPairs(Network &network, const TransposeTile &tile)
      : network(network), tile(tile),
        n(static_cast<size_t>(tile.vectorBytes / tile.elementBytes)),
        below(wordBlocksBelow(tile.elementBytes)) {}

  void run() {
    for (size_t column = 0; column < tile.columns.size(); column += 2 * n)
      for (size_t row = 0; row < tile.rows.size(); row += below * n)
        transpose(row, column);
  }

private:
  void transpose(size_t row, size_t column) {
    std::vector<TransposeBlock> left, right;
    for (size_t i = 0; i < below; ++i) {
      left.emplace_back(network, tile, row + i * n, column);
      right.emplace_back(network, tile, row + i * n, column + n);
    }
    for (size_t i = 0; i < below * n; ++i) {
      int both = network.load(
          tile.rows[row + i] + static_cast<int64_t>(column) * tile.elementBytes,
          2 * exchangedBytes);
      left[i / n].setRow(i % n, word(both, 0));
      right[i / n].setRow(i % n, word(both, 1));
    }
    for (auto *blocks : {&left, &right}) {
      for (TransposeBlock &block : *blocks)
        block.transpose();
      for (size_t j = 0; j < n; ++j)
        store(*blocks, j, row, column + (blocks == &left ? 0 : n));
    }
  }

  int word(int both, int which) {
    std::vector<int> mask(exchangedBytes);
    std::iota(mask.begin(), mask.end(), which * exchangedBytes);
    return network.shuffle(both, both, std::move(mask), 1);
  }

  void store(const std::vector<TransposeBlock> &blocks, size_t j, size_t row,
             size_t column) {
    std::vector<int> words;
    for (const TransposeBlock &block : blocks)
      words.push_back(block.column(j));
    network.store(network.concatenate(words, tile.elementBytes),
                  tile.columns[column + j] +
                      static_cast<int64_t>(row) * tile.elementBytes,
                  static_cast<int64_t>(words.size()) * exchangedBytes);
  }

  Network &network;
  const TransposeTile &tile;
  size_t n;     ///< elements of a word
  size_t below; ///< blocks below one another
};

/// Words of four bytes, four of each of two rows at a time: two words of a
/// column are one store.
class WordRows {
public:
  WordRows(Network &network, const TransposeTile &tile)
      : network(network), tile(tile) {}

  void run() {
    for (size_t row = 0; row < tile.rows.size(); row += 2)
      for (size_t column = 0; column < tile.columns.size(); column += words())
        transpose(row, column);
  }

private:
  size_t words() const { return static_cast<size_t>(tile.wordsPerLoad); }

  void transpose(size_t row, size_t column) {
    int rows[2];
    for (size_t i : {0, 1})
      rows[i] = network.load(tile.rows[row + i] +
                                 static_cast<int64_t>(column) * exchangedBytes,
                             tile.wordsPerLoad * exchangedBytes);
    for (size_t j = 0; j < words(); ++j) {
      const int word = static_cast<int>(j);
      int both = network.shuffle(rows[0], rows[1],
                                 {word, word + static_cast<int>(words())},
                                 exchangedBytes);
      network.store(both,
                    tile.columns[column + j] +
                        static_cast<int64_t>(row) * exchangedBytes,
                    2 * exchangedBytes);
    }
  }

  Network &network;
  const TransposeTile &tile;
};

} // namespace

/// Stores the columns of the blocks from `first` on, the blocks of a column one
/// after the other, and forgets the blocks.
static void storeColumns(std::vector<TransposeBlock> &blocks, size_t first) {
  for (size_t j = first; !blocks.empty() && j < blocks[0].columnCount(); ++j)
    for (TransposeBlock &block : blocks)
      block.storeColumn(j);
  blocks.clear();
}

namespace {

/// Four blocks of 16-byte registers, two by two: each row of two neighbours is
/// one load, each column of two that lie below one another one store.
class FourBlocks {
public:
  FourBlocks(Network &network, const TransposeTile &tile, size_t row,
             size_t column, size_t n)
      : network(network), tile(tile), row(row), column(column), n(n) {
    for (size_t i : {0, 1})
      for (size_t j : {0, 1})
        blocks.emplace_back(network, tile, row + i * n, column + j * n);
  }

  void run() {
    loadRows(0);
    blocks[0].transpose();
    loadRows(1);
    for (size_t side : {0, 1}) {
      if (side == 1)
        blocks[1].transpose();
      blocks[2 + side].transpose();
      storeColumns(side);
    }
  }

private:
  /// Rows that the blocks load for themselves. Where the four would fill all
  /// registers of such a machine (32 of AArch64) one must be left to zip with:
  /// a row of the last block is then loaded after the first columns have left.
  size_t alone(size_t side) const { return side == 1 && 4 * n == 32 ? 1 : 0; }

  void loadRows(size_t side) {
    for (size_t i = 0; i < n - alone(side); ++i) {
      int64_t offset = tile.rows[row + side * n + i] +
                       static_cast<int64_t>(column) * tile.elementBytes;
      int both = network.load(offset, 2 * laneBytes);
      for (size_t half : {0, 1}) {
        std::vector<int> mask(laneBytes);
        std::iota(mask.begin(), mask.end(), static_cast<int>(half * laneBytes));
        blocks[2 * side + half].setRow(
            i, network.shuffle(both, both, std::move(mask), 1));
      }
    }
  }

  void storeColumns(size_t side) {
    for (size_t j = 0; j < n; ++j) {
      int both = network.concatenate(
          {blocks[side].column(j), blocks[2 + side].column(j)}, 1);
      network.store(both,
                    tile.columns[column + side * n + j] +
                        static_cast<int64_t>(row) * tile.elementBytes,
                    2 * laneBytes);
    }
  }

  Network &network;
  const TransposeTile &tile;
  size_t row, column, n;
  std::vector<TransposeBlock> blocks;
};

} // namespace

static Network transposeInPairs(const TransposeTile &tile) {
  Network network;
  size_t n = laneBytes / tile.elementBytes;
  for (size_t column = 0; column < tile.columns.size(); column += 2 * n)
    for (size_t row = 0; row < tile.rows.size(); row += 2 * n)
      FourBlocks(network, tile, row, column, n).run();
  return network;
}

/// The low or high halves of two registers of `n` units, unit by unit.
static std::vector<int> zipMask(size_t n, bool high) {
  std::vector<int> mask;
  for (size_t i = 0; i < n / 2; ++i)
    for (size_t from : {i, n + i})
      mask.push_back(static_cast<int>(high ? from + n / 2 : from));
  return mask;
}

namespace {

/// Some registers of all rows are loaded, then one column after the other is
/// made and stored. A column is made of its last zips and what these need that
/// is not there yet: the rows take most registers, so little else may live at a
/// time.
class ColumnByColumn {
public:
  /// The columns that `width` registers of a row have from `first` on.
  ColumnByColumn(Network &network, const TransposeTile &tile, size_t first,
                 size_t width)
      : network(network), tile(tile), n(laneBytes / tile.elementBytes),
        first(first), width(width), rounds(std::countr_zero(n)) {}

  void load() {
    for (int64_t row : tile.rows)
      for (size_t i = 0; i < width; ++i)
        loads.push_back(network.load(row + bytes(first + i * n), laneBytes));
  }

  void storeColumn(size_t column) {
    std::vector<int> values;
    for (size_t row = 0; row < tile.rows.size(); row += n)
      values.push_back(
          make(row, (column - first) / n, rounds, (column - first) % n));
    for (size_t i = 0; i < values.size(); ++i)
      network.store(values[i], tile.columns[column] + bytes(i * n), laneBytes);
  }

private:
  int64_t bytes(size_t elements) const {
    return static_cast<int64_t>(elements) * tile.elementBytes;
  }

  /// Register `i` of the block that starts at `row`, after some rounds of zips,
  /// each of a register and the one half of them further (zipRound).
  int make(size_t row, size_t block, int round, size_t i) {
    if (round == 0)
      return loads[(row + i) * width + block];
    auto [at, isNew] = made.try_emplace({row, block, round, i}, -1);
    if (isNew) {
      int low = make(row, block, round - 1, i / 2);
      int high = make(row, block, round - 1, i / 2 + n / 2);
      at->second = network.shuffle(low, high, zipMask(n, i % 2), bytes(1));
    }
    return at->second;
  }

  Network &network;
  const TransposeTile &tile;
  size_t n; ///< units of a register
  size_t first, width;
  int rounds;
  std::vector<int> loads; ///< row by row
  std::map<std::tuple<size_t, size_t, int, size_t>, int> made;
};

} // namespace

/// Loads share a row evenly. The last is moved back to end with it, and stores
/// what the others have left.
static Network transposeStepping(const TransposeTile &tile) {
  Network network;
  const size_t n = laneBytes / tile.elementBytes, most = tile.stepping;
  const size_t size = tile.columns.size(), registers = (size + n - 1) / n;
  const size_t groups = (registers + most - 1) / most;
  for (size_t i = 0, column = 0; i < groups; ++i) {
    size_t width = (registers + groups - 1 - i) / groups;
    ColumnByColumn group(network, tile, movedBack(column, width * n, size),
                         width);
    group.load();
    for (size_t end = std::min(column + width * n, size); column < end;
         ++column)
      group.storeColumn(column);
  }
  return network;
}

namespace {

/// Four blocks, two by two, whose rows are loads of two registers and whose
/// columns stores of two. A load's registers are free only when both have been
/// used: so two rows are zipped as soon as they are there. All registers of
/// AArch64 are in use when two rows are left, which are loaded by halves.
class FourSteppingBlocks {
public:
  FourSteppingBlocks(Network &network, const TransposeTile &tile)
      : network(network), tile(tile), n(laneBytes / tile.elementBytes) {}

  void run() {
    for (size_t i = 0; i < n / 2; ++i)
      loadRows(0, i, {0, 1});
    for (size_t half : {0, 1})
      finish(values[0][half]);
    for (size_t i = 0; i + 1 < n / 2; ++i)
      loadRows(1, i, {0, 1});
    for (size_t half : {0, 1}) {
      loadRows(1, n / 2 - 1, {half});
      finish(values[1][half]);
      for (size_t j = 0; j < n; ++j)
        for (size_t block : {0, 1})
          network.store(values[block][half][j],
                        tile.columns[half * n + j] + bytes(block * n),
                        laneBytes);
    }
  }

private:
  int64_t bytes(size_t elements) const {
    return static_cast<int64_t>(elements) * tile.elementBytes;
  }

  /// Row `i` of a block and the one it is zipped with.
  void loadRows(size_t block, size_t i, std::vector<size_t> halves) {
    std::vector<int> rows[2];
    for (size_t other : {0, 1})
      for (size_t half : halves)
        rows[other].push_back(network.load(
            tile.rows[block * n + i + other * n / 2] + bytes(half * n),
            laneBytes));
    for (size_t at = 0; at < halves.size(); ++at)
      zip(rows[0][at], rows[1][at], values[block][halves[at]]);
  }

  void zip(int a, int b, std::vector<int> &zipped) {
    for (bool high : {false, true})
      zipped.push_back(network.shuffle(a, b, zipMask(n, high), bytes(1)));
  }

  /// The other rounds of a block.
  void finish(std::vector<int> &block) {
    for (size_t done = 2; done < n; done *= 2) {
      std::vector<int> zipped;
      for (size_t i = 0; i < n / 2; ++i)
        zip(block[i], block[i + n / 2], zipped);
      block = std::move(zipped);
    }
  }

  Network &network;
  const TransposeTile &tile;
  size_t n;                      ///< units of a register
  std::vector<int> values[2][2]; ///< of upper and lower, left and right blocks
};

} // namespace

/// Whether half registers hold 8 rows of as many columns that lie without a gap
/// on both sides: whole registers then take two rows, and are joined. Places
/// that are not the tile's own could have a gap.
static bool isDenseSquare(const TransposeTile &tile) {
  const int64_t size = 8;
  auto isDense = [&](const std::vector<int64_t> &places) {
    for (size_t i = 0; i < places.size(); ++i)
      if (places[i] != static_cast<int64_t>(i) * size)
        return false;
    return places.size() == static_cast<size_t>(size);
  };
  return tile.vectorBytes == laneBytes / 2 && tile.elementBytes == 1 &&
         tile.hasExactPlaces() && isDense(tile.rows) && isDense(tile.columns);
}

Network permc::transposeNetwork(const TransposeTile &tile) {
  if (tile.pairs && tile.vectorBytes == exchangedBytes) {
    Network network;
    if (tile.wordsPerLoad > 2)
      WordRows(network, tile).run();
    else
      WordPairs(network, tile).run();
    return network;
  }
  if (tile.pairs && tile.stepping) {
    Network network;
    FourSteppingBlocks(network, tile).run();
    return network;
  }
  if (tile.pairs)
    return transposeInPairs(tile);
  if (tile.stepping)
    return transposeStepping(tile);
  Network network;
  if (tile.vectorBytes == exchangedBytes) {
    WordBlocks(network, tile).run();
    return network;
  }
  if (tile.elementBytes == tile.vectorBytes)
    return transposeHalves(tile);
  if (isDenseSquare(tile))
    return interleaveNetwork({tile.rows,
                              static_cast<int64_t>(tile.columns.size()),
                              tile.elementBytes, laneBytes, false});
  if (tile.elementBytes == tripleBytes)
    return transposeTriples(tile);
  network.readable = tile.readable;
  auto unit = static_cast<int64_t>(std::bit_ceil(uint64_t(tile.elementBytes)));
  size_t columns = std::min(laneBytes, tile.vectorBytes) / unit,
         rows = tile.vectorBytes / unit;
  const size_t rowsInBlocks = tile.rows.size() - shortRows(tile);
  // The last block of each direction is moved back over its neighbour to be
  // whole. Columns that both have are stored once.
  for (size_t column = 0; column < tile.columns.size(); column += columns) {
    const size_t start = movedBack(column, columns, tile.columns.size());
    std::vector<TransposeBlock> blocks;
    for (size_t row = 0; row < rowsInBlocks; row += rows) {
      blocks.emplace_back(network, tile, movedBack(row, rows, rowsInBlocks),
                          start);
      blocks.back().transpose();
      if (!tile.storesByColumn)
        storeColumns(blocks, column - start);
    }
    storeColumns(blocks, column - start);
  }
  transposeShortRows(network, tile);
  network.prune();
  return network;
}
