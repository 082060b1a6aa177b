//===- UnalignedSchedule.cpp - for a dst between two lines ----------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "permc/Plan/UnalignedSchedule.h"

#include "permc/Plan/Split.h"

#include "ScheduleRules.h"

#include <algorithm>

using namespace permc;

/// Where tiles are moved along their rows to lines, two tiles of each row take
/// ordinary stores: few of many if rows are this long (measured on Sapphire
/// Rapids).
static constexpr int64_t minMovedRowBytes = 1280;

/// Large blocks of malloc begin 16 bytes behind a page: so much in front of a
/// line.
static constexpr int64_t mallocLead = streamLineBytes - 16;

/// More parts than this are not missed.
static constexpr int64_t manyParts = 64;

/// Whether the schedule's tiles go on along a row of dst that is long, and can
/// be moved along it by as much as dst may be off.
static bool canBeMoved(const Problem &canonical, const Schedule &schedule) {
  const std::vector<LoopDim> dims = canonical.loopDims();
  return std::ranges::any_of(schedule.loops, [&](const Loop &loop) {
    const LoopDim &dim = dims[static_cast<size_t>(loop.dim)];
    return mallocLead % dim.dstStride == 0 &&
           dim.size * dim.dstStride >= minMovedRowBytes;
  });
}

std::optional<Schedule> permc::chooseUnaligned(const Problem &canonical,
                                               const Schedule &schedule,
                                               const TargetFacts &facts) {
  if (canonical.isEmpty() || !streamsTiles(canonical, schedule) ||
      canBeMoved(canonical, schedule))
    return std::nullopt;
  Schedule other = scheduleByRules(canonical, facts, /*dstStartsLine=*/false);
  if (!other.streaming || !checkSchedule(canonical, other))
    return std::nullopt;
  const int64_t parts = chooseSplit(canonical, schedule).mostParts;
  if (chooseSplit(canonical, schedule, &other).mostParts <
      std::min(parts, manyParts))
    return std::nullopt;
  return other;
}

Status permc::checkUnaligned(const Problem &canonical,
                             const Schedule &unaligned) {
  if (unaligned.streaming && (!streamsTiles(canonical, unaligned) ||
                              checkStreamedRun(canonical, unaligned)))
    return Done{};
  return Error{Cause::BadSchedule,
               std::string("it ") +
                   (unaligned.streaming ? "streams tiles of whole lines"
                                        : "does not stream") +
                   "; expected panels or runs that are streamed wherever dst "
                   "begins"};
}

bool permc::movesToLines(const Problem &canonical, const Schedule &schedule) {
  // The two ends of all rows are done after the rest: few of many tiles, or
  // while a cache has what they share lines with. Loops of unknown length cost
  // more than they gain where there is little to do (measured on Sapphire
  // Rapids).
  constexpr int64_t minBytes = 16 << 10, cachedBytes = 512 << 10;
  const int64_t minTiles = canonical.bytesMoved() <= cachedBytes ? 8 : 24;
  if (!is<micro::TileTranspose>(schedule) || schedule.streaming ||
      schedule.vectorBytes != streamLineBytes ||
      canonical.bytesMoved() < minBytes)
    return false;
  Schedule streamed = schedule;
  streamed.streaming = true;
  if (!streamsTiles(canonical, streamed))
    return false;
  const std::vector<LoopDim> dims = canonical.loopDims();
  return std::ranges::any_of(schedule.loops, [&](const Loop &loop) {
    const LoopDim &dim = dims[static_cast<size_t>(loop.dim)];
    return dim.dstStride == canonical.elementBytes() &&
           dim.size >= minTiles * schedule.tile[static_cast<size_t>(loop.dim)];
  });
}
