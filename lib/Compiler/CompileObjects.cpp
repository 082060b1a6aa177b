//===- CompileObjects.cpp - many kernels at once --------------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compilers on several threads do not meet, so each thread has its own and
// takes the next kernel that nobody has begun.
//
//===----------------------------------------------------------------------===//

#include "Codegen.h"

#include "permc/Threads/ThreadPool.h"

#include <atomic>

using namespace permc;

Result<std::vector<Artifact>>
permc::compileObjects(const std::vector<Request> &requests) {
  std::vector<std::optional<Result<Artifact>>> made(requests.size());
  std::atomic<size_t> next = 0;
  const auto threads =
      static_cast<uint32_t>(std::min<size_t>(availableCPUs(), requests.size()));
  ThreadPool::shared().parallelFor(threads, [&](uint32_t) {
    Compiler compiler;
    for (size_t i = next++; i < requests.size(); i = next++)
      made[i] = compiler.compile({requests[i]}, Emit::Object);
  });
  std::vector<Artifact> objects;
  for (std::optional<Result<Artifact>> &object : made) {
    if (!*object)
      return object->error();
    objects.push_back(std::move(**object));
  }
  return objects;
}

Result<std::string> permc::makeLibrary(const std::vector<Request> &requests,
                                       const std::vector<Artifact> &objects) {
  std::vector<std::pair<std::string, std::string>> members;
  for (size_t i = 0; i < requests.size(); ++i)
    members.emplace_back(requests[i].name + ".o", objects[i].bytes);
  return archive(members);
}
