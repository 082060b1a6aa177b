//===- JitStress.cpp - many threads, a cache that is always full ----------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   JitStress THREADS PROBLEMS
//
// Every thread draws random problems, compiles them with a Jit that all share,
// runs them and compares with the naive loop. The cache has room for a few
// kernels only, so that kernels are evicted all the time while others run them.
// Some problems are drawn by all threads, so that they meet; some calls go
// through permute() and the thread pool. Built with ThreadSanitizer and with
// AddressSanitizer; see CMakeLists.txt.
//
//===----------------------------------------------------------------------===//

#include "../unit/Testing/NaivePermute.h"
#include "../unit/Testing/RandomProblem.h"

#include "permc/JIT/Permute.h"
#include "permc/Threads/ThreadPool.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <thread>

using namespace permc;

namespace {

/// Kernels for some 10 problems.
constexpr int64_t cacheBytes = 256 << 10;
constexpr int64_t maxElements = 1 << 12;

class Worker {
public:
  Worker(Jit &jit, uint64_t number)
      : jit(jit), own(1000 + number), common(7), target(*findTarget("native")) {
  }

  /// How many of the problems went wrong.
  int work(int problems) {
    int wrong = 0;
    for (int i = 0; i < problems; ++i) {
      // Every fourth problem is the same for all threads.
      const Problem problem =
          randomProblem(i % 4 == 0 ? common : own, maxElements);
      if (isRight(problem, i))
        continue;
      ++wrong;
      std::printf("wrong: element %lld, %s by %s, byte strides %s, %s: %s\n",
                  static_cast<long long>(problem.elementBytes()),
                  spellShape(problem.shape()).c_str(),
                  spellList(problem.perm()).c_str(),
                  spellList(problem.srcByteStrides()).c_str(),
                  spellList(problem.dstByteStrides()).c_str(), why.c_str());
      std::fflush(stdout);
    }
    return wrong;
  }

private:
  bool isRight(const Problem &problem, int i) {
    src.resize(problem.srcSpan());
    for (unsigned char &byte : src)
      byte = static_cast<unsigned char>(own());
    dst.assign(problem.dstSpan(), 0);
    expected = dst;
    naivePermute(problem, src.data(), expected.data());
    why = "an element is in the wrong place";
    return move(problem, i) && dst == expected;
  }

  bool move(const Problem &problem, int i) {
    if (i % 8 == 0 && problem.isDense()) {
      Status done = permute(problem.elementBytes(), problem.shape(),
                            problem.perm(), src.data(), dst.data());
      why = done ? why : done.error().message;
      return bool(done);
    }
    Result<Kernel> kernel = jit.compile({"k", problem, "bytes", target, ""});
    if (!kernel) {
      why = kernel.error().message;
      return false;
    }
    if (i % 8 != 1) {
      (*kernel)(src.data(), dst.data());
      return true;
    }
    // Small as they are, in parts on the threads of the pool.
    ThreadPool::shared().parallelFor(5, [&](uint32_t part) {
      kernel->part(src.data(), dst.data(), part, 5);
    });
    return true;
  }

  Jit &jit;
  std::mt19937_64 own, common;
  const Target target;
  std::vector<unsigned char> src, dst, expected;
  std::string why; ///< the last problem is wrong
};

} // namespace

int main(int argc, char **argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: %s THREADS PROBLEMS\n", argv[0]);
    return 2;
  }
  const int threads = std::atoi(argv[1]), problems = std::atoi(argv[2]);
  auto jit = Jit::create({.cacheBytes = cacheBytes, .cacheDirectory = ""});
  if (!jit) {
    std::fprintf(stderr, "%s\n", jit.error().message.c_str());
    return 1;
  }
  std::atomic<int> wrong = 0;
  std::vector<std::thread> workers;
  for (int number = 0; number < threads; ++number)
    workers.emplace_back(
        [&, number] { wrong += Worker(**jit, number).work(problems); });
  for (std::thread &worker : workers)
    worker.join();

  const JitStatistics done = (*jit)->statistics();
  std::printf("%d threads x %d problems: %d wrong; %llu compiled, %llu found, "
              "%llu evicted, %lld bytes kept\n",
              threads, problems, wrong.load(),
              static_cast<unsigned long long>(done.compiled),
              static_cast<unsigned long long>(done.cacheHits),
              static_cast<unsigned long long>(done.evicted),
              static_cast<long long>(done.cachedBytes));
  // A run that evicts nothing has not tested what it is for.
  return wrong == 0 && done.evicted > 0 && done.cachedBytes <= cacheBytes ? 0
                                                                          : 1;
}
