//===- Progress.h - how far a run has come ----------------------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_BENCH_PROGRESS_H
#define PERMC_BENCH_PROGRESS_H

#include <cstddef>
#include <string>

namespace permc::bench {

/// One line on the standard error that is written over case by case; on what is
/// no terminal, a line a case.
class Progress {
public:
  Progress(size_t total, bool wanted);
  ~Progress() { clear(); }

  void show(const std::string &name);
  /// Makes room for other output.
  void clear();

private:
  size_t total, done = 0;
  bool isTerminal, wanted;
};

} // namespace permc::bench

#endif // PERMC_BENCH_PROGRESS_H
