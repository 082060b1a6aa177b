//===- Draw.h - cases at random ---------------------------------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_TOOLS_PERMC_FUZZ_DRAW_H
#define PERMC_TOOLS_PERMC_FUZZ_DRAW_H

#include "Menu.h"
#include "Random.h"
#include "RunCase.h"

#include <functional>

namespace permc::fuzz {

/// The case without a schedule of its own. `group` is the number of the process
/// that runs it, which has the shim for one target only.
Case drawCase(const Menu &menu, uint64_t group, Random &random);

/// Gives some cases a legal schedule that permc would not choose. `before` is
/// called with each that permc is to be asked about.
void drawSchedule(Case &one, CaseRunner &runner, Random &random,
                  const std::function<void(const Case &)> &before);

} // namespace permc::fuzz

#endif // PERMC_TOOLS_PERMC_FUZZ_DRAW_H
