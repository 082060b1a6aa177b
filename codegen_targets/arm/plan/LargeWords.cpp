//===- LargeWords.cpp - tiles of plain words on Cortex-M ------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Nobody unrolls loops afterwards and a turn costs instructions: tiles are cut
// large. Words are moved in pairs (ldrd, strd) or eight at a time (ldm) where
// tiles start aligned, and small elements trade places in registers.
//
//===----------------------------------------------------------------------===//

#include "LargeWords.h"

#include "CountedTile.h"
#include "WordSteps.h"

#include "../../words/WordScheduler.h"

#include "permc/Plan/CeilDiv.h"
#include "permc/Plan/LoopOrder.h"
#include "permc/Plan/WordTile.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <ranges>

using namespace permc;

namespace {

/// The moves of a run, the columns of a transpose, and of what is moved one by
/// one.
constexpr int64_t maxRunMoves = 32;
constexpr int64_t largeColumns = 8, elementColumns = 4;

/// Bytes of words, and elements of two, that are moved without a loop.
constexpr int64_t maxStraightBytes = 256;

/// Of their tiles: registers for addresses beside the eight, four or two words
/// that are moved at a time, and what the turn of a loop takes.
constexpr int64_t besideEight = 4, besideFour = 7, besideTwo = 8;
constexpr int64_t tileTurn = 2;

/// Tiles that are transposed in registers: elements along a side, instructions,
/// and registers for addresses.
constexpr int64_t maxExchangeElements = 64, maxExchangeInstructions = 330;
constexpr int64_t maxExchangeAddresses = 5;

/// ... and of those in pairs, of which eight words are in registers, so that
/// the start of the loop along them takes its own from memory; and what it
/// takes to see whether both buffers are aligned.
constexpr int64_t maxPairAddresses = 3, pairLoopStart = 18, alignmentTest = 4;

/// Elements above this are some moves each: a tile of them saves no more.
constexpr int64_t maxTiledElement = 16;

class LargeWords : public WordScheduler {
public:
  LargeWords(const Problem &problem, const ArmFacts &facts)
      : WordScheduler(problem, facts), facts(facts) {}

private:
  int64_t runMoves() const override { return maxRunMoves; }

  /// The nest is not to grow with the rank.
  void chooseUnits() override {
    while (divides(schedule.unitLoops) &&
           schedule.loops.size() - schedule.unitLoops > maxNestedLoops)
      ++schedule.unitLoops;
  }

  void refine(FastDim src, FastDim dst) override {
    choosePairs();
    if (facts.loopTurn)
      compareWithElements(src, dst);
  }

  /// All kernels of words can move pairs of them.
  static micro::WordMoves &movesOf(Schedule &words) {
    return *getIf<micro::WordMoves>(words);
  }

  /// Takes a tile of runs or elements that are moved as they are instead, if
  /// that executes less: where rows and columns are short, or so far apart that
  /// many addresses are needed, a tile that goes on in dst needs few.
  void compareWithElements(FastDim src, FastDim dst) {
    if (element > maxTiledElement || dims.empty())
      return;
    const bool isRun = src && src == dst;
    ArmFacts plain = facts;
    plain.vectorBytes = 0;
    std::optional<int64_t> least = countInstructions(problem, plain, schedule);
    if (!least)
      return;
    *least -= *least / worthOther;
    std::vector<size_t> order = slowestFirst(dims, &LoopDim::dstStride);
    Schedule best = schedule;
    for (auto stride : {&LoopDim::dstStride, &LoopDim::srcStride}) {
      std::vector<size_t> growth = slowestFirst(dims, stride);
      std::ranges::reverse(growth);
      Schedule tiles;
      tiles.tile.assign(dims.size(), 1);
      tiles.kernel = isRun ? copyKernel(dims.size()) : micro::Scalar{};
      tiles.vectorBytes = facts.wordBytes;
      micro::WordMoves &moves = movesOf(tiles);
      moves.srcReach = moves.dstReach = facts.wordReach;
      if (element % (2 * facts.wordBytes) == 0 && facts.pairAlignment) {
        tiles.vectorBytes = 2 * facts.wordBytes;
        moves.pairAlignment = facts.pairAlignment;
        moves.srcReach = moves.dstReach = facts.stepReach;
      }
      tiles = countedTile(problem, plain, std::move(tiles), growth, order);
      if (pairAlignment(tiles) &&
          !startsAligned(problem, tiles, facts.pairAlignment))
        continue;
      if (auto count = countIfLess(problem, plain, tiles, *least)) {
        least = count;
        best = std::move(tiles);
      }
    }
    schedule = std::move(best);
  }

  /// Moves two words at once, if what is moved has as many and no tile starts
  /// elsewhere.
  void choosePairs() {
    int64_t pair = 2 * facts.wordBytes;
    if (facts.pairAlignment != facts.wordBytes || movedAtOnce() < pair ||
        movedAtOnce() % facts.pairAlignment != 0 ||
        !startsAligned(problem, schedule, facts.pairAlignment))
      return;
    schedule.vectorBytes = pair;
    micro::WordMoves &moves = movesOf(schedule);
    moves.pairAlignment = facts.pairAlignment;
    moves.srcReach = facts.pairReach;
    // Transposed words are stored one by one.
    bool words =
        is<micro::WordTranspose>(schedule) && element == facts.wordBytes;
    moves.dstReach = words ? facts.wordReach : facts.pairReach;
    // What is left of a row is loaded in pairs, which takes more registers than
    // there are beside a loop's.
    const bool whole = stretchBytes() % maxWordLoad == 0;
    if (!loadsSeveral() || stretchBytes() < maxWordLoad ||
        !(whole || schedule.loops.empty()))
      return;
    schedule.vectorBytes = maxWordLoad;
    if (whole)
      moves.srcReach = facts.wordReach;
  }

  /// Bytes of a transposed tile that follow one another in src: of a row, or of
  /// all rows if there is no gap between them.
  int64_t stretchBytes() const {
    int64_t bytes = movedAtOnce();
    for (size_t dim = 0; dim < dims.size(); ++dim)
      if (dims[dim].srcStride == movedAtOnce())
        bytes *= schedule.tile[dim];
    return bytes;
  }

  /// Whether a row of a transposed tile is a load of several words.
  bool loadsSeveral() const {
    return is<micro::WordTranspose>(schedule) &&
           facts.wordsPerLoad * facts.wordBytes == maxWordLoad;
  }

  /// Bytes of src that one move could take.
  int64_t movedAtOnce() const {
    std::optional<size_t> src = fastDim(dims, &LoopDim::srcStride, element);
    if (is<micro::Scalar>(schedule) || is<micro::TileTranspose>(schedule))
      return element;
    bool isSmall = element < facts.wordBytes;
    if (is<micro::WordTranspose>(schedule) && isSmall)
      return element;
    return src ? element * schedule.tile[*src] : element;
  }

  /// As far as is within reach: a turn of a loop costs as much as some moves.
  void takeMore(int64_t most) override {
    for (size_t dim = 0; dim < dims.size(); ++dim)
      if (schedule.tile[dim] > 1 && schedule.tile[dim] < dims[dim].size)
        return;
    std::vector<size_t> order = slowestFirst(dims, &LoopDim::dstStride);
    for (size_t dim : std::views::reverse(order)) {
      if (schedule.tile[dim] > 1 || dims[dim].size == 1)
        continue;
      schedule.tile[dim] = cheapestShare(dim, most);
      if (schedule.tile[dim] < dims[dim].size)
        return;
    }
  }

  /// The share of a dim with which tiles cost least.
  int64_t cheapestShare(size_t dim, int64_t most) const {
    constexpr int64_t turn = 6;
    // Runs take so many moves that an address more is little.
    int64_t src = copiesRuns(schedule) ? INT32_MAX : facts.wordReach.ahead;
    int64_t dst = src, elements = 1;
    for (size_t other = 0; other < dims.size(); ++other) {
      elements *= schedule.tile[other];
      src -= (schedule.tile[other] - 1) * dims[other].srcStride;
      dst -= (schedule.tile[other] - 1) * dims[other].dstStride;
    }
    const int64_t size = dims[dim].size;
    const int64_t longest =
        std::min({size, most / elements,
                  std::max<int64_t>(src, 0) / dims[dim].srcStride + 1,
                  std::max<int64_t>(dst, 0) / dims[dim].dstStride + 1});
    auto cost = [&](int64_t share) {
      return ceilDiv(size, share) * (share * elements + turn) +
             (size % share != 0);
    };
    int64_t best = 1;
    for (int64_t share = 2; share <= longest; ++share)
      if (cost(share) < cost(best))
        best = share;
    return best;
  }

  void scheduleTile(size_t src, size_t dst) override {
    if (!tryExchanges(src, dst))
      WordScheduler::scheduleTile(src, dst);
  }

  //===--- exchanges ------------------------------------------------------===//

  /// Blocks of words that are transposed in registers, if both sides fill one:
  /// the tile that takes the fewest instructions in all.
  bool tryExchanges(size_t src, size_t dst) {
    if (!facts.wordExchanges || element >= facts.wordBytes ||
        !std::has_single_bit(uint64_t(element)))
      return false;
    std::optional<double> least;
    bool pairs = false;
    for (int64_t columns : exchangeShares(dims[src].size))
      for (int64_t rows : exchangeShares(dims[dst].size))
        for (bool inPairs : {false, true}) {
          if (inPairs && !canPair(src, dst, columns, rows))
            continue;
          auto count = exchangeInstructions(dims[src], dims[dst], columns, rows,
                                            inPairs);
          if (!count || (least && *count >= *least))
            continue;
          least = count;
          pairs = inPairs;
          schedule.tile[src] = columns;
          schedule.tile[dst] = rows;
        }
    // Elements one by one take two instructions each.
    if (!least || *least >= 2 * static_cast<double>(dims[src].size) *
                                static_cast<double>(dims[dst].size))
      return false;
    auto &moves = schedule.kernel.emplace<micro::TileTranspose>();
    moves.srcReach = srcReach(pairs);
    moves.dstReach = dstReach(pairs);
    if (pairs) {
      schedule.vectorBytes = 2 * facts.wordBytes;
      moves.pairAlignment = facts.pairAlignment;
    }
    // The loop that moves its last tile back has more to do: outside.
    if (dims[src].size % schedule.tile[src] != 0)
      addLoops({src, dst});
    else
      addLoops({dst, src});
    return true;
  }

  int64_t perWord() const { return facts.wordBytes / element; }

  /// Whole blocks, or the dim.
  std::vector<int64_t> exchangeShares(int64_t size) const {
    std::vector<int64_t> shares;
    for (int64_t share = perWord();
         share < size && share <= maxExchangeElements; share += perWord())
      shares.push_back(share);
    if (size >= perWord() && size <= maxExchangeElements)
      shares.push_back(size);
    return shares;
  }

  /// Rows are loaded in pairs of words; those of half words are stored so too.
  Reach srcReach(bool pairs) const {
    return pairs ? facts.pairReach : facts.wordReach;
  }
  Reach dstReach(bool pairs) const {
    return pairs && blocksBelow() > 1 ? facts.pairReach : facts.wordReach;
  }
  int64_t blocksBelow() const { return wordBlocksBelow(element); }

  /// Whether tiles of so many columns and rows are whole pairs of words, and
  /// all of them aligned.
  bool canPair(size_t src, size_t dst, int64_t columns, int64_t rows) const {
    const int64_t n = perWord(), alignment = facts.pairAlignment;
    if (alignment != facts.wordBytes || columns % (2 * n) != 0 ||
        rows % (blocksBelow() * n) != 0)
      return false;
    Schedule tiles;
    for (size_t dim = 0; dim < dims.size(); ++dim) {
      if ((dim != src && dims[dim].srcStride % alignment != 0) ||
          (dim != dst && dims[dim].dstStride % alignment != 0))
        return false;
      const int64_t step = dim == src ? columns : dim == dst ? rows : 1;
      if (step < dims[dim].size)
        tiles.loops.push_back({static_cast<int64_t>(dim), step});
    }
    return startsAligned(problem, tiles, alignment);
  }

  /// What all tiles of so many columns and rows execute; none if their code
  /// would be too long, or registers too few for their addresses.
  std::optional<double> exchangeInstructions(const LoopDim &src,
                                             const LoopDim &dst,
                                             int64_t columns, int64_t rows,
                                             bool pairs) const {
    const int64_t n = perWord();
    const int64_t blocks = blocksAlong(columns) * blocksAlong(rows);
    const int64_t single =
        std::max<int64_t>(columns * rows - blocks * n * n, 0);
    const int64_t addresses =
        addressesOf(rows, dst.srcStride, columns, srcReach(pairs)) +
        addressesOf(columns, src.dstStride, rows, dstReach(pairs));
    // A word of a block is loaded and stored. It takes one instruction to trade
    // half words, and two to trade bytes. Single elements are shifted and
    // stored.
    int64_t block = n * (element == 1 ? 5 : 3);
    if (pairs)
      block -= blocksBelow() > 1 ? n : n / 2;
    const int64_t moves = blocks * block + 2 * single;
    if (moves > maxExchangeInstructions ||
        addresses > (pairs ? maxPairAddresses : maxExchangeAddresses))
      return std::nullopt;
    int64_t turn = addresses + 3;
    if (src.size % columns != 0 || dst.size % rows != 0)
      turn += 2;
    const int64_t across = ceilDiv(src.size, columns),
                  down = ceilDiv(dst.size, rows);
    // The loop inside is along the columns, unless its last tile is moved back.
    int64_t starts = src.size % columns != 0 ? across : down;
    if (across == 1 || down == 1)
      starts = across == down ? 0 : 1;
    const int64_t others = pairs ? alignmentTest + pairLoopStart * starts : 0;
    return static_cast<double>(across) * static_cast<double>(down) *
               static_cast<double>(moves + turn) +
           static_cast<double>(others);
  }

  /// Up to half a word is left to be moved element by element.
  int64_t blocksAlong(int64_t size) const {
    return (size + perWord() / 2 - 1) / perWord();
  }

  /// How many addresses it takes to reach `count` rows of so many elements that
  /// lie so far apart. Pairs reach less far: the end of a row counts there.
  int64_t addressesOf(int64_t count, int64_t stride, int64_t elements,
                      Reach reach) const {
    int64_t ahead = reach.ahead;
    if (reach != facts.wordReach)
      ahead = std::max<int64_t>(ahead - elements * element, 0);
    return ceilDiv(count, ahead / stride + 1);
  }

  /// A word of each row, or several where all columns are within reach.
  int64_t columnsOf(size_t src, int64_t word) const override {
    if (2 * dims[src].size <= 3 * largeColumns)
      return dims[src].size;
    if (dims[src].dstStride > facts.wordReach.ahead / (largeColumns - 1))
      return word;
    return evenShare(dims[src].size, std::max(word, largeColumns));
  }

  /// As many rows as are within reach.
  int64_t chooseRows(const LoopDim &dim) const override {
    const int64_t most =
        std::clamp(facts.wordReach.ahead / dim.srcStride + 1, minRows, maxRows);
    return dividingRows(dim.size, most).value_or(evenShare(dim.size, most));
  }

  void scheduleElements(FastDim src, FastDim dst) override {
    if (!src || !dst || element > maxTiledElement)
      return WordScheduler::scheduleElements(src, dst);
    schedule.kernel = micro::Scalar{};
    schedule.vectorBytes = std::max(facts.vectorBytes, facts.wordBytes);
    if (facts.pairAlignment &&
        (element == facts.wordBytes || element == 2 * facts.wordBytes))
      return schedulePairs(*src, *dst);
    // A short side makes room for more of the other.
    int64_t &columns = schedule.tile[*src], &rows = schedule.tile[*dst];
    columns = elementShare(dims[*src].size, elementColumns);
    rows = elementShare(dims[*dst].size, tileElements / columns);
    columns =
        elementShare(dims[*src].size, std::max(columns, tileElements / rows));
    takeMore(tileElements);
    addLoops({*dst, *src});
  }

  /// About `most` of `size`, so that the tiles overlap little: all, if that is
  /// not much more.
  static int64_t evenShare(int64_t size, int64_t most) {
    if (size <= most + most / 2)
      return size;
    return ceilDiv(size, ceilDiv(size, most));
  }

  /// The same for elements that are moved one by one, where no number of them
  /// is better than another: a turn of the loop counts as one more.
  static int64_t elementShare(int64_t size, int64_t most) {
    int64_t best = std::min(size, most + most / 2);
    auto cost = [&](int64_t share) {
      return ceilDiv(size, share) * (share + 1) + (size % share != 0);
    };
    for (int64_t share = best; share > most / 2; --share)
      if (cost(share) < cost(best))
        best = share;
    return best;
  }

  /// Words are loaded in pairs and stored one by one, larger elements moved as
  /// they are.
  void schedulePairs(size_t src, size_t dst) {
    bool words = element == facts.wordBytes;
    schedule.kernel = micro::WordTranspose{};
    schedule.vectorBytes = facts.wordBytes;
    if (!words && !loadsSeveral())
      schedule.kernel = micro::Scalar{};
    const double least = searchPairs(src, dst, &LargeWords::rowsAndWords);
    // Of little a loop would take as long as its moves.
    if (dims[src].size * dims[dst].size * element <= maxStraightBytes) {
      schedule.tile[src] = dims[src].size;
      schedule.tile[dst] = dims[dst].size;
    }
    if (!words || !tryBlocks(src, dst, least))
      takeMore(maxStraightBytes / element);
    addLoops({dst, src});
  }

  /// Words in blocks of two by two, so that stores are pairs too, or of two
  /// rows that are loaded four words at a time, if that takes fewer
  /// instructions.
  bool tryBlocks(size_t src, size_t dst, double others) {
    const Schedule before = schedule;
    // Rows and words can take more of other dims.
    const bool takesMore = dims.size() > 2 &&
                           before.tile[src] == dims[src].size &&
                           before.tile[dst] == dims[dst].size;
    auto &moves = schedule.kernel.emplace<micro::TileTranspose>();
    // What two loads take is stored in pairs by the back end.
    const bool few =
        dims[src].size * dims[dst].size * element <= 2 * maxWordLoad;
    double least = others;
    if (facts.wordExchanges && !takesMore && !few) {
      const double inPairs = searchPairs(src, dst, &LargeWords::pairsOfBoth);
      const Dims tile = schedule.tile;
      const double inRows = searchPairs(src, dst, &LargeWords::steppingRows);
      least = std::min(inPairs, inRows);
      moves.pairAlignment = facts.pairAlignment;
      if (inRows < inPairs) {
        schedule.vectorBytes = steppedLoad;
        moves.srcReach = moves.dstReach = facts.wordReach;
        moves.stepReach = facts.stepReach;
      } else {
        schedule.tile = tile;
        schedule.vectorBytes = 2 * facts.wordBytes;
        moves.srcReach = moves.dstReach = facts.pairReach;
      }
    }
    if (least < others)
      return true;
    schedule = before;
    return false;
  }

  /// The moves of a tile, and how many addresses it has.
  struct Moves {
    int64_t count, addresses;
    int64_t registers;     ///< that are left for these
    bool stepping = false; ///< moves step them
  };
  using MovesOf = std::optional<Moves> (LargeWords::*)(size_t src,
                                                       size_t dst) const;

  /// Takes the tile that executes the fewest instructions in all, and returns
  /// about how many these are.
  double searchPairs(size_t src, size_t dst, MovesOf movesOf) {
    constexpr double none = std::numeric_limits<double>::infinity();
    double least = none;
    int64_t columns = 1, rows = 1;
    const int64_t most = maxStraightBytes / element;
    auto each = [&](size_t dim, int64_t share) {
      return std::views::iota(int64_t{1}, std::min(dims[dim].size, share) + 1);
    };
    for (int64_t across : each(src, most))
      for (int64_t down : each(dst, most / across)) {
        schedule.tile[src] = across;
        schedule.tile[dst] = down;
        std::optional<Moves> moves = (this->*movesOf)(src, dst);
        const double count = moves ? pairInstructions(src, dst, *moves) : none;
        if (count >= least)
          continue;
        least = count;
        columns = across;
        rows = down;
      }
    schedule.tile[src] = columns;
    schedule.tile[dst] = rows;
    return least;
  }

  /// A row is loads of several words or of two, each element a store.
  std::optional<Moves> rowsAndWords(size_t src, size_t dst) const {
    const int64_t columns = schedule.tile[src], rows = schedule.tile[dst],
                  rowBytes = columns * element;
    // Rows without a gap are loaded as one.
    const int64_t joined = dims[dst].srcStride == rowBytes ? rows : 1;
    const bool several = loadsSeveral() && joined * rowBytes % maxWordLoad == 0;
    // A load of several words has its address made for it.
    const int64_t loads =
        rows / joined *
        (several ? 2 * joined * rowBytes / maxWordLoad
                 : ceilDiv(joined * rowBytes, 2 * facts.wordBytes));
    const Reach loadReach = several ? facts.wordReach : facts.pairReach;
    const Reach storeReach =
        element == facts.wordBytes ? facts.wordReach : facts.pairReach;
    return Moves{
        loads + rows * columns,
        addressesOf(rows, dims[dst].srcStride, columns, loadReach) +
            addressesOf(columns, dims[src].dstStride, rows, storeReach),
        several ? besideEight : besideTwo};
  }

  /// Two words are a load, and two others a store.
  std::optional<Moves> pairsOfBoth(size_t src, size_t dst) const {
    const int64_t columns = schedule.tile[src], rows = schedule.tile[dst];
    if (!canPair(src, dst, columns, rows))
      return std::nullopt;
    const Reach reach = facts.pairReach;
    return Moves{rows * columns,
                 addressesOf(rows, dims[dst].srcStride, columns, reach) +
                     addressesOf(columns, dims[src].dstStride, rows, reach),
                 besideFour};
  }

  /// Four words of each of two rows are a load, and two of them a store.
  std::optional<Moves> steppingRows(size_t src, size_t dst) const {
    const int64_t columns = schedule.tile[src], rows = schedule.tile[dst];
    if (facts.wordsPerLoad * facts.wordBytes < steppedLoad ||
        columns * element % steppedLoad != 0 ||
        !canPair(src, dst, columns, rows))
      return std::nullopt;
    TransposeTile tile{.rows = {},
                       .columns = {},
                       .elementBytes = element,
                       .vectorBytes = facts.wordBytes,
                       .pairs = true,
                       .wordsPerLoad = steppedLoad / facts.wordBytes};
    for (int64_t row = 0; row < rows; ++row)
      tile.rows.push_back(row * dims[dst].srcStride);
    for (int64_t column = 0; column < columns; ++column)
      tile.columns.push_back(column * dims[src].dstStride);
    std::optional<TileStep> next;
    if (columns < dims[src].size)
      next = {columns * dims[src].srcStride, columns * dims[src].dstStride};
    else if (rows < dims[dst].size)
      next = {rows * dims[dst].srcStride, rows * dims[dst].dstStride};
    return Moves{
        wordSteps(transposeNetwork(tile), facts.stepReach, next).instructions(),
        WordSteps::addresses, WordSteps::addresses, /*stepping=*/true};
  }

  /// About what all tiles execute: of a tensor that no machine has more than an
  /// integer holds. The loop inside is along the columns, if it takes more than
  /// one tile to have them all.
  double pairInstructions(size_t src, size_t dst, Moves moves) const {
    const int64_t columns = schedule.tile[src], rows = schedule.tile[dst];
    const int64_t inMemory =
        std::max(moves.addresses - moves.registers, int64_t{0});
    const int64_t tile = moves.count + tileTurn +
                         (moves.stepping ? 0 : moves.addresses) +
                         facts.addressFromMemory * inMemory;
    const int64_t across = ceilDiv(dims[src].size, columns),
                  down = ceilDiv(dims[dst].size, rows);
    const bool movedBack =
        (across > 1 ? dims[src].size % columns : dims[dst].size % rows) != 0;
    const int64_t start =
        (2 + movedBack) * moves.addresses + (movedBack ? 9 : 6);
    return static_cast<double>(across) * static_cast<double>(down) *
               static_cast<double>(tile) +
           static_cast<double>(across > 1 ? down : down > 1) *
               static_cast<double>(start);
  }

  const ArmFacts &facts; ///< more than the base knows
};

} // namespace

/// Whether many moves of a tile are less than a word, and no store fills half a
/// register at least.
static bool movesPieces(const Network &network) {
  constexpr int64_t word = 4, half = laneBytes / 2;
  int64_t moves = 0, pieces = 0;
  for (const Network::Step &step : network.steps) {
    if (step.kind == Network::StepKind::Store && step.bytes >= half)
      return false;
    moves += step.kind != Network::StepKind::Shuffle;
    pieces += step.kind != Network::StepKind::Shuffle && step.bytes < word;
  }
  return 4 * pieces > moves;
}

Schedule permc::chooseLargeWords(const Problem &problem,
                                 const ArmFacts &facts) {
  return LargeWords(problem, facts).run();
}

Schedule permc::chooseLargeWordsOneByOne(const Problem &problem,
                                         const ArmFacts &facts) {
  return LargeWords(problem, facts).runOneByOne();
}

std::optional<Schedule> permc::chooseWordsForPieces(const Problem &problem,
                                                    const Schedule &schedule,
                                                    const ArmFacts &facts) {
  if (!facts.piecesByWords || !is<micro::TileTranspose>(schedule))
    return std::nullopt;
  Result<Network> network = tileNetwork(problem, schedule);
  if (!network || !movesPieces(*network))
    return std::nullopt;
  ArmFacts words = facts;
  words.vectorBytes = 0;
  words.wordTiles = true;
  Schedule tiles = chooseLargeWords(problem, words);
  if (!checkSchedule(problem, tiles))
    return std::nullopt;
  return tiles;
}

std::optional<Schedule> permc::chooseWordsForGather(const Problem &problem,
                                                    const Schedule &gather,
                                                    const ArmFacts &facts) {
  if (!facts.loopTurn || !is<micro::Gather>(gather))
    return std::nullopt;
  std::optional<int64_t> most = countInstructions(problem, facts, gather);
  if (!most)
    return std::nullopt;
  *most -= *most / worthOther;
  Schedule words = chooseLargeWords(problem, facts);
  ArmFacts plain = facts;
  plain.vectorBytes = 0;
  if (!countIfLess(problem, plain, words, *most))
    return std::nullopt;
  return words;
}
