//===- Program.h - what programs that measure have in common ----*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_BENCH_PROGRAM_H
#define PERMC_BENCH_PROGRAM_H

#include "permc/Plan/Error.h"

#include <string>
#include <utility>

namespace permc::bench {

/// Ends the program with a message that begins with its name.
[[noreturn]] void die(const std::string &message);

/// The value, or the end of the program.
template <typename T> T must(Result<T> result) {
  if (!result)
    die(result.error().message);
  return std::move(*result);
}

/// Takes out the hundreds of options that LLVM registers for itself, one of
/// which is called --threads; of its own only --help and --version remain.
void removeForeignOptions();

} // namespace permc::bench

#endif // PERMC_BENCH_PROGRAM_H
