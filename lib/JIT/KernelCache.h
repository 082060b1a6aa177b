//===- KernelCache.h - compiled kernels, kept while they are used -*- C++ -*-=//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_LIB_JIT_KERNELCACHE_H
#define PERMC_LIB_JIT_KERNELCACHE_H

#include "CodeLoader.h"

#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

namespace permc {

/// Code by key. What was used least recently leaves first once the code kept
/// here costs more than the capacity; code that someone still holds lives on
/// until the last handle goes. Safe to use from many threads.
class KernelCache {
public:
  using SharedCode = std::shared_ptr<const Code>;
  using Maker = std::function<Result<SharedCode>()>;

  explicit KernelCache(int64_t capacityBytes) : capacity(capacityBytes) {}

  /// The code of `key`, made by `make` if it is not here. Callers who ask for a
  /// key that is being made wait for it; a failure is told to all of them and
  /// not kept.
  Result<SharedCode> get(const std::string &key, const Maker &make);

  struct Counts {
    uint64_t hits = 0, evictions = 0;
    int64_t kernels = 0, bytes = 0;
  };
  Counts counts();

  std::mutex &mutex() { return guard; }
  /// In a forked child, with the mutex held: whoever was making something is
  /// not there any more.
  void forgetFlights() { flights.clear(); }

private:
  struct Flight;
  struct Entry {
    SharedCode code;
    std::list<const std::string *>::iterator age;
  };

  Result<SharedCode> makeAndPublish(const std::string &key,
                                    const std::shared_ptr<Flight> &flight,
                                    const Maker &make);
  void insert(const std::string &key, const SharedCode &code,
              std::vector<SharedCode> &evicted);

  std::mutex guard;
  const int64_t capacity;
  std::unordered_map<std::string, Entry> entries;
  std::list<const std::string *> byAge; ///< most recently used first
  std::unordered_map<std::string, std::shared_ptr<Flight>> flights;
  Counts count;
};

} // namespace permc

#endif // PERMC_LIB_JIT_KERNELCACHE_H
