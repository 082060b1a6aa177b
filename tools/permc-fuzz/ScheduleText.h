//===- ScheduleText.h - other schedules, letter by letter -------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A schedule that permc did not choose must be right too, if it is legal. They
// are made from the text of one that it did: numbers change, fields come and
// go, entries of lists change places. Nothing here knows what a schedule is, so
// that all of it stays reachable however that changes.
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_TOOLS_PERMC_FUZZ_SCHEDULETEXT_H
#define PERMC_TOOLS_PERMC_FUZZ_SCHEDULETEXT_H

#include "Random.h"

#include <string>
#include <vector>

namespace permc::fuzz {

/// The fields of `#permc.schedule<FIELD, FIELD, ...>`.
std::vector<std::string> scheduleFields(const std::string &text);
std::string joinFields(const std::vector<std::string> &fields);

/// A schedule that differs from `text` in one respect, most of them not legal.
/// `known` are fields of other schedules.
std::string mutateSchedule(const std::string &text,
                           const std::vector<std::string> &known,
                           Random &random);

/// Simpler ones to shrink a failure with: without a field, or with a smaller
/// number.
std::vector<std::string> simplerSchedules(const std::string &text);

} // namespace permc::fuzz

#endif // PERMC_TOOLS_PERMC_FUZZ_SCHEDULETEXT_H
