//===- Runner.cpp - one case: compile, verify, time -----------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Runner.h"

#include "NaiveLoop.h"
#include "Stopwatch.h"
#include "StreamingCopy.h"
#include "Tuner.h"

#include <algorithm>
#include <cstring>

using namespace permc;
using namespace permc::bench;

namespace {

/// Long enough for the clock, short enough for many rounds.
constexpr double sampleSeconds = 50e-6;

/// The best of so many samples is much the same in the next run.
constexpr size_t minRounds = 10;

/// What a kernel may cost.
constexpr int64_t maxTextBytes = int64_t(64) << 10;
constexpr double maxCompileMilliseconds = 150;
/// Two equal competitors differ by this much.
constexpr double noise = 0.97;
/// Other processes may interrupt the compiler: the best of so many counts.
constexpr int maxCompilations = 3;

/// The share of thread `index` of `count`: whole lines, as kernels split.
struct Share {
  int64_t begin, size;
  Share(int64_t bytes, unsigned index, unsigned count) {
    constexpr int64_t line = 64;
    auto edge = [&](int64_t i) { return bytes / line * i / count * line; };
    begin = edge(index);
    size = (index + 1 == count ? bytes : edge(index + 1)) - begin;
  }
};

} // namespace

Runner::Runner(RunOptions given, Workspace workspace, std::unique_ptr<Jit> jit,
               std::vector<Entrant> peers)
    : options(std::move(given)), workspace(std::move(workspace)),
      jit(std::move(jit)), team(std::make_unique<ThreadTeam>(options.threads)),
      peers(std::move(peers)) {}

Result<Runner> Runner::create(const std::vector<Case> &cases,
                              RunOptions options, std::vector<Entrant> peers) {
  auto workspace = Workspace::create(cases, options.dstOffset);
  if (!workspace)
    return workspace.error();
  auto jit = Jit::create();
  if (!jit)
    return jit.error();
  Runner runner(std::move(options), std::move(*workspace), std::move(*jit),
                std::move(peers));
  if (Status ok = runner.warmUpCompiler(); !ok)
    return ok.error();
  return runner;
}

/// The first kernel of a process pays for setting up LLVM; no case should.
Status Runner::warmUpCompiler() {
  auto problem = Problem::make(4, {16, 16}, {1, 0});
  auto object = compiler.compile(
      {Request{"warm_up", *problem, "f32", options.target, {}}}, Emit::Object);
  if (!object)
    return object.error();
  return Done{};
}

Result<Kernel> Runner::compile(const Case &one, CaseResult &result) {
  Request request{"kernel", one.problem,
                  elementName(one.problem.elementBytes()), options.target,
                  options.schedule};
  request.unaligned = options.unaligned;
  if (options.tune) {
    auto tuned = tuneCase(request);
    if (!tuned)
      return tuned.error();
    request.schedule = *tuned;
  }
  auto decisions = compiler.decide(request);
  if (!decisions)
    return decisions.error();
  result.schedule = spellSchedule(decisions->schedule);
  auto object = compiler.compile({request}, Emit::Object);
  if (!object)
    return object.error();
  result.compileMilliseconds = object->milliseconds;
  for (int i = 1; i < maxCompilations &&
                  result.compileMilliseconds > maxCompileMilliseconds;
       ++i) {
    auto again = compiler.compile({request}, Emit::Object);
    if (!again)
      return again.error();
    result.compileMilliseconds =
        std::min(result.compileMilliseconds, again->milliseconds);
  }
  result.textBytes = object->textBytes;
  return jit->load(object->bytes, request.name);
}

Result<std::string> Runner::tuneCase(const Request &request) {
  auto tuned =
      tune(compiler, *jit, request, workspace.src(), workspace.dst(), {});
  if (!tuned)
    return tuned.error();
  return spellSchedule(tuned->schedule);
}

std::vector<Competitor> Runner::makeCompetitors(const Case &one,
                                                const Kernel &kernel) {
  const char *src = workspace.src();
  char *dst = workspace.dst();
  const int64_t bytes = one.problem.bytesMoved();
  const unsigned threads = options.threads;
  const auto run = kernel.describe().run;
  // With one thread nothing stands between the clock and the call.
  auto spread = [&](const char *name, const auto &alone, const auto &part) {
    if (threads == 1)
      return compete(name, alone);
    const std::function<void(unsigned)> work = part;
    return compete(name, [this, work] { team->run(work); });
  };
  std::vector<Competitor> all;
  all.push_back(spread(
      memcpyName, [=] { std::memcpy(dst, src, size_t(bytes)); },
      [=](unsigned i) {
        const Share share(bytes, i, threads);
        std::memcpy(dst + share.begin, src + share.begin, size_t(share.size));
      }));
  all.push_back(spread(
      permcName, [=] { run(src, dst); },
      [=](unsigned i) { kernel.part(src, dst, i, threads); }));
  if (hasStreamingCopy())
    all.push_back(spread(
        streamingName, [=] { streamingCopy(dst, src, bytes); },
        [=](unsigned i) {
          const Share share(bytes, i, threads);
          streamingCopy(dst + share.begin, src + share.begin, share.size);
        }));
  return all;
}

Result<CaseResult> Runner::run(const Case &one,
                               StaticLoops::Function staticLoop) {
  CaseResult result{.subject = one};
  auto kernel = compile(one, result);
  if (!kernel)
    return kernel.error();
  const char *src = workspace.src();
  char *dst = workspace.dst();
  // The right result is the naive loop's. It knows nothing of schedules: plain
  // loops that the system's compiler compiled.
  Competitor naive =
      staticLoop
          ? compete(naiveName, [=] { staticLoop(src, dst); })
          : compete(naiveName, [=, &one] { naiveLoop(one.problem, src, dst); });
  workspace.begin(one, naive);
  std::vector<Competitor> competitors = makeCompetitors(one, *kernel);
  for (Competitor &own : competitors)
    if (own.name == permcName)
      if (Status ok = workspace.verify(own); !ok)
        return ok.error();
  competitors.push_back(naive);
  addPeers(competitors, result);

  SamplerOptions sampling;
  sampling.budgetSeconds = options.secondsPerCase;
  sampling.minRounds = minRounds;
  sampling.sampleSeconds = sampleSeconds;
  sampling.warmUp = one.problem.bytesMoved() <= maxWarmBytes;
  sampling.stopwatch = [this](const Competitor &competitor, int64_t calls) {
    return timeByGoogleBenchmark(
        competitor, calls, options.threads == 1 ? Clock::Thread : Clock::Wall);
  };
  result.samples = takeSamples(competitors, sampling);
  addWarnings(result);
  return result;
}

/// A peer whose result is wrong is left out, with a word.
void Runner::addPeers(std::vector<Competitor> &competitors,
                      CaseResult &result) {
  const int64_t element = result.subject.problem.elementBytes();
  if (!peers.empty() && options.dstOffset % element != 0) {
    result.warnings.push_back("peers left out: dst begins " +
                              std::to_string(options.dstOffset) +
                              " bytes behind a line, between two elements");
    return;
  }
  for (const Entrant &entrant : peers) {
    auto competitor = entrant.peer->enter(result.subject, workspace);
    if (competitor && !*competitor)
      continue;
    Status ok = competitor ? Status(Done{}) : Status(competitor.error());
    if (ok && !(*competitor)->timedElsewhere)
      ok = workspace.verify(**competitor);
    if (ok)
      competitors.push_back(**competitor);
    else
      result.warnings.push_back("left out: " + ok.error().message);
  }
}

void Runner::addWarnings(CaseResult &result) const {
  if (result.textBytes > maxTextBytes)
    result.warnings.push_back(std::to_string(result.textBytes) +
                              " bytes of code; expected " +
                              std::to_string(maxTextBytes) + " at most");
  if (result.compileMilliseconds > maxCompileMilliseconds)
    result.warnings.push_back(
        "compiled in " + std::to_string(int64_t(result.compileMilliseconds)) +
        " ms; expected " + std::to_string(int64_t(maxCompileMilliseconds)) +
        " at most");
  // The naive loop has one thread, which wakes no other.
  if (options.threads == 1 &&
      *result.ratio(permcName) < noise * *result.ratio(naiveName) &&
      *result.medianRatio(permcName) < noise * *result.medianRatio(naiveName))
    result.warnings.push_back("slower than the naive loop");
}
