//===- ForkGuard.h - locks and threads across fork() ------------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A child of fork() has one thread and a copy of memory as it was at that
// moment. Whatever another thread was changing stays half changed for ever, and
// what it had locked stays locked. So the forking thread first waits until
// nothing is being changed, by taking every lock of ours.
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_THREADS_FORKGUARD_H
#define PERMC_THREADS_FORKGUARD_H

#include <atomic>
#include <functional>
#include <mutex>

namespace permc {

/// What to do with the locks of one object, from construction to destruction.
/// Made last and destroyed first of an object's members.
class ForkGuard {
public:
  struct Actions {
    std::function<void()> lockAll;   ///< in the parent, before the fork
    std::function<void()> unlockAll; ///< in the parent, after it
    std::function<void()> reset; ///< in the child: unlock, forget other threads
  };
  explicit ForkGuard(Actions actions);
  ~ForkGuard();
  ForkGuard(const ForkGuard &) = delete;
  ForkGuard &operator=(const ForkGuard &) = delete;

  /// Held while something that lives as long as the process is made: a static
  /// variable's own lock would stay locked in a child.
  static std::mutex &creation();

  const Actions actions;
};

/// What lives as long as the process: made when it is first asked for, never
/// destroyed.
template <typename T, typename Make>
T &madeOnce(std::atomic<T *> &place, Make make) {
  if (T *made = place.load(std::memory_order_acquire))
    return *made;
  std::lock_guard<std::mutex> lock(ForkGuard::creation());
  if (!place.load(std::memory_order_relaxed))
    place.store(make(), std::memory_order_release);
  return *place.load(std::memory_order_relaxed);
}

} // namespace permc

#endif // PERMC_THREADS_FORKGUARD_H
