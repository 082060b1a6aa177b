//===- Jit.h - kernels in this process --------------------------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_JIT_JIT_H
#define PERMC_JIT_JIT_H

#include "permc-c/kernel.h"
#include "permc/Compiler/Compiler.h"

#include <memory>
#include <string>

namespace permc {

/// A kernel that can be called, from any number of threads. Copies are cheap
/// and share it; its code lives as long as one of them does. One with dynamic
/// dims, which only `Jit::load` makes, is called by what `describe` gives.
class Kernel {
public:
  Kernel() = default; ///< no kernel yet; must not be called

  void operator()(const void *src, void *dst) const { info->run(src, dst); }
  void part(const void *src, void *dst, uint32_t part, uint32_t parts) const {
    info->run_part(src, dst, part, parts);
  }
  const permc_kernel &describe() const { return *info; }

private:
  friend class Jit;
  explicit Kernel(std::shared_ptr<const permc_kernel> info)
      : info(std::move(info)) {}
  std::shared_ptr<const permc_kernel> info;
};

struct JitOptions {
  /// What the kernels that are kept for the next request may cost.
  int64_t cacheBytes = int64_t(64) << 20;
  /// A folder in which compiled objects outlive the process; empty for none.
  std::string cacheDirectory = {};
  /// What the files in that folder may take; those used longest ago go first.
  int64_t cacheDirectoryBytes = int64_t(256) << 20;
  /// What `permc calibrate` measured of this machine; empty for none.
  std::string machineFile = {};
};

/// What a Jit has done so far, and what it keeps.
struct JitStatistics {
  uint64_t compiled = 0;     ///< kernels made from scratch
  uint64_t readFromDisk = 0; ///< kernels found in the cache directory
  uint64_t cacheHits = 0;    ///< requests answered by a kernel that was there
  uint64_t evicted = 0;      ///< kernels that had to make room
  int64_t cachedKernels = 0;
  int64_t cachedBytes = 0;
};

/// Compiles for this process. Requests with the same canonical problem, target
/// and schedule share one kernel, which is kept for the next of them. Safe to
/// use from many threads: a kernel that many ask for at once is compiled once.
class Jit {
public:
  static Result<std::unique_ptr<Jit>> create(const JitOptions &options = {});
  ~Jit();

  /// A target with the quantities of the machine file, if there is one, in the
  /// place of its own: requests for it are made for that machine.
  Result<Target> findTarget(std::string_view name) const;

  /// Fails if this machine cannot run code for the request's target.
  Result<Kernel> compile(const Request &request);

  /// Loads an object that Compiler made for this machine.
  Result<Kernel> load(const std::string &object, const std::string &name);

  JitStatistics statistics();

private:
  Jit();
  struct State;
  std::unique_ptr<State> state;
};

/// The Jit of this process for all who bring none of their own. The environment
/// configures it when it is first needed: PERMC_CACHE_DIR is the folder of the
/// persistent cache, PERMC_CACHE_DIR_BYTES what its files may take,
/// PERMC_CACHE_BYTES what kernels in memory may cost, PERMC_MACHINE the machine
/// file.
Result<Jit *> defaultJit();

} // namespace permc

#endif // PERMC_JIT_JIT_H
