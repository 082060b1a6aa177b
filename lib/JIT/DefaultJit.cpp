//===- DefaultJit.cpp - the Jit of this process ---------------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "permc/JIT/Jit.h"
#include "permc/Threads/ForkGuard.h"

#include <atomic>
#include <charconv>
#include <cstdlib>
#include <cstring>

using namespace permc;

static Result<int64_t> readBytes(const char *variable, int64_t fallback) {
  const char *text = std::getenv(variable);
  if (!text || !*text)
    return fallback;
  int64_t value = 0;
  const char *end = text + std::strlen(text);
  auto [stop, error] = std::from_chars(text, end, value);
  if (error != std::errc() || stop != end || value < 0)
    return Error{Cause::BadSyntax, std::string(variable) + " is '" + text +
                                       "'; expected a number of bytes"};
  return value;
}

static Result<JitOptions> optionsFromEnvironment() {
  JitOptions options;
  if (const char *directory = std::getenv("PERMC_CACHE_DIR"))
    options.cacheDirectory = directory;
  if (const char *file = std::getenv("PERMC_MACHINE"))
    options.machineFile = file;
  Result<int64_t> bytes = readBytes("PERMC_CACHE_BYTES", options.cacheBytes);
  if (!bytes)
    return bytes.error();
  options.cacheBytes = *bytes;
  Result<int64_t> onDisk =
      readBytes("PERMC_CACHE_DIR_BYTES", options.cacheDirectoryBytes);
  if (!onDisk)
    return onDisk.error();
  options.cacheDirectoryBytes = *onDisk;
  return options;
}

Result<Jit *> permc::defaultJit() {
  // Never destroyed: handles and threads may outlive the static objects.
  static std::atomic<Jit *> jit = nullptr;
  if (Jit *made = jit.load(std::memory_order_acquire))
    return made;
  std::lock_guard<std::mutex> lock(ForkGuard::creation());
  if (Jit *made = jit.load(std::memory_order_relaxed))
    return made;
  allTargets(); // made on first use too: now, while no fork can come between
  Result<JitOptions> options = optionsFromEnvironment();
  if (!options)
    return options.error();
  auto made = Jit::create(*options);
  if (!made)
    return made.error();
  jit.store(made->get(), std::memory_order_release);
  return made->release();
}
