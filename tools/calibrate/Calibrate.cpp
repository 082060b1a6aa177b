//===- Calibrate.cpp - the quantities of this machine ---------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Calibrate.h"

#include "Host.h"
#include "Round.h"

#include "permc/Frontend/MachineFile.h"
#include "permc/Threads/HostCaches.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>

using namespace permc;

namespace {

/// Noise is larger than what is left out, and tables stay readable.
double roundToThreeDigits(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", value);
  return std::strtod(text, nullptr);
}

/// The value of a field in each round, sorted.
std::vector<double> valuesOf(const MachineKey &wanted,
                             const std::vector<Machine> &rounds) {
  std::vector<double> values;
  for (const Machine &round : rounds)
    visitMachine(round, [&](const MachineKey &key, const auto &value) {
      if (std::string_view(key.name) == wanted.name)
        values.push_back(static_cast<double>(value));
    });
  std::ranges::sort(values);
  return values;
}

double spreadOf(const std::vector<double> &sorted) {
  const size_t last = sorted.size() - 1;
  const double between = sorted[last - last / 4] - sorted[last / 4];
  return between / 2 / sorted[sorted.size() / 2];
}

/// What Linux tells of the caches, in `machine`.
void takeSystem(Machine &machine, std::map<std::string, Origin> &origins) {
  const auto [first, second, third] = hostCaches();
  auto take = [&](const char *name, int64_t &field, int64_t told) {
    if (told <= 0)
      return;
    field = told;
    origins[name].kind = Origin::System;
  };
  take("l1Bytes", machine.l1Bytes, first.bytes);
  take("l1Ways", machine.l1Ways, first.ways);
  take("l2Bytes", machine.l2Bytes, second.bytes);
  take("l2Ways", machine.l2Ways, second.ways);
  take("l3Bytes", machine.l3Bytes, third.bytes);
}

} // namespace

Calibration permc::summarize(const Machine &known,
                             const std::vector<Machine> &rounds) {
  Calibration result{known, static_cast<int>(rounds.size()), {}};
  visitMachine(result.machine, [&](const MachineKey &key, auto &value) {
    const std::vector<double> values = valuesOf(key, rounds);
    const double median = values[values.size() / 2];
    if (values.back() == 0)
      return;
    // Caches are whole lines; all else is as rough as the noise.
    using Value = std::remove_reference_t<decltype(value)>;
    value = std::is_integral_v<Value>
                ? static_cast<Value>(std::llround(median))
                : static_cast<Value>(roundToThreeDigits(median));
    result.origins[key.name] = {Origin::Measured, spreadOf(values)};
  });
  return result;
}

Status permc::checkPlausible(const Machine &machine) {
  auto contradiction = [](const char *near, double nearNs, const char *far,
                          double farNs) {
    auto spell = [](double value) {
      char text[32];
      std::snprintf(text, sizeof text, "%.3g ns", value);
      return std::string(text);
    };
    return Error{Cause::Unsupported,
                 std::string("the times contradict one another: ") + near +
                     " takes " + spell(nearNs) + ", " + far + " " +
                     spell(farNs) +
                     "; expected a machine that is no emulator, and with a "
                     "core to spare"};
  };
  if (machine.l2Ns >= machine.memoryNs)
    return contradiction("a line from the second cache", machine.l2Ns,
                         "one from memory", machine.memoryNs);
  if (machine.memoryNs >= machine.memoryRandomNs)
    return contradiction("a line from memory in order", machine.memoryNs,
                         "one in any order", machine.memoryRandomNs);
  if (machine.cycleNs >= machine.memoryNs)
    return contradiction("a cycle", machine.cycleNs, "a line from memory",
                         machine.memoryNs);
  return Done{};
}

Result<Calibration> permc::calibrate(const Machine &known,
                                     const CalibrateOptions &options) {
  if (Status ok = checkMeasurable(); !ok)
    return ok.error();
  Machine system = known;
  std::map<std::string, Origin> origins;
  takeSystem(system, origins);
  auto loops = Rounds::prepare(system);
  if (!loops)
    return loops.error();
  std::vector<Machine> measured;
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  auto seconds = [&] {
    return std::chrono::duration<double>(Clock::now() - start).count();
  };
  for (int round = 1; round <= options.rounds; ++round) {
    if (round > 1 && seconds() > options.budgetSeconds)
      break;
    options.progress(round);
    measured.push_back(loops->measure());
  }
  Calibration result = summarize(system, measured);
  result.origins.merge(origins);
  if (Status ok = checkPlausible(result.machine); !ok)
    return ok.error();
  return result;
}
