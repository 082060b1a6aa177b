//===- Permute.cpp - permute a tensor, now --------------------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "permc/JIT/Permute.h"

#include "permc/Threads/ThreadPool.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <optional>

using namespace permc;

namespace {

using Ints = std::span<const int64_t>;

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

/// A number that is no count of threads reads as "all CPUs".
unsigned threadsFromEnvironment() {
  const char *text = std::getenv("PERMC_THREADS");
  long threads = text ? std::strtol(text, nullptr, 10) : 0;
  return threads > 0 && threads < 4096 ? unsigned(threads) : availableCPUs();
}

/// 0 until it is first asked for.
std::atomic<unsigned> defaultThreadCount = 0;

/// Into how many parts a call is cut.
uint32_t partsFor(const permc_kernel &kernel, unsigned threads) {
  if (kernel.dst_bytes < uint64_t(minParallelBytes))
    return 1;
  uint64_t worth = kernel.dst_bytes / (minParallelBytes / 2);
  return uint32_t(
      std::min<uint64_t>(worth, threads ? threads : defaultThreads()));
}

void runParts(const permc_kernel &kernel, const void *src, void *dst,
              uint32_t parts, const ParallelFor &parallelFor) {
  auto body = [&](uint32_t part) { kernel.run_part(src, dst, part, parts); };
  if (parallelFor)
    parallelFor(parts, body);
  else
    ThreadPool::shared().parallelFor(parts, body);
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

bool overlap(uintptr_t a, uint64_t aBytes, uintptr_t b, uint64_t bBytes) {
  return a < b ? b - a < aBytes : a - b < bBytes;
}

Error explainBuffers(const permc_kernel &kernel, const void *src,
                     const void *dst) {
  if (!src || !dst)
    return {Cause::NullPointer,
            std::string(src ? "dst" : "src") +
                " is null; expected a buffer of " +
                std::to_string(src ? kernel.dst_bytes : kernel.src_bytes) +
                " bytes"};
  auto distance =
      static_cast<const char *>(dst) - static_cast<const char *>(src);
  return {Cause::OverlappingBuffers,
          "dst starts " + std::to_string(distance) +
              " bytes after src, whose tensor takes " +
              std::to_string(kernel.src_bytes) + " bytes, dst's " +
              std::to_string(kernel.dst_bytes) +
              "; expected buffers that share no byte"};
}

bool areUsable(const permc_kernel &kernel, const void *src, const void *dst) {
  if (kernel.dst_bytes == 0)
    return true;
  return src && dst &&
         !overlap(reinterpret_cast<uintptr_t>(src), kernel.src_bytes,
                  reinterpret_cast<uintptr_t>(dst), kernel.dst_bytes);
}

//===----------------------------------------------------------------------===//
// The last few problems of a thread
//===----------------------------------------------------------------------===//

/// One problem and its kernel.
struct Slot {
  int64_t elementBytes = 0;
  Dims shape, perm;
  std::optional<Kernel> kernel;

  bool holds(int64_t bytes, Ints wantedShape, Ints wantedPerm) const {
    return kernel && elementBytes == bytes &&
           std::ranges::equal(shape, wantedShape) &&
           std::ranges::equal(perm, wantedPerm);
  }
};

/// Kernels by a hash of their problem, one in each slot. No lock: every thread
/// has its own. A slot keeps its code alive until another problem takes it.
class RecentKernels {
public:
  ~RecentKernels() { isGone = true; }

  Slot &find(int64_t elementBytes, Ints shape, Ints perm) {
    uint64_t hash = mix(0, elementBytes);
    for (int64_t size : shape)
      hash = mix(hash, size);
    for (int64_t axis : perm)
      hash = mix(hash, axis);
    return slots[hash >> (64 - slotBits)];
  }

  /// A program may still permute while its threads' variables are destroyed.
  static thread_local bool isGone;

private:
  static constexpr unsigned slotBits = 4;

  /// Fibonacci hashing: the high bits depend on all bits.
  static uint64_t mix(uint64_t hash, int64_t word) {
    hash = (hash ^ uint64_t(word)) * 0x9E3779B97F4A7C15u;
    return hash ^ (hash >> 29);
  }

  std::array<Slot, 1u << slotBits> slots;
};

thread_local bool RecentKernels::isGone = false;
thread_local RecentKernels recent;

Result<Kernel> compileNative(int64_t elementBytes, Ints shape, Ints perm) {
  auto problem = Problem::make(elementBytes, Dims(shape.begin(), shape.end()),
                               Dims(perm.begin(), perm.end()));
  if (!problem)
    return problem.error();
  Result<Jit *> jit = defaultJit();
  if (!jit)
    return jit.error();
  auto target = (*jit)->findTarget("native");
  if (!target)
    return target.error();
  return (*jit)->compile({"permute", std::move(*problem),
                          "bytes" + std::to_string(elementBytes),
                          std::move(*target), ""});
}

} // namespace

unsigned permc::defaultThreads() {
  unsigned threads = defaultThreadCount.load(std::memory_order_relaxed);
  if (threads == 0) {
    threads = threadsFromEnvironment();
    defaultThreadCount.store(threads, std::memory_order_relaxed);
  }
  return threads;
}

void permc::setDefaultThreads(unsigned threads) {
  defaultThreadCount.store(threads ? threads : availableCPUs(),
                           std::memory_order_relaxed);
}

Status permc::checkBuffers(const permc_kernel &kernel, const void *src,
                           const void *dst) {
  if (areUsable(kernel, src, dst))
    return Done{};
  return explainBuffers(kernel, src, dst);
}

Status permc::run(const Kernel &kernel, const void *src, void *dst,
                  const RunOptions &options) {
  const permc_kernel &info = kernel.describe();
  if (info.dynamic_dims != 0)
    return Error{Cause::Unsupported,
                 std::string("the kernel '") + info.name + "' has " +
                     std::to_string(info.dynamic_dims) +
                     " dynamic dims; expected one for a static shape"};
  if (!areUsable(info, src, dst))
    return explainBuffers(info, src, dst);
  uint32_t parts = partsFor(info, options.threads);
  if (parts > 1)
    runParts(info, src, dst, parts, options.parallelFor);
  else
    info.run(src, dst);
  return Done{};
}

Status permc::permute(int64_t elementBytes, Ints shape, Ints perm,
                      const void *src, void *dst) {
  static const RunOptions automatic;
  if (RecentKernels::isGone) {
    Result<Kernel> kernel = compileNative(elementBytes, shape, perm);
    return kernel ? run(*kernel, src, dst, automatic) : kernel.error();
  }
  Slot &slot = recent.find(elementBytes, shape, perm);
  if (!slot.holds(elementBytes, shape, perm)) {
    Result<Kernel> kernel = compileNative(elementBytes, shape, perm);
    if (!kernel)
      return kernel.error();
    slot = {elementBytes, Dims(shape.begin(), shape.end()),
            Dims(perm.begin(), perm.end()), std::move(*kernel)};
  }
  return run(*slot.kernel, src, dst, automatic);
}
