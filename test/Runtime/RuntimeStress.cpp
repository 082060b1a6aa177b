//===- RuntimeStress.cpp - all threads at everything at once --------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   permc-rt-stress-thread THREADS ROUNDS LIBPERMC_SO
//
// Threads permute, on the pool and alone, problems that they share and others;
// register kernels for the same problems, one instead of another, so that the
// registry grows and changes under all of them; and so often that the JIT
// compiles in the background. Every result is compared. Built with
// ThreadSanitizer; what assembly, LLVM and compiled kernels do it does not see,
// but the kernels that are registered here it does.
//
//===----------------------------------------------------------------------===//

#include "permc-rt/permc_rt.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <random>
#include <thread>
#include <utility>
#include <vector>

namespace {

/// Rows of all transposes: a kernel knows nothing else of its problem.
constexpr int64_t rows = 48;
/// Columns of the largest: enough for several threads.
constexpr int64_t manyColumns = 3000;
/// Columns of the problems that have kernels, besides the largest.
constexpr int64_t commonColumns = 64;

/// A kernel for `rows` by `columns` elements of 4 bytes.
template <int64_t columns>
void runPart(const void *src, void *dst, uint32_t part, uint32_t parts) {
  for (int64_t j = columns * part / parts; j < columns * (part + 1) / parts;
       ++j)
    for (int64_t i = 0; i < rows; ++i)
      static_cast<uint32_t *>(dst)[j * rows + i] =
          static_cast<const uint32_t *>(src)[i * columns + j];
}
template <int64_t columns> void run(const void *src, void *dst) {
  runPart<columns>(src, dst, 0, 1);
}

struct Kernel {
  Kernel(int64_t columns, const char *target,
         void (*whole)(const void *, void *),
         void (*part)(const void *, void *, uint32_t, uint32_t))
      : shape{rows, columns} {
    info.size = sizeof info;
    info.rank = 2;
    info.element_bytes = 4;
    info.shape = shape;
    info.perm = perm;
    info.name = "stress";
    info.element = "u32";
    info.target = target;
    info.run = whole;
    info.run_part = part;
  }
  Kernel(const Kernel &) = delete;

  const int64_t shape[2], perm[2] = {1, 0};
  permc_kernel info = {};
};

class Worker {
public:
  Worker(uint64_t seed, const char *target) : random(seed), target(target) {}

  /// How many results were wrong.
  int work(int rounds) {
    int wrong = 0;
    for (int round = 0; round < rounds; ++round) {
      switch (random() % 8) {
      case 0:
        registerAll(std::make_index_sequence<commonColumns>());
        break;
      case 1:
        wrong += !isRight(manyColumns);
        break;
      case 2: // one that only the JIT has a kernel for
        wrong += !isRight(commonColumns + 1 + int64_t(random() % 8));
        break;
      default:
        wrong += !isRight(1 + int64_t(random() % commonColumns));
      }
    }
    return wrong;
  }

private:
  bool isRight(int64_t columns) {
    const int64_t shape[] = {rows, columns}, perm[] = {1, 0};
    std::vector<uint32_t> src(size_t(rows * columns)), dst(src.size());
    for (uint32_t &value : src)
      value = uint32_t(random());
    if (permc_rt_permute(src.data(), dst.data(), 2, shape, perm, nullptr,
                         nullptr, 4, uint32_t(random() % 4)) != PERMC_OK) {
      std::printf("%s\n", permc_rt_last_error());
      return false;
    }
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < columns; ++j)
        if (dst[size_t(j * rows + i)] != src[size_t(i * columns + j)]) {
          std::printf("%lldx%lld: element %lld, %lld is wrong\n",
                      (long long)rows, (long long)columns, (long long)i,
                      (long long)j);
          return false;
        }
    return true;
  }

  /// Kernels for all that others are asking for, in one call: others come by
  /// while some are there and some are not.
  template <size_t... column> void registerAll(std::index_sequence<column...>) {
    const size_t first = kernels.size();
    (kernels.emplace_back(column + 1, target, run<column + 1>,
                          runPart<column + 1>),
     ...);
    kernels.emplace_back(manyColumns, target, run<manyColumns>,
                         runPart<manyColumns>);
    std::vector<const permc_kernel *> infos;
    for (size_t i = first; i < kernels.size(); ++i)
      infos.push_back(&kernels[i].info);
    if (permc_rt_register_kernels(infos.data(), uint32_t(infos.size())) !=
        PERMC_OK)
      std::abort();
  }

  std::mt19937_64 random;
  const char *target;
  std::deque<Kernel> kernels; ///< must stay where they are
};

permc_rt_statistics statistics() {
  permc_rt_statistics statistics = {};
  statistics.size = sizeof statistics;
  permc_rt_get_statistics(&statistics);
  return statistics;
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 4) {
    std::fprintf(stderr,
                 "usage: permc-rt-stress-thread THREADS ROUNDS LIBPERMC_SO\n");
    return 2;
  }
  const int threadCount = std::atoi(argv[1]), rounds = std::atoi(argv[2]);
  if (permc_rt_enable_jit(2, argv[3]) != PERMC_OK) {
    std::fprintf(stderr, "%s\n", permc_rt_last_error());
    return 2;
  }
  std::deque<Worker> workers;
  std::vector<std::thread> threads;
  std::atomic<int> wrong = 0;
  for (int i = 0; i < threadCount; ++i) {
    Worker &worker = workers.emplace_back(uint64_t(i), statistics().target);
    threads.emplace_back([&] { wrong += worker.work(rounds); });
  }
  for (std::thread &thread : threads)
    thread.join();
  // What is hot by now is compiled, however short the run was.
  while (statistics().compiled == 0)
    wrong += Worker(threadCount, statistics().target).work(1);
  std::printf("%d of %d wrong; %llu kernels registered, %llu compiled\n",
              wrong.load(), threadCount * rounds,
              (unsigned long long)statistics().registered,
              (unsigned long long)statistics().compiled);
  return wrong == 0 ? 0 : 1;
}
