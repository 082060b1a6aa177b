//===- Registry.cpp - kernels that were compiled for a problem ------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Entries and tables are never freed while the process lives: a reader may hold
// on to one at any time, and there is one entry for a problem however often a
// kernel is registered for it.
//
//===----------------------------------------------------------------------===//

#include "Registry.h"

#include "Cpu.h"
#include "Hash.h"

using namespace permc;

namespace {

constexpr size_t firstTableSize = 64;

/// The bytes of permc_kernel in version 0.1 up to its last field.
constexpr size_t kernelBytes =
    offsetof(permc_kernel, run_part) + sizeof(permc_kernel::run_part);

std::string nameOf(const permc_kernel &kernel) {
  return std::string("the permc_kernel ") +
         (kernel.name ? kernel.name : "without a name");
}

/// Whether a description is all there, of a kernel of either kind.
Status checkDescription(const permc_kernel *kernel) {
  if (!kernel)
    return Error{Cause::NullPointer, "a permc_kernel is null; expected one"};
  if (kernel->size < kernelBytes)
    return Error{Cause::Unsupported,
                 "a permc_kernel of " + std::to_string(kernel->size) +
                     " bytes; expected " + std::to_string(kernelBytes) +
                     " or more"};
  if (kernel->rank > maxRank)
    return Error{Cause::BadRank, nameOf(*kernel) + " has a rank of " +
                                     std::to_string(kernel->rank) +
                                     "; expected at most " +
                                     std::to_string(maxRank)};
  if (kernel->rank > 0 && (!kernel->shape || !kernel->perm))
    return Error{Cause::NullPointer,
                 nameOf(*kernel) + " lacks shape or perm; expected both"};
  return Done{};
}

/// Whether a kernel has dims that come with the call: it has no problem to be
/// found by.
bool hasDynamicDims(const permc_kernel &kernel) {
  for (uint32_t i = 0; i < kernel.rank; ++i)
    if (kernel.shape[i] == PERMC_DYNAMIC)
      return true;
  return false;
}

/// Why a description is no problem.
Error explain(const permc_kernel &kernel) {
  auto list = [&](const int64_t *values) {
    return kernel.rank ? Dims(values, values + kernel.rank) : Dims();
  };
  std::optional<Dims> src, dst;
  if (kernel.src_strides)
    src = list(kernel.src_strides);
  if (kernel.dst_strides)
    dst = list(kernel.dst_strides);
  auto problem = Problem::make(kernel.element_bytes, list(kernel.shape),
                               list(kernel.perm), src, dst);
  if (problem)
    return {Cause::Internal, nameOf(kernel) + ": a valid problem was refused"};
  return {problem.error().cause,
          nameOf(kernel) + ": " + problem.error().message};
}

} // namespace

uint64_t permc::hashOf(const FixedProblem &problem) {
  uint64_t hash = mix(problem.rank, problem.element);
  for (unsigned i = 0; i < problem.rank; ++i) {
    hash = mix(hash, problem.shape[i]);
    hash = mix(hash, problem.perm[i]);
    hash = mix(hash, problem.srcStride[i]);
    hash = mix(hash, problem.dstStride[i]);
  }
  return hash;
}

Registry::Table::Table(size_t size)
    : mask(size - 1), slots(new std::atomic<Entry *>[size]) {
  for (size_t i = 0; i < size; ++i)
    slots[i].store(nullptr, std::memory_order_relaxed);
}

Registry::Registry()
    : guard({[this] { mutex.lock(); }, [this] { mutex.unlock(); },
             [this] { mutex.unlock(); }}) {}

Registry &Registry::get() {
  static std::atomic<Registry *> registry = nullptr;
  return madeOnce(registry, [] { return new Registry; });
}

const permc_kernel *Registry::find(const FixedProblem &canonical) const {
  const Table *current = table.load(std::memory_order_acquire);
  if (!current)
    return nullptr;
  uint64_t hash = hashOf(canonical);
  for (size_t i = hash;; ++i) {
    const Entry *entry =
        current->slots[i & current->mask].load(std::memory_order_acquire);
    if (!entry)
      return nullptr;
    if (entry->hash == hash && entry->problem == canonical)
      return entry->kernel.load(std::memory_order_acquire);
  }
}

/// Where an entry is or belongs.
std::atomic<Registry::Entry *> &Registry::slotFor(Table &table,
                                                  const Entry &entry) {
  for (size_t i = entry.hash;; ++i) {
    std::atomic<Entry *> &slot = table.slots[i & table.mask];
    const Entry *found = slot.load(std::memory_order_relaxed);
    if (!found ||
        (found->hash == entry.hash && found->problem == entry.problem))
      return slot;
  }
}

Result<std::unique_ptr<Registry::Entry>>
Registry::makeEntry(const permc_kernel *kernel, int64_t foldLimitBytes) {
  if (!kernel->run || !kernel->target)
    return Error{Cause::NullPointer,
                 nameOf(*kernel) + " lacks run or target; expected both"};
  auto entry = std::make_unique<Entry>();
  if (!entry->problem.assign(kernel->element_bytes, kernel->rank, kernel->shape,
                             kernel->perm, kernel->src_strides,
                             kernel->dst_strides))
    return explain(*kernel);
  canonicalize(entry->problem, foldLimitBytes);
  entry->hash = hashOf(entry->problem);
  entry->kernel.store(kernel, std::memory_order_relaxed);
  return entry;
}

void Registry::grow() {
  auto larger =
      std::make_unique<Table>(newest ? 2 * (newest->mask + 1) : firstTableSize);
  if (newest)
    for (size_t i = 0; i <= newest->mask; ++i)
      if (Entry *entry = newest->slots[i].load(std::memory_order_relaxed))
        slotFor(*larger, *entry).store(entry, std::memory_order_relaxed);
  larger->before = std::move(newest);
  newest = std::move(larger);
  table.store(newest.get(), std::memory_order_release);
}

/// Never more than half full, so that a look-up ends soon.
void Registry::makeRoom(size_t entries) {
  while (!newest || 2 * (size() + entries) > newest->mask)
    grow();
}

void Registry::insert(std::unique_ptr<Entry> entry) {
  std::atomic<Entry *> &slot = slotFor(*newest, *entry);
  if (Entry *known = slot.load(std::memory_order_relaxed)) {
    known->kernel.store(entry->kernel.load(std::memory_order_relaxed),
                        std::memory_order_release);
    return;
  }
  count.fetch_add(1, std::memory_order_relaxed);
  slot.store(entry.release(), std::memory_order_release);
}

Status Registry::add(std::span<const permc_kernel *const> kernels,
                     int64_t foldLimitBytes) {
  std::vector<std::unique_ptr<Entry>> entries;
  for (const permc_kernel *kernel : kernels) {
    if (Status ok = checkDescription(kernel); !ok)
      return ok;
    if (hasDynamicDims(*kernel))
      continue;
    Result<std::unique_ptr<Entry>> entry = makeEntry(kernel, foldLimitBytes);
    if (!entry)
      return entry.error();
    if (cpuCanRun(kernel->target))
      entries.push_back(std::move(*entry));
  }
  if (entries.empty())
    return Done{};
  std::lock_guard<std::mutex> lock(mutex);
  // Nothing fails from here on: all are registered, or none was.
  makeRoom(entries.size());
  for (std::unique_ptr<Entry> &entry : entries)
    insert(std::move(entry));
  changes.fetch_add(1, std::memory_order_release);
  return Done{};
}
