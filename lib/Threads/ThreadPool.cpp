//===- ThreadPool.cpp - threads for large tensors -------------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A call is a job on its caller's stack. Workers take parts of the oldest job
// that has any left; the caller takes parts of its own. So a job is done even
// if no worker ever comes, and callers cannot wait for each other.
//
//===----------------------------------------------------------------------===//

#include "permc/Threads/ThreadPool.h"

#include "permc/Threads/ForkGuard.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <system_error>
#include <thread>
#include <vector>

using namespace permc;

namespace {

/// Whether this thread is inside a body.
thread_local bool isInBody = false;

struct Job {
  const uint32_t parts;
  const ThreadPool::Body &body;
  std::atomic<uint64_t> next = 0; ///< wide: every visitor counts one too far
  unsigned workers = 0;           ///< inside now; guarded by the pool's mutex
  std::atomic<bool> hasThrown = false;
  std::exception_ptr thrown = {}; ///< the first; read when nobody is inside

  /// Lets no exception out: others may be inside.
  void takeParts() noexcept {
    isInBody = true;
    try {
      for (uint64_t part; (part = next.fetch_add(1)) < parts;)
        body(uint32_t(part));
    } catch (...) {
      if (!hasThrown.exchange(true))
        thrown = std::current_exception();
    }
    isInBody = false;
  }
};

/// Blocks all signals while it lives, so that a thread started meanwhile never
/// runs a handler of the program's.
class SignalsBlocked {
public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before, nullptr); }

private:
  sigset_t before;
};

/// What threads share. A forked child gets a new one: in the old one its
/// condition variables still count on threads that are gone.
struct Shared {
  std::mutex mutex;
  std::condition_variable work, done;
  std::deque<Job *> jobs; ///< with parts left
  std::vector<std::thread> threads;
  unsigned sleeping = 0;
  bool isStopping = false;

  void removeJob(const Job *job) { std::erase(jobs, job); }

  void serve() {
    std::unique_lock<std::mutex> lock(mutex);
    while (true) {
      ++sleeping;
      work.wait(lock, [this] { return isStopping || !jobs.empty(); });
      --sleeping;
      if (isStopping)
        return;
      Job *job = jobs.front();
      ++job->workers;
      lock.unlock();
      job->takeParts();
      lock.lock();
      removeJob(job);
      if (--job->workers == 0)
        done.notify_all();
    }
  }

  void startThread() {
    SignalsBlocked blocked;
    try {
      threads.emplace_back([this] { serve(); });
      pthread_setname_np(threads.back().native_handle(), "permc");
    } catch (const std::system_error &) {
      // The parts are done by the threads there are.
    }
  }
};

} // namespace

class ThreadPool::State {
public:
  explicit State(unsigned workers)
      : workers(workers), shared(new Shared),
        guard({[this] { shared->mutex.lock(); },
               [this] { shared->mutex.unlock(); },
               // The old one is left as it is: to destroy it would be to wait
               // for its threads.
               [this] { shared = new Shared; }}) {}

  ~State() {
    {
      std::lock_guard<std::mutex> lock(shared->mutex);
      shared->isStopping = true;
    }
    shared->work.notify_all();
    for (std::thread &thread : shared->threads)
      thread.join();
    delete shared;
  }

  void run(Job &job) {
    unsigned helpers = enqueue(job);
    for (unsigned i = 0; i < helpers; ++i)
      shared->work.notify_one();
    job.takeParts();
    std::unique_lock<std::mutex> lock(shared->mutex);
    shared->removeJob(&job);
    shared->done.wait(lock, [&] { return job.workers == 0; });
    lock.unlock();
    if (job.thrown)
      std::rethrow_exception(std::move(job.thrown));
  }

  const unsigned workers;
  Shared *shared;

private:
  /// How many workers should come.
  unsigned enqueue(Job &job) {
    std::lock_guard<std::mutex> lock(shared->mutex);
    unsigned helpers = std::min(job.parts - 1, workers);
    unsigned missing =
        helpers > shared->sleeping ? helpers - shared->sleeping : 0;
    while (missing-- > 0 && shared->threads.size() < workers)
      shared->startThread();
    shared->jobs.push_back(&job);
    return helpers;
  }

  ForkGuard guard;
};

ThreadPool::ThreadPool(unsigned workers)
    : state(std::make_unique<State>(workers)) {}
ThreadPool::~ThreadPool() = default;

ThreadPool &ThreadPool::shared() {
  static std::atomic<ThreadPool *> pool = nullptr;
  return madeOnce(pool, [] { return new ThreadPool(availableCPUs() - 1); });
}

void ThreadPool::parallelFor(uint32_t parts, const Body &body) {
  if (parts > 1 && state->workers > 0 && !isInBody) {
    Job job{parts, body};
    return state->run(job);
  }
  for (uint32_t part = 0; part < parts; ++part)
    body(part);
}

unsigned ThreadPool::started() const {
  std::lock_guard<std::mutex> lock(state->shared->mutex);
  return unsigned(state->shared->threads.size());
}

unsigned permc::availableCPUs() {
  cpu_set_t set;
  // Fails on machines with more CPUs than the set has room for.
  if (sched_getaffinity(0, sizeof set, &set) == 0)
    return unsigned(std::max(CPU_COUNT(&set), 1));
  return std::max(std::thread::hardware_concurrency(), 1u);
}
