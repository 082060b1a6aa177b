//===- Network.h - a tile's moves through vector registers ------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A network is straight-line code of three kinds of step: load some bytes of
// src, shuffle two registers into one, store some bytes to dst. It knows no
// instruction set; it is built here, proven here (`proves`), counted by the
// cost model and carried out by the lowering.
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_PLAN_NETWORK_H
#define PERMC_PLAN_NETWORK_H

#include "permc/Plan/Error.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace permc {

/// Shuffles stay within lanes of this many bytes: that is what machines with
/// longer registers do in one instruction.
inline constexpr int64_t laneBytes = 16;

/// Elements of three words, as of three floats: four of them are three lanes.
inline constexpr int64_t tripleBytes = 12, triplesOfLanes = 4;

/// Straight-line moves. Steps refer to the values of earlier steps by index.
struct Network {
  enum class StepKind { Load, Shuffle, Store };

  struct Step {
    StepKind kind;
    /// Load, Store: byte offset from the tile's first byte in src or dst.
    int64_t offset = 0;
    /// Load, Store: bytes moved. Shuffle: bytes of the result.
    int64_t bytes = 0;
    /// Shuffle: the two inputs, of equal width. Store: `a` is what is stored.
    int a = -1, b = -1;
    /// Shuffle: for each unit of the result a unit of a (0..n-1) or b
    /// (n..2n-1), or -1 where the value does not matter.
    std::vector<int> mask = {};
    /// Shuffle: bytes of a unit.
    int64_t unitBytes = 1;
  };

  std::vector<Step> steps;

  /// Bytes from the tile's first in src that may be loaded though nobody wants
  /// them, since others of the tile lie behind them.
  int64_t readable = 0;

  int load(int64_t offset, int64_t bytes);
  int shuffle(int a, int b, std::vector<int> mask, int64_t unitBytes);
  void store(int value, int64_t offset, int64_t bytes);

  /// Loads `bytes` (any number up to `width`) into a register of `width` bytes
  /// without touching a byte outside, but for those that are readable.
  int loadPart(int64_t offset, int64_t bytes, int64_t width);
  /// Stores the first `bytes` bytes of `value`, and no other.
  void storePart(int value, int64_t offset, int64_t bytes);
  /// The same value in a register of `width` bytes.
  int widen(int value, int64_t width);

  /// Puts registers of equal width (a power of two of them) side by side.
  int concatenate(std::vector<int> values, int64_t unitBytes);

  /// Drops what no store needs.
  void prune();

  /// Moves all stores behind everything else, in the order of dst: lines that
  /// are streamed must go out in one piece. No two stores may overlap.
  void storeInOrder();

  /// Whether non-temporal stores can take all that is stored, if the tile
  /// begins with a line: each is a lane or more and aligned to its width, none
  /// overlaps another, and together they complete every line they touch.
  bool storesWholeLines(int64_t lineBytes) const;

  /// Whether no other step follows a store.
  bool storesLast() const;

  unsigned count(StepKind kind) const;

  /// Whether the back end takes long over it, so that twice is too often.
  bool isLarge() const;

  /// Whether it is to be cut at its seams.
  bool needsSeams() const;

  /// Which values only lead from one shuffle of two registers to others, and
  /// fill a register of several lanes. A back end that sees several such
  /// shuffles at once tries to make fewer of them, at a cost that grows with
  /// each round, and finds nothing.
  std::vector<bool> seams() const;

  /// Runs the network on labels and checks that each byte it leaves in dst is
  /// the one that `sourceOf` (dst offset -> src offset) wants, that `bytes`
  /// bytes in all are stored, none missing, and that no load goes past the last
  /// byte that is wanted.
  Status proves(const std::function<int64_t(int64_t)> &sourceOf,
                int64_t bytes) const;
};

/// Moves `bytes` bytes in pieces of `width` (a power of two). What is left is
/// one piece, moved back over its neighbour if it is not a power of two.
Network copyNetwork(int64_t bytes, int64_t width);

/// A rectangle of elements: row i is contiguous in src at rows[i], column j
/// becomes contiguous in dst at columns[j].
struct TransposeTile {
  std::vector<int64_t> rows;
  std::vector<int64_t> columns;
  int64_t elementBytes; ///< 1 to 8, 12, or 16
  /// A power of two. Of 4 they are plain words; of 8 and elements of 8 the
  /// halves of registers of 16.
  int64_t vectorBytes;
  /// Stores follow one another along each column: lines that are streamed must
  /// go out in one piece. Costs registers.
  bool storesByColumn = false;
  /// Loads and stores of two registers each, wherever a second one follows.
  bool pairs = false;
  /// ... of plain words loads can be of four.
  int64_t wordsPerLoad = 2;
  /// If not 0: loads of up to so many registers that follow one another, and
  /// stores of whole columns.
  int64_t stepping = 0;
  int64_t readable = 0; ///< as the network's

  /// Whether rows and columns lie where they will at run time, so that what
  /// follows without a gap here does so there.
  bool hasExactPlaces() const { return readable > 0; }
};

/// How many blocks of plain words below one another are transposed at a time,
/// where two words are one move: as many as registers hold.
inline constexpr int64_t wordBlocksBelow(int64_t elementBytes) {
  return elementBytes == 1 ? 1 : 2;
}

/// Transposes a tile. Pieces of rows are put side by side as they are loaded,
/// so that all shuffles are zips within 16-byte lanes, which every machine has.
/// Elements of 3, 5, 6 and 7 bytes travel in units of 4 and 8.
Network transposeNetwork(const TransposeTile &tile);

/// Moves that fill whole registers on both sides though no dim alone would. All
/// lanes of a register do the same: lane l reads `srcLaneStep` and writes
/// `dstLaneStep` bytes further than lane l - 1.
struct ShuffleTile {
  struct Piece {
    int64_t offset;
    int64_t bytes; ///< up to those of a lane
  };
  /// What shuffles stay within: 16, or a whole register where the machine
  /// shuffles across all of it.
  int64_t laneBytes;
  std::vector<Piece> loads;
  std::vector<Piece> stores;
  /// For lane 0: the src offset of the byte that belongs at a dst offset.
  std::function<int64_t(int64_t)> sourceOf;
  int64_t unitBytes; ///< what moves together: 1, 2, 4 or 8
  int64_t lanes;     ///< a power of two
  int64_t srcLaneStep, dstLaneStep;
  int64_t readable = 0; ///< as the network's
};

/// The cheapest of several ways to arrange the shuffles.
Network shuffleNetwork(const ShuffleTile &tile);

/// Some elements of two to four streams that lie interleaved on one side and
/// each by itself, contiguous, on the other.
struct InterleaveTile {
  std::vector<int64_t> streams; ///< where each starts on that other side
  int64_t elements;             ///< of each stream
  int64_t elementBytes;         ///< 1, 2, 4 or 8
  int64_t vectorBytes;
  bool splits; ///< they lie interleaved in src, not in dst
  /// Registers that one shuffle of bytes takes from, 4 or 1; 0: there are only
  /// zips.
  int64_t tables = 0;
  /// Streams of a register each that are loaded at once; 0: one by one.
  int64_t vectorsPerLoad = 0;
  /// ... that are stored at once.
  int64_t vectorsPerStore = 0;
  /// The last element of each stream that is joined is stored by itself.
  bool lastLane = false;
  /// Two registers of some streams are one load: of 16 that tables join.
  bool pairs = false;
};

/// Splits or joins streams, a register of each at a time; each must fill one.
Network interleaveNetwork(const InterleaveTile &tile);

/// The same for streams that are less than a register, and so many batches of
/// them that follow one another on both sides. What a structure move takes
/// apart element by element another one joins stream by stream, or the other
/// way round.
Network regroupNetwork(const InterleaveTile &tile, int64_t batches);

} // namespace permc

#endif // PERMC_PLAN_NETWORK_H
