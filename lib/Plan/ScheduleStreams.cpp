//===- ScheduleStreams.cpp - tiles of whole lines past the caches ---------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tiles whose rows are whole lines of dst are streamed straight from registers.
//
//===----------------------------------------------------------------------===//

#include "permc/Plan/CeilDiv.h"
#include "permc/Plan/StreamedLoops.h"

#include "ScheduleChannels.h"

#include <algorithm>
#include <numeric>

using namespace permc;

namespace {

/// Lines ahead in src that streamed tiles ask for (measured on Zen 3).
constexpr int64_t tileLinesAhead = 3;

/// Rows of a tile are joined up to this size to fill whole lines.
constexpr int64_t maxLineRowBytes = 512;

class StreamRules : public ScheduleRules {
public:
  using ScheduleRules::ScheduleRules;

  bool tryStreamTiles() {
    schedule.streaming = true;
    schedule.streaming = draft.dstStartsLine && streamsTiles(problem, schedule);
    return schedule.streaming;
  }

  bool tryWholeLines(const std::vector<size_t> &columns,
                     std::vector<size_t> rows) {
    Dims tile = schedule.tile;
    for (int64_t wanted = facts.vectorBytes; wanted <= maxLineRowBytes;
         wanted *= 2) {
      rows = moreRows(columns, rows, wanted);
      int64_t inner = element;
      for (size_t i = 0; i + 1 < rows.size(); ++i) {
        schedule.tile[rows[i]] = dims[rows[i]].size;
        inner *= dims[rows[i]].size;
      }
      int64_t whole = facts.lineBytes / std::gcd(facts.lineBytes, inner);
      int64_t fitting = ceilDiv(facts.vectorBytes, inner * whole) * whole;
      schedule.tile[rows.back()] = std::min(fitting, dims[rows.back()].size);
      if (tryStreamTiles() && isCompact()) {
        scheduleStreamedTiles(columns.back(), rows.back());
        return true;
      }
    }
    schedule.tile = tile;
    schedule.streaming = false;
    return false;
  }

  void scheduleStreamedTiles(size_t column, size_t row) {
    const ChannelRules channels(draft);
    if (channels.sweepsRows(column, row))
      return scheduleSweeps(column, row);
    const bool alongRows = channels.goesAlongRows(column, row);
    StreamedLoops loops(dims, element, schedule.tile, facts);
    std::span<const Loop> chosen = alongRows
                                       ? loops.chooseAlongRows(column, row)
                                       : loops.choose(column, row);
    schedule.loops.assign(chosen.begin(), chosen.end());
    if (!alongRows && channels.staysInChannel(column, row)) {
      StreamedLoops blocks(dims, element, schedule.tile, facts);
      chosen = blocks.chooseRowBlocks(row);
      schedule.loops.assign(chosen.begin(), chosen.end());
    }
    // Tiles of less than a line ask for each several times.
    const bool fewer =
        alongRows ||
        schedule.tile[column] * dims[column].srcStride < facts.lineBytes;
    if (!schedule.loops.empty())
      schedule.prefetchBytes =
          facts.lineBytes * (fewer ? tileLinesAhead - 1 : tileLinesAhead);
  }

private:
  /// Rows are written from one end to the other, a few at a time.
  void scheduleSweeps(size_t column, size_t row) {
    // Half a line of src. Of lines that are near and share more than a channel
    // half as many (measured on Zen 3).
    constexpr int64_t least = 8, most = 16;
    int64_t columns = std::clamp(facts.lineBytes / 2 / element, least, most);
    const int64_t apart = dims[column].dstStride;
    if (element > 1 &&
        (apart == 2 * facts.channelBytes || apart == 4 * facts.channelBytes))
      columns /= 2;
    int64_t &tile = schedule.tile[column];
    tile = std::min(tile, columns);
    StreamedLoops loops(dims, element, schedule.tile, facts);
    std::span<const Loop> chosen = loops.chooseSweeps(column, row);
    schedule.loops.assign(chosen.begin(), chosen.end());
    schedule.prefetchBytes = facts.lineBytes;
  }
};

} // namespace

bool permc::tryStreamTiles(ScheduleDraft &draft) {
  return StreamRules(draft).tryStreamTiles();
}

bool permc::tryWholeLines(ScheduleDraft &draft,
                          const std::vector<size_t> &columns,
                          const std::vector<size_t> &rows) {
  return StreamRules(draft).tryWholeLines(columns, rows);
}

void permc::scheduleStreamedTiles(ScheduleDraft &draft, size_t column,
                                  size_t row) {
  StreamRules(draft).scheduleStreamedTiles(column, row);
}
