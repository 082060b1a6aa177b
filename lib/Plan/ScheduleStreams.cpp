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

#include "ScheduleRules.h"

#include <algorithm>
#include <numeric>

using namespace permc;

namespace {

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
    StreamedLoops loops(dims, element, schedule.tile, facts);
    std::span<const Loop> chosen = loops.choose(column, row);
    schedule.loops.assign(chosen.begin(), chosen.end());
    if (!chosen.empty())
      schedule.prefetch.srcBytes = loops.srcAhead(column);
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
