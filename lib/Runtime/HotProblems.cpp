//===- HotProblems.cpp - compile in the background ------------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program may end while a kernel is being compiled. What LLVM makes when it
// is first used is destroyed then, the last made first, so whoever ends the
// program has to wait for the compilation before that: by a handler that is
// registered again after each. Hence also the kernel that is compiled at once
// when the library is loaded, before there is a thread.
//
//===----------------------------------------------------------------------===//

#include "HotProblems.h"

#include "KernelTable.h"
#include "Registry.h"

#include "permc-c/permc.h"
#include "permc/Threads/ForkGuard.h"

#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <dlfcn.h>
#include <numeric>
#include <pthread.h>
#include <signal.h>
#include <system_error>
#include <thread>

using namespace permc;

std::atomic<uint32_t> HotProblems::threshold = 0;

namespace {

/// Problems that wait; beyond this many the JIT is not keeping up.
constexpr size_t maxWaiting = 1024;

/// The functions of libpermc.so that are used here.
struct Library {
  decltype(&permc_plan_create) createPlan = nullptr;
  decltype(&permc_plan_kernel) kernelOf = nullptr;
  decltype(&permc_plan_release) releasePlan = nullptr;
};

Result<Library> load(const char *path) {
  // Its threads may be inside it at any time: it is never closed.
  void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    return Error{Cause::Unsupported, std::string("the JIT's library '") + path +
                                         "' cannot be loaded: " + dlerror()};
  Library library;
  library.createPlan = reinterpret_cast<decltype(&permc_plan_create)>(
      dlsym(handle, "permc_plan_create"));
  library.kernelOf = reinterpret_cast<decltype(&permc_plan_kernel)>(
      dlsym(handle, "permc_plan_kernel"));
  library.releasePlan = reinterpret_cast<decltype(&permc_plan_release)>(
      dlsym(handle, "permc_plan_release"));
  if (!library.createPlan || !library.kernelOf || !library.releasePlan)
    return Error{Cause::Unsupported,
                 std::string("'") + path +
                     "' has no permc_plan_create; expected libpermc.so"};
  return library;
}

/// Strides in elements for a problem whose strides are in bytes. A stride that
/// is no multiple of the element makes the element smaller.
struct InElements {
  explicit InElements(const FixedProblem &problem) {
    int64_t unit = problem.element;
    for (unsigned i = 0; i < problem.rank; ++i) {
      unit = std::gcd(unit, problem.srcStride[i]);
      unit = std::gcd(unit, problem.dstStride[i]);
      shape.push_back(problem.shape[i]);
      perm.push_back(problem.perm[i]);
      src.push_back(problem.srcStride[i]);
      dst.push_back(problem.dstStride[i]);
    }
    if (unit != problem.element) {
      shape.push_back(problem.element / unit);
      perm.push_back(problem.rank);
      src.push_back(unit);
      dst.push_back(unit);
    }
    for (int64_t &stride : src)
      stride /= unit;
    for (int64_t &stride : dst)
      stride /= unit;
    described.size = sizeof described;
    described.rank = uint32_t(shape.size());
    described.element_bytes = uint64_t(unit);
    described.shape = shape.data();
    described.perm = perm.data();
    described.src_strides = src.data();
    described.dst_strides = dst.data();
  }
  InElements(const InElements &) = delete;

  Dims shape, perm, src, dst;
  permc_problem described = {};
};

/// What the thread that compiles shares with those that ask. A forked child
/// gets a new one: in the old one the condition variable still counts on a
/// thread that is gone.
struct Queue {
  std::mutex mutex;
  std::condition_variable work;
  std::deque<std::unique_ptr<FixedProblem>> problems;
  Library library;
  bool isServed = false;    ///< there is a thread
  bool isCompiling = false; ///< it is inside the library
  bool isStopped = false;   ///< the program is coming to its end
  std::condition_variable idle;

  bool has(const FixedProblem &canonical) const {
    for (const auto &problem : problems)
      if (*problem == canonical)
        return true;
    return false;
  }
};

/// The thread that compiles, and what it has to do.
class Worker {
public:
  static Worker &get() {
    static std::atomic<Worker *> worker = nullptr;
    return madeOnce(worker, [] { return new Worker; });
  }

  /// False if it compiles nothing.
  bool use(Library loaded) {
    FixedProblem any;
    const int64_t shape[] = {16, 16}, perm[] = {1, 0};
    any.assign(4, 2, shape, perm, nullptr, nullptr);
    permc_plan *plan = compile(loaded, any);
    if (!plan)
      return false;
    loaded.releasePlan(plan);
    std::lock_guard<std::mutex> lock(queue->mutex);
    queue->library = loaded;
    return true;
  }

  /// Never waits, neither for the lock nor for room.
  bool ask(const FixedProblem &canonical) {
    std::unique_lock<std::mutex> lock(queue->mutex, std::try_to_lock);
    if (!lock || queue->problems.size() >= maxWaiting)
      return false;
    if (queue->has(canonical))
      return true;
    queue->problems.push_back(std::make_unique<FixedProblem>(canonical));
    if (!queue->isServed)
      start();
    queue->work.notify_one();
    return true;
  }

  std::atomic<uint64_t> compiled = 0;
  uint64_t waiting() {
    std::lock_guard<std::mutex> lock(queue->mutex);
    return queue->problems.size();
  }

private:
  /// A compilation is seen to its end, none is begun.
  static void stopAtExit() {
    std::atexit([] {
      Queue &queue = *get().queue;
      std::unique_lock<std::mutex> lock(queue.mutex);
      queue.isStopped = true;
      queue.idle.wait(lock, [&] { return !queue.isCompiling; });
    });
  }

  Worker()
      : queue(new Queue),
        guard({[this] { queue->mutex.lock(); },
               [this] { queue->mutex.unlock(); }, [this] { renew(); }}) {}

  /// The old one is left as it is, locked, but for what still has to be done.
  void renew() {
    auto *fresh = new Queue;
    fresh->problems = std::move(queue->problems);
    fresh->library = queue->library;
    queue = fresh;
  }

  /// No handler of the program's ever runs on the thread.
  void start() {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    try {
      std::thread([this] { serve(*queue); }).detach();
      queue->isServed = true;
    } catch (const std::system_error &) {
      // Generic kernels it is.
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }

  [[noreturn]] void serve(Queue &queue) {
    std::unique_lock<std::mutex> lock(queue.mutex);
    while (true) {
      queue.work.wait(
          lock, [&] { return !queue.isStopped && !queue.problems.empty(); });
      const FixedProblem problem = *queue.problems.front();
      const Library compiler = queue.library;
      queue.isCompiling = true;
      lock.unlock();
      if (permc_plan *plan = compile(compiler, problem))
        keep(plan, compiler.kernelOf(plan));
      lock.lock();
      queue.isCompiling = false;
      queue.idle.notify_all();
      // In the list until now, so that nobody asks for it again.
      queue.problems.pop_front();
    }
  }

  /// Null for what cannot be compiled: it stays with the generic kernels.
  static permc_plan *compile(const Library &compiler,
                             const FixedProblem &problem) noexcept {
    permc_plan *plan = nullptr;
    try {
      InElements given(problem);
      permc_status status =
          compiler.createPlan(nullptr, &given.described, nullptr, &plan);
      stopAtExit();
      return status == PERMC_OK ? plan : nullptr;
    } catch (const std::bad_alloc &) {
      return nullptr; // nothing has come of it yet
    }
  }

  void keep(permc_plan *plan, const permc_kernel *kernel) noexcept {
    try {
      plans.push_back(plan);
      if (Registry::get().add({&kernel, 1},
                              KernelTable::forThisCPU().facts.foldLimit))
        compiled.fetch_add(1);
    } catch (const std::bad_alloc &) {
      // Generic kernels it is.
    }
  }

  /// Never released: their kernels may run at any time.
  std::vector<permc_plan *> plans;
  Queue *queue;
  ForkGuard guard;
};

} // namespace

Status HotProblems::enable(uint32_t calls, const char *path) {
  if (calls == 0)
    return Error{Cause::BadSize,
                 "a threshold of 0 calls; expected 1 call or more"};
  Result<Library> library = load(path ? path : PERMC_JIT_LIBRARY);
  if (!library)
    return library.error();
  if (!Worker::get().use(*library))
    return Error{Cause::Unsupported,
                 std::string("the JIT's library '") +
                     (path ? path : PERMC_JIT_LIBRARY) +
                     "' cannot compile a transpose of 16x16 elements of 4 "
                     "bytes; expected one that can"};
  threshold.store(calls, std::memory_order_relaxed);
  return Done{};
}

bool HotProblems::ask(const FixedProblem &canonical) {
  try {
    return Worker::get().ask(canonical);
  } catch (const std::bad_alloc &) {
    return false; // the call itself may still be carried out
  }
}

uint64_t HotProblems::compiled() { return Worker::get().compiled.load(); }
uint64_t HotProblems::waiting() { return Worker::get().waiting(); }
