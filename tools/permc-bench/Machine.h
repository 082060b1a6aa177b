//===- Machine.h - where and when a run was made ----------------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_BENCH_MACHINE_H
#define PERMC_BENCH_MACHINE_H

#include <string>

namespace permc::bench {

struct Machine {
  std::string cpu;      ///< as the CPU calls itself, or LLVM's name for it
  unsigned threads = 0; ///< of the hardware
  std::string caches;   ///< "32 KiB L1d, 512 KiB L2, 32 MiB L3"
  std::string system;   ///< kernel and C library
  std::string date;     ///< "2025-01-31 12:00 UTC"
};

Machine describeMachine();

} // namespace permc::bench

#endif // PERMC_BENCH_MACHINE_H
