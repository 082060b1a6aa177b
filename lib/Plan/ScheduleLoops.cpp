//===- ScheduleLoops.cpp - loops round tiles ------------------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is streamed goes its own ways. In the caches the next tile is the next
// one in dst, or in src, whichever leaves more lines where they are found
// again.
//
//===----------------------------------------------------------------------===//

#include "ScheduleRules.h"

#include <algorithm>

using namespace permc;

namespace {

// The numbers of machines whose `l1Ways` are known were measured on Zen 3.

/// Rows of src with more places than this in the first cache do not compete.
constexpr int64_t manyPlaces = 128;

/// What the caches hold so well that rows are left for other columns.
constexpr int64_t wellCachedBytes = 8 << 20;

/// Pages of dst that are open at a time, and lines of each row of it that are
/// written before the next columns.
constexpr int64_t maxOpenPages = 256, rowBlockLines = 4;

class LoopRules : public ScheduleRules {
public:
  using ScheduleRules::ScheduleRules;

  void scheduleRound(const std::vector<size_t> &columns,
                     const std::vector<size_t> &rows) {
    size_t column = columns.back(), row = rows.back();
    if (streams() && !channels().avoidsChannels(column, row) &&
        tryStreamTiles(draft)) {
      if (column != row)
        return scheduleStreamedTiles(draft, column, row);
    } else if (streams() && tryPanels(draft, column, row)) {
      return;
    }
    const Dims &tile = schedule.tile;
    const bool alongDst = column != row && goesAlongDst(column, row);
    const bool blocksRows = alongDst && this->blocksRows();
    for (size_t dim : outerOrder()) {
      if (dim == row && blocksRows)
        addLoop(dim, rowBlockOf(row));
      else if (dim == column && column != row)
        addLoop(dim, blocksRows ? openColumns(column) : blockOf(column));
      else if (dim != row && dim != column)
        addLoop(dim, tile[dim]);
    }
    if (alongDst) {
      addLoop(column, tile[column]);
      return addLoop(row, tile[row]);
    }
    addLoop(row, tile[row]);
    if (column != row)
      addLoop(column, tile[column]);
  }

private:
  /// Whether the next tile is the next one in dst. Lines of dst that two share
  /// are then still in the first cache; but so should those of src be when the
  /// next columns need what is left of them.
  bool goesAlongDst(size_t column, size_t row) const {
    if (schedule.stepping && schedule.vectorPairs)
      return true; // each column has an address
    if (facts.holdsBoth(problem.bytesMoved()))
      return false;
    if (!blocksRows())
      return !startsOnLines(column);
    const int64_t src = facts.placesFor(dims[row].srcStride);
    return src > manyPlaces || src > facts.placesFor(dims[column].dstStride);
  }

  /// Whether rows are left for other columns. What hardly fits the caches is
  /// better written in long pieces.
  bool blocksRows() const {
    return facts.l1Ways && problem.bytesMoved() <= wellCachedBytes;
  }

  /// So many columns that their pages of dst are few.
  int64_t openColumns(size_t column) const {
    return std::max<int64_t>(maxOpenPages / schedule.tile[column], 2) *
           schedule.tile[column];
  }

  /// A block of some lines of each row of dst, in whole tiles.
  int64_t rowBlockOf(size_t row) const {
    int64_t elements = rowBlockLines * facts.lineBytes / dims[row].dstStride;
    int64_t tile = schedule.tile[row];
    return std::max<int64_t>(elements / tile, 2) * tile;
  }

  bool startsOnLines(size_t column) const {
    return dims[column].dstStride % facts.lineBytes == 0;
  }

  /// A block of a tiled dim: some lines of it, in whole tiles.
  int64_t blockOf(size_t dim) const {
    int64_t elements = facts.blockLines * facts.lineBytes / element;
    int64_t tile = schedule.tile[dim];
    return std::max<int64_t>(elements / tile, 2) * tile;
  }
};

} // namespace

void permc::scheduleLoops(ScheduleDraft &draft,
                          const std::vector<size_t> &columns,
                          const std::vector<size_t> &rows) {
  LoopRules(draft).scheduleRound(columns, rows);
}
