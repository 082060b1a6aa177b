//===- FaultTrap.h - run code that may touch what it must not ---*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_LIB_JIT_FAULTTRAP_H
#define PERMC_LIB_JIT_FAULTTRAP_H

#include "llvm/ADT/STLFunctionalExtras.h"

#include <cstdint>
#include <optional>

namespace permc {

/// What ended a trapped call.
struct Fault {
  bool badInstruction; ///< the machine does not have it
  uintptr_t address;   ///< the byte that was touched
};

/// Calls `body` and returns the fault that ended it, if one did. A fault leaves
/// `body` without running destructors: it must own nothing while it calls into
/// untrusted code. Any thread may call it; one body runs at a time. Faults of
/// other threads meanwhile go to the program's own handlers.
std::optional<Fault> trapFaults(llvm::function_ref<void()> body);

} // namespace permc

#endif // PERMC_LIB_JIT_FAULTTRAP_H
