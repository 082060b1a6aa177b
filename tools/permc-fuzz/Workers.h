//===- Workers.h - processes that may fail ----------------------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Everything that could crash or hang does so in a process of its own, which
// says beforehand what it is about to do in memory that it shares.
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_TOOLS_PERMC_FUZZ_WORKERS_H
#define PERMC_TOOLS_PERMC_FUZZ_WORKERS_H

#include "Case.h"

#include <atomic>
#include <functional>
#include <memory>
#include <optional>

namespace permc::fuzz {

/// What a worker tells: what it does, and what it has done.
class Progress {
public:
  /// The case that it works on from now on.
  void begin(const Case &one);
  /// Says what is wrong with it and ends the process.
  [[noreturn]] void fail(const std::string &message);

  /// Rises with every case that begins.
  std::atomic<uint64_t> begun = 0;
  std::atomic<uint64_t> cases = 0, refused = 0, runs = 0, schedules = 0;

private:
  friend class Worker;
  static constexpr size_t room = 1 << 15;
  char current[room] = {}, message[room] = {};
};

struct Failure {
  std::string what;        ///< what went wrong
  std::optional<Case> one; ///< with what, if that is known
};

/// A process that runs `body` and ends.
class Worker {
public:
  /// `body` is called in the new process, which ends after it with success.
  explicit Worker(const std::function<void(Progress &)> &body);
  Worker(const Worker &) = delete;
  Worker &operator=(const Worker &) = delete;
  ~Worker();

  /// Whether it has ended, or has been busy with one case for too long. After
  /// that `failure` says how it went.
  bool hasEnded(double secondsPerCase);
  void waitUntilEnded(double secondsPerCase);
  const std::optional<Failure> &failure() const { return found; }
  const Progress &progress() const { return *shared; }

private:
  void setFailure(const std::string &what);
  /// The time that a CPU was busy with it.
  double usedSeconds() const;

  Progress *shared;
  int process;
  bool ended = false;
  uint64_t seen = 0;
  double since, usedBefore = 0;
  std::optional<Failure> found;
};

} // namespace permc::fuzz

#endif // PERMC_TOOLS_PERMC_FUZZ_WORKERS_H
