//===- WordTile.cpp - a tile's moves through plain registers --------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A transpose of small elements loads words along the src-fast dim and stores
// their elements one by one. A store takes the lowest bytes of a register, so
// an element further up costs a shift, unless it goes out as the highest
// element of a wider store:
//
//   word of row r    e0 e1 e2 e3
//   store 1 byte     e0                     to column 0, row r
//   store 2 bytes    e0 e1                  to column 1, rows r-1 and r
//   shift by 2, store 1 byte   e2           to column 2, row r
//   store 2 bytes    e2 e3                  to column 3, rows r-1 and r
//
// What lands on row r-1 is wrong until row r-1 is stored. So rows go from the
// last to the first, and row 0 of the tile, which has no row before it, pays
// for all its shifts. One shift instead of three a word, which is what makes
// this cheaper than moving bytes: 1.5 instructions an element with four-byte
// loads and 1.38 with eight-byte loads, where the plain loop needs 2.
//
//===----------------------------------------------------------------------===//

#include "permc/Plan/WordTile.h"

#include <algorithm>
#include <bit>
#include <map>
#include <numeric>
#include <span>

using namespace permc;

namespace {

/// Registers are of four bytes; an eight-byte word is two of them.
constexpr int64_t registerBytes = 4;

/// One element of the tile: where it starts in each buffer, and which row of
/// its column it is.
struct TileElement {
  int64_t src, dst, row;
};

struct TileDim {
  int64_t size, srcStride, dstStride;
};

class TileBuilder {
public:
  TileBuilder(const Problem &problem, const Schedule &schedule,
              const Dims &sizes, const WordAccess &access)
      : element(problem.elementBytes()),
        transposes(is<micro::WordTranspose>(schedule)), access(access) {
    std::vector<LoopDim> all = problem.loopDims();
    for (size_t dim = 0; dim < all.size(); ++dim) {
      alignTo(all[dim], schedule.tile[dim]);
      if (sizes[dim] > 1)
        dims.push_back({sizes[dim], all[dim].srcStride, all[dim].dstStride});
    }
    std::sort(dims.begin(), dims.end(), [](const auto &a, const auto &b) {
      return a.srcStride > b.srcStride;
    });
  }

  Result<WordTile> build() {
    if (!transposes)
      copy(0, 0, tileBytes());
    else if (mayMoveElements())
      transpose();
    else
      for (const TileElement &moved : elements())
        copy(moved.src, moved.dst, element);
    if (auto ok = prove(); !ok)
      return ok.error();
    return tile;
  }

private:
  /// A dim that is stepped through leaves only the alignment of its step.
  void alignTo(const LoopDim &dim, int64_t step) {
    if (dim.size <= step)
      return;
    access.srcAlignment = std::gcd(access.srcAlignment, dim.srcStride * step);
    access.dstAlignment = std::gcd(access.dstAlignment, dim.dstStride * step);
  }

  bool mayMove(int64_t bytes, int64_t offset, int64_t alignment) const {
    if (bytes > access.loadBytes)
      return false;
    if (bytes <= registerBytes && access.unaligned)
      return true;
    return isAligned(bytes, offset, alignment);
  }

  /// The widest move of at most `bytes` at an offset.
  int64_t widest(int64_t bytes, int64_t srcOffset, int64_t dstOffset) const {
    int64_t width = std::bit_floor(uint64_t(std::min(bytes, access.loadBytes)));
    while (width > 1 && !(mayMove(width, srcOffset, access.srcAlignment) &&
                          mayMove(width, dstOffset, access.dstAlignment)))
      width /= 2;
    return width;
  }

  int64_t tileBytes() const {
    int64_t bytes = element;
    for (const TileDim &dim : dims)
      bytes *= dim.size;
    return bytes;
  }

  /// Whether each element of the tile can be moved as one.
  bool mayMoveElements() const {
    auto mayMoveAll = [&](int64_t TileDim::*stride, int64_t alignment) {
      for (const TileDim &dim : dims)
        alignment = std::gcd(alignment, dim.*stride);
      return mayMove(element, 0, alignment);
    };
    return std::has_single_bit(uint64_t(element)) &&
           mayMoveAll(&TileDim::srcStride, access.srcAlignment) &&
           mayMoveAll(&TileDim::dstStride, access.dstAlignment);
  }

  /// A run of bytes, in as few moves as alignment allows.
  void copy(int64_t src, int64_t dst, int64_t bytes) {
    for (int64_t at = 0; at < bytes;) {
      int64_t width = widest(bytes - at, src + at, dst + at);
      addLoad(src + at, width);
      addStore({tile.loads.size() - 1, 0, width, dst + at, false});
      at += width;
    }
  }

  static bool isAligned(int64_t bytes, int64_t offset, int64_t alignment) {
    return std::gcd(offset, alignment) % std::min(bytes, maxWordAlignment) == 0;
  }
  bool needsAlignment(int64_t bytes) const {
    return bytes > (access.unaligned ? registerBytes : 1);
  }
  void addLoad(int64_t offset, int64_t bytes) {
    tile.loads.push_back({offset, bytes, needsAlignment(bytes)});
  }
  void addStore(WordTile::Store store) {
    store.aligned = needsAlignment(store.bytes);
    tile.stores.push_back(store);
  }

  /// The elements of the tile, in the order of their places in src.
  std::vector<TileElement> elements() const {
    std::vector<TileElement> list = {{0, 0, 0}};
    for (const TileDim &dim : dims) {
      std::vector<TileElement> longer;
      bool rows = dim.dstStride == element;
      for (const TileElement &outer : list)
        for (int64_t i = 0; i < dim.size; ++i)
          longer.push_back({outer.src + i * dim.srcStride,
                            outer.dst + i * dim.dstStride,
                            outer.row + (rows ? i : 0)});
      list = std::move(longer);
    }
    return list;
  }

  void transpose() {
    std::vector<TileElement> list = elements();
    struct Piece {
      size_t first, count;
    };
    std::vector<Piece> pieces;
    for (size_t i = 0; i < list.size(); i += pieces.back().count)
      pieces.push_back({i, loadableAt(list, i)});
    for (auto piece = pieces.rbegin(); piece != pieces.rend(); ++piece)
      scatter(std::span(list).subspan(piece->first, piece->count));
  }

  /// How many elements from `first` on one load can take.
  size_t loadableAt(const std::vector<TileElement> &list, size_t first) const {
    size_t count = 1;
    while (first + count < list.size() &&
           list[first + count].src ==
               list[first].src + int64_t(count) * element)
      ++count;
    int64_t width = std::bit_floor(
        uint64_t(std::min(int64_t(count) * element, access.loadBytes)));
    // Between two words and the longest load there is nothing that saves more
    // than its address costs.
    if (width < maxWordLoad)
      width = std::min(width, 2 * registerBytes);
    while (width > element &&
           !mayMove(width, list[first].src, access.srcAlignment))
      width /= 2;
    return std::max<int64_t>(width / element, 1);
  }

  /// Loads neighbours in src as one word and stores each, later rows first.
  void scatter(std::span<const TileElement> word) {
    size_t load = tile.loads.size();
    addLoad(word.front().src, int64_t(word.size()) * element);
    std::map<std::pair<int64_t, size_t>, WordTile::Store> stores;
    std::map<int64_t, std::vector<int64_t>> shifts; // by register
    for (size_t lane = 0; lane < word.size(); ++lane) {
      int64_t at = int64_t(lane) * element;
      std::vector<int64_t> &made = shifts[at / registerBytes];
      if (made.empty())
        made.push_back(at);
      stores[{-word[lane].row, lane}] = chooseStore(load, word[lane], at, made);
    }
    for (const auto &[place, store] : stores)
      addStore(store);
  }

  /// Stores the element at byte `at` of a word, by a shift that has been made
  /// already if one will do.
  WordTile::Store chooseStore(size_t load, const TileElement &to, int64_t at,
                              std::vector<int64_t> &made) const {
    for (auto from = made.rbegin(); from != made.rend(); ++from) {
      int64_t bytes = at + element - *from;
      int64_t below = bytes - element;
      if (std::has_single_bit(uint64_t(bytes)) && bytes <= registerBytes &&
          to.row * element >= below &&
          mayMove(bytes, to.dst - below, access.dstAlignment))
        return {load, *from, bytes, to.dst - below, false};
    }
    made.push_back(at);
    return {load, at, element, to.dst, false};
  }

  /// Carries the tile out on labels and looks where each byte ended up.
  Status prove() const {
    std::map<int64_t, int64_t> memory; // dst offset -> src offset
    for (const WordTile::Store &store : tile.stores)
      for (int64_t i = 0; i < store.bytes; ++i)
        memory[store.offset + i] =
            tile.loads[store.load].offset + store.from + i;
    std::vector<TileElement> list = elements();
    for (const TileElement &moved : list)
      for (int64_t i = 0; i < element; ++i)
        if (auto found = memory.find(moved.dst + i);
            found == memory.end() || found->second != moved.src + i)
          return Error{Cause::Internal,
                       "byte " + std::to_string(moved.dst + i) +
                           " of a tile is not byte " +
                           std::to_string(moved.src + i) + " of its source"};
    if (memory.size() != list.size() * element)
      return Error{Cause::Internal, "a tile stores outside its elements"};
    return Done{};
  }

  int64_t element;
  bool transposes; ///< or copies a run
  WordAccess access;
  std::vector<TileDim> dims; ///< slowest in src first
  WordTile tile;
};

} // namespace

bool WordTile::dependsOnByteOrder() const {
  return std::any_of(stores.begin(), stores.end(), [&](const Store &store) {
    return store.from != 0 || store.bytes != loads[store.load].bytes;
  });
}

Result<WordTile> permc::wordTile(const Problem &canonical,
                                 const Schedule &schedule, const Dims &sizes,
                                 const WordAccess &access) {
  return TileBuilder(canonical, schedule, sizes, access).build();
}

Status permc::checkWordTile(const Problem &canonical,
                            const Schedule &schedule) {
  bool several = pairAlignment(schedule) == maxWordAlignment &&
                 schedule.vectorBytes == maxWordLoad;
  if (!std::has_single_bit(uint64_t(schedule.vectorBytes)) ||
      (schedule.vectorBytes > 8 && !several))
    return Error{Cause::BadSchedule,
                 "words of " + std::to_string(schedule.vectorBytes) +
                     " bytes; expected 1, 2, 4 or 8, or 32 in pairs"};
  WordAccess access = {schedule.vectorBytes, /*unaligned=*/true,
                       maxWordAlignment, maxWordAlignment};
  auto tile = wordTile(canonical, schedule, schedule.tile, access);
  if (!tile)
    return tile.error();
  constexpr size_t maxMoves = 4096;
  if (size_t moves = tile->loads.size() + tile->stores.size(); moves > maxMoves)
    return Error{Cause::BadSchedule,
                 "a tile of " + std::to_string(moves) +
                     " loads and stores; expected at most " +
                     std::to_string(maxMoves)};
  return Done{};
}

WordAccess permc::alignedAccess(const TargetFacts &facts) {
  return {facts.wordBytes, facts.unalignedWords, maxWordAlignment,
          maxWordAlignment};
}
