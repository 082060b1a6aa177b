//===- TargetFacts.h - what a schedule must know of a machine ---*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_PLAN_TARGETFACTS_H
#define PERMC_PLAN_TARGETFACTS_H

#include <algorithm>
#include <bit>
#include <cstdint>
#include <numeric>

namespace permc {

/// How far from an address a move can be, in bytes.
struct Reach {
  int64_t back = 0, ahead = 0;
  bool operator==(const Reach &) const = default;
};

/// All that Plan knows of a machine. A target's folder fills it in.
struct TargetFacts {
  int64_t vectorBytes = 0;      ///< widest vector move; 0: the target has none
  int64_t vectorRegisters = 16; ///< what a tile may fill without a spill
  int64_t wordBytes = 8;        ///< widest scalar move
  bool unalignedWords = true;
  /// Two words are one move where src and dst are aligned to this (ldrd and
  /// strd); 0: there is no such move.
  int64_t pairAlignment = 0;
  /// Up to so many words that follow one another are one load where src is
  /// aligned to that (ldm).
  int64_t wordsPerLoad = 1;
  /// Bytes and half words of two words trade places in few instructions (pkhbt,
  /// uxtb16): small elements are transposed in plain registers.
  bool wordExchanges = false;
  /// Two vectors that follow one another are one move, at any address (ldp and
  /// stp of AArch64).
  bool vectorPairs = false;
  /// Up to so many vectors that follow one another are one move, at any
  /// address, which then steps on by any distance (ld1 and st1 of AArch64).
  int64_t vectorsPerStep = 1;
  /// So many vectors that follow one another are loaded at once, at any
  /// address, to registers that follow one another too (vld1 of ARMv7, two and
  /// two).
  int64_t vectorsPerLoad = 1;
  /// What the offset of a move can be: of a word, of a vector, and of a pair of
  /// either. Where nothing is said, addresses are an instruction's business.
  Reach wordReach = {}, vectorReach = {}, pairReach = {};
  /// ... that is no multiple of what is moved: how far ahead.
  int64_t nearReach = 0;
  /// How far a store of two words can step its address, or be from one that
  /// other moves step (strd).
  Reach stepReach = {};
  /// Transposes go through plain words (see WordTile.h): there are no vectors,
  /// or none that could be zipped.
  bool wordTiles = false;
  /// Tiles of words are cut large, for nobody unrolls loops afterwards and a
  /// turn costs instructions.
  bool largeWordTiles = false;
  /// One instruction moves any byte within a 16-byte lane to any other
  /// (SSSE3's pshufb, NEON's tbl).
  bool byteShuffle = false;
  /// ... and from up to this many registers that follow one another (NEON's
  /// tbl of AArch64); 0: from one only, or from none.
  int64_t tableVectors = 0;
  /// One instruction takes units of this many bytes or more from any place of
  /// two whole registers (AVX-512's vpermt2d); 0: there is none.
  int64_t wideShuffleBytes = 0;
  /// Moves that split or join interleaved streams of elements of up to this
  /// many bytes (NEON's ld3, st3); 0: none.
  int64_t structureBytes = 0;
  /// ... of three streams as well, not only of two and four.
  bool structuresOfThree = false;
  /// ... and stores of one element of each (AArch64's st3 of one lane).
  bool structuresOfLanes = false;
  /// Loads that take each element of a vector from its own address (Helium).
  bool gatherLoads = false;
  /// Vectors of 8 bytes beside those of 16 (NEON's D registers).
  bool halfVectors = false;
  /// A zip of such halves is copies: elements of 8 bytes are better loaded one
  /// by one, straight to their places (ARMv7).
  bool loadsHalves = false;
  /// One instruction makes both halves of a zip (vzip of ARMv7).
  bool zipsBoth = false;
  /// Pieces of less than a word are not worth a vector register (ARMv7).
  bool piecesByWords = false;
  /// What tiles leave at the end of a dim is worth code of its own: there is no
  /// wider vector that would move it.
  bool ownLastTiles = false;
  /// Vectors whose length only the machine knows (SVE), beside fixed ones.
  bool scalableVectors = false;
  /// Instructions, about, of each turn of a loop; 0: it is not by these that
  /// tiles of runs and elements are chosen.
  int64_t loopTurn = 0;
  /// ... that a nest of loops takes to start, and that it takes to find the
  /// place of a last tile that is moved back.
  int64_t nestStart = 0, movedBack = 0;
  /// Registers for addresses of a tile: for those that run along with a loop,
  /// and for those that stay where they are. And instructions, about, of one
  /// that is kept in memory for want of a register.
  int64_t addressRegisters = 0, stillRegisters = 0, addressFromMemory = 0;
  /// Words of a long run that are moved at once where they are aligned.
  int64_t wordsPerRunMove = 2;
  /// Halves of vector registers that a function need not save.
  int64_t freeHalves = 0;
  /// Instructions of a vector that is gathered: its address, the gather, a
  /// store and its address.
  int64_t gatherCost = 0;
  /// Instructions, about: of each turn of the loop round a tile that joins many
  /// streams, and of what stands before the loop.
  int64_t joinTurn = 0, joinStart = 0;
  /// ... and of a function that saves its caller's vector registers and brings
  /// them back.
  int64_t savedRegisters = 0;
  bool streamingStores = false;
  /// It pays to ask for lines of dst before they are stored to.
  bool prefetchesStores = false;
  /// Tiles in the caches are best written along dst, even if they come back to
  /// few columns or many rows: lines of src come from the second cache in time.
  bool writesAlongDst = false;
  /// It pays to make rows of panels end with lines.
  bool cutsAtLines = false;
  /// It pays to stream rows of dst from end to end, a few at a time.
  bool sweepsRows = false;
  /// If not 0: tiles that go through panels are those of the least work, not
  /// the largest, where these move so many percent of the tensor or more: at
  /// the ends of dims they overlap.
  int64_t searchedOverlap = 0;
  /// Tiles of panels ask the second cache for the next one: those of 8 bytes,
  /// and all where the last cache does not hold src and dst.
  bool tilesFetchToL2 = false;
  /// Tiles of 2 and 4 bytes ask for the next line of each row of src, where the
  /// second cache does not hold the tensor and it is not streamed.
  bool tilesFetchLines = false;
  /// What is asked for faster than the memory brings it is not brought at all.
  bool losesPrefetches = false;
  /// From this size on a tensor is better streamed past the caches.
  int64_t streamBytes = 12 << 20;
  int64_t foldLimit = 8; ///< bytes an element may reach by folding
  unsigned pointerBits = 64;
  int64_t lineBytes = 64;
  int64_t l1Bytes = 32 << 10;
  int64_t l2Bytes = 256 << 10;
  int64_t l3Bytes = 8 << 20; ///< what one thread may count on
  int64_t tlbPages = 1024;   ///< of one tensor, remembered between two visits
  /// Lines that may lie a multiple of l1Bytes / l1Ways apart and all be in the
  /// first cache; 0: not known.
  int64_t l1Ways = 0;
  /// ... of the second cache. Where it is not known, or strides are known at
  /// run time only, set conflicts are not foreseen.
  int64_t l2Ways = 0;
  /// How many lines of a src row tiles move, each to rows of dst of their own,
  /// before dst goes on, where nothing is streamed.
  int64_t blockLines = 16;
  /// Blocks of tiles that are streamed: so many lines by so many.
  int64_t streamedBlockLines = 16;
  /// What a panel should have, if that is more than a third of the first cache.
  int64_t panelBytes = 0;
  /// ... and what one of runs should have instead, if not 0.
  int64_t runPanelBytes = 0;
  /// If not 0: panels of tiles that go along one dim of dst, of 4 bytes and
  /// more, have rows of so many lines and no more columns than a tile. If rows
  /// of src are one piece, of any size, they have fewer (ChoosePanel.cpp).
  int64_t panelRowLines = 0;
  /// Streamed lines that lie a multiple of this apart all go to one channel of
  /// the memory, and one after the other takes long; 0: not known.
  int64_t channelBytes = 0;

  /// Lines with more places than this in the first cache do not compete.
  static constexpr int64_t manyPlaces = 128;

  /// How many lines so far apart have a place in the first cache, where
  /// `l1Ways` is known.
  int64_t placesFor(int64_t stride) const {
    const int64_t way = l1Bytes / l1Ways;
    return l1Ways * way / std::gcd(way, stride);
  }

  /// Whether lines so far apart have the fewest places that there can be.
  bool competes(int64_t stride) const {
    return l1Ways && placesFor(stride) == l1Ways;
  }

  /// Whether lines so far apart drift from place to place so slowly that as
  /// many or more follow one another as have a place: rows of 4097 bytes.
  bool nearlyCompetes(int64_t stride) const {
    return isDriftUpTo(stride, lineBytes);
  }

  /// ... twice as many, or more.
  bool crowds(int64_t stride) const {
    return isDriftUpTo(stride, lineBytes / 2);
  }

  /// Whether as many lines so far apart as one place can keep drift by so many
  /// bytes at most, and do drift.
  bool isDriftUpTo(int64_t stride, int64_t bytes) const {
    if (!l1Ways)
      return false;
    const int64_t way = l1Bytes / l1Ways, past = stride % way,
                  drift = std::min(past, way - past);
    return drift > 0 && drift * l1Ways <= bytes;
  }

  /// Whether the first cache holds src and dst.
  bool holdsBoth(int64_t bytesMoved) const { return bytesMoved <= l1Bytes / 2; }

  /// Whether the second cache keeps so much that is asked for ahead of time.
  bool keepsAhead(int64_t bytes) const { return bytes <= l2Bytes / 4; }

  /// Whether tiles that go on in dst by `ahead` bytes ask for the lines of the
  /// next one. Stores wait for lines that are not in the first cache, longest
  /// if they lie across two. Tiles that jump further go from line to line,
  /// which the machine's own fetching follows; single elements would ask for
  /// each line many times.
  bool asksForDst(int64_t ahead, int64_t bytesMoved) const {
    constexpr int64_t near = 4 << 10;
    return prefetchesStores && !holdsBoth(bytesMoved) &&
           ahead >= lineBytes / 4 && ahead < near;
  }

  /// Whether tiles have so few rows of src within what the machine looks ahead
  /// that it waits for their lines one by one, and prefetches of src pay:
  /// elements of no power of two take many instructions each. Measured where
  /// the caches are known.
  bool hidesFewMisses(int64_t element) const {
    return l1Ways && !std::has_single_bit(uint64_t(element));
  }

  /// Whether tiles of panels ask for what the next one reads.
  bool tilesAskForSrc() const { return losesPrefetches && !prefetchesStores; }

  bool operator==(const TargetFacts &) const = default;
};

} // namespace permc

#endif // PERMC_PLAN_TARGETFACTS_H
