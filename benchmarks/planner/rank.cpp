//===- rank.cpp - how well the cost tells schedules apart -----------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   permc-rank --measure FILE --seed N [--count N] [--target T] [--machine F]
//              [--old PERMC]
//   permc-rank --evaluate FILE [--target T] [--machine F]
//
// Draws problems, measures schedules of each beside one another and writes
// their times down. Such a file is then a yardstick for the cost: how far its
// predictions are off, how well it ranks, and how much slower than the best
// schedule measured is the one that is chosen, and the one of the least cost.
// To try another cost takes seconds then, and no quiet machine.
//
// A line of a file: element, shape, order, nanoseconds, schedule. What another
// permc chooses, `--old`, is marked as such and compared with this one's.
//
//===----------------------------------------------------------------------===//

#include "Buffer.h"
#include "FreshCases.h"
#include "Program.h"
#include "Stopwatch.h"
#include "Suites.h"

#include "permc/Compiler/Compiler.h"
#include "permc/Frontend/MachineFile.h"
#include "permc/JIT/Jit.h"
#include "permc/Plan/Alternatives.h"
#include "permc/Plan/Cost.h"

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
#include <map>
#include <numeric>
#include <random>

using namespace permc;
using namespace permc::bench;
namespace cl = llvm::cl;

namespace {

struct Options {
  std::string measure, evaluate, target, machine, old;
  uint64_t seed;
  size_t count, most, worst;
  double seconds;
};

/// A schedule and how long it took.
struct Timed {
  std::string schedule;
  double ns;
  bool isOld = false; ///< another permc's choice
};

/// A problem and the schedules that were measured; the chosen one is first.
struct Measured {
  Problem problem;
  std::vector<Timed> schedules;
};

Target targetOf(const Options &options) {
  Target target = must(findTarget(options.target));
  if (!options.machine.empty())
    static_cast<Machine &>(target.facts) =
        must(readMachineFile(options.machine, target.facts));
  return target;
}

/// By what src and dst take together.
std::string levelOf(int64_t bytesMoved) {
  return 2 * bytesMoved <= 32 << 10   ? "1 L1"
         : 2 * bytesMoved <= 1 << 20  ? "2 L2"
         : 2 * bytesMoved <= 16 << 20 ? "3 L3"
                                      : "4 memory";
}

//===--- problems ---------------------------------------------------------===//

std::string spellNumbers(const Dims &numbers) {
  std::string text;
  for (int64_t number : numbers)
    text += (text.empty() ? "" : ",") + std::to_string(number);
  return text;
}

Dims readNumbers(llvm::StringRef text) {
  llvm::SmallVector<llvm::StringRef> words;
  text.split(words, ',');
  Dims numbers(words.size());
  for (size_t i = 0; i < words.size(); ++i)
    if (words[i].getAsInteger(10, numbers[i]))
      die("expected numbers with commas, got '" + text.str() + "'");
  return numbers;
}

/// What another permc chooses for a problem, by its own words.
std::string scheduleOfOther(const Options &options, const Problem &problem) {
  llvm::SmallString<128> path;
  if (llvm::sys::fs::createTemporaryFile("permc-rank", "txt", path))
    die("cannot create a temporary file");
  llvm::FileRemover remover(path);
  const std::string tensor = spellTensor(problem),
                    order = spellNumbers(problem.perm());
  const std::vector<llvm::StringRef> words = {
      options.old, "explain",  tensor,        "--perm",
      order,       "--target", options.target};
  const std::optional<llvm::StringRef> streams[] = {
      llvm::StringRef(), llvm::StringRef(path), llvm::StringRef()};
  if (llvm::sys::ExecuteAndWait(options.old, words, std::nullopt, streams) != 0)
    die(options.old + " cannot explain " + tensor + " by " + order);
  auto file = llvm::MemoryBuffer::getFile(path);
  if (!file)
    die("cannot read what " + options.old + " printed");
  const auto [before, after] = (*file)->getBuffer().split("#permc.schedule<");
  return ("#permc.schedule<" + after.split('\n').first).str();
}

//===--- measuring --------------------------------------------------------===//

class Measuring {
public:
  explicit Measuring(const Options &options)
      : options(options), target(targetOf(options)), jit(must(Jit::create())),
        src(must(Buffer::allocate(mostBytes))),
        dst(must(Buffer::allocate(mostBytes))) {
    src.fillWithPattern();
  }

  void run() {
    std::error_code error;
    llvm::raw_fd_ostream file(options.measure, error, llvm::sys::fs::OF_Append);
    if (error)
      die("cannot write " + options.measure + ": " + error.message());
    for (const Case &one : drawFreshCases(options.count, options.seed)) {
      const Problem &problem = one.problem;
      for (const Timed &timed : measure(problem))
        file << problem.elementBytes() << '\t' << spellNumbers(problem.shape())
             << '\t' << spellNumbers(problem.perm()) << '\t'
             << llvm::format("%.1f", timed.ns) << '\t'
             << (timed.isOld ? "old " : "") << timed.schedule << '\n';
      file.flush();
    }
  }

private:
  static constexpr int64_t mostBytes = 72 << 20;

  std::vector<Timed> measure(const Problem &problem) {
    const Request request{"kernel", problem, "bytes", target, ""};
    const Problem canonical = must(compiler.decide(request)).canonical;
    std::vector<Schedule> schedules = candidates(canonical, target.facts, 400);
    // The best by the cost, and any of the others.
    const size_t best = std::min(options.most / 2, schedules.size());
    std::mt19937_64 engine(options.seed);
    std::shuffle(schedules.begin() + ptrdiff_t(best), schedules.end(), engine);
    while (schedules.size() > options.most)
      schedules.pop_back();
    std::vector<std::string> spelled;
    for (const Schedule &schedule : schedules)
      spelled.push_back(spellSchedule(schedule));
    if (!options.old.empty())
      spelled.push_back(scheduleOfOther(options, problem));
    std::vector<Competitor> competitors;
    std::vector<Timed> timed;
    for (const std::string &schedule : spelled) {
      Request written = request;
      written.schedule = schedule;
      auto object = compiler.compile({written}, Emit::Object);
      if (!object)
        continue;
      const Kernel kernel = must(jit->load(object->bytes, "kernel"));
      const char *from = src.data();
      char *to = dst.data();
      competitors.push_back(compete("", [=] { kernel(from, to); }));
      timed.push_back(
          {schedule, 0, !options.old.empty() && &schedule == &spelled.back()});
    }
    SamplerOptions sampling;
    sampling.budgetSeconds = options.seconds * double(competitors.size());
    sampling.minRounds = 7;
    sampling.sampleSeconds = 50e-6;
    sampling.warmUp = problem.bytesMoved() <= maxWarmBytes;
    sampling.stopwatch = [](const Competitor &competitor, int64_t calls) {
      return timeByGoogleBenchmark(competitor, calls, Clock::Thread);
    };
    const std::vector<Samples> samples = takeSamples(competitors, sampling);
    const double first = std::sqrt(samples[0].best() * samples[0].median());
    for (size_t i = 0; i < samples.size(); ++i)
      timed[i].ns =
          1e9 * std::sqrt(samples[i].best() * first / samples[i].medianRatio());
    return timed;
  }

  const Options &options;
  const Target target;
  Compiler compiler;
  std::unique_ptr<Jit> jit;
  Buffer src, dst;
};

std::vector<Measured> readMeasured(const std::string &path) {
  auto file = llvm::MemoryBuffer::getFile(path);
  if (!file)
    die("cannot read " + path + ": " + file.getError().message());
  std::vector<Measured> all;
  llvm::SmallVector<llvm::StringRef> lines;
  (*file)->getBuffer().split(lines, '\n', -1, /*KeepEmpty=*/false);
  for (llvm::StringRef line : lines) {
    llvm::SmallVector<llvm::StringRef> fields;
    line.split(fields, '\t');
    int64_t element;
    double ns;
    if (fields.size() != 5 || fields[0].getAsInteger(10, element) ||
        fields[3].getAsDouble(ns))
      die("expected five fields, got '" + line.str() + "'");
    Problem problem = must(
        Problem::make(element, readNumbers(fields[1]), readNumbers(fields[2])));
    if (all.empty() || !(all.back().problem == problem))
      all.push_back({problem, {}});
    const bool isOld = fields[4].consume_front("old ");
    all.back().schedules.push_back({fields[4].str(), ns, isOld});
  }
  return all;
}

//===--- evaluating -------------------------------------------------------===//

double correlationOfRanks(const std::vector<double> &a,
                          const std::vector<double> &b) {
  auto ranks = [](const std::vector<double> &values) {
    std::vector<size_t> order(values.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::sort(order, {}, [&](size_t i) { return values[i]; });
    std::vector<double> rank(values.size());
    for (size_t i = 0; i < order.size(); ++i)
      rank[order[i]] = double(i);
    return rank;
  };
  const std::vector<double> x = ranks(a), y = ranks(b);
  const auto n = double(a.size());
  double distance = 0;
  for (size_t i = 0; i < x.size(); ++i)
    distance += (x[i] - y[i]) * (x[i] - y[i]);
  return 1 - 6 * distance / (n * (n * n - 1));
}

/// Sums over the problems of a level.
struct Sums {
  std::vector<double> errors; ///< factors between predicted and measured
  double rank = 0, chosen = 0, first = 0, three = 0, old = 0;
  double worst = 1;
  size_t count = 0;

  void print(const std::string &name) {
    std::ranges::sort(errors);
    const auto n = double(count);
    llvm::outs() << llvm::format(
        "%-9s %5zu  %5.2f  %5.2f   %6.3f  %6.3f  %6.3f   %6.3f  %5.2f\n",
        name.c_str(), count, errors[errors.size() / 2], rank / n,
        std::exp(chosen / n), std::exp(first / n), std::exp(three / n),
        std::exp(old / n), worst);
  }
};

class Evaluation {
public:
  explicit Evaluation(const Options &options)
      : options(options), target(targetOf(options)) {}

  void run() {
    for (const Measured &one : readMeasured(options.evaluate))
      add(one);
    std::ranges::sort(lines);
    for (size_t i = 0; i < std::min(options.worst, lines.size()); ++i)
      llvm::outs() << lines[lines.size() - 1 - i].second;
    llvm::outs() << "level     cases  error   rank   chosen   first  best 3  "
                    "   old  first/old\n";
    for (auto &[name, sums] : levels)
      sums.print(name);
  }

private:
  void add(const Measured &one) {
    std::vector<double> predicted, measured;
    std::vector<const Timed *> kept;
    for (const Timed &timed : one.schedules) {
      const Decisions decisions = must(compiler.decide(
          {"kernel", one.problem, "bytes", target, timed.schedule}));
      const auto its = cost(decisions.canonical, decisions.schedule,
                            target.facts, target.facts);
      if (!its)
        continue;
      predicted.push_back(its->total());
      measured.push_back(timed.ns);
      kept.push_back(&timed);
    }
    if (predicted.size() < 3)
      return;
    std::vector<size_t> order(predicted.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::sort(order, {}, [&](size_t i) { return predicted[i]; });
    const auto isOld = std::ranges::find_if(kept, &Timed::isOld);
    const double best = *std::ranges::min_element(measured),
                 chosen = measured[0], first = measured[order[0]],
                 old = isOld == kept.end() ? chosen : (*isOld)->ns,
                 three =
                     std::min({first, measured[order[1]], measured[order[2]]});
    for (const std::string &name :
         {levelOf(one.problem.bytesMoved()), std::string("all")}) {
      Sums &sums = levels[name];
      ++sums.count;
      for (size_t i = 0; i < predicted.size(); ++i)
        sums.errors.push_back(
            std::max(predicted[i] / measured[i], measured[i] / predicted[i]));
      sums.rank += correlationOfRanks(predicted, measured);
      sums.chosen += std::log(chosen / best);
      sums.first += std::log(first / best);
      sums.three += std::log(three / best);
      sums.old += std::log(old / best);
      sums.worst = std::max(sums.worst, first / old);
    }
    std::string text;
    llvm::raw_string_ostream out(text);
    out << llvm::format("%.2f of best, %.2f of old: ", first / best,
                        first / old)
        << one.problem.elementBytes() << " bytes, "
        << spellNumbers(one.problem.shape()) << " by "
        << spellNumbers(one.problem.perm()) << "\n";
    const size_t fastest =
        size_t(std::ranges::min_element(measured) - measured.begin());
    for (auto [name, i] :
         {std::pair("chosen", size_t(0)), std::pair("first", order[0]),
          std::pair("old", isOld == kept.end() ? size_t(0)
                                               : size_t(isOld - kept.begin())),
          std::pair("fastest", fastest)})
      out << llvm::format("  %-8s measured %.0f predicted %.0f ", name,
                          measured[i], predicted[i])
          << kept[i]->schedule << "\n";
    lines.emplace_back(first / (isOld == kept.end() ? best : old), text);
  }

  const Options &options;
  const Target target;
  Compiler compiler;
  std::map<std::string, Sums> levels;
  std::vector<std::pair<double, std::string>> lines;
};

Options readOptions(int argc, char **argv) {
  removeForeignOptions();
  cl::opt<std::string> measure("measure", cl::desc("Where to write times"));
  cl::opt<std::string> evaluate("evaluate", cl::desc("Times to read"));
  cl::opt<std::string> target("target", cl::init("native"),
                              cl::desc("What kernels are compiled for"));
  cl::opt<std::string> machine("machine", cl::desc("A machine's file"));
  cl::opt<std::string> old("old",
                           cl::desc("Another permc, whose choice is measured"));
  cl::opt<uint64_t> seed("seed", cl::init(1), cl::desc("Of the problems"));
  cl::opt<size_t> count("count", cl::init(100), cl::desc("Problems"));
  cl::opt<size_t> most("most", cl::init(24),
                       cl::desc("Schedules of a problem"));
  cl::opt<size_t> worst("worst", cl::init(5), cl::desc("How many to print"));
  cl::opt<double> seconds("seconds", cl::init(0.01),
                          cl::desc("Time for each schedule"));
  cl::ParseCommandLineOptions(argc, argv,
                              "permc-rank holds the cost to measured times\n");
  return {measure, evaluate, target, machine, old,
          seed,    count,    most,   worst,   seconds};
}

} // namespace

int main(int argc, char **argv) {
  const Options options = readOptions(argc, argv);
  if (options.measure.empty() == options.evaluate.empty())
    die("expected --measure FILE or --evaluate FILE");
  if (!options.measure.empty())
    Measuring(options).run();
  else
    Evaluation(options).run();
  return 0;
}
