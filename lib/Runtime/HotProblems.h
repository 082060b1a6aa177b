//===- HotProblems.h - compile in the background ----------------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The optional JIT: problems that are asked for often are compiled by
// libpermc.so, loaded while the program runs, on a thread of their own. Its
// kernels go into the registry like any others.
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_LIB_RUNTIME_HOTPROBLEMS_H
#define PERMC_LIB_RUNTIME_HOTPROBLEMS_H

#include "permc/Plan/FixedProblem.h"

#include <atomic>

namespace permc {

/// How often a thread has asked for a problem.
struct HotCount {
  uint32_t calls = 0;   ///< until the JIT is asked for a kernel
  bool isAsked = false; ///< it was
};

class HotProblems {
public:
  static Status enable(uint32_t threshold, const char *library);
  static bool isEnabled() {
    return threshold.load(std::memory_order_relaxed) > 0;
  }

  /// Counts a call and asks for a kernel when there have been enough.
  static void count(const FixedProblem &canonical, HotCount &count) {
    if (!count.isAsked &&
        ++count.calls >= threshold.load(std::memory_order_relaxed))
      count.isAsked = ask(canonical);
  }

  static uint64_t compiled();
  static uint64_t waiting();

private:
  /// False if it was not heard: the next call has to ask again.
  static bool ask(const FixedProblem &canonical);
  static std::atomic<uint32_t> threshold; ///< 0: not enabled
};

} // namespace permc

#endif // PERMC_LIB_RUNTIME_HOTPROBLEMS_H
