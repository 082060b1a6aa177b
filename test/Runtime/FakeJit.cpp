//===- FakeJit.cpp - a libpermc.so that does what a test wants ------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Has the functions that the shim asks for. It compiles nothing: it counts
// what it is asked for, and holds the compiler's thread until it is told to let
// go. See HotProblemsTest.cpp.
//
//===----------------------------------------------------------------------===//

#include "FakeJit.h"

#include <condition_variable>
#include <mutex>
#include <unistd.h>

static std::mutex mutex;
static std::condition_variable changed;
static bool isHeld = false, isBroken = false;
static uint64_t asked = 0, ended = 0;
static int64_t lastSize = 0;

/// As LLVM has them: made when first used, destroyed when the program ends. A
/// program that still compiles then is not allowed to end well.
struct MadeOnFirstUse {
  ~MadeOnFirstUse() {
    std::lock_guard<std::mutex> lock(mutex);
    if (asked != ended)
      _exit(9);
  }
};

void fake_jit_hold(bool hold) {
  std::lock_guard<std::mutex> lock(mutex);
  isHeld = hold;
  changed.notify_all();
}

void fake_jit_break(bool broken) {
  std::lock_guard<std::mutex> lock(mutex);
  isBroken = broken;
}

uint64_t fake_jit_asked(void) {
  std::lock_guard<std::mutex> lock(mutex);
  return asked;
}

int64_t fake_jit_last_size(void) {
  std::lock_guard<std::mutex> lock(mutex);
  return lastSize;
}

permc_status permc_plan_create(permc_jit *, const permc_problem *problem,
                               const permc_plan_options *, permc_plan **plan) {
  static MadeOnFirstUse usedBelow;
  static char any;
  *plan = reinterpret_cast<permc_plan *>(&any);
  std::unique_lock<std::mutex> lock(mutex);
  ++asked;
  lastSize = problem->rank > 0 ? problem->shape[0] : 0;
  changed.wait(lock, [] { return !isHeld; });
  ++ended;
  return isBroken ? PERMC_UNSUPPORTED : PERMC_OK;
}

void permc_plan_release(permc_plan *) {}

/// For no CPU, so it never runs.
const permc_kernel *permc_plan_kernel(const permc_plan *) {
  static const permc_kernel kernel = [] {
    permc_kernel made = {};
    made.size = sizeof made;
    made.element_bytes = 1;
    made.target = "none";
    made.run = [](const void *, void *) {};
    return made;
  }();
  return &kernel;
}
