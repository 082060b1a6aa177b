//===- permc-fuzz.cpp - random problems against a plain loop --------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Cases are counted from 0 and drawn each from the seed and its number, in
// groups; a process carries out a group. So the same seed finds the same
// failures, however many processes there are.
//
//===----------------------------------------------------------------------===//

#include "Options.h"
#include "RightGroups.h"
#include "RunProgramCase.h"
#include "Shrink.h"
#include "SmallWorld.h"
#include "Workers.h"

#include "permc-rt/permc_rt.h"

#include <algorithm>
#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <dlfcn.h>
#include <map>
#include <thread>
#include <unistd.h>

using namespace permc;
using namespace permc::fuzz;

namespace {

enum ExitCode { exitRight = 0, exitWrong = 1, exitBadUsage = 2 };

constexpr uint64_t groupCases = 100;
/// Nothing takes a tenth of this on an idle machine, but for a program in an
/// emulator, of many cases.
constexpr double secondsPerCase = 120, secondsToShrink = 20;
constexpr int mostShrinkTries = 600;

double secondsNow() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(now).count();
}

struct Counts {
  uint64_t cases = 0, refused = 0, runs = 0, schedules = 0;

  void add(const Progress &progress) {
    cases += progress.cases;
    refused += progress.refused;
    runs += progress.runs;
    schedules += progress.schedules;
  }
};

//===----------------------------------------------------------------------===//
// In a worker
//===----------------------------------------------------------------------===//

/// Carries out the cases of a group; those that are programs wait until the
/// end, and are one program for each target.
class Group {
public:
  explicit Group(Progress &progress) : progress(progress) {}

  void run(const Case &one) {
    progress.begin(one);
    ++progress.cases;
    progress.schedules += !one.schedule.empty();
    if (one.api == Api::Program) {
      const Verdict verdict = runner.check(one);
      if (verdict.kind == Verdict::Right)
        programs[one.target].push_back(one);
      else
        note(one, verdict);
      return;
    }
    note(one, runner.run(one));
  }

  void finish() {
    for (const auto &[target, cases] : programs) {
      progress.begin(cases.front());
      const ProgramVerdict result = runPrograms(runner.compiler(), cases);
      progress.refused += result.refused;
      if (result.verdict.kind == Verdict::Wrong)
        progress.begin(cases[result.which]);
      else
        for (const Case &one : cases)
          progress.runs += one.runs.size();
      if (result.verdict.kind == Verdict::Wrong)
        progress.fail(result.verdict.message);
    }
  }

  CaseRunner runner;

private:
  void note(const Case &one, const Verdict &verdict) {
    if (verdict.kind == Verdict::Wrong)
      progress.fail(verdict.message);
    if (verdict.kind == Verdict::Refused)
      ++progress.refused;
    else
      progress.runs += one.runs.size();
  }

  Progress &progress;
  std::map<std::string, std::vector<Case>> programs;
};

void runRandomGroup(const Options &options, uint64_t number, uint64_t end,
                    Progress &progress) {
  Group group(progress);
  for (uint64_t i = number * groupCases; i < end; ++i) {
    Random random(options.seed, i);
    Case one = drawCase(options.menu, number, random);
    drawSchedule(one, group.runner, random,
                 [&](const Case &asked) { progress.begin(asked); });
    group.run(one);
  }
  group.finish();
}

//===----------------------------------------------------------------------===//
// Failures
//===----------------------------------------------------------------------===//

std::optional<Failure> tryAlone(const Case &one, double seconds) {
  Worker worker([&](Progress &progress) {
    Group group(progress);
    group.run(one);
    group.finish();
  });
  worker.waitUntilEnded(seconds);
  return worker.failure();
}

void report(const Failure &failure) {
  std::printf("\nWrong: %s\n", failure.what.c_str());
  if (!failure.one) {
    std::printf("It is not known what was being done.\n");
    return;
  }
  std::printf("  %s\n", spellCommand(*failure.one).c_str());
  std::fflush(stdout);
  if (!tryAlone(*failure.one, secondsPerCase)) {
    std::printf("By itself it does not fail.\n");
    return;
  }
  // What permc refuses is not what it gets wrong.
  const bool wasRefused = failure.what.starts_with(refusedPrefix);
  const Case small = shrink(
      *failure.one,
      [&](const Case &one) {
        const auto found = tryAlone(one, secondsToShrink);
        return found && found->what.starts_with(refusedPrefix) == wasRefused;
      },
      mostShrinkTries);
  const auto again = tryAlone(small, secondsToShrink);
  std::printf("Made smaller: %s\n  %s\n",
              again ? again->what.c_str() : "fails now and then",
              spellCommand(small).c_str());
  std::fflush(stdout);
}

//===----------------------------------------------------------------------===//
// All of it
//===----------------------------------------------------------------------===//

/// Runs groups until there are no more, it is time, or enough has failed.
class Session {
public:
  using Body = std::function<void(uint64_t, Progress &)>;
  using Note = std::function<void(uint64_t, const Progress &)>;

  /// `right` is called with each group in which nothing failed.
  Session(const Options &options, uint64_t groups, Body body, Note right = {})
      : options(options), groups(groups), body(std::move(body)),
        right(std::move(right)), started(secondsNow()), told(started) {}

  int run() {
    while (mayGoOn() || !workers.empty()) {
      while (mayGoOn() && workers.size() < options.jobs) {
        const uint64_t number = next++;
        workers.push_back(
            {number, std::make_unique<Worker>(
                         [&](Progress &progress) { body(number, progress); })});
      }
      collect();
      tell(/*always=*/false);
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    tell(/*always=*/true);
    return failures ? exitWrong : exitRight;
  }

private:
  bool mayGoOn() const {
    return next < groups && failures < options.failures &&
           (options.seconds == 0 || secondsNow() - started < options.seconds);
  }

  void collect() {
    for (auto &[number, worker] : workers)
      if (worker->hasEnded(secondsPerCase)) {
        counts.add(worker->progress());
        if (worker->failure()) {
          ++failures;
          report(*worker->failure());
        } else if (right) {
          right(number, worker->progress());
        }
        worker.reset();
      }
    std::erase_if(workers, [](const auto &each) { return !each.second; });
  }

  /// A line every half minute, every second on a terminal.
  void tell(bool always) {
    const bool terminal = isatty(STDOUT_FILENO);
    if (!always && secondsNow() - told < (terminal ? 1 : 30))
      return;
    told = secondsNow();
    Counts sum = counts;
    for (const auto &[number, worker] : workers)
      sum.add(worker->progress());
    std::printf("%s%" PRIu64 " cases", terminal ? "\r" : "", sum.cases);
    if (groups != UINT64_MAX && groups != 0)
      std::printf(" (%.0f %% of the groups)",
                  100.0 * double(next - workers.size()) / double(groups));
    std::printf(", %" PRIu64 " of schedules permc would not choose, %" PRIu64
                " refused, %" PRIu64 " runs, %" PRIu64 " failed, %.0f s%s",
                sum.schedules, sum.refused, sum.runs, failures,
                secondsNow() - started, terminal && !always ? "" : "\n");
    std::fflush(stdout);
  }

  const Options &options;
  const uint64_t groups;
  const Body body;
  const Note right;
  const double started;
  double told;
  uint64_t next = 0, failures = 0;
  Counts counts;
  std::vector<std::pair<uint64_t, std::unique_ptr<Worker>>> workers;
};

int runRandom(const Options &options) {
  const uint64_t cases = options.cases ? options.cases : UINT64_MAX;
  const uint64_t groups =
      options.cases ? (cases + groupCases - 1) / groupCases : UINT64_MAX;
  return Session(options, groups,
                 [&](uint64_t number, Progress &progress) {
                   runRandomGroup(options, number,
                                  std::min((number + 1) * groupCases, cases),
                                  progress);
                 })
      .run();
}

/// Of this program, and of the run-time library that it calls.
std::string hashOfBuild() {
  Dl_info library = {};
  if (!dladdr(reinterpret_cast<void *>(&permc_rt_permute), &library))
    return "";
  return hashOfFiles({"/proc/self/exe", library.dli_fname});
}

int runSmallWorld(const Options &options) {
  const SmallWorld world(options.menu);
  std::optional<RightGroups> known;
  if (!options.log.empty())
    known.emplace(options.log, hashOfBuild());
  std::vector<uint64_t> toDo;
  RightGroups::Counts before;
  for (uint64_t group = 0; group < world.groups(); ++group) {
    auto counts = known ? known->find(world.name(group)) : std::nullopt;
    if (!counts) {
      toDo.push_back(group);
      continue;
    }
    before.cases += counts->cases;
    before.runs += counts->runs;
  }
  if (before.cases)
    std::printf("%" PRIu64 " cases, %" PRIu64 " runs were right before\n",
                before.cases, before.runs);
  bool isKept = true;
  auto keep = [&](uint64_t number, const Progress &progress) {
    if (known)
      isKept &=
          known->add(world.name(toDo[number]), {progress.cases, progress.runs});
  };
  auto runGroup = [&](uint64_t number, Progress &progress) {
    Group group(progress);
    world.visit(toDo[number], [&](const Case &one) { group.run(one); });
    group.finish();
  };
  const int code = Session(options, toDo.size(), runGroup, keep).run();
  if (!isKept)
    std::fprintf(stderr, "permc-fuzz: error: '%s' cannot be written\n",
                 options.log.c_str());
  return isKept ? code : exitBadUsage;
}

int replay(const Case &one) {
  const auto failure = tryAlone(one, secondsPerCase);
  std::printf("%s\n", failure ? failure->what.c_str() : "right, or refused");
  return failure ? exitWrong : exitRight;
}

} // namespace

int main(int argc, char **argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (std::ranges::find(words, "--help") != words.end()) {
    std::printf("%s", help);
    return exitRight;
  }
  auto options = readOptions(words);
  if (!options) {
    std::fprintf(stderr, "permc-fuzz: error: %s\n",
                 options.error().message.c_str());
    return exitBadUsage;
  }
  if (options->replay)
    return replay(*options->replay);
  return options->smallWorld ? runSmallWorld(*options) : runRandom(*options);
}
