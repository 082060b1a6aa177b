//===- Registry.h - kernels that were compiled for a problem ----*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_LIB_RUNTIME_REGISTRY_H
#define PERMC_LIB_RUNTIME_REGISTRY_H

#include "permc-c/kernel.h"
#include "permc/Plan/FixedProblem.h"
#include "permc/Threads/ForkGuard.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <span>

namespace permc {

/// A hash of all that a problem is.
uint64_t hashOf(const FixedProblem &problem);

/// Kernels by their canonical problem. Looking one up takes no lock; whoever
/// adds one waits for the others that do.
class Registry {
public:
  static Registry &get();

  /// The kernel for a canonical problem, or null.
  const permc_kernel *find(const FixedProblem &canonical) const;

  /// Adds kernels, all or none; the last of two for one problem stays. Leaves
  /// out those that this CPU cannot run.
  Status add(std::span<const permc_kernel *const> kernels,
             int64_t foldLimitBytes);

  /// Changes whenever something is added, so that who remembers a look-up can
  /// tell that it is old.
  uint64_t generation() const {
    return changes.load(std::memory_order_acquire);
  }

  uint64_t size() const { return count.load(std::memory_order_relaxed); }

private:
  struct Entry {
    FixedProblem problem;
    uint64_t hash;
    std::atomic<const permc_kernel *> kernel; ///< the last that was added
  };
  /// Open addressing. Only ever filled; a full one is replaced by a larger one
  /// and stays, since someone may be reading it.
  struct Table {
    explicit Table(size_t size);
    size_t mask;
    std::unique_ptr<std::atomic<Entry *>[]> slots;
    std::unique_ptr<Table> before;
  };

  Registry();
  static std::atomic<Entry *> &slotFor(Table &table, const Entry &entry);
  static Result<std::unique_ptr<Entry>> makeEntry(const permc_kernel *kernel,
                                                  int64_t foldLimitBytes);
  void makeRoom(size_t entries);
  void insert(std::unique_ptr<Entry> entry);
  void grow();

  std::mutex mutex;
  std::unique_ptr<Table> newest;
  std::atomic<Table *> table = nullptr;
  std::atomic<uint64_t> changes = 1, count = 0;
  ForkGuard guard;
};

} // namespace permc

#endif // PERMC_LIB_RUNTIME_REGISTRY_H
