//===- Calibrate.h - the quantities of this machine -------------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Machines are noisy, and shared with others. So all quantities are measured
// once a round, what is a difference of two is one of the same round, and of
// all rounds the median counts.
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_TOOLS_CALIBRATE_CALIBRATE_H
#define PERMC_TOOLS_CALIBRATE_CALIBRATE_H

#include "permc/Plan/Error.h"
#include "permc/Plan/TargetFacts.h"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace permc {

/// Where a value is from.
struct Origin {
  enum Kind {
    Known,    ///< nobody measures it: the target's
    System,   ///< the operating system tells it
    Measured, ///< by a loop
  } kind = Known;
  /// Of a measured one: half of what lies between the quartiles of all rounds,
  /// as a share of their median.
  double spread = 0;
};

struct Calibration {
  Machine machine;
  int rounds = 0;
  std::map<std::string, Origin> origins; ///< by the key
};

struct CalibrateOptions {
  int rounds = 15;
  /// Once so much time has passed, no other round begins: on a busy machine
  /// fewer must do.
  double budgetSeconds = 30;
  /// Called before each round with its number, from 1 on.
  std::function<void(int round)> progress = [](int) {};
};

/// What cannot be measured is that of `known`. Fails where there is nothing to
/// measure: on machines that are not x86, in an emulator, or if times
/// contradict one another.
Result<Calibration> calibrate(const Machine &known,
                              const CalibrateOptions &options = {});

/// The rounds' medians in the place of what `known` has, rounded to three
/// digits. What is 0 in all rounds was not measured.
Calibration summarize(const Machine &known, const std::vector<Machine> &rounds);

/// Whether what was measured can be true: a line from farther away takes
/// longer. Expects the times that are measured everywhere.
Status checkPlausible(const Machine &machine);

} // namespace permc

#endif // PERMC_TOOLS_CALIBRATE_CALIBRATE_H
