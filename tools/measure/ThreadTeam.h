//===- ThreadTeam.h - threads that wait for work ----------------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_TOOLS_MEASURE_THREADTEAM_H
#define PERMC_TOOLS_MEASURE_THREADTEAM_H

#include <atomic>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

namespace permc {

/// A fixed number of threads, the caller among them. They sleep between two
/// runs: a competitor with one thread is not disturbed.
class ThreadTeam {
public:
  explicit ThreadTeam(unsigned size);
  ~ThreadTeam();
  ThreadTeam(const ThreadTeam &) = delete;
  ThreadTeam &operator=(const ThreadTeam &) = delete;

  unsigned size() const { return unsigned(workers.size()) + 1; }

  /// Calls work(i) for all i below size(), each on a thread of its own; returns
  /// when all are done.
  void run(const std::function<void(unsigned)> &work);

private:
  void serve(unsigned index);

  std::vector<std::thread> workers;
  const std::function<void(unsigned)> *job = nullptr; ///< null: go home
  std::atomic<uint64_t> round{0};
  std::atomic<unsigned> busy{0};
};

} // namespace permc

#endif // PERMC_TOOLS_MEASURE_THREADTEAM_H
