//===- Round.cpp - all quantities, once -----------------------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The costs (lib/Plan/Cost) add up: a line from memory takes its time on the
// way from there, from the third cache and from the second. So what is measured
// of each level is what comes on top of the level before.
//
//===----------------------------------------------------------------------===//

#include "Round.h"

#include "permc/Frontend/MachineFile.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>
#include <sys/mman.h>

using namespace permc;

namespace {

/// Lines in random order are so within a window of so many pages, which all
/// TLBs remember: their misses are measured by themselves.
constexpr int64_t windowBytes = 256 << 10;

/// What is visited of memory at a time, and what there is of it at least.
constexpr int64_t visitedBytes = 8 << 20, leastMemory = 64 << 20,
                  mostMemory = 1 << 30;

/// Pages visited in turn: few, and more than any TLB remembers.
constexpr int64_t fewestPages = 64, mostPages = 16 << 10;

/// What is in the caches is visited again and again, so many lines in all.
constexpr int64_t visitedLines = 1 << 17;

/// Differences that are lost in noise count as this many nanoseconds.
constexpr double leastNs = 0.01;

/// Of this thread: what others do on the same core does not count.
double now() {
  timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e9 +
         static_cast<double>(time.tv_nsec);
}

/// Nanoseconds of one of `units`, of the best of three runs: what disturbs a
/// run makes it longer.
template <typename Run> double timeOf(int64_t units, Run run) {
  constexpr int runs = 3;
  double best = 0;
  for (int i = 0; i < runs; ++i) {
    const double start = now();
    run();
    const double took = now() - start;
    best = i == 0 ? took : std::min(best, took);
  }
  return best / static_cast<double>(units);
}

/// ... of something that is done some times within each run, the first time
/// only to fill the caches.
template <typename Run> double warmTimeOf(int64_t units, Run run) {
  const int64_t times = std::max<int64_t>(visitedLines / units, 2);
  run();
  return timeOf(units * times, [&] {
    for (int64_t i = 0; i < times; ++i)
      run();
  });
}

double above(double time, double before) {
  return std::max(time - before, leastNs);
}

double shareBetween(double time, double ordered, double random) {
  return std::clamp((random - time) / above(random, ordered), 0.0, 1.0);
}

Windows windowsOf(char *data, int64_t bytes) {
  const int64_t window = std::min(bytes, windowBytes);
  return {data, window, bytes / window};
}

} // namespace

double permc::crossing(std::span<const double> places,
                       std::span<const double> values, double level) {
  for (size_t i = 0; i < places.size(); ++i) {
    if (values[i] > level)
      continue;
    if (i == 0)
      return places[0];
    const double part = (values[i - 1] - level) / (values[i - 1] - values[i]);
    return places[i - 1] * std::pow(places[i] / places[i - 1], part);
  }
  return places.back();
}

Result<Rounds> Rounds::prepare(const Machine &caches) {
  // Four times the last cache, so that nothing is left of what was there.
  auto memory =
      Buffer::allocate(std::clamp(4 * caches.l3Bytes, leastMemory, mostMemory));
  if (!memory)
    return memory.error();
  auto pages = Buffer::allocate(mostPages * calibratedPage);
  if (!pages)
    return pages.error();
  return Rounds(caches, std::move(*memory), std::move(*pages));
}

Rounds::Rounds(const Machine &caches, Buffer memory, Buffer pages)
    : caches(caches), memory(std::move(memory)), pages(std::move(pages)) {
#ifdef MADV_NOHUGEPAGE
  // What is measured of the TLB is that of small pages. Large ones that are
  // there already stay unless they are given back.
  const auto bytes = static_cast<size_t>(this->pages.size());
  madvise(this->pages.data(), bytes, MADV_NOHUGEPAGE);
  madvise(this->pages.data(), bytes, MADV_DONTNEED);
  this->pages.fill(1);
#endif
}

char *Rounds::untouched(int64_t bytes) {
  if (touched + bytes > memory.size())
    touched = 0;
  char *data = memory.data() + touched;
  touched += bytes;
  return data;
}

Windows Rounds::untouchedWindows() {
  return windowsOf(untouched(visitedBytes), visitedBytes);
}

Machine Rounds::measure() {
  Machine round;
  visitMachine(round, [](const MachineKey &, auto &value) { value = 0; });
  constexpr int64_t additions = 1 << 20;
  round.cycleNs = timeOf(additions, [] { addUp(additions); });
  measureLines(round);
  measureWrites(round);
  measurePrefetching(round);
  measureTlb(round);
  measureLastCache(round);
  return round;
}

Rounds::LineTimes Rounds::readFrom(const Windows &windows) {
  const int64_t lines = windows.bytes() / calibratedLine;
  const Order inOrder = ordered(windows.windowBytes),
              random = inRuns(windows.windowBytes, calibratedLine);
  return {warmTimeOf(lines, [&] { readLines(windows, inOrder); }),
          warmTimeOf(lines, [&] { readLines(windows, random); })};
}

void Rounds::measureLines(Machine &round) {
  const Order inOrder = ordered(windowBytes), random = farApart(windowBytes);
  const LineTimes fromL1 =
                      readFrom(windowsOf(memory.data(), caches.l1Bytes / 2)),
                  fromL2 =
                      readFrom(windowsOf(memory.data(), caches.l2Bytes / 2));
  round.l2Ns = above(fromL2.inOrder, fromL1.inOrder);
  round.l2RandomNs = std::max(above(fromL2.random, fromL1.random), round.l2Ns);
  fromL3 = fromL2;
  // A few times the second cache, and well below what others leave of the
  // third.
  const int64_t l3Part = std::min(4 * caches.l2Bytes, caches.l3Bytes / 2);
  if (l3Part > 2 * caches.l2Bytes) {
    fromL3 = readFrom(windowsOf(memory.data(), l3Part));
    round.l3Ns = above(fromL3.inOrder, fromL2.inOrder);
    round.l3RandomNs =
        std::max(above(fromL3.random, fromL2.random), round.l3Ns);
  }
  constexpr int64_t lines = visitedBytes / calibratedLine;
  fromMemory = {
      timeOf(lines, [&] { readLines(untouchedWindows(), inOrder); }),
      timeOf(static_cast<int64_t>(random.size()) * visitedBytes / windowBytes,
             [&] { readLines(untouchedWindows(), random); })};
  round.memoryNs = above(fromMemory.inOrder, fromL3.inOrder);
  round.memoryRandomNs = above(fromMemory.random, fromL3.random);
  measureLatencies(round, l3Part);
}

/// Each line's address waits for the line before.
void Rounds::measureLatencies(Machine &round, int64_t l3Part) {
  const Order random = inRuns(windowBytes, calibratedLine);
  const Windows l3Windows =
      windowsOf(memory.data(), std::min(2 * caches.l2Bytes, l3Part));
  round.l3LatencyNs = warmTimeOf(l3Windows.bytes() / calibratedLine,
                                 [&] { chaseLines(l3Windows, random); });
  round.memoryLatencyNs = timeOf(visitedBytes / calibratedLine, [&] {
    chaseLines(untouchedWindows(), random);
  });
}

void Rounds::measureWrites(Machine &round) {
  constexpr int64_t lines = visitedBytes / calibratedLine, pieces = lines / 4;
  const Order inOrder = ordered(windowBytes);
  const double dirtied =
      timeOf(lines, [&] { dirtyLines(untouchedWindows(), inOrder); });
  round.writeBackNs = above(dirtied, fromMemory.inOrder);
  round.streamedNs = timeOf(
      lines, [&] { streamLines(untouched(visitedBytes), visitedBytes); });
  const double piece = timeOf(
      pieces, [&] { streamAfterParts(untouched(visitedBytes), pieces); });
  round.partialNs = above(piece, 2 * round.streamedNs);
}

/// As Cost takes it: of runs of so many bytes, run / (run + lead) of the lines
/// come as if in order, and half of them where as many streams as can be
/// followed take turns.
void Rounds::measurePrefetching(Machine &round) {
  std::vector<double> leads;
  for (int64_t run : {4 * calibratedLine, 8 * calibratedLine,
                      16 * calibratedLine, 32 * calibratedLine}) {
    const Order order = inRuns(windowBytes, run);
    const double time = timeOf(visitedBytes / calibratedLine,
                               [&] { readLines(untouchedWindows(), order); });
    const double share = std::clamp(
        shareBetween(time, fromMemory.inOrder, fromMemory.random), 0.05, 0.95);
    leads.push_back(static_cast<double>(run) * (1 - share) / share);
  }
  std::ranges::sort(leads);
  round.prefetchLead = (leads[1] + leads[2]) / 2;

  std::vector<double> streams, times, shares;
  for (int64_t rows = 4; rows <= 512; rows *= 2) {
    // An odd number of lines apart, or rows would be in the same sets.
    const int64_t rowBytes = visitedBytes / rows,
                  stride = rowBytes + calibratedPage + calibratedLine;
    streams.push_back(static_cast<double>(rows));
    times.push_back(timeOf(visitedBytes / calibratedLine, [&] {
      readRows(untouched(rows * stride), rows, rowBytes, stride);
    }));
  }
  const double best = *std::ranges::min_element(times);
  for (double time : times)
    shares.push_back(shareBetween(time, best, fromMemory.random));
  round.prefetchedStreams = crossing(streams, shares, 0.5);
}

/// A line of each page, beside as many lines without gaps.
void Rounds::measureTlb(Machine &round) {
  std::vector<double> counts, remembered;
  double missNs = 0;
  for (int64_t count = fewestPages; count <= mostPages; count *= 2) {
    const Order far = aPage(count),
                near = inRuns(count * calibratedLine, calibratedLine);
    auto timeIn = [&](const Order &order, int64_t bytes) {
      const Windows all{pages.data(), bytes, 1};
      return warmTimeOf(count, [&] { readLines(all, order); });
    };
    missNs = above(timeIn(far, count * calibratedPage),
                   timeIn(near, count * calibratedLine));
    counts.push_back(static_cast<double>(count));
    remembered.push_back(-missNs);
  }
  round.tlbMissNs = missNs;
  round.tlbPages =
      static_cast<int64_t>(crossing(counts, remembered, -missNs / 2));
}

/// What one thread may count on of the last cache: that of which half of the
/// lines are still there when they are visited again. The system tells nothing
/// of what others do there.
void Rounds::measureLastCache(Machine &round) {
  if (caches.l3Bytes <= caches.l2Bytes)
    return;
  const Order random = inRuns(windowBytes, calibratedLine);
  const int64_t least = 2 * caches.l2Bytes,
                most = std::min(caches.l3Bytes, memory.size());
  std::vector<double> sizes, speeds;
  for (int64_t bytes = least; bytes <= most; bytes = bytes / 3 * 4) {
    const Windows windows = windowsOf(memory.data(), bytes);
    sizes.push_back(static_cast<double>(windows.bytes()));
    speeds.push_back(-warmTimeOf(windows.bytes() / calibratedLine,
                                 [&] { readLines(windows, random); }));
  }
  if (sizes.empty())
    return;
  const double memory = timeOf(visitedBytes / calibratedLine,
                               [&] { readLines(untouchedWindows(), random); }),
               between = (fromL3.random + memory) / 2;
  const auto ours = static_cast<int64_t>(crossing(sizes, speeds, -between));
  round.l3Bytes = ours / calibratedPage * calibratedPage;
}
