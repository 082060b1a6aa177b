//===- KernelCache.cpp - compiled kernels, kept while they are used -------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelCache.h"

#include <condition_variable>
#include <optional>

using namespace permc;

/// One key being made, and those who wait for it.
struct KernelCache::Flight {
  std::mutex mutex;
  std::condition_variable landed;
  std::optional<Result<SharedCode>> result;

  void land(const Result<SharedCode> &outcome) {
    std::lock_guard<std::mutex> lock(mutex);
    result = outcome;
    landed.notify_all();
  }
  Result<SharedCode> wait() {
    std::unique_lock<std::mutex> lock(mutex);
    landed.wait(lock, [this] { return result.has_value(); });
    return *result;
  }
};

Result<KernelCache::SharedCode> KernelCache::get(const std::string &key,
                                                 const Maker &make) {
  std::shared_ptr<Flight> flight;
  bool isMine = false;
  {
    std::lock_guard<std::mutex> lock(guard);
    if (auto found = entries.find(key); found != entries.end()) {
      ++count.hits;
      byAge.splice(byAge.begin(), byAge, found->second.age);
      return found->second.code;
    }
    std::shared_ptr<Flight> &slot = flights[key];
    isMine = !slot;
    if (isMine)
      slot = std::make_shared<Flight>();
    flight = slot;
  }
  return isMine ? makeAndPublish(key, flight, make) : flight->wait();
}

Result<KernelCache::SharedCode>
KernelCache::makeAndPublish(const std::string &key,
                            const std::shared_ptr<Flight> &flight,
                            const Maker &make) {
  // Whatever happens, those who wait must hear of it.
  Result<SharedCode> made =
      Error{Cause::Internal, "compiling ran out of memory"};
  try {
    made = make();
  } catch (const std::bad_alloc &) {
  } catch (const std::exception &exception) {
    made = Error{Cause::Internal,
                 std::string("compiling failed: ") + exception.what()};
  }
  // Destroyed after the unlock: unloading code takes its time.
  std::vector<SharedCode> evicted;
  {
    std::lock_guard<std::mutex> lock(guard);
    flights.erase(key);
    if (made)
      insert(key, *made, evicted);
  }
  flight->land(made);
  return made;
}

void KernelCache::insert(const std::string &key, const SharedCode &code,
                         std::vector<SharedCode> &evicted) {
  auto [place, isNew] = entries.try_emplace(key);
  if (!isNew)
    return;
  byAge.push_front(&place->first);
  place->second = {code, byAge.begin()};
  count.bytes += code->bytes();
  while (count.bytes > capacity) {
    auto oldest = entries.find(*byAge.back());
    byAge.pop_back();
    count.bytes -= oldest->second.code->bytes();
    ++count.evictions;
    evicted.push_back(std::move(oldest->second.code));
    entries.erase(oldest);
  }
}

KernelCache::Counts KernelCache::counts() {
  std::lock_guard<std::mutex> lock(guard);
  count.kernels = int64_t(entries.size());
  return count;
}
