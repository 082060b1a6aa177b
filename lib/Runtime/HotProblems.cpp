//===- HotProblems.cpp - compile in the background ------------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HotProblems.h"

#include "KernelTable.h"
#include "Registry.h"

#include "permc-c/permc.h"

#include <condition_variable>
#include <deque>
#include <dlfcn.h>
#include <numeric>
#include <pthread.h>
#include <signal.h>
#include <system_error>
#include <thread>
#include <unistd.h>

using namespace permc;

std::atomic<uint32_t> HotProblems::threshold = 0;

namespace {

/// Problems that wait; beyond this many the JIT is not keeping up, and what is
/// asked for later is hot too.
constexpr size_t maxWaiting = 1024;

/// The functions of libpermc.so that are used here.
struct Library {
  decltype(&permc_plan_create) createPlan = nullptr;
  decltype(&permc_plan_kernel) kernelOf = nullptr;
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
  if (!library.createPlan || !library.kernelOf)
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

/// The thread that compiles, and what it has to do.
class Worker {
public:
  static Worker &get() {
    static auto *worker = new Worker;
    return *worker;
  }

  void use(Library loaded) {
    std::lock_guard<std::mutex> lock(mutex);
    library = loaded;
  }

  void ask(const FixedProblem &canonical) {
    std::lock_guard<std::mutex> lock(mutex);
    if (problems.size() >= maxWaiting || isWaiting(canonical))
      return;
    problems.push_back(std::make_unique<FixedProblem>(canonical));
    // A child of fork() has no thread but its own.
    if (startedIn != getpid())
      start();
    work.notify_one();
  }

  std::atomic<uint64_t> compiled = 0;
  uint64_t waiting() {
    std::lock_guard<std::mutex> lock(mutex);
    return problems.size();
  }

private:
  bool isWaiting(const FixedProblem &canonical) const {
    for (const auto &problem : problems)
      if (*problem == canonical)
        return true;
    return false;
  }

  /// No handler of the program's ever runs on the thread.
  void start() {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    try {
      std::thread([this] { serve(); }).detach();
      startedIn = getpid();
    } catch (const std::system_error &) {
      // Generic kernels it is.
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }

  [[noreturn]] void serve() {
    std::unique_lock<std::mutex> lock(mutex);
    while (true) {
      work.wait(lock, [this] { return !problems.empty(); });
      const FixedProblem problem = *problems.front();
      const Library compiler = library;
      lock.unlock();
      compile(compiler, problem);
      lock.lock();
      // In the list until now, so that nobody asks for it again.
      problems.pop_front();
    }
  }

  /// What cannot be compiled stays with the generic kernels.
  void compile(const Library &compiler, const FixedProblem &problem) {
    InElements given(problem);
    permc_plan *plan = nullptr;
    if (compiler.createPlan(nullptr, &given.described, nullptr, &plan) !=
        PERMC_OK)
      return;
    // The plan is never released: its kernel may run at any time.
    const permc_kernel *kernel = compiler.kernelOf(plan);
    if (Registry::get().add({&kernel, 1},
                            KernelTable::forThisCPU().facts.foldLimit))
      compiled.fetch_add(1);
  }

  std::mutex mutex;
  std::condition_variable work;
  std::deque<std::unique_ptr<FixedProblem>> problems;
  Library library;
  pid_t startedIn = 0;
};

} // namespace

Status HotProblems::enable(uint32_t calls, const char *path) {
  if (calls == 0)
    return Error{Cause::BadSize,
                 "a threshold of 0 calls; expected 1 call or more"};
  Result<Library> library = load(path ? path : PERMC_JIT_LIBRARY);
  if (!library)
    return library.error();
  Worker::get().use(*library);
  threshold.store(calls, std::memory_order_relaxed);
  return Done{};
}

void HotProblems::ask(const FixedProblem &canonical) {
  Worker::get().ask(canonical);
}

uint64_t HotProblems::compiled() { return Worker::get().compiled.load(); }
uint64_t HotProblems::waiting() { return Worker::get().waiting(); }
