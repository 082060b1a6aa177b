//===- race.cpp - kernels of another permc beside this one's --------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   permc-race --old PERMC [--suite NAME]... [--random SEED]... [--skinny SEED]
//              [--fresh SEED] [--count N] [--target T] [--machine F] [--seconds
//              S] [--worst N]
//
// Whether a change of schedules pays is told by the kernels of a permc before
// it, called in turn with this one's on the same buffers. `--old` is the
// program of that permc: it compiles each case to an object, which is linked
// here. Cases whose two objects have the same code, which includes constants
// and relocations, are counted and not raced.
//
// A ratio is the old kernel's time over the new one's: above 1 the new one is
// faster. Each case is raced twice, the second time in another order with what
// was raced in between; only what both agree on is called slower.
//
//===----------------------------------------------------------------------===//

#include "Buffer.h"
#include "FreshCases.h"
#include "ObjectCode.h"
#include "Program.h"
#include "RandomSuite.h"
#include "SkinnyCases.h"
#include "Stopwatch.h"
#include "Suites.h"

#include "permc/Frontend/MachineFile.h"
#include "permc/JIT/Jit.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>

using namespace permc;
using namespace permc::bench;
namespace cl = llvm::cl;

namespace {

struct Options {
  std::string old, target, machine;
  std::vector<std::string> suites;
  std::vector<uint64_t> random, skinny, fresh;
  size_t count, worst;
  double seconds;
};

/// With the quantities of a machine's file in the place of its own, if one is
/// given: the other permc has its own.
Target targetOf(const Options &options) {
  Target target = must(findTarget(options.target));
  if (!options.machine.empty())
    static_cast<Machine &>(target.facts) =
        must(readMachineFile(options.machine, target.facts));
  return target;
}

std::string spellCommas(const Dims &perm) {
  std::string text;
  for (int64_t axis : perm)
    text += (text.empty() ? "" : ",") + std::to_string(axis);
  return text;
}

/// The object that another permc makes of a problem.
std::string compileByOther(const Options &options, const Problem &problem) {
  llvm::SmallString<128> path;
  if (llvm::sys::fs::createTemporaryFile("permc-race", "o", path))
    die("cannot create a temporary file");
  llvm::FileRemover remover(path);
  const std::string tensor = spellTensor(problem),
                    order = spellCommas(problem.perm());
  const std::vector<llvm::StringRef> words = {
      options.old, "compile",  tensor,         "--perm", order, "--name",
      "kernel",    "--target", options.target, "-o",     path};
  std::string why;
  if (llvm::sys::ExecuteAndWait(options.old, words, std::nullopt, {}, 0, 0,
                                &why) != 0)
    die(options.old + " cannot compile " + tensor + " by " + order + ": " +
        why);
  auto object = llvm::MemoryBuffer::getFile(path);
  if (!object)
    die("cannot read what " + options.old + " wrote");
  return (*object)->getBuffer().str();
}

/// What became of one case.
struct Outcome {
  const Case *one;
  std::string schedule;
  double ratios[2] = {1, 1}; ///< of both rounds

  /// What the two rounds agree on.
  double agreed() const {
    if (ratios[0] > 1 && ratios[1] > 1)
      return std::min(ratios[0], ratios[1]);
    if (ratios[0] < 1 && ratios[1] < 1)
      return std::max(ratios[0], ratios[1]);
    return 1;
  }
  double mean() const { return std::sqrt(ratios[0] * ratios[1]); }
};

/// Of the cases of a level, or of all.
struct Summary {
  size_t count = 0, same = 0, slower = 0;
  double logarithms = 0, worst = INFINITY;

  void add(const Outcome &outcome) {
    constexpr double bound = 0.90;
    ++count;
    logarithms += std::log(outcome.mean());
    worst = std::min(worst, outcome.agreed());
    slower += outcome.agreed() < bound;
  }
  double mean() const {
    return count ? std::exp(logarithms / double(count)) : 1;
  }
};

class Race {
public:
  Race(Options options, int64_t mostBytes)
      : options(std::move(options)), target(targetOf(this->options)),
        jit(must(Jit::create())), src(must(Buffer::allocate(mostBytes))),
        dst(must(Buffer::allocate(mostBytes))),
        right(must(Buffer::allocate(mostBytes))) {
    src.fillWithPattern();
  }

  void run(const std::vector<Case> &cases) {
    for (const Case &one : cases)
      enter(one);
    for (int round : {0, 1}) {
      for (Entry &entry : entries)
        entry.outcome.ratios[round] = measure(entry, round == 1);
      std::ranges::reverse(entries);
    }
  }

  void report() {
    std::map<std::string, Summary> levels;
    for (const auto &[level, same] : sameObjects)
      levels[level].same = same;
    for (const Entry &entry : entries)
      levels[levelOf(entry.outcome.one->problem)].add(entry.outcome);
    printWorst();
    llvm::outs() << "\nlevel      raced    same    mean   worst  below 0.90\n";
    for (const auto &[level, summary] : levels)
      llvm::outs() << llvm::format(
          "%-9s %6zu %7zu %7.3f %7.2f %11zu\n", level.c_str(), summary.count,
          summary.same, summary.mean(), summary.count ? summary.worst : 1.0,
          summary.slower);
  }

private:
  struct Entry {
    Kernel before, now;
    Outcome outcome;
  };

  /// By what src and dst take together.
  std::string levelOf(const Problem &problem) const {
    const int64_t bytes = 2 * problem.bytesMoved();
    return bytes <= target.facts.l1Bytes                         ? "1 L1"
           : bytes <= target.facts.l2Bytes                       ? "2 L2"
           : problem.bytesMoved() < target.facts.streamedBytes() ? "3 L3"
                                                                 : "4 memory";
  }

  void enter(const Case &one) {
    Request request{"kernel", one.problem, "bytes", target, ""};
    const std::string now =
                          must(compiler.compile({request}, Emit::Object)).bytes,
                      before = compileByOther(options, one.problem);
    const std::string schedule =
        spellSchedule(must(compiler.decide(request)).schedule);
    if (must(codeOf(before)) == must(codeOf(now))) {
      ++sameObjects[levelOf(one.problem)];
      return;
    }
    Entry entry = {must(jit->load(before, "kernel")),
                   must(jit->load(now, "kernel")),
                   {&one, schedule}};
    verify(entry);
    entries.push_back(std::move(entry));
  }

  void verify(const Entry &entry) {
    const auto bytes = size_t(entry.outcome.one->problem.bytesMoved());
    entry.before(src.data(), right.data());
    std::memset(dst.data(), 0x5a, bytes);
    entry.now(src.data(), dst.data());
    if (std::memcmp(dst.data(), right.data(), bytes) != 0)
      die(entry.outcome.one->name + ": the two kernels differ");
  }

  double measure(const Entry &entry, bool swapped) {
    const char *from = src.data();
    char *to = dst.data();
    std::vector<Competitor> both;
    for (const Kernel &kernel : {entry.before, entry.now})
      both.push_back(compete("", [=] { kernel(from, to); }));
    if (swapped)
      std::swap(both[0], both[1]);
    SamplerOptions sampling;
    sampling.budgetSeconds = options.seconds;
    sampling.minRounds = 9;
    sampling.sampleSeconds = 50e-6;
    sampling.warmUp = entry.outcome.one->problem.bytesMoved() <= maxWarmBytes;
    sampling.stopwatch = [](const Competitor &competitor, int64_t calls) {
      return timeByGoogleBenchmark(competitor, calls, Clock::Thread);
    };
    const std::vector<Samples> samples = takeSamples(both, sampling);
    // Best and median, each of which has its own noise.
    const double ratio = std::sqrt(samples[0].best() / samples[1].best() *
                                   samples[1].medianRatio());
    return swapped ? 1 / ratio : ratio;
  }

  void printWorst() {
    std::ranges::sort(entries, {},
                      [](const Entry &entry) { return entry.outcome.mean(); });
    for (size_t i = 0; i < std::min(options.worst, entries.size()); ++i) {
      const Outcome &outcome = entries[i].outcome;
      llvm::outs() << llvm::format("%5.2f %5.2f ", outcome.ratios[0],
                                   outcome.ratios[1])
                   << outcome.one->fullName() << " "
                   << spellTensor(outcome.one->problem) << " by "
                   << spellCommas(outcome.one->problem.perm()) << " "
                   << outcome.schedule << "\n";
    }
  }

  Options options;
  Target target;
  Compiler compiler;
  std::unique_ptr<Jit> jit;
  Buffer src, dst, right;
  std::vector<Entry> entries;
  std::map<std::string, size_t> sameObjects;
};

Options readOptions(int argc, char **argv) {
  removeForeignOptions();
  cl::opt<std::string> old("old", cl::Required,
                           cl::desc("The permc to race against"));
  cl::opt<std::string> target("target", cl::init("native"),
                              cl::desc("What kernels are compiled for"));
  cl::opt<std::string> machine("machine", cl::desc("A machine's file"));
  cl::list<std::string> suites("suite", cl::desc("Cases of a suite"));
  cl::list<uint64_t> random("random", cl::desc("Random cases of a seed"));
  cl::list<uint64_t> skinny("skinny", cl::desc("Skinny cases of a seed"));
  cl::list<uint64_t> fresh("fresh", cl::desc("Cases of all regimes"));
  cl::opt<size_t> count("count", cl::init(300),
                        cl::desc("How many of each seed"));
  cl::opt<size_t> worst("worst", cl::init(20), cl::desc("How many to print"));
  cl::opt<double> seconds("seconds", cl::init(0.05),
                          cl::desc("Time for a case in each round"));
  cl::ParseCommandLineOptions(argc, argv,
                              "permc-race races kernels of two permc\n");
  return {old,    target, machine, suites, random,
          skinny, fresh,  count,   worst,  seconds};
}

std::vector<Case> drawCases(const Options &options) {
  std::vector<Case> cases;
  auto take = [&](std::vector<Case> some) {
    some.resize(std::min(some.size(), options.count),
                Case{"", "", *Problem::make(1, {}, {})});
    std::ranges::move(some, std::back_inserter(cases));
  };
  for (uint64_t seed : options.random)
    take(randomSuite(seed));
  for (uint64_t seed : options.skinny)
    take(drawSkinnyCases(options.count, seed));
  for (uint64_t seed : options.fresh)
    take(drawFreshCases(options.count, seed));
  if (!options.suites.empty())
    std::ranges::move(
        must(loadSuites(options.suites,
                        {PERMC_BENCH_CASES, PERMC_BENCH_PEERS_FILE, 1})),
        std::back_inserter(cases));
  std::erase_if(cases, [](const Case &one) { return one.problem.isEmpty(); });
  return cases;
}

} // namespace

int main(int argc, char **argv) {
  const Options options = readOptions(argc, argv);
  const std::vector<Case> cases = drawCases(options);
  if (cases.empty())
    die("no cases; expected --suite, --random, --skinny or --fresh");
  int64_t mostBytes = 0;
  for (const Case &one : cases)
    mostBytes = std::max(mostBytes, one.problem.bytesMoved());
  Race race(options, mostBytes);
  race.run(cases);
  race.report();
  return 0;
}
