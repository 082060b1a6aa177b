//===- UnalignedSchedule.h - for a dst between two lines --------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tiles of whole lines can be streamed straight from registers only if dst
// begins with a line. Large blocks of malloc begin 16 bytes behind one.
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_PLAN_UNALIGNEDSCHEDULE_H
#define PERMC_PLAN_UNALIGNEDSCHEDULE_H

#include "permc/Plan/Schedule.h"

#include <optional>

namespace permc {

/// What to do in place of `schedule` for a dst that does not begin with a line.
/// None if that makes no difference, or if the schedule's own tiles can be
/// moved to where lines begin.
std::optional<Schedule> chooseUnaligned(const Problem &canonical,
                                        const Schedule &schedule,
                                        const TargetFacts &facts);

/// Whether a schedule can be used in place of another where dst does not begin
/// with a line. Parts are cut so that streamed panels and runs suit them, and
/// tiles of whole lines would not be where lines are.
Status checkUnaligned(const Problem &canonical, const Schedule &unaligned);

/// Whether tiles that are not streamed are moved along their rows too: stores
/// of whole registers that lie across two lines take twice as long, and more
/// outside of the first cache.
bool movesToLines(const Problem &canonical, const Schedule &schedule);

} // namespace permc

#endif // PERMC_PLAN_UNALIGNEDSCHEDULE_H
