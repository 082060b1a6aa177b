//===- Loops.h - loops that do one thing each -------------------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One access brings a line: what is timed is the way of lines between caches
// and memory, not the loads of their bytes. Lines are visited in an order that
// a table gives, so that the same loop goes through them in order, in any
// order, and in runs.
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_TOOLS_CALIBRATE_LOOPS_H
#define PERMC_TOOLS_CALIBRATE_LOOPS_H

#include <cstdint>
#include <span>
#include <vector>

namespace permc {

inline constexpr int64_t calibratedLine = 64, calibratedPage = 4096;

/// Offsets in bytes, one a line. Tables are read from the first cache, so they
/// are for a window of what is visited, and used for one window after another.
using Order = std::vector<uint32_t>;

/// Some lines in random order, none next to another, which the machine may
/// fetch along with it.
Order farApart(int64_t windowBytes);

/// All lines of a window: in runs of so many bytes, and the runs at random.
Order ordered(int64_t windowBytes);
Order inRuns(int64_t windowBytes, int64_t runBytes);
/// A line of each page, the pages at random.
Order aPage(int64_t pages);

/// A piece of memory in windows of one size.
struct Windows {
  char *data;
  int64_t windowBytes, count;

  int64_t bytes() const { return windowBytes * count; }
};

/// One load, or store, a line.
void readLines(const Windows &windows, const Order &order);
void dirtyLines(const Windows &windows, const Order &order);

/// Loads of lines, each of which waits for the one before.
void chaseLines(const Windows &windows, const Order &order);

/// So many rows, a line of each in turn.
void readRows(const char *data, int64_t rows, int64_t rowBytes,
              int64_t rowStride);

/// Lines in order by non-temporal stores, whole ones.
void streamLines(char *data, int64_t bytes);

/// Pieces of four lines: an ordinary store to a part of the first, two lines
/// streamed, and one that is left alone.
void streamAfterParts(char *data, int64_t pieces);

/// Additions that wait for one another: a cycle each.
void addUp(int64_t times);

} // namespace permc

#endif // PERMC_TOOLS_CALIBRATE_LOOPS_H
