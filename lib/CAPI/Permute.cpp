//===- Permute.cpp - kernels in C -----------------------------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Boundary.h"
#include "Struct.h"

#include "permc-c/permc.h"
#include "permc/JIT/Permute.h"
#include "permc/Threads/ForkGuard.h"

#include <atomic>
#include <cstddef>
#include <mutex>

using namespace permc;

struct permc_jit {
  std::unique_ptr<Jit> jit;
};

struct permc_plan {
  Kernel kernel;
  RunOptions options;
  /// Where in their buffers the first elements are. Callers have these, kernels
  /// take where buffers begin.
  int64_t srcOrigin = 0, dstOrigin = 0;
  std::atomic<uint64_t> references = 1;
};

namespace {

// The sizes of version 0.1; they never change.
constexpr size_t problemSize = 48;
constexpr size_t planOptionsSize = 32;
constexpr size_t jitOptionsSize = 24;
static_assert(sizeof(permc_problem) >= problemSize &&
                  sizeof(permc_plan_options) >= planOptionsSize &&
                  sizeof(permc_jit_options) >= jitOptionsSize,
              "a struct of the C API has shrunk");

/// `size`, `reserved` and one count: less is a size that was never set.
constexpr size_t minStatisticsSize = 16;

Error missing(const char *what) {
  return {Cause::NullPointer, std::string(what) + " is null; expected one"};
}

Status checkCounts(uint32_t rank, uint64_t elementBytes) {
  if (rank > maxRank)
    return Error{Cause::BadRank, "a rank of " + std::to_string(rank) +
                                     "; expected at most " +
                                     std::to_string(maxRank)};
  if (elementBytes > uint64_t(INT64_MAX))
    return Error{Cause::BadElement,
                 "an element of " + std::to_string(elementBytes) +
                     " bytes; expected at most " + std::to_string(INT64_MAX)};
  return Done{};
}

/// A list of `rank` integers that may only be null if it is empty.
Result<std::span<const int64_t>> list(const int64_t *values, uint32_t rank,
                                      const char *name) {
  if (!values && rank > 0)
    return Error{Cause::NullPointer, std::string(name) + " is null; expected " +
                                         std::to_string(rank) + " integers"};
  return std::span<const int64_t>(values, rank);
}

Dims toDims(const int64_t *values, uint32_t rank) {
  return rank == 0 ? Dims() : Dims(values, values + rank);
}

Result<Problem> toProblem(const permc_problem &given) {
  if (Status ok = checkCounts(given.rank, given.element_bytes); !ok)
    return ok.error();
  auto shape = list(given.shape, given.rank, "permc_problem.shape");
  if (!shape)
    return shape.error();
  auto perm = list(given.perm, given.rank, "permc_problem.perm");
  if (!perm)
    return perm.error();
  std::optional<Dims> src, dst;
  if (given.src_strides)
    src = toDims(given.src_strides, given.rank);
  if (given.dst_strides)
    dst = toDims(given.dst_strides, given.rank);
  return Problem::make(int64_t(given.element_bytes),
                       toDims(given.shape, given.rank),
                       toDims(given.perm, given.rank), src, dst);
}

RunOptions toRunOptions(const permc_plan_options &given) {
  RunOptions options;
  options.threads = given.threads;
  if (given.parallel_for)
    options.parallelFor = [call = given.parallel_for,
                           context = given.parallel_context](
                              uint32_t parts,
                              const std::function<void(uint32_t)> &body) {
      auto callBody = [](void *argument, uint32_t part) {
        (*static_cast<const std::function<void(uint32_t)> *>(argument))(part);
      };
      call(context, parts, callBody,
           const_cast<void *>(static_cast<const void *>(&body)));
    };
  return options;
}

Result<Jit *> jitOf(permc_jit *jit) {
  return jit ? Result<Jit *>(jit->jit.get()) : defaultJit();
}

Result<permc_plan *> makePlan(permc_jit *jit, const permc_problem *problem,
                              const permc_plan_options *options) {
  auto described = readStruct(problem, problemSize, "permc_problem");
  if (!described)
    return described.error();
  permc_plan_options chosen = {};
  if (options) {
    auto read = readStruct(options, planOptionsSize, "permc_plan_options");
    if (!read)
      return read.error();
    chosen = *read;
  }
  auto valid = toProblem(*described);
  if (!valid)
    return valid.error();
  // First, for the targets are made with the first compiler.
  auto maker = jitOf(jit);
  if (!maker)
    return maker.error();
  auto target = (*maker)->findTarget(chosen.target ? chosen.target : "native");
  if (!target)
    return target.error();
  auto kernel = (*maker)->compile(
      {"permute", *valid, "bytes" + std::to_string(valid->elementBytes()),
       *target, ""});
  if (!kernel)
    return kernel.error();
  return new permc_plan{std::move(*kernel), toRunOptions(chosen),
                        valid->srcOrigin(), valid->dstOrigin()};
}

/// Where a buffer begins whose first element is at `first`. A null pointer
/// stays one.
const void *beginOf(const void *first, int64_t origin) {
  return first ? static_cast<const char *>(first) - origin : nullptr;
}
void *beginOf(void *first, int64_t origin) {
  return first ? static_cast<char *>(first) - origin : nullptr;
}

Status checkBufferSize(const char *name, uint64_t given, uint64_t needed) {
  if (given >= needed)
    return Done{};
  return Error{Cause::BadSize,
               std::string(name) + " has " + std::to_string(given) +
                   " bytes; expected at least " + std::to_string(needed)};
}

} // namespace

//===----------------------------------------------------------------------===//
// One call
//===----------------------------------------------------------------------===//

permc_status permc_permute(const void *src, void *dst, uint32_t rank,
                           const int64_t *shape, const int64_t *perm,
                           uint64_t elementBytes) {
  return atBoundary([&]() -> Status {
    if (Status ok = checkCounts(rank, elementBytes); !ok)
      return ok;
    if (rank > 0 && (!shape || !perm))
      return list(nullptr, rank, shape ? "perm" : "shape").error();
    return permute(int64_t(elementBytes), {shape, rank}, {perm, rank}, src,
                   dst);
  });
}

void permc_set_threads(uint32_t threads) { setDefaultThreads(threads); }

//===----------------------------------------------------------------------===//
// Plans
//===----------------------------------------------------------------------===//

permc_status permc_plan_create(permc_jit *jit, const permc_problem *problem,
                               const permc_plan_options *options,
                               permc_plan **plan) {
  return atBoundary([&]() -> Status {
    if (!plan)
      return missing("the place for the plan");
    auto made = makePlan(jit, problem, options);
    if (!made)
      return made.error();
    *plan = *made;
    return Done{};
  });
}

permc_plan *permc_plan_retain(permc_plan *plan) {
  if (plan)
    plan->references.fetch_add(1, std::memory_order_relaxed);
  return plan;
}

void permc_plan_release(permc_plan *plan) {
  if (plan && plan->references.fetch_sub(1, std::memory_order_acq_rel) == 1)
    delete plan;
}

permc_status permc_plan_run(const permc_plan *plan, const void *src,
                            void *dst) {
  return atBoundary([&]() -> Status {
    if (!plan)
      return missing("the plan");
    return run(plan->kernel, beginOf(src, plan->srcOrigin),
               beginOf(dst, plan->dstOrigin), plan->options);
  });
}

permc_status permc_plan_run_sized(const permc_plan *plan, const void *src,
                                  uint64_t srcBytes, void *dst,
                                  uint64_t dstBytes) {
  return atBoundary([&]() -> Status {
    if (!plan)
      return missing("the plan");
    const permc_kernel &kernel = plan->kernel.describe();
    if (Status ok = checkBufferSize("src", srcBytes, kernel.src_bytes); !ok)
      return ok;
    if (Status ok = checkBufferSize("dst", dstBytes, kernel.dst_bytes); !ok)
      return ok;
    return run(plan->kernel, beginOf(src, plan->srcOrigin),
               beginOf(dst, plan->dstOrigin), plan->options);
  });
}

permc_status permc_plan_run_part(const permc_plan *plan, const void *src,
                                 void *dst, uint32_t part, uint32_t parts) {
  return atBoundary([&]() -> Status {
    if (!plan)
      return missing("the plan");
    if (part >= parts)
      return Error{Cause::BadSize, "part " + std::to_string(part) + " of " +
                                       std::to_string(parts) +
                                       "; expected a part below their number"};
    const void *from = beginOf(src, plan->srcOrigin);
    void *to = beginOf(dst, plan->dstOrigin);
    if (Status ok = checkBuffers(plan->kernel.describe(), from, to); !ok)
      return ok;
    plan->kernel.part(from, to, part, parts);
    return Done{};
  });
}

const permc_kernel *permc_plan_kernel(const permc_plan *plan) {
  return plan ? &plan->kernel.describe() : nullptr;
}

//===----------------------------------------------------------------------===//
// Compilers of one's own
//===----------------------------------------------------------------------===//

permc_status permc_jit_create(const permc_jit_options *options,
                              permc_jit **jit) {
  return atBoundary([&]() -> Status {
    if (!jit)
      return missing("the place for the permc_jit");
    JitOptions chosen;
    if (options) {
      auto read = readStruct(options, jitOptionsSize, "permc_jit_options");
      if (!read)
        return read.error();
      if (read->reserved != 0)
        return Error{Cause::Unsupported, "permc_jit_options.reserved is " +
                                             std::to_string(read->reserved) +
                                             "; expected 0"};
      if (read->cache_bytes > 0)
        chosen.cacheBytes =
            int64_t(std::min<uint64_t>(read->cache_bytes, INT64_MAX));
      if (read->cache_directory)
        chosen.cacheDirectory = read->cache_directory;
      if (read->cache_directory_bytes > 0)
        chosen.cacheDirectoryBytes =
            int64_t(std::min<uint64_t>(read->cache_directory_bytes, INT64_MAX));
      if (read->machine_file)
        chosen.machineFile = read->machine_file;
    }
    // What is made once in a process is made while no fork can come between.
    std::lock_guard<std::mutex> lock(ForkGuard::creation());
    allTargets();
    auto made = Jit::create(chosen);
    if (!made)
      return made.error();
    *jit = new permc_jit{std::move(*made)};
    return Done{};
  });
}

void permc_jit_destroy(permc_jit *jit) { delete jit; }

permc_status permc_jit_get_statistics(permc_jit *jit,
                                      permc_jit_statistics *statistics) {
  return atBoundary([&]() -> Status {
    if (!statistics)
      return missing("the place for the permc_jit_statistics");
    if (statistics->size < minStatisticsSize)
      return Error{Cause::Unsupported,
                   "permc_jit_statistics.size is " +
                       std::to_string(statistics->size) +
                       "; expected sizeof(permc_jit_statistics), which is " +
                       std::to_string(sizeof *statistics)};
    auto maker = jitOf(jit);
    if (!maker)
      return maker.error();
    const JitStatistics now = (*maker)->statistics();
    permc_jit_statistics known = {};
    known.size = statistics->size;
    known.compiled = now.compiled;
    known.read_from_disk = now.readFromDisk;
    known.cache_hits = now.cacheHits;
    known.evicted = now.evicted;
    known.cached_kernels = uint64_t(now.cachedKernels);
    known.cached_bytes = uint64_t(now.cachedBytes);
    std::memcpy(statistics, &known,
                std::min<size_t>(statistics->size, sizeof known));
    return Done{};
  });
}
