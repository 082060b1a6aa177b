//===- cliffs.cpp - search for shapes that fall off -----------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   permc-cliffs [--count N] [--seed N] [--target T] [--threads N]
//                [--floor RATIO] [--filter TEXT] [--seconds S] [--way aot|shim]
//
// Nobody may find permc slower than a plain loop, or at a small share of
// memcpy's speed. This draws skinny shapes, measures the compiled kernel and
// the run-time library on each, into a dst that begins with a line and into one
// 16 bytes behind it (as malloc's large blocks do), and prints every one that
// is below the floor (of memcpy's speed) or slower than a plain C loop at -O3
// for the same CPU. Kernels are compared with a loop that is compiled for the
// shape, as they are, the library with one that reads its sizes.
//
// A first look at a case is short. Only what looks bad is measured again, and
// counts if its best and its median are both bad then. All outputs are compared
// with the plain loop's.
//
//===----------------------------------------------------------------------===//

#include "Buffer.h"
#include "Program.h"
#include "SkinnyCases.h"
#include "StaticLoops.h"
#include "Stopwatch.h"
#include "ThreadTeam.h"

#include "permc-rt/permc_rt.h"
#include "permc/JIT/Jit.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <span>
#include <unistd.h>

using namespace permc;
using namespace permc::bench;
namespace cl = llvm::cl;

namespace {

/// Large blocks of malloc begin so far behind a line.
constexpr int64_t mallocOffset = 16;
/// Two equal competitors differ by this much.
constexpr double noise = 0.97;
/// Loops are compiled so many at a time.
constexpr size_t batchSize = 200;

struct Options {
  size_t count;
  uint64_t seed;
  std::string target, filter, way;
  unsigned threads;
  double floor, seconds;
};

/// One way to call permc, measured beside memcpy and the plain loop.
struct Figure {
  std::string way; ///< "aot", "shim+16"
  double ofMemcpy, ofLoop;
};

/// Of all cases of one level and way.
struct Summary {
  size_t count = 0, slow = 0, behind = 0;
  double logarithms = 0, worst = INFINITY;

  void add(double ofMemcpy) {
    ++count;
    logarithms += std::log(ofMemcpy);
    worst = std::min(worst, ofMemcpy);
  }
  double mean() const { return std::exp(logarithms / double(count)); }
};

class Search {
public:
  Search(Options options, int64_t mostBytes)
      : options(std::move(options)),
        target(must(findTarget(this->options.target))),
        jit(must(Jit::create())), team(this->options.threads),
        src(must(Buffer::allocate(mostBytes))),
        dst(must(Buffer::allocate(mostBytes + mallocOffset))),
        right(must(Buffer::allocate(mostBytes))) {
    src.fillWithPattern();
  }

  /// One loop for each way: for constant sizes, and for those of run time.
  struct Loops {
    StaticLoops::Function constant, runTime;
  };

  void run(const Case &one, Loops loops) {
    std::string schedule;
    const std::vector<Competitor> competitors = enter(one, loops, schedule);
    constexpr double firstLook = 0.1; // of the time
    std::vector<Figure> figures =
        measure(one, competitors, options.seconds * firstLook, 3);
    // The best of few samples is rarely too good.
    if (std::ranges::any_of(figures, [&](const Figure &f) { return isBad(f); }))
      figures = measure(one, competitors, options.seconds, 15);
    for (const Figure &figure : figures) {
      Summary &summary = summaries[one.suite + " " + figure.way];
      summary.add(figure.ofMemcpy);
      summary.slow += figure.ofMemcpy < options.floor;
      summary.behind += figure.ofLoop < noise;
      if (isBad(figure))
        print(one, figure, schedule);
    }
  }

  void summarize() const {
    llvm::outs() << "\nlevel, way        cases    mean   worst  below "
                 << llvm::format("%.2f", options.floor)
                 << "  behind the loop\n";
    for (const auto &[name, summary] : summaries)
      llvm::outs() << llvm::format("%-16s %6zu %7.2f %7.2f %11zu %16zu\n",
                                   name.c_str(), summary.count, summary.mean(),
                                   summary.worst, summary.slow, summary.behind);
  }

private:
  bool isBad(const Figure &figure) const {
    return figure.ofMemcpy < options.floor || figure.ofLoop < noise;
  }

  void print(const Case &one, const Figure &figure,
             const std::string &schedule) const {
    llvm::outs() << llvm::format("%5.2f of memcpy, %5.2f of the loop: ",
                                 figure.ofMemcpy, figure.ofLoop)
                 << one.name << " (" << one.suite << ", " << figure.way << ")";
    if (figure.way.starts_with("aot"))
      llvm::outs() << " " << schedule;
    llvm::outs() << "\n";
    llvm::outs().flush();
  }

  bool takesPart(const std::string &way) const {
    return options.way.empty() || options.way == way;
  }

  /// Whether several threads are worth waking.
  bool isShared(const Case &one) const {
    constexpr int64_t leastBytes = 1 << 20;
    return options.threads > 1 && one.problem.bytesMoved() >= leastBytes;
  }

  /// memcpy, the plain loop, and all ways to call permc, each of which is
  /// verified.
  std::vector<Competitor> enter(const Case &one, Loops loops,
                                std::string &schedule) {
    const Problem &problem = one.problem;
    const int64_t bytes = problem.bytesMoved();
    Request request{"kernel", problem, "bytes", target, ""};
    schedule = spellSchedule(must(compiler.decide(request)).schedule);
    const Kernel kernel = must(jit->load(
        must(compiler.compile({request}, Emit::Object)).bytes, "kernel"));
    const unsigned threads = isShared(one) ? options.threads : 1;
    const char *from = src.data();
    char *to = dst.data();
    loops.constant(from, right.data());
    std::vector<Competitor> all;
    all.push_back(
        compete("memcpy", [=] { std::memcpy(to, from, size_t(bytes)); }));
    all.push_back(compete("loop", [=] { loops.constant(from, to); }));
    all.push_back(compete("run-time loop", [=] { loops.runTime(from, to); }));
    verify(one, all.back(), to);
    for (int64_t offset : {int64_t{0}, mallocOffset}) {
      char *place = to + offset;
      const std::string behind = offset ? "+16" : "";
      if (takesPart("aot")) {
        if (threads > 1)
          all.push_back(compete("aot" + behind, [=, this] {
            team.run([&](unsigned i) { kernel.part(from, place, i, threads); });
          }));
        else
          all.push_back(compete("aot" + behind, [=] { kernel(from, place); }));
        verify(one, all.back(), place);
      }
      if (takesPart("shim")) {
        all.push_back(compete("shim" + behind, [=, &problem] {
          permc_rt_permute(from, place, uint32_t(problem.rank()),
                           problem.shape().data(), problem.perm().data(),
                           nullptr, nullptr, uint64_t(problem.elementBytes()),
                           threads);
        }));
        verify(one, all.back(), place);
      }
    }
    return all;
  }

  void verify(const Case &one, const Competitor &competitor, char *place) {
    const auto bytes = size_t(one.problem.bytesMoved());
    std::memset(place, 0x5a, bytes);
    competitor.run(1);
    if (std::memcmp(place, right.data(), bytes) != 0)
      die(one.name + ": " + competitor.name + " differs from the plain loop");
  }

  std::vector<Figure> measure(const Case &one,
                              const std::vector<Competitor> &competitors,
                              double seconds, size_t rounds) {
    SamplerOptions sampling;
    sampling.budgetSeconds = seconds;
    sampling.minRounds = rounds;
    sampling.sampleSeconds = 30e-6;
    sampling.warmUp = one.problem.bytesMoved() <= maxWarmBytes;
    const Clock clock = isShared(one) ? Clock::Wall : Clock::Thread;
    sampling.stopwatch = [clock](const Competitor &competitor, int64_t calls) {
      return timeByGoogleBenchmark(competitor, calls, clock);
    };
    const std::vector<Samples> samples = takeSamples(competitors, sampling);
    std::vector<Figure> figures;
    for (const Samples &own : std::span(samples).subspan(3)) {
      const Samples &loop = samples[own.name.starts_with("aot") ? 1 : 2];
      figures.push_back(
          {own.name,
           std::max(samples[0].best() / own.best(), own.medianRatio()),
           std::max(loop.best() / own.best(),
                    own.medianRatio() / loop.medianRatio())});
    }
    return figures;
  }

  Options options;
  Target target;
  Compiler compiler;
  std::unique_ptr<Jit> jit;
  ThreadTeam team;
  Buffer src, dst, right;
  std::map<std::string, Summary> summaries;
};

Options readOptions(int argc, char **argv) {
  removeForeignOptions();
  cl::opt<size_t> count("count", cl::init(5000), cl::desc("How many cases"));
  cl::opt<uint64_t> seed("seed", cl::init(1),
                         cl::desc("What they are drawn by"));
  cl::opt<std::string> target("target", cl::init("native"),
                              cl::desc("What kernels are compiled for"));
  cl::opt<std::string> way(
      "way", cl::desc("Only aot, compiled kernels, or shim, the library"));
  cl::opt<std::string> filter("filter", cl::desc("Only cases with this text"));
  cl::opt<unsigned> threads("threads", cl::init(1),
                            cl::desc("Threads of cases of 1 MiB and more"));
  cl::opt<double> floor("floor", cl::init(0.3),
                        cl::desc("Print what is slower: a share of memcpy"));
  cl::opt<double> seconds("seconds", cl::init(0.2),
                          cl::desc("Time for a case that looks bad"));
  cl::ParseCommandLineOptions(
      argc, argv, "permc-cliffs searches for shapes that are slow\n");
  return {count, seed, target, filter, way, threads, floor, seconds};
}

} // namespace

int main(int argc, char **argv) {
  const Options options = readOptions(argc, argv);
  std::vector<Case> cases = drawSkinnyCases(options.count, options.seed);
  std::erase_if(cases, [&](const Case &one) {
    return one.fullName().find(options.filter) == std::string::npos;
  });
  int64_t mostBytes = 0;
  for (const Case &one : cases)
    mostBytes = std::max(mostBytes, one.problem.bytesMoved());
  Search search(options, mostBytes);
  for (size_t first = 0; first < cases.size(); first += batchSize) {
    const std::span<const Case> batch(
        &cases[first], std::min(batchSize, cases.size() - first));
    std::vector<Problem> problems;
    for (const Case &one : batch)
      problems.push_back(one.problem);
    // The names of levels are those of -march.
    const StaticLoops constant =
        must(StaticLoops::compile(problems, {options.target, false}));
    const StaticLoops runTime =
        must(StaticLoops::compile(problems, {options.target, true}));
    for (size_t i = 0; i < batch.size(); ++i)
      search.run(batch[i], {constant[i], runTime[i]});
    if (isatty(STDERR_FILENO))
      llvm::errs() << first + batch.size() << " of " << cases.size() << "\r";
  }
  search.summarize();
  return 0;
}
