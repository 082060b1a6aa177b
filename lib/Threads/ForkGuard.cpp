//===- ForkGuard.cpp - locks and threads across fork() --------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "permc/Threads/ForkGuard.h"

#include <mutex>
#include <pthread.h>
#include <vector>

using namespace permc;

namespace {

/// All guards there are, the oldest first. Never destroyed: a process may fork
/// while its static objects go.
struct Registry {
  std::mutex creation, mutex;
  std::vector<const ForkGuard *> guards;

  static Registry &get() {
    static Registry *registry = [] {
      auto *made = new Registry;
      ::pthread_atfork(prepare, parent, child);
      return made;
    }();
    return *registry;
  }

  static void prepare() {
    get().creation.lock();
    get().mutex.lock();
    for (const ForkGuard *guard : get().guards)
      guard->actions.lockAll();
  }
  static void parent() {
    for (const ForkGuard *guard : get().guards)
      guard->actions.unlockAll();
    release();
  }
  static void child() {
    for (const ForkGuard *guard : get().guards)
      guard->actions.reset();
    release();
  }
  static void release() {
    get().mutex.unlock();
    get().creation.unlock();
  }
};

} // namespace

ForkGuard::ForkGuard(Actions actions) : actions(std::move(actions)) {
  Registry &registry = Registry::get();
  std::lock_guard<std::mutex> lock(registry.mutex);
  registry.guards.push_back(this);
}

ForkGuard::~ForkGuard() {
  Registry &registry = Registry::get();
  std::lock_guard<std::mutex> lock(registry.mutex);
  std::erase(registry.guards, this);
}

std::mutex &ForkGuard::creation() { return Registry::get().creation; }
