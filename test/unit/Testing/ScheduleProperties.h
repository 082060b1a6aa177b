//===- ScheduleProperties.h - what good schedules share ---------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which tiles and loops a schedule has is the planner's business and changes
// with it. What tests hold it to are quantities of the nest as it is written
// down: does it cover the box, how much does it move twice, how much of dst
// does it stream in whole lines, how often does it bring a line into a cache,
// how many instructions does it take. All are found from Schedule.h's
// description alone, by code that shares nothing with the planner's cost.
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_TEST_UNIT_SCHEDULEPROPERTIES_H
#define PERMC_TEST_UNIT_SCHEDULEPROPERTIES_H

#include "permc/Plan/Schedule.h"

namespace permc {

/// A cache that replaces the line used longest ago.
struct CacheShape {
  int64_t bytes, ways;
  int64_t lineBytes = 64;
  bool seesStreams = false; ///< non-temporal stores go through it too
};

/// A TLB is a cache of pages that every access goes through.
inline CacheShape tlbOf(int64_t pages) {
  constexpr int64_t page = 4 << 10;
  return {pages * page, pages, page, true};
}

/// Lines that were brought into a cache, for each that was needed: 1 if every
/// line stayed until it was used up. 0 on a side that does not go through it.
struct LineTraffic {
  double src = 0, dst = 0;
};

class ScheduleProperties {
public:
  ScheduleProperties(const Problem &problem, const Schedule &schedule);

  /// Whether every element is in some tile, and no tile reaches outside.
  bool coversBox() const;

  /// Elements that all tiles move, for each element: 1 if none is moved twice.
  double movedShare() const;

  /// The share of dst that leaves in whole lines, if dst begins with one.
  double wholeLineShare() const;

  /// Contiguous bytes that a panel, or a tile without one, reads at a time, and
  /// writes.
  int64_t srcPieceBytes() const;
  int64_t dstPieceBytes() const;

  /// Of the panel's buffer; 0 if there is none.
  int64_t bufferBytes() const { return stage ? stage->bufferBytes : 0; }

  /// Loads, shuffles and stores for each element.
  double instructions() const;

  /// Runs the first tiles of the nest through a cache, until they have touched
  /// `most` lines.
  LineTraffic linesFetched(const CacheShape &cache,
                           int64_t most = int64_t{1} << 20) const;

private:
  Problem problem;
  Schedule schedule;
  std::optional<PanelStage> stage;
};

} // namespace permc

#endif // PERMC_TEST_UNIT_SCHEDULEPROPERTIES_H
