//===- NetworkTest.cpp - do networks move what they should? ---------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A network is run here on real bytes, by an interpreter of its own: what
// `proves` says is compared with what happens.
//
//===----------------------------------------------------------------------===//

#include "PlanTesting.h"

#include "permc/Plan/Network.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <numeric>

using namespace permc;

namespace {

/// What a buffer holds at each offset: a label, or -1 where no byte of the tile
/// is.
using Labels = std::vector<int64_t>;

/// Runs a network on labels. Fails on a read or a write outside the tile: of
/// the first `proves` knows nothing.
void run(const Network &network, const Labels &src, Labels &dst) {
  std::vector<Labels> registers;
  for (const Network::Step &step : network.steps) {
    Labels &value = registers.emplace_back();
    switch (step.kind) {
    case Network::StepKind::Load:
      ASSERT_GE(step.offset, 0);
      ASSERT_LE(step.offset + step.bytes, static_cast<int64_t>(src.size()));
      value.assign(src.begin() + step.offset,
                   src.begin() + step.offset + step.bytes);
      ASSERT_EQ(std::count(value.begin(), value.end(), -1), 0)
          << "a load at " << step.offset << " reads outside the tile";
      break;
    case Network::StepKind::Shuffle: {
      Labels both = registers[step.a];
      ASSERT_EQ(both.size(), registers[step.b].size());
      both.insert(both.end(), registers[step.b].begin(),
                  registers[step.b].end());
      for (int unit : step.mask)
        for (int64_t i = 0; i < step.unitBytes; ++i)
          value.push_back(unit < 0 ? -1 : both.at(unit * step.unitBytes + i));
      ASSERT_EQ(static_cast<int64_t>(value.size()), step.bytes);
      break;
    }
    case Network::StepKind::Store:
      ASSERT_LE(step.bytes, static_cast<int64_t>(registers[step.a].size()));
      ASSERT_LE(step.offset + step.bytes, static_cast<int64_t>(dst.size()));
      std::copy_n(registers[step.a].begin(), step.bytes,
                  dst.begin() + step.offset);
      break;
    }
  }
}

//===----------------------------------------------------------------------===//
// The proof
//===----------------------------------------------------------------------===//

int64_t sameByte(int64_t offset) { return offset; }

/// 2x2 bytes, transposed by hand.
Network swapTwoByTwo(std::vector<int> mask = {0, 2, 1, 3}) {
  Network network;
  int low = network.load(0, 2), high = network.load(2, 2);
  network.store(network.shuffle(low, high, std::move(mask), 1), 0, 4);
  return network;
}

int64_t swappedByte(int64_t offset) {
  static constexpr int64_t sources[] = {0, 2, 1, 3};
  return sources[offset];
}

TEST(PlanNetwork, ProvesARightNetwork) {
  EXPECT_TRUE(swapTwoByTwo().proves(swappedByte, 4));
}

TEST(PlanNetwork, FindsAWrongUnit) {
  EXPECT_ERROR(swapTwoByTwo({0, 1, 2, 3}).proves(swappedByte, 4),
               Cause::Internal,
               "a network moves src byte 1 to dst byte 1; expected src byte "
               "2");
}

TEST(PlanNetwork, FindsAUnitThatWasLeftOpen) {
  EXPECT_ERROR(swapTwoByTwo({0, 2, -1, 3}).proves(swappedByte, 4),
               Cause::Internal,
               "a network moves src byte -1 to dst byte 2; expected src byte "
               "1");
}

TEST(PlanNetwork, FindsAWrongLoad) {
  Network network = swapTwoByTwo();
  network.steps[1].offset = 1;
  EXPECT_FALSE(network.proves(swappedByte, 4));
}

TEST(PlanNetwork, FindsAMissingStore) {
  Network network;
  network.store(network.load(0, 8), 0, 8);
  EXPECT_ERROR(network.proves(sameByte, 16), Cause::Internal,
               "a network writes 8 bytes; expected 16");
}

TEST(PlanNetwork, FindsAStoreTooMany) {
  Network network;
  network.store(network.load(0, 8), 0, 8);
  network.store(network.load(8, 8), 8, 8);
  EXPECT_ERROR(network.proves(sameByte, 15), Cause::Internal,
               "a network writes 16 bytes; expected 15");
}

TEST(PlanNetwork, FindsAStoreInTheWrongPlace) {
  Network network;
  network.store(network.load(0, 8), 4, 8);
  EXPECT_FALSE(network.proves(sameByte, 8));
}

TEST(PlanNetwork, StoresMayOverlap) {
  Network network;
  network.store(network.load(0, 8), 0, 8);
  network.store(network.load(3, 8), 3, 8);
  EXPECT_TRUE(network.proves(sameByte, 11));
}

//===----------------------------------------------------------------------===//
// Parts of registers
//===----------------------------------------------------------------------===//

TEST(PlanNetwork, PartsAreExact) {
  for (int64_t bytes = 1; bytes <= 64; ++bytes) {
    Network network;
    int value = network.loadPart(5, bytes, 64);
    EXPECT_EQ(network.steps[value].bytes, 64);
    network.storePart(value, 7, bytes);
    Labels src(80, -1), dst(80, -1), expected(80, -1);
    for (int64_t i = 0; i < bytes; ++i)
      src[5 + i] = expected[7 + i] = i;
    ASSERT_NO_FATAL_FAILURE(run(network, src, dst));
    ASSERT_EQ(dst, expected) << bytes << " bytes";
  }
}

TEST(PlanNetwork, PartsAreReadWithWhatIsReadable) {
  auto loads = [](int64_t readable) {
    Network network;
    network.readable = readable;
    int value = network.loadPart(3, 7, 16);
    EXPECT_EQ(network.steps[value].bytes, 16);
    std::vector<int64_t> bytes;
    for (const Network::Step &step : network.steps)
      if (step.kind == Network::StepKind::Load)
        bytes.push_back(step.bytes);
    return bytes;
  };
  EXPECT_EQ(loads(19), (std::vector<int64_t>{16}));
  EXPECT_EQ(loads(18), (std::vector<int64_t>{8}));
  EXPECT_EQ(loads(11), (std::vector<int64_t>{8}));
  EXPECT_EQ(loads(10), (std::vector<int64_t>{4, 4}));
}

TEST(PlanNetwork, FindsALoadOutsideOfTheTile) {
  auto copies = [](int64_t from, int64_t loaded) {
    Network network;
    int value = network.load(from, loaded);
    std::vector<int> mask(8);
    std::iota(mask.begin(), mask.end(), static_cast<int>(-from));
    network.store(network.shuffle(value, value, mask, 1), 0, 8);
    return network.proves([](int64_t offset) { return offset; }, 8);
  };
  EXPECT_TRUE(copies(0, 8));
  EXPECT_ERROR(copies(0, 16), Cause::Internal,
               "a network loads 16 bytes of src at 0; expected "
               "none outside of the tile's 8");
  EXPECT_ERROR(copies(-8, 16), Cause::Internal,
               "a network loads 16 bytes of src at -8; "
               "expected none outside of the tile's 8");
}

TEST(PlanNetwork, PruneDropsWhatNoStoreNeeds) {
  Network network;
  network.load(100, 8);
  int kept = network.load(0, 8);
  network.shuffle(kept, kept, {1, 0}, 4);
  network.store(kept, 0, 8);
  network.load(200, 8);
  network.prune();
  EXPECT_EQ(network.steps.size(), 2u);
  EXPECT_TRUE(network.proves(sameByte, 8));
}

TEST(PlanNetwork, PruneKeepsBothInputsOfAShuffle) {
  Network network = swapTwoByTwo();
  network.prune();
  EXPECT_EQ(network.count(Network::StepKind::Load), 2u);
  EXPECT_EQ(network.count(Network::StepKind::Shuffle), 1u);
  EXPECT_EQ(network.count(Network::StepKind::Store), 1u);
  EXPECT_TRUE(network.proves(swappedByte, 4));
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

TEST(PlanNetwork, SeamsLieBetweenShufflesOfTwo) {
  Network network;
  int a = network.load(0, 32), b = network.load(32, 32);
  std::vector<int> low, reversed;
  for (int i = 0; i < 32; ++i) {
    low.push_back(i % 2 == 0 ? i / 2 : 32 + i / 2);
    reversed.push_back(31 - i);
  }
  int inner = network.shuffle(a, b, low, 1);     // only to `outer`
  int outer = network.shuffle(inner, b, low, 1); // stored
  int other = network.shuffle(a, b, low, 1);     // to a shuffle of one
  int turned = network.shuffle(other, other, reversed, 1);
  network.store(outer, 0, 32);
  network.store(turned, 32, 32);
  std::vector<bool> seams = network.seams();
  ASSERT_EQ(seams.size(), network.steps.size());
  for (int step = 0; step < static_cast<int>(seams.size()); ++step)
    EXPECT_EQ(seams[step], step == inner) << "step " << step;
  EXPECT_FALSE(network.needsSeams());
}

TEST(PlanNetwork, StoresLast) {
  Network network;
  int value = network.load(0, 16);
  network.store(value, 0, 16);
  EXPECT_TRUE(network.storesLast());
  network.store(network.load(16, 16), 16, 16);
  EXPECT_FALSE(network.storesLast());
  network.storeInOrder();
  EXPECT_TRUE(network.storesLast());
}

TEST(PlanNetwork, LargeTilesNeedSeams) {
  auto square = [](int64_t side) {
    TransposeTile tile{{}, {}, 1, 64};
    for (int64_t i = 0; i < side; ++i) {
      tile.rows.push_back(100 * i);
      tile.columns.push_back(100 * i);
    }
    return transposeNetwork(tile);
  };
  EXPECT_FALSE(square(16).needsSeams());
  EXPECT_TRUE(square(64).needsSeams());
}

TEST(PlanNetwork, ALaneHasNoSeams) {
  Network network = transposeNetwork({{0, 4, 8, 12}, {0, 4, 8, 12}, 1, 16});
  for (bool seam : network.seams())
    EXPECT_FALSE(seam);
}

TEST(PlanNetwork, CopyOfEverySize) {
  for (int64_t width : {1, 2, 4, 8, 16, 32, 64})
    for (int64_t bytes = 1; bytes <= 300; ++bytes) {
      Network network = copyNetwork(bytes, width);
      Status proof = network.proves(sameByte, bytes);
      ASSERT_TRUE(proof) << bytes << " bytes by " << width << ": "
                         << proof.error().message;
      Labels src(bytes), dst(bytes, -1);
      std::iota(src.begin(), src.end(), 0);
      ASSERT_NO_FATAL_FAILURE(run(network, src, dst));
      ASSERT_EQ(dst, src) << bytes << " bytes by " << width;
      // Whole moves only, and at most one more than there are whole ones.
      ASSERT_LE(network.count(Network::StepKind::Store),
                (bytes + width - 1) / width + (bytes < width))
          << bytes << " bytes by " << width;
    }
}

//===----------------------------------------------------------------------===//
// Transposes
//===----------------------------------------------------------------------===//

TransposeTile tileOf(int64_t rows, int64_t columns, int64_t elementBytes,
                     int64_t vectorBytes, int64_t rowGap, int64_t columnGap) {
  TransposeTile tile{{}, {}, elementBytes, vectorBytes};
  for (int64_t row = 0; row < rows; ++row)
    tile.rows.push_back(row * (columns * elementBytes + rowGap));
  for (int64_t column = 0; column < columns; ++column)
    tile.columns.push_back(column * (rows * elementBytes + columnGap));
  return tile;
}

/// Rows and columns far enough apart that no move can cover two by chance.
TransposeTile tileOf(int64_t rows, int64_t columns, int64_t elementBytes,
                     int64_t vectorBytes) {
  return tileOf(rows, columns, elementBytes, vectorBytes, 3, 5);
}

/// Both without gaps, at run time too.
TransposeTile denseTileOf(int64_t rows, int64_t columns, int64_t elementBytes,
                          int64_t vectorBytes) {
  TransposeTile tile = tileOf(rows, columns, elementBytes, vectorBytes, 0, 0);
  tile.readable = rows * columns * elementBytes;
  return tile;
}

/// The network reads and writes the bytes of its tile and no others, each to
/// its place.
void checkTranspose(const TransposeTile &tile) {
  const auto rows = static_cast<int64_t>(tile.rows.size()),
             columns = static_cast<int64_t>(tile.columns.size());
  const int64_t elementBytes = tile.elementBytes;
  SCOPED_TRACE(std::to_string(rows) + "x" + std::to_string(columns) + " of " +
               std::to_string(elementBytes) + " bytes by " +
               std::to_string(tile.vectorBytes));
  Labels src(tile.rows.back() + columns * elementBytes, -1);
  Labels dst(tile.columns.back() + rows * elementBytes, -1), expected = dst;
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t column = 0; column < columns; ++column)
      for (int64_t byte = 0; byte < elementBytes; ++byte) {
        int64_t from = tile.rows[row] + column * elementBytes + byte;
        src[from] = from;
        expected[tile.columns[column] + row * elementBytes + byte] = from;
      }
  Network network = transposeNetwork(tile);
  ASSERT_NO_FATAL_FAILURE(run(network, src, dst));
  ASSERT_EQ(dst, expected);
  auto sourceOf = [&](int64_t offset) { return expected.at(offset); };
  int64_t bytes = rows * columns * elementBytes;
  Status proof = network.proves(sourceOf, bytes);
  ASSERT_TRUE(proof) << proof.error().message;
  ASSERT_FALSE(network.proves(sourceOf, bytes + 1));
}

void checkTranspose(int64_t rows, int64_t columns, int64_t elementBytes,
                    int64_t vectorBytes, bool pairs = false) {
  TransposeTile tile = tileOf(rows, columns, elementBytes, vectorBytes);
  tile.pairs = pairs;
  checkTranspose(tile);
}

constexpr int64_t elementSizes[] = {1, 2, 3, 4, 5, 6, 7, 8};
constexpr int64_t vectorSizes[] = {8, 16, 32, 64};

TEST(PlanNetwork, TransposesOfEverySize) {
  // Every number of rows, and of columns a part; element and vector
  // taking turns.
  for (int64_t rows = 1; rows <= 64; ++rows)
    for (int64_t columns = 1; columns <= 64; columns += rows % 3 + 5)
      ASSERT_NO_FATAL_FAILURE(
          checkTranspose(rows, columns, elementSizes[(rows + columns) % 8],
                         vectorSizes[(rows + columns / 4) % 4]));
}

TEST(PlanNetwork, TransposesRoundTheWidthsOfRegisters) {
  constexpr int64_t sizes[] = {1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 33};
  for (int64_t element : elementSizes)
    for (int64_t vector : vectorSizes)
      for (int64_t rows : sizes)
        for (int64_t columns : sizes)
          ASSERT_NO_FATAL_FAILURE(
              checkTranspose(rows, columns, element, vector));
}

TEST(PlanNetwork, TransposesToColumnsWithoutGaps) {
  for (int64_t element : elementSizes)
    for (int64_t vector : vectorSizes)
      for (int64_t rows = 1; rows <= 40; rows += 3)
        for (int64_t columns : {1, 5, 16, 17, 37})
          ASSERT_NO_FATAL_FAILURE(
              checkTranspose(denseTileOf(rows, columns, element, vector)));
}

/// Rows that no whole register is left for are not moved as if one were.
TEST(PlanNetwork, FewRowsTakeFewSteps) {
  auto steps = [](int64_t rows, int64_t columns, int64_t element) {
    return transposeNetwork(denseTileOf(rows, columns, element, 32))
        .steps.size();
  };
  // Two rows to a register: 16 loads, 8 joined, 24 zips, 8 swaps, 8 stores.
  EXPECT_EQ(steps(16, 16, 1), 64U);
  EXPECT_EQ(steps(8, 8, 2), 28U);
  // Lanes of different columns: 8 loads, 24 zips, and 32 columns.
  EXPECT_EQ(steps(8, 32, 1), 96U);
  // 5 rows more than a register holds are 8.
  EXPECT_EQ(steps(37, 16, 1), steps(32, 16, 1) + 8 + 24 + 32);
}

/// Elements of three words, to columns with and without gaps.
TEST(PlanNetwork, TransposesOfThreeWords) {
  for (int64_t vector : {16, 32, 64})
    for (int64_t rows = 1; rows <= 18; ++rows)
      for (int64_t columns : {1, 2, 3, 5, 6}) {
        ASSERT_NO_FATAL_FAILURE(
            checkTranspose(rows, columns, tripleBytes, vector));
        ASSERT_NO_FATAL_FAILURE(
            checkTranspose(denseTileOf(rows, columns, tripleBytes, vector)));
      }
}

/// Four of them are three stores, and nothing but the column is stored.
TEST(PlanNetwork, FourOfThreeWordsAreThreeLanes) {
  const Network network = transposeNetwork(tileOf(8, 5, tripleBytes, 32));
  EXPECT_EQ(network.count(Network::StepKind::Load), 40U);
  EXPECT_EQ(network.count(Network::StepKind::Shuffle), 30U);
  EXPECT_EQ(network.count(Network::StepKind::Store), 30U);
  for (const Network::Step &step : network.steps)
    EXPECT_EQ(step.bytes, laneBytes);
}

/// What is stored too much is overwritten, so that a column is one store. Not
/// if only the places that stand for others have no gaps.
TEST(PlanNetwork, ColumnsWithoutGapsAreWholeStores) {
  auto stores = [](const TransposeTile &tile) {
    return transposeNetwork(tile).count(Network::StepKind::Store);
  };
  for (int64_t rows : {13, 27}) {
    // But for the last, behind which nothing is left.
    EXPECT_EQ(stores(denseTileOf(rows, 16, 1, 32)), 17U);
    EXPECT_EQ(stores(tileOf(rows, 16, 1, 32)), 32U);
    EXPECT_EQ(stores(tileOf(rows, 16, 1, 32, 0, 0)), 32U);
  }
  EXPECT_EQ(stores(denseTileOf(16, 16, 1, 32)), 8U);
  EXPECT_EQ(stores(tileOf(16, 16, 1, 32, 0, 0)), 16U);
}

TEST(PlanNetwork, TransposesInPairs) {
  for (int64_t element : {1, 2, 4, 8})
    for (int64_t rows : {1, 2, 3})
      for (int64_t columns : {1, 2}) {
        int64_t n = 2 * laneBytes / element;
        ASSERT_NO_FATAL_FAILURE(
            checkTranspose(rows * n, columns * n, element, laneBytes, true));
      }
}

/// Where a tile would fill 32 registers, one row of its last two blocks is
/// loaded by two moves, the second after the first stores.
TEST(PlanNetwork, PairsLeaveARegister) {
  auto loads = [](int64_t element) {
    int64_t n = 2 * laneBytes / element;
    TransposeTile tile = tileOf(n, n, element, laneBytes);
    tile.pairs = true;
    std::vector<int64_t> bytes;
    bool stored = false;
    for (const Network::Step &step : transposeNetwork(tile).steps) {
      if (step.kind == Network::StepKind::Load && step.bytes == laneBytes)
        bytes.push_back(stored);
      stored |= step.kind == Network::StepKind::Store;
      if (step.kind == Network::StepKind::Store)
        EXPECT_EQ(step.bytes, 2 * laneBytes);
    }
    return bytes;
  };
  EXPECT_EQ(loads(2), (std::vector<int64_t>{false, true}));
  EXPECT_TRUE(loads(4).empty());
  EXPECT_TRUE(loads(8).empty());
}

TEST(PlanNetwork, WholeTilesAreStoredInWholeVectors) {
  for (int64_t element : {1, 2, 4, 8})
    for (int64_t vector : vectorSizes) {
      int64_t lanes = vector / element;
      Network network = transposeNetwork(tileOf(lanes, lanes, element, vector));
      for (const Network::Step &step : network.steps)
        if (step.kind == Network::StepKind::Store)
          EXPECT_EQ(step.bytes, vector) << "element " << element;
      EXPECT_EQ(network.count(Network::StepKind::Store), lanes);
    }
}

TEST(PlanNetwork, TransposesInWords) {
  for (int64_t element : {1, 2})
    for (int64_t rows = 1; rows <= 13; ++rows)
      for (int64_t columns = 1; columns <= 13; ++columns)
        ASSERT_NO_FATAL_FAILURE(checkTranspose(rows, columns, element, 4));
}

/// Loads, shuffles and stores.
std::vector<unsigned> countsOf(const Network &network) {
  return {network.count(Network::StepKind::Load),
          network.count(Network::StepKind::Shuffle),
          network.count(Network::StepKind::Store)};
}

TEST(PlanNetwork, WordsAreExchanged) {
  using Counts = std::vector<unsigned>;
  auto counts = [](int64_t rows, int64_t columns, int64_t element) {
    return countsOf(transposeNetwork(tileOf(rows, columns, element, 4)));
  };
  EXPECT_EQ(counts(4, 4, 1), (Counts{4, 8, 4}));
  EXPECT_EQ(counts(2, 2, 2), (Counts{2, 2, 2}));
  // Up to half a word is left to single elements, more is another block of
  // which what is there already is not stored again.
  EXPECT_EQ(counts(5, 4, 1), (Counts{4 + 1, 8 + 4, 4 + 4}));
  EXPECT_EQ(counts(4, 6, 1), (Counts{4 + 4, 8 + 8, 4 + 8}));
  EXPECT_EQ(counts(4, 7, 1)[2], 4 + 3);
  EXPECT_EQ(counts(7, 4, 1)[2], 4 + 4);
  // In pairs: half words on both sides, bytes on one.
  auto pairCounts = [](int64_t rows, int64_t columns, int64_t element) {
    TransposeTile tile = tileOf(rows, columns, element, 4);
    tile.pairs = true;
    Network network = transposeNetwork(tile);
    return Counts{network.count(Network::StepKind::Load),
                  network.count(Network::StepKind::Store)};
  };
  EXPECT_EQ(pairCounts(8, 4, 2), (Counts{8, 8}));
  EXPECT_EQ(pairCounts(4, 16, 1), (Counts{8, 16}));
  // Every value of a block is half of one word and half of another.
  for (const Network::Step &step : transposeNetwork(tileOf(4, 4, 1, 4)).steps)
    if (step.kind == Network::StepKind::Shuffle)
      EXPECT_EQ(std::count_if(step.mask.begin(), step.mask.end(),
                              [](int unit) { return unit < 4; }),
                2);
}

TEST(PlanNetwork, HalvesAreLoadedToTheirPlaces) {
  Network network = transposeNetwork(tileOf(5, 3, 8, 8));
  // A column of five is two stores of both halves and one of a half.
  EXPECT_EQ(countsOf(network), (std::vector<unsigned>{15, 6, 9}));
}

/// Steps that make a register.
static int64_t madeRegisters(const Network &network) {
  return std::count_if(network.steps.begin(), network.steps.end(),
                       [](const Network::Step &step) {
                         return step.kind == Network::StepKind::Shuffle &&
                                step.bytes == laneBytes;
                       });
}

/// Whether a network joins streams that start so far apart.
static Status joins(const Network &network, const InterleaveTile &tile,
                    int64_t apart) {
  const auto streams = static_cast<int64_t>(tile.streams.size());
  const int64_t element = tile.elementBytes;
  return network.proves(
      [=](int64_t offset) {
        int64_t place = offset / element;
        return place % streams * apart + place / streams * element +
               offset % element;
      },
      streams * tile.elements * element);
}

/// One lookup in four registers instead of two rounds of zips, right before the
/// store that takes it.
TEST(PlanNetwork, LooksStreamsUpInTables) {
  constexpr int64_t apart = 1000;
  for (int64_t streams : {16, 32})
    for (int64_t element : {1, 2})
      for (int64_t more : {0, 1, 16}) {
        InterleaveTile tile{
            {}, laneBytes / element + more, element, laneBytes, false, 4};
        for (int64_t i = 0; i < streams; ++i)
          tile.streams.push_back(i * apart);
        Network network = interleaveNetwork(tile);
        Status proof = joins(network, tile, apart);
        EXPECT_TRUE(proof) << proof.error().message;
        EXPECT_EQ(madeRegisters(network),
                  streams / 16 * network.count(Network::StepKind::Load));
      }
}

/// Streams of a register each that follow one another are loaded in blocks.
TEST(PlanNetwork, LooksBlocksUpInOneRegister) {
  for (int64_t element : {1, 2}) {
    InterleaveTile tile{{}, laneBytes / element, element, laneBytes, false, 1};
    for (int64_t i = 0; i < 16; ++i)
      tile.streams.push_back(i * laneBytes);
    Network network = interleaveNetwork(tile);
    Status proof = joins(network, tile, laneBytes);
    EXPECT_TRUE(proof) << proof.error().message;
    EXPECT_EQ(network.count(Network::StepKind::Load), 4);
    EXPECT_EQ(network.count(Network::StepKind::Store), 4);
    EXPECT_EQ(madeRegisters(network), 2 * 16); // half of them by the loads
  }
}

/// Loads, zips, and structure stores of four registers.
TEST(PlanNetwork, JoinsManyStreams) {
  constexpr int64_t apart = 1000;
  for (int64_t streams : {8, 16, 32})
    for (int64_t element : {1, 2, 4})
      for (int64_t more : {0, 1, 3, 16, 35}) {
        SCOPED_TRACE(std::to_string(streams) + " streams of " +
                     std::to_string(element) + " bytes, and " +
                     std::to_string(more));
        const int64_t elements = laneBytes / element + more;
        InterleaveTile tile{{}, elements, element, laneBytes, false};
        for (int64_t i = 0; i < streams; ++i)
          tile.streams.push_back(i * apart);
        Network network = interleaveNetwork(tile);
        Status proof = joins(network, tile, apart);
        EXPECT_TRUE(proof) << proof.error().message;
      }
  InterleaveTile sixteen{{}, 16, 1, laneBytes, false};
  for (int64_t i = 0; i < 16; ++i)
    sixteen.streams.push_back(i * apart);
  Network network = interleaveNetwork(sixteen);
  EXPECT_EQ(network.count(Network::StepKind::Load), 16);
  EXPECT_EQ(network.count(Network::StepKind::Store), 4);
  EXPECT_EQ(madeRegisters(network), 2 * 16);
}

/// Eight rows of eight bytes that are all there is go through whole registers.
TEST(PlanNetwork, JoinsADenseSquare) {
  TransposeTile tile{{}, {}, 1, 8};
  for (int64_t i = 0; i < 8; ++i) {
    tile.rows.push_back(8 * i);
    tile.columns.push_back(8 * i);
  }
  auto sourceOf = [](int64_t offset) { return offset % 8 * 8 + offset / 8; };
  tile.readable = 64;
  Network network = transposeNetwork(tile);
  EXPECT_TRUE(network.proves(sourceOf, 64));
  EXPECT_EQ(countsOf(network), (std::vector<unsigned>{4, 4 + 3, 1}));
  // Not where places are nominal, and there may be gaps in truth.
  tile.readable = 0;
  network = transposeNetwork(tile);
  EXPECT_TRUE(network.proves(sourceOf, 64));
  EXPECT_EQ(network.count(Network::StepKind::Load), 8);
}

/// A lane of each of `planes` planes of bytes, 1000 bytes apart, split from or
/// joined to pixels.
Network planesNetwork(int64_t planes, bool splits) {
  ShuffleTile tile{laneBytes, {}, {}, {}, 1, 1, 0, 0};
  constexpr int64_t apart = 1000;
  for (int64_t i = 0; i < planes; ++i) {
    (splits ? tile.loads : tile.stores).push_back({i * laneBytes, laneBytes});
    (splits ? tile.stores : tile.loads).push_back({i * apart, laneBytes});
  }
  tile.sourceOf = [=](int64_t offset) {
    return splits ? offset % apart * planes + offset / apart
                  : offset % planes * apart + offset / planes;
  };
  Network network = shuffleNetwork(tile);
  Status proof = network.proves(tile.sourceOf, planes * laneBytes);
  EXPECT_TRUE(proof) << planes << " planes: " << proof.error().message;
  return network;
}

TEST(PlanNetwork, PlanesOfEveryNumber) {
  for (int64_t planes = 2; planes <= 40; ++planes)
    for (bool splits : {false, true})
      planesNetwork(planes, splits);
}

/// Of each register, what goes to one place of an output takes a permute of its
/// own: none for 3 planes but the one, two for 6, four for 12.
TEST(PlanNetwork, PermutesAGroupOfPlanesOnce) {
  for (int64_t planes : {3, 5, 6, 10, 12})
    for (bool splits : {false, true}) {
      int64_t groups = std::gcd(planes, laneBytes);
      EXPECT_EQ(planesNetwork(planes, splits).count(Network::StepKind::Shuffle),
                planes * groups + planes * (planes - 1))
          << planes << " planes, split: " << splits;
    }
}

TEST(PlanNetwork, EndsWithAMoveNoWiderThanWhatIsLeft) {
  const Network network = copyNetwork(34, 32);
  ASSERT_EQ(network.steps.size(), 4U);
  EXPECT_EQ(network.steps[2].bytes, 2);
  EXPECT_EQ(network.steps[2].offset, 32);
  // What is no power of two is moved back.
  EXPECT_EQ(copyNetwork(35, 32).steps[2].offset, 31);
}

} // namespace
