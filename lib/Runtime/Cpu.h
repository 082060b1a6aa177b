//===- Cpu.h - what this CPU can run ----------------------------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_LIB_RUNTIME_CPU_H
#define PERMC_LIB_RUNTIME_CPU_H

#include <string_view>

namespace permc {

/// Whether this CPU has all that code for one of `targets` may use: a list such
/// as "x86-64-v2,x86-64-v4" is of a kernel that takes the best there is. No for
/// a target that is not known.
bool cpuCanRun(std::string_view targets);

} // namespace permc

#endif // PERMC_LIB_RUNTIME_CPU_H
