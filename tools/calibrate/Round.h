//===- Round.h - all quantities, once ---------------------------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_TOOLS_CALIBRATE_ROUND_H
#define PERMC_TOOLS_CALIBRATE_ROUND_H

#include "Buffer.h"
#include "Loops.h"

#include "permc/Plan/TargetFacts.h"

#include <functional>

namespace permc {

/// Measures all quantities of a machine, as often as one likes.
class Rounds {
public:
  /// For a machine with these caches. Fails if there is no memory.
  static Result<Rounds> prepare(const Machine &caches);

  /// What one round measures; 0 for what is not measured.
  Machine measure();

private:
  Rounds(const Machine &caches, Buffer memory, Buffer pages);

  /// The times of one access to lines that are all in one place.
  struct LineTimes {
    double inOrder, random;
  };
  LineTimes readFrom(const Windows &windows);
  /// Memory that has not been touched for so long that no cache has it.
  char *untouched(int64_t bytes);
  Windows untouchedWindows();

  void measureLines(Machine &round);
  void measureLatencies(Machine &round, int64_t l3Part);
  void measureWrites(Machine &round);
  void measurePrefetching(Machine &round);
  void measureTlb(Machine &round);
  void measureLastCache(Machine &round);

  Machine caches;
  Buffer memory, pages;
  int64_t touched = 0; ///< up to here, and round again
  /// In this round.
  LineTimes fromMemory = {}, fromL3 = {};
};

/// Where a falling curve of measured values, at rising places, crosses `level`:
/// between two places by their logarithms; the last place if it never does.
double crossing(std::span<const double> places, std::span<const double> values,
                double level);

} // namespace permc

#endif // PERMC_TOOLS_CALIBRATE_ROUND_H
