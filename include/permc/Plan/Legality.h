//===- Legality.h - what a schedule must fulfil on a machine ----*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_PLAN_LEGALITY_H
#define PERMC_PLAN_LEGALITY_H

#include "permc/Plan/Schedule.h"

namespace permc {

/// A schedule must fit its problem, as on any machine (Schedule.h), and this
/// one must have the instructions for it. Messages call it `machine`.
Status checkSchedule(const Problem &canonical, const Schedule &schedule,
                     const Isa &isa,
                     const std::string &machine = "this machine");

} // namespace permc

#endif // PERMC_PLAN_LEGALITY_H
