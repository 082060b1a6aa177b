//===- Permute.cpp - the shim's one call ----------------------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A problem that its thread has seen lately is in the thread's cache. Any other
// is checked, simplified, looked up in the registry and, if nothing is there,
// planned for the generic kernels. What is wrong with a problem is found out
// twice: the quick check only says that something is, Problem::make says what.
//
//===----------------------------------------------------------------------===//

#include "Boundary.h"
#include "GenericParts.h"
#include "HotProblems.h"
#include "PlanCache.h"
#include "Registry.h"

#include "permc-rt/permc_rt.h"
#include "permc/Threads/ThreadPool.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>

using namespace permc;

namespace {

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

/// Below this many bytes a second thread does not pay.
constexpr uint64_t minParallelBytes = 256 << 10;

/// 0 until it is first asked for.
std::atomic<unsigned> defaultThreadCount = 0;

/// A number that is no count of threads reads as "all CPUs".
unsigned threadsFromEnvironment() {
  const char *text = std::getenv("PERMC_THREADS");
  long threads = text ? std::strtol(text, nullptr, 10) : 0;
  return threads > 0 && threads < 4096 ? unsigned(threads) : availableCPUs();
}

unsigned defaultThreads() {
  unsigned threads = defaultThreadCount.load(std::memory_order_relaxed);
  if (threads == 0) {
    threads = threadsFromEnvironment();
    defaultThreadCount.store(threads, std::memory_order_relaxed);
  }
  return threads;
}

uint32_t partsFor(uint64_t bytes, uint32_t threads) {
  if (threads == 1 || bytes < minParallelBytes)
    return 1;
  uint64_t worth = bytes / (minParallelBytes / 2);
  return uint32_t(
      std::min<uint64_t>(worth, threads ? threads : defaultThreads()));
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

bool areUsable(const CachedPlan &plan, const void *src, const void *dst) {
  if (plan.dstBytes == 0)
    return true;
  auto a = reinterpret_cast<uintptr_t>(src),
       b = reinterpret_cast<uintptr_t>(dst);
  bool overlap = a < b ? b - a < plan.srcBytes : a - b < plan.dstBytes;
  return src && dst && !overlap;
}

Error explainBuffers(const CachedPlan &plan, const void *src, const void *dst) {
  if (!src || !dst)
    return {Cause::NullPointer,
            std::string(src ? "dst" : "src") +
                " is null; expected a buffer of " +
                std::to_string(src ? plan.dstBytes : plan.srcBytes) + " bytes"};
  auto distance = intptr_t(reinterpret_cast<uintptr_t>(dst) -
                           reinterpret_cast<uintptr_t>(src));
  return {Cause::OverlappingBuffers,
          "dst starts " + std::to_string(distance) +
              " bytes after src, whose tensor takes " +
              std::to_string(plan.srcBytes) + " bytes, dst's " +
              std::to_string(plan.dstBytes) +
              "; expected buffers that share no byte"};
}

//===----------------------------------------------------------------------===//
// Plans
//===----------------------------------------------------------------------===//

Status checkGiven(const GivenProblem &given) {
  if (given.rank > maxRank)
    return Error{Cause::BadRank, "a rank of " + std::to_string(given.rank) +
                                     "; expected at most " +
                                     std::to_string(maxRank)};
  if (given.element > uint64_t(INT64_MAX))
    return Error{Cause::BadElement,
                 "an element of " + std::to_string(given.element) +
                     " bytes; expected at most " + std::to_string(INT64_MAX)};
  if (given.rank > 0 && (!given.shape || !given.perm))
    return Error{Cause::NullPointer,
                 std::string(given.shape ? "perm" : "shape") +
                     " is null; expected " + std::to_string(given.rank) +
                     " integers"};
  return Done{};
}

/// Why a problem is none.
Error explainProblem(const GivenProblem &given) {
  auto list = [&](const int64_t *values) {
    return Dims(values, values + given.rank);
  };
  std::optional<Dims> src, dst;
  if (given.srcStrides)
    src = list(given.srcStrides);
  if (given.dstStrides)
    dst = list(given.dstStrides);
  auto problem = Problem::make(int64_t(given.element), list(given.shape),
                               list(given.perm), src, dst);
  if (!problem)
    return problem.error();
  return {Cause::Internal, "a valid problem was refused"};
}

/// A pointer-sized integer must reach every byte.
Status checkAddressable(const CachedPlan &plan) {
  if (std::max(plan.srcBytes, plan.dstBytes) <= uint64_t(INTPTR_MAX))
    return Done{};
  return Error{Cause::SizeOverflow,
               "a tensor that spans " +
                   std::to_string(std::max(plan.srcBytes, plan.dstBytes)) +
                   " bytes; expected at most " + std::to_string(INTPTR_MAX)};
}

/// Takes what the registry has for the plan's problem, if that is anything, and
/// plans it for `dst` if not.
void lookUp(CachedPlan &plan, const char *dst) {
  Registry &registry = Registry::get();
  plan.generation = registry.generation();
  plan.kernel = registry.find(plan.canonical);
  if (plan.kernel || plan.hasGeneric)
    return;
  plan.generic.body = GenericPlan::Body::Nothing;
  plan.generic.streams = false;
  if (plan.dstBytes > 0)
    makeGenericPlan(plan.canonical, KernelTable::forThisCPU(), plan.generic,
                    startsLine(dst));
  plan.hasGeneric = true;
}

Status makePlan(const GivenProblem &given, const char *dst, CachedPlan &plan) {
  plan.isMade = plan.hasGeneric = false;
  plan.hot = HotCount();
  if (!plan.canonical.assign(int64_t(given.element), given.rank, given.shape,
                             given.perm, given.srcStrides, given.dstStrides))
    return explainProblem(given);
  plan.srcBytes = uint64_t(plan.canonical.srcSpan());
  plan.dstBytes = uint64_t(plan.canonical.dstSpan());
  plan.srcOrigin = plan.canonical.srcOrigin();
  plan.dstOrigin = plan.canonical.dstOrigin();
  if (Status ok = checkAddressable(plan); !ok)
    return ok;
  canonicalize(plan.canonical, KernelTable::forThisCPU().facts.foldLimit);
  plan.canonicalOrigin = plan.canonical.srcOrigin();
  lookUp(plan, dst);
  plan.remember(given);
  return Done{};
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

void runParts(const CachedPlan &plan, const void *src, void *dst,
              uint32_t parts) {
  if (plan.kernel)
    return ThreadPool::shared().parallelFor(parts, [&](uint32_t part) {
      plan.kernel->run_part(src, dst, part, parts);
    });
  const GenericParts shared(plan.canonical, KernelTable::forThisCPU());
  const char *from = static_cast<const char *>(src) + plan.canonicalOrigin;
  ThreadPool::shared().parallelFor(parts, [&](uint32_t part) {
    shared.run(from, static_cast<char *>(dst), part, parts);
  });
}

/// A plan that streams is for one kind of dst. It takes so much longer than
/// planning that another one may as well be made.
void runGeneric(CachedPlan &plan, const char *src, char *dst) {
  if (!plan.generic.isFor(dst))
    makeGenericPlan(plan.canonical, KernelTable::forThisCPU(), plan.generic,
                    startsLine(dst));
  runGenericPlan(plan.generic, src + plan.canonicalOrigin, dst);
}

/// Where a buffer begins whose first element is at `first`.
template <typename Byte> Byte *beginOf(Byte *first, int64_t origin) {
  // Of a null pointer nothing is taken away: it is still to be told.
  return origin == 0 || !first ? first : first - origin;
}

/// `first...` are where the first elements are. Kernels take where buffers
/// begin.
Status runPlan(CachedPlan &plan, const void *firstSrc, void *firstDst,
               uint32_t threads) {
  const char *src =
      beginOf(static_cast<const char *>(firstSrc), plan.srcOrigin);
  char *dst = beginOf(static_cast<char *>(firstDst), plan.dstOrigin);
  if (!areUsable(plan, src, dst))
    return explainBuffers(plan, src, dst);
  if (!plan.kernel && plan.dstBytes > 0 && HotProblems::isEnabled())
    HotProblems::count(plan.canonical, plan.hot);
  uint32_t parts = partsFor(plan.dstBytes, threads);
  if (parts > 1 && (!plan.kernel || plan.kernel->run_part))
    runParts(plan, src, dst, parts);
  else if (plan.kernel)
    plan.kernel->run(src, dst);
  else
    runGeneric(plan, src, dst);
  return Done{};
}

/// This thread's plan for a problem, or null.
const CachedPlan *findCached(const GivenProblem &given) noexcept {
  if (given.rank > maxRank || !given.shape || !given.perm)
    return nullptr;
  if (const CachedPlan *recent = PlanCache::recent;
      recent && recent->holds(given))
    return recent;
  PlanCache *cache = PlanCache::ofThisThread();
  CachedPlan *plan = cache ? cache->slotFor(given).get() : nullptr;
  if (!plan || !plan->holds(given))
    return nullptr;
  PlanCache::recent = plan;
  return plan;
}

/// Carries out what this thread has planned before, if nothing has to be looked
/// up, shared or told: small tensors take less time than the way round. False
/// if something has.
bool runCached(const GivenProblem &given, const void *src, void *dst,
               uint32_t threads) {
  const CachedPlan *plan = findCached(given);
  if (!plan || plan->srcOrigin != 0 || plan->dstOrigin != 0 ||
      !areUsable(*plan, src, dst) ||
      plan->generation != Registry::get().generation() ||
      partsFor(plan->dstBytes, threads) > 1)
    return false;
  if (plan->kernel) {
    plan->kernel->run(src, dst);
    return true;
  }
  auto *to = static_cast<char *>(dst);
  if (HotProblems::isEnabled() || !plan->generic.isFor(to))
    return false;
  runGenericPlan(plan->generic,
                 static_cast<const char *>(src) + plan->canonicalOrigin, to);
  return true;
}

Status permute(const GivenProblem &given, const void *src, void *dst,
               uint32_t threads) {
  if (Status ok = checkGiven(given); !ok)
    return ok;
  const auto *to = static_cast<const char *>(dst);
  PlanCache *cache = PlanCache::ofThisThread();
  std::unique_ptr<CachedPlan> own;
  std::unique_ptr<CachedPlan> &slot = cache ? cache->slotFor(given) : own;
  if (slot && slot->holds(given)) {
    if (slot->generation != Registry::get().generation())
      lookUp(*slot, to);
    return runPlan(*slot, src, dst, threads);
  }
  if (!slot)
    slot = std::make_unique<CachedPlan>();
  if (Status ok = makePlan(given, to, *slot); !ok)
    return ok;
  return runPlan(*slot, src, dst, threads);
}

} // namespace

permc_status permc_rt_permute(const void *src, void *dst, uint32_t rank,
                              const int64_t *shape, const int64_t *perm,
                              const int64_t *srcStrides,
                              const int64_t *dstStrides, uint64_t elementBytes,
                              uint32_t threads) {
  const GivenProblem given = {rank, elementBytes, shape,
                              perm, srcStrides,   dstStrides};
  // Without a Status to make; a kernel that is registered may still throw.
  try {
    if (runCached(given, src, dst, threads))
      return PERMC_OK;
  } catch (...) {
    return atBoundary([]() -> Status { throw; });
  }
  return atBoundary([&] { return permute(given, src, dst, threads); });
}

void permc_rt_set_threads(uint32_t threads) {
  defaultThreadCount.store(threads ? threads : availableCPUs(),
                           std::memory_order_relaxed);
}

permc_status permc_rt_register_kernel(const permc_kernel *kernel) {
  return permc_rt_register_kernels(&kernel, 1);
}

permc_status permc_rt_register_kernels(const permc_kernel *const *kernels,
                                       uint32_t count) {
  return atBoundary([&]() -> Status {
    if (!kernels && count > 0)
      return Error{Cause::NullPointer,
                   "the list of kernels is null; expected " +
                       std::to_string(count) + " kernels"};
    return Registry::get().add({kernels, count},
                               KernelTable::forThisCPU().facts.foldLimit);
  });
}

permc_status permc_rt_enable_jit(uint32_t threshold, const char *library) {
  return atBoundary(
      [&]() -> Status { return HotProblems::enable(threshold, library); });
}

permc_status permc_rt_get_statistics(permc_rt_statistics *statistics) {
  return atBoundary([&]() -> Status {
    if (!statistics)
      return Error{Cause::NullPointer,
                   "the place for the permc_rt_statistics is null; expected "
                   "one"};
    permc_rt_statistics now = {};
    now.size = statistics->size;
    now.target = KernelTable::forThisCPU().target;
    now.registered = Registry::get().size();
    now.compiled = HotProblems::compiled();
    now.waiting = HotProblems::waiting();
    std::memcpy(statistics, &now,
                std::min<size_t>(statistics->size, sizeof now));
    return Done{};
  });
}
