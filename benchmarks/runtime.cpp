//===- runtime.cpp - the shim beside kernels made for their problem -------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   permc-rt-bench [--suite NAME]... [--fresh SEED [--count N]]
//                  [--filter TEXT] [--budget SECONDS] [--cases]
//
// Measures on one thread, in turn, the shim's generic kernels and the kernel
// that permc compiles for the problem, on all cases of more than 32 KiB; then
// what a call costs beside its moves. The last table sets each figure beside
// the bound that permc promises.
//
//===----------------------------------------------------------------------===//

#include "Buffer.h"
#include "FreshCases.h"
#include "Program.h"
#include "Sampler.h"
#include "Suites.h"

#include "permc-rt/permc_rt.h"
#include "permc/JIT/Jit.h"

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <map>

using namespace permc;
using namespace permc::bench;

namespace {

/// Smaller problems fit the first cache, where the call counts as well.
constexpr int64_t minBytes = 32 << 10;

struct Options {
  std::vector<std::string> suites;
  std::string filter; ///< a part of suite/name
  uint64_t fresh = 0; ///< in place of suites: a seed
  size_t count = 200;
  double budget = 0.2;
  bool printCases = false;
};

Options readOptions(int argc, char **argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    std::string flag = argv[i];
    if (flag == "--cases") {
      options.printCases = true;
      continue;
    }
    if (i + 1 == argc ||
        (flag != "--suite" && flag != "--budget" && flag != "--filter" &&
         flag != "--fresh" && flag != "--count"))
      die("unknown or incomplete option '" + flag +
          "'; expected --suite NAME, --fresh SEED, --count N, --filter TEXT, "
          "--budget SECONDS or --cases");
    if (flag == "--suite")
      options.suites.push_back(argv[++i]);
    else if (flag == "--filter")
      options.filter = argv[++i];
    else if (flag == "--fresh")
      options.fresh = std::strtoull(argv[++i], nullptr, 10);
    else if (flag == "--count")
      options.count = std::strtoull(argv[++i], nullptr, 10);
    else
      options.budget = std::atof(argv[++i]);
  }
  return options;
}

/// A problem as permc_rt_permute takes it.
struct RuntimeCall {
  explicit RuntimeCall(const Problem &problem) : problem(problem) {}
  void operator()(const void *src, void *dst) const {
    if (permc_rt_permute(src, dst, problem.rank(), problem.shape().data(),
                         problem.perm().data(), nullptr, nullptr,
                         uint64_t(problem.elementBytes()), 1) != PERMC_OK)
      die(permc_rt_last_error());
  }
  const Problem &problem;
};

//===----------------------------------------------------------------------===//
// Generic kernels
//===----------------------------------------------------------------------===//

/// Seconds of both on one case.
struct Times {
  double compiled, generic;
  double ratio() const { return compiled / generic; }
};

Times compare(const Case &one, Jit &jit, double budget) {
  const Problem &problem = one.problem;
  Kernel kernel = must(
      jit.compile({"k", problem, "bytes", must(findTarget("native")), ""}));
  Buffer src = must(Buffer::allocate(problem.srcSpan())),
         dst = must(Buffer::allocate(problem.dstSpan())),
         expected = must(Buffer::allocate(problem.dstSpan()));
  src.fillWithPattern();
  RuntimeCall generic(problem);
  generic(src.data(), dst.data());
  kernel(src.data(), expected.data());
  if (std::memcmp(dst.data(), expected.data(), size_t(dst.size())) != 0)
    die(one.fullName() + ": the shim and the kernel differ");
  SamplerOptions options;
  options.budgetSeconds = budget;
  auto samples = takeSamples(
      {compete("static", [&] { kernel(src.data(), dst.data()); }),
       compete("generic", [&] { generic(src.data(), dst.data()); })},
      options);
  return {samples[0].best(), samples[1].best()};
}

struct Mean {
  double logarithms = 0;
  int count = 0;
  double worst = 1e9;
  std::string worstCase;
  void add(double ratio, const std::string &name) {
    logarithms += std::log(ratio);
    ++count;
    if (ratio < worst) {
      worst = ratio;
      worstCase = name;
    }
  }
  double value() const { return std::exp(logarithms / std::max(count, 1)); }
};

double compareSuites(const Options &options) {
  const auto cases =
      options.fresh
          ? drawFreshCases(options.count, options.fresh)
          : must(loadSuites(options.suites,
                            {PERMC_BENCH_CASES, PERMC_BENCH_PEERS_FILE, 1}));
  auto jit = must(Jit::create());
  std::map<std::string, Mean> suites;
  Mean all;
  for (const Case &one : cases) {
    if (one.problem.bytesMoved() <= minBytes ||
        one.fullName().find(options.filter) == std::string::npos)
      continue;
    Times times = compare(one, *jit, options.budget);
    const double ratio = times.ratio();
    suites[one.suite].add(ratio, one.name);
    all.add(ratio, one.fullName());
    if (options.printCases)
      std::printf("%6.3f %9.1f us %9.1f us  %-40s %s by %s\n", ratio,
                  times.compiled * 1e6, times.generic * 1e6,
                  one.fullName().c_str(), spellTensor(one.problem).c_str(),
                  spellOrder(one.problem).c_str());
  }
  std::printf("\ntime(kernel for the problem) / time(generic), 1 thread, "
              "problems over 32 KiB\n%-16s %6s %9s %7s\n",
              "suite", "cases", "geo mean", "worst");
  for (const auto &[name, mean] : suites)
    std::printf("%-16s %6d %9.3f %7.3f  %s\n", name.c_str(), mean.count,
                mean.value(), mean.worst, mean.worstCase.c_str());
  return all.value();
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

/// The best of many: seconds of one call.
template <typename Call> double timeCalls(int calls, Call call) {
  double best = 1e9;
  for (int round = 0; round < 50; ++round) {
    auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < calls; ++i) {
      call(i);
      asm volatile("" ::: "memory");
    }
    std::chrono::duration<double> seconds =
        std::chrono::steady_clock::now() - start;
    best = std::min(best, seconds.count() / calls);
  }
  return best;
}

alignas(64) char callSrc[1 << 16], callDst[1 << 16];

/// A call whose plan is there, beside the bare kernel of the same problem.
double repeatOverhead() {
  Problem problem = must(Problem::make(4, {2, 3, 4, 5}, {3, 1, 0, 2}));
  auto jit = must(Jit::create());
  // What is registered must stay.
  static const Kernel kernel = must(
      jit->compile({"k", problem, "bytes", must(findTarget("native")), ""}));
  RuntimeCall call(problem);
  double alone = timeCalls(1000, [&](int) { kernel(callSrc, callDst); });
  // Registered, so that both run the same code.
  if (permc_rt_register_kernel(&kernel.describe()) != PERMC_OK)
    die(permc_rt_last_error());
  double through = timeCalls(1000, [&](int) { call(callSrc, callDst); });
  return through - alone;
}

/// A call whose plan has to be made, beside one whose plan is there.
double planningTime() {
  std::vector<Problem> problems;
  for (int64_t i = 0; i < 64; ++i)
    problems.push_back(must(Problem::make(4, {2, 3, 4, 5 + i}, {3, 1, 0, 2})));
  std::vector<RuntimeCall> calls(problems.begin(), problems.end());
  double planned = 0;
  for (const RuntimeCall &call : calls)
    planned += timeCalls(100, [&](int) { call(callSrc, callDst); });
  planned /= double(calls.size());
  // More problems than the cache has places: hardly a plan is found again.
  double planning =
      timeCalls(640, [&](int i) { calls[i % 64](callSrc, callDst); });
  return planning - planned;
}

void report(const char *name, double value, double bound, const char *unit,
            bool atLeast) {
  bool missed = atLeast ? value < bound : value > bound;
  std::printf("%-44s %8.2f %-2s %8.2f %-2s%s\n", name, value, unit, bound, unit,
              missed ? "  MISSED" : "");
}

} // namespace

int main(int argc, char **argv) {
  Options options = readOptions(argc, argv);
  permc_rt_statistics statistics = {};
  statistics.size = sizeof statistics;
  if (permc_rt_get_statistics(&statistics) != PERMC_OK)
    die(permc_rt_last_error());
  std::printf("generic kernels for %s\n", statistics.target);
  double mean = compareSuites(options);
  double overhead = repeatOverhead(), planning = planningTime();
  std::printf("\n%-44s %11s %11s\n", "figure", "measured", "bound");
  report("generic / static, geometric mean", mean, 0.85, "", true);
  report("repeated call beside its kernel", overhead * 1e9, 100, "ns", false);
  report("planning, rank 4", planning * 1e9, 1000, "ns", false);
  return 0;
}
