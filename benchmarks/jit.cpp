//===- jit.cpp - what the JIT costs beside its kernels --------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   call/*     one call of a cached 4x4 problem of 8-byte elements
//   compile/*  a kernel that is not there yet, in a Jit that is warm: the best
//              of several problems, since machines are noisy
//   start/*    a process from exec to exit that permutes once
//   memory/*   the process's memory while it compiles 10,000 problems
//   threads/*  a second thread on tensors of several sizes
//
// The last table sets each figure beside the bound that permc promises.
//
//===----------------------------------------------------------------------===//

#include "Program.h"
#include "Suites.h"

#include "permc/Frontend/Convention.h"
#include "permc/JIT/Permute.h"
#include "permc/Threads/ThreadPool.h"

#include "benchmark/benchmark.h"

#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

using namespace permc;
using bench::die, bench::must;
namespace fs = std::filesystem;

namespace {

using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

Request requestFor(const Problem &problem, const char *target = "native") {
  return {"k", problem, "bytes", must(findTarget(target)), ""};
}

//===----------------------------------------------------------------------===//
// Figures and bounds
//===----------------------------------------------------------------------===//

struct Figure {
  double value, bound;
  const char *unit;
};
/// In the order they are printed.
std::vector<std::pair<std::string, Figure>> figures;

void record(const std::string &name, double value, double bound,
            const char *unit) {
  // A benchmark runs several times until it has run long enough.
  for (auto &[known, figure] : figures)
    if (known == name) {
      figure.value = std::min(figure.value, value);
      return;
    }
  figures.push_back({name, {value, bound, unit}});
}

void printFigures() {
  std::printf("\n%-44s %10s %10s  %s\n", "figure", "measured", "bound",
              "of bound");
  for (const auto &[name, figure] : figures)
    std::printf("%-44s %7.2f %-2s %7.0f %-2s  %.2f%s\n", name.c_str(),
                figure.value, figure.unit, figure.bound, figure.unit,
                figure.value / figure.bound,
                figure.value > figure.bound ? "  MISSED" : "");
}

//===----------------------------------------------------------------------===//
// call
//===----------------------------------------------------------------------===//

const Dims callShape{4, 4}, callPerm{1, 0};
alignas(64) double callSrc[16], callDst[16];

/// Seconds of one call, by name; the overhead is the difference.
std::map<std::string, double> callSeconds;

template <typename Call>
void timeCalls(benchmark::State &state, const std::string &name, Call call) {
  double best = std::numeric_limits<double>::max();
  constexpr int calls = 1000;
  for (auto _ : state) {
    const auto start = Clock::now();
    for (int i = 0; i < calls; ++i)
      call();
    const double seconds = secondsSince(start) / calls;
    state.SetIterationTime(seconds * calls);
    best = std::min(best, seconds);
  }
  state.SetItemsProcessed(state.iterations() * calls);
  callSeconds[name] = best;
  state.counters["best_ns"] = best * 1e9;
}

void callKernel(benchmark::State &state) {
  auto jit = must(Jit::create());
  Kernel kernel = must(
      jit->compile(requestFor(must(Problem::make(8, callShape, callPerm)))));
  timeCalls(state, "kernel", [&] {
    kernel(callSrc, callDst);
    benchmark::ClobberMemory();
  });
}

void callPlan(benchmark::State &state) {
  auto jit = must(Jit::create());
  Kernel kernel = must(
      jit->compile(requestFor(must(Problem::make(8, callShape, callPerm)))));
  timeCalls(state, "plan", [&] {
    must(run(kernel, callSrc, callDst));
    benchmark::ClobberMemory();
  });
  record("call/plan adds to its kernel",
         (callSeconds["plan"] - callSeconds["kernel"]) * 1e9, 100, "ns");
}

void callOneShot(benchmark::State &state) {
  timeCalls(state, "one_shot", [&] {
    must(permute(8, callShape, callPerm, callSrc, callDst));
    benchmark::ClobberMemory();
  });
  record("call/one_shot adds to its kernel",
         (callSeconds["one_shot"] - callSeconds["kernel"]) * 1e9, 100, "ns");
}

//===----------------------------------------------------------------------===//
// compile
//===----------------------------------------------------------------------===//

/// Time that this thread has had a CPU: compiling waits for nothing, so others
/// on the machine need not count.
double threadSeconds() {
  timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return double(time.tv_sec) + double(time.tv_nsec) * 1e-9;
}

double compileSeconds(Jit &jit, const Request &request) {
  const double start = threadSeconds();
  must(jit.compile(request));
  return threadSeconds() - start;
}

/// An 8x8 tile of f32 whose rows lie at another distance each time.
void compileTile(benchmark::State &state) {
  auto jit = must(Jit::create());
  int64_t stride = 8;
  auto next = [&] {
    return requestFor(must(Problem::make(4, {8, 8}, {1, 0}, Dims{stride++, 1})),
                      "x86-64-v3");
  };
  compileSeconds(*jit, next()); // the first one is not warm
  double best = std::numeric_limits<double>::max();
  for (auto _ : state) {
    const double seconds = compileSeconds(*jit, next());
    state.SetIterationTime(seconds);
    best = std::min(best, seconds);
  }
  record("compile/f32_8x8_tile", best * 1e3, 5, "ms");
}

constexpr double maxCompileMilliseconds = 30;

/// Seconds and names, the slowest first.
using CompileTimes = std::vector<std::pair<double, std::string>>;

/// The best of several rounds for each case.
CompileTimes slowestFirst(const std::map<std::string, double> &best) {
  CompileTimes times;
  for (const auto &[name, seconds] : best)
    times.emplace_back(seconds, name);
  std::sort(times.rbegin(), times.rend());
  return times;
}

/// Compiles all cases of all suites in a new Jit and keeps each one's best.
void compileAll(const std::vector<bench::Case> &cases,
                std::map<std::string, double> &best) {
  auto jit = must(Jit::create());
  compileSeconds(*jit, requestFor(must(Problem::make(4, {8, 8}, {1, 0}))));
  for (const bench::Case &one : cases) {
    const uint64_t compiled = jit->statistics().compiled;
    const double seconds = compileSeconds(*jit, requestFor(one.problem));
    if (jit->statistics().compiled == compiled)
      continue; // another case is the same problem
    auto [place, isNew] = best.try_emplace(one.fullName(), seconds);
    place->second = std::min(place->second, seconds);
  }
}

void compileSuites(benchmark::State &state) {
  const auto cases = must(
      bench::loadSuites({}, {PERMC_BENCH_CASES, PERMC_BENCH_PEERS_FILE, 1}));
  if (cases.empty())
    return state.SkipWithError("no case files in " PERMC_BENCH_CASES);
  std::map<std::string, double> best;
  for (auto _ : state) {
    const double start = threadSeconds();
    compileAll(cases, best);
    state.SetIterationTime(threadSeconds() - start);
  }
  const CompileTimes times = slowestFirst(best);
  double total = 0;
  size_t over = 0;
  for (const auto &[seconds, name] : times) {
    total += seconds;
    over += seconds * 1e3 > maxCompileMilliseconds;
  }
  for (size_t i = 0; i < std::min(times.size(), std::max<size_t>(over, 5)); ++i)
    std::printf("%-44s compiles in %.1f ms\n", times[i].second.c_str(),
                times[i].first * 1e3);
  state.counters["cases"] = double(times.size());
  state.counters["over_30_ms"] = double(over);
  state.counters["mean_ms"] = total * 1e3 / double(times.size());
  record("compile/slowest: " + times[0].second, times[0].first * 1e3,
         maxCompileMilliseconds, "ms");
}

//===----------------------------------------------------------------------===//
// start
//===----------------------------------------------------------------------===//

constexpr const char *firstCallOption = "--first-call";

int firstCall() {
  static float src[64 * 48], dst[64 * 48];
  const Dims shape{64, 48}, perm{1, 0};
  return permute(4, shape, perm, src, dst) ? 0 : 1;
}

/// The seconds of CPU that the last new process has used; what is more than
/// this in its time is others' on the machine.
double processCPUSeconds = 0;

double seconds(const timeval &time) {
  return double(time.tv_sec) + double(time.tv_usec) * 1e-6;
}

/// Runs this program as a new process that permutes once.
double processSeconds(const std::string &cacheDirectory) {
  setenv("PERMC_CACHE_DIR", cacheDirectory.c_str(), 1);
  char self[] = "/proc/self/exe";
  std::string option = firstCallOption;
  char *arguments[] = {self, option.data(), nullptr};
  const auto start = Clock::now();
  pid_t child = 0;
  int status = -1;
  rusage used = {};
  if (posix_spawn(&child, self, nullptr, nullptr, arguments, environ) != 0 ||
      wait4(child, &status, 0, &used) != child || status != 0)
    die("the new process failed");
  processCPUSeconds = seconds(used.ru_utime) + seconds(used.ru_stime);
  return secondsSince(start);
}

void startProcess(benchmark::State &state, const std::string &directory,
                  const char *name, double bound) {
  processSeconds(directory); // fills the cache of files, and the kernels'
  double best = std::numeric_limits<double>::max(), bestCPU = best;
  for (auto _ : state) {
    const double seconds = processSeconds(directory);
    state.SetIterationTime(seconds);
    best = std::min(best, seconds);
    bestCPU = std::min(bestCPU, processCPUSeconds);
  }
  unsetenv("PERMC_CACHE_DIR");
  state.counters["cpu_ms"] = bestCPU * 1e3;
  record(name, best * 1e3, bound, "ms");
}

void startCold(benchmark::State &state) {
  startProcess(state, "", "start/first call in a fresh process", 100);
}

void startWarm(benchmark::State &state) {
  std::string directory = (fs::temp_directory_path() / "permc-XXXXXX").string();
  if (!mkdtemp(directory.data()))
    die("no temporary folder");
  startProcess(state, directory, "start/the same with a warm disk cache", 40);
  fs::remove_all(directory);
}

//===----------------------------------------------------------------------===//
// memory
//===----------------------------------------------------------------------===//

double residentMiB() {
  std::ifstream file("/proc/self/statm");
  int64_t total = 0, resident = 0;
  file >> total >> resident;
  return double(resident) * double(sysconf(_SC_PAGESIZE)) / (1 << 20);
}

void memoryFlat(benchmark::State &state) {
  constexpr int64_t problems = 10000, settled = 2000;
  double before = 0;
  for (auto _ : state) {
    auto jit = must(
        Jit::create({.cacheBytes = int64_t(4) << 20, .cacheDirectory = ""}));
    const auto start = Clock::now();
    for (int64_t i = 0; i < problems; ++i) {
      if (i == settled)
        before = residentMiB();
      // Each with a size of its own; copies and transposes in turn.
      must(jit->compile(
          requestFor(i % 2 ? must(Problem::make(4, {i + 5, 3}, {1, 0}))
                           : must(Problem::make(1, {i + 100}, {0})))));
    }
    state.SetIterationTime(secondsSince(start));
    state.counters["evicted"] = double(jit->statistics().evicted);
  }
  const double after = residentMiB();
  state.counters["MiB_after_2000"] = before;
  state.counters["MiB_after_10000"] = after;
  record("memory/after 10,000 problems, of after 2,000", after / before * 100,
         110, "%");
}

//===----------------------------------------------------------------------===//
// threads
//===----------------------------------------------------------------------===//

/// Where a second thread begins to pay: minParallelBytes comes from here.
void threadsPay(benchmark::State &state) {
  const int64_t bytes = state.range(0) << 10;
  auto jit = must(Jit::create());
  const Problem problem = must(Problem::make(4, {64, bytes / 256}, {1, 0}));
  Kernel kernel = must(jit->compile(requestFor(problem)));
  std::vector<char> src(problem.srcSpan()), dst(problem.dstSpan());
  auto pooled = [&] {
    ThreadPool::shared().parallelFor(2, [&](uint32_t part) {
      kernel.part(src.data(), dst.data(), part, 2);
    });
  };
  double one = std::numeric_limits<double>::max(), two = one;
  for (auto _ : state) {
    auto start = Clock::now();
    kernel(src.data(), dst.data());
    one = std::min(one, secondsSince(start));
    start = Clock::now();
    pooled();
    const double seconds = secondsSince(start);
    two = std::min(two, seconds);
    state.SetIterationTime(seconds);
  }
  state.counters["speedup"] = one / two;
}

void registerBenchmarks() {
  auto add = [](const char *name, void (*function)(benchmark::State &)) {
    return benchmark::RegisterBenchmark(name, function)
        ->UseManualTime()
        ->Unit(benchmark::kMillisecond);
  };
  add("call/kernel", callKernel)->Unit(benchmark::kMicrosecond);
  add("call/plan", callPlan)->Unit(benchmark::kMicrosecond);
  add("call/one_shot", callOneShot)->Unit(benchmark::kMicrosecond);
  add("compile/f32_8x8_tile", compileTile)->Iterations(50);
  add("compile/suites", compileSuites)->Iterations(5);
  add("start/cold", startCold)->Iterations(15);
  add("start/warm_disk", startWarm)->Iterations(15);
  add("memory/flat", memoryFlat)->Iterations(1);
  add("threads/KiB", threadsPay)
      ->Unit(benchmark::kMicrosecond)
      ->RangeMultiplier(2)
      ->Range(64, 4096)
      ->Iterations(200);
}

} // namespace

int main(int argc, char **argv) {
  if (argc == 2 && std::strcmp(argv[1], firstCallOption) == 0)
    return firstCall();
  registerBenchmarks();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv))
    return 2;
  benchmark::RunSpecifiedBenchmarks();
  printFigures();
  return 0;
}
