//===- ScheduleReasons.h - why a schedule is as it is -----------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rules that choose a schedule leave a few words on what made them do so,
// for a person to read.
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_PLAN_SCHEDULEREASONS_H
#define PERMC_PLAN_SCHEDULEREASONS_H

#include "permc/Plan/Schedule.h"

namespace permc {

/// Each is part of a sentence, or empty if no rule had a say. Dims are d0, d1
/// and so on, in output order as in the schedule.
struct ScheduleReasons {
  std::string kind;
  std::string stores = {}; ///< past the caches or not
  std::string panels = {}; ///< that there are any
};

struct ExplainedSchedule {
  Schedule schedule;
  ScheduleReasons reasons;
};

/// What chooseSchedule chooses, and why.
ExplainedSchedule explainSchedule(const Problem &canonical,
                                  const TargetFacts &facts);

} // namespace permc

#endif // PERMC_PLAN_SCHEDULEREASONS_H
