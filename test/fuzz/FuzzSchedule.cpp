//===- FuzzSchedule.cpp - schedules that someone wrote -----------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FuzzTarget.h"

#include "permc/Compiler/Compiler.h"
#include "permc/Plan/Split.h"

using namespace permc;

/// Which problem and target, and then two texts, a line each. What is legal
/// must have parts, a spelling, and that spelling the same meaning.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static Compiler compiler;
  static const Problem problems[] = {
      *Problem::make(4, {64, 96}, {1, 0}),
      *Problem::make(1, {3, 50, 40}, {2, 1, 0}),
      *Problem::make(2, {8, 30, 12, 7}, {0, 2, 1, 3}),
      *Problem::make(8, {1024, 2048}, {1, 0}),
      *Problem::make(4, {20, 30, 3}, {2, 0, 1}, {}, Dims{1024, 32, 1})};
  static const std::vector<Target> &targets = allTargets();
  Input input(data, size);
  const uint8_t which = input.byte();
  Request request = {"k", problems[which % std::size(problems)], "bytes",
                     targets[which / 8 % targets.size()], input.line()};
  request.unaligned = input.line();
  auto decided = compiler.decide(request);
  if (!decided || request.schedule.empty())
    return 0;
  const Split split = chooseSplit(decided->canonical, decided->schedule);
  require(split.mostParts >= 1);
  Request again = request;
  again.schedule = spellSchedule(decided->schedule);
  auto same = compiler.decide(again);
  require(same && same->schedule == decided->schedule);
  return 0;
}
