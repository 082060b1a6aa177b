//===- ThreadPool.h - threads for large tensors -----------------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_THREADS_THREADPOOL_H
#define PERMC_THREADS_THREADPOOL_H

#include <cstdint>
#include <functional>
#include <memory>

namespace permc {

/// Threads that start when they are first needed and sleep when they are not.
/// Any number of threads may call at once; they share the workers. A child of
/// fork() starts with none and makes its own.
class ThreadPool {
public:
  /// The one of this process; it is never destroyed, since a thread may be
  /// inside it when the process ends.
  static ThreadPool &shared();

  /// At most `workers` threads beside the callers; 0 for no threads at all.
  explicit ThreadPool(unsigned workers);
  ~ThreadPool();

  using Body = std::function<void(uint32_t part)>;

  /// Calls `body` once for each part below `parts`, on this thread and others,
  /// and returns when all are done. Within a body it runs on its own thread
  /// alone, so that parts never wait for parts. What a body throws is thrown
  /// again when no thread is inside any more; some parts may be left undone.
  void parallelFor(uint32_t parts, const Body &body);

  /// Workers that have been started.
  unsigned started() const;

private:
  class State;
  std::unique_ptr<State> state;
};

/// CPUs that this process may use.
unsigned availableCPUs();

} // namespace permc

#endif // PERMC_THREADS_THREADPOOL_H
