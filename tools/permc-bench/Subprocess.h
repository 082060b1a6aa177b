//===- Subprocess.h - a process to talk to, line by line --------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_BENCH_SUBPROCESS_H
#define PERMC_BENCH_SUBPROCESS_H

#include "permc/Plan/Error.h"

#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace permc::bench {

/// Ends when this does: its standard input is closed then.
class Subprocess {
public:
  /// The first word is the program's path.
  static Result<std::unique_ptr<Subprocess>>
  start(const std::vector<std::string> &words);
  ~Subprocess();
  Subprocess(const Subprocess &) = delete;
  Subprocess &operator=(const Subprocess &) = delete;

  /// False once the process is gone.
  bool writeLine(const std::string &line);
  /// Without its end; nothing once the process is gone.
  std::optional<std::string> readLine();

private:
  Subprocess(int process, FILE *input, FILE *output)
      : process(process), input(input), output(output) {}

  int process;
  FILE *input, *output; ///< of the process
};

} // namespace permc::bench

#endif // PERMC_BENCH_SUBPROCESS_H
