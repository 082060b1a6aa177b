//===- permc-bench.cpp - measure suites of permutations -------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads the command line, runs the cases one after the other and reports them.
//
//===----------------------------------------------------------------------===//

#include "JsonReport.h"
#include "Options.h"
#include "Plot.h"
#include "Progress.h"
#include "Runner.h"
#include "ScheduleFile.h"
#include "Suites.h"
#include "Table.h"

#include "permc/JIT/Host.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Regex.h"

using namespace permc;
using namespace permc::bench;

namespace {

constexpr int exitSuccess = 0, exitFailure = 1, exitBadUsage = 2;

int fail(const Error &error) {
  llvm::errs() << "permc-bench: error: " << error.message << "\n";
  return exitFailure;
}

void note(const llvm::Twine &message) {
  llvm::errs() << "permc-bench: " << message << "\n";
}

Result<std::vector<Case>> loadCases(const Options &options) {
  std::vector<Case> cases;
  for (const std::string &path : options.caseFiles) {
    auto some = readCases(path);
    if (!some)
      return some;
    llvm::append_range(cases, *some);
  }
  if (options.caseFiles.empty() || !options.suites.empty()) {
    auto some = loadSuites(options.suites, options.sources);
    if (!some)
      return some;
    llvm::append_range(cases, *some);
  }
  llvm::Regex filter(options.filter);
  std::string why;
  if (!filter.isValid(why))
    return Error{Cause::BadSyntax, "--filter '" + options.filter + "': " + why};
  llvm::erase_if(
      cases, [&](const Case &one) { return !filter.match(one.fullName()); });
  if (cases.empty())
    return Error{Cause::BadSyntax,
                 "no case matches --filter '" + options.filter + "'"};
  return cases;
}

void printCases(const std::vector<Case> &cases) {
  llvm::outs() << "suite,case,elem_bytes,shape,perm\n";
  for (const Case &one : cases)
    llvm::outs() << one.suite << "," << one.name << ","
                 << one.problem.elementBytes() << ","
                 << spellShape(one.problem.shape()) << ","
                 << spellOrder(one.problem) << "\n";
}

Result<RunOptions> makeRunOptions(const Options &options) {
  auto target = findTarget(options.target);
  if (!target)
    return target.error();
  if (Status ok = checkRunsHere(*target); !ok)
    return ok.error();
  RunOptions run{.target = *target,
                 .tune = options.tune,
                 .secondsPerCase = options.secondsPerCase,
                 .threads = options.threads,
                 .dstOffset = options.dstOffset};
  if (!options.scheduleFile.empty()) {
    auto texts = readScheduleFile(options.scheduleFile);
    if (!texts)
      return texts.error();
    run.schedule = texts->schedule;
    run.unaligned = texts->unaligned;
  }
  return run;
}

/// Those of the peers asked for that are there.
std::vector<Entrant> startPeers(const Options &options) {
  std::vector<Entrant> peers;
  for (const PeerKind &kind : allPeers()) {
    if (!llvm::is_contained(options.peers, kind.name))
      continue;
    auto peer = kind.start(options.threads);
    if (peer)
      peers.push_back({kind.name, std::move(*peer)});
    else
      note("without " + kind.name + ": " + peer.error().message);
  }
  return peers;
}

Result<Report> measure(const Options &options, const std::vector<Case> &cases) {
  auto runOptions = makeRunOptions(options);
  if (!runOptions)
    return runOptions.error();
  std::vector<Problem> problems;
  for (const Case &one : cases)
    problems.push_back(one.problem);
  auto loops = StaticLoops::compile(problems);
  if (!loops)
    note("the naive loop is one for any shape: " + loops.error().message);
  std::vector<Entrant> peers = startPeers(options);

  Report report{.machine = describeMachine(),
                .target = options.target,
                .naiveCompiler = loops ? loops->compiler() : "",
                .threads = options.threads,
                .dstOffset = options.dstOffset,
                .secondsPerCase = options.secondsPerCase};
  report.competitors = {memcpyName, permcName, streamingName, naiveName};
  for (const Entrant &entrant : peers)
    report.competitors.push_back(entrant.name);

  auto runner = Runner::create(cases, *runOptions, std::move(peers));
  if (!runner)
    return runner.error();
  Table table(llvm::outs());
  Progress progress(cases.size(), options.progress);
  for (size_t i = 0; i < cases.size(); ++i) {
    progress.show(cases[i].fullName());
    auto result = runner->run(cases[i], loops ? (*loops)[i] : nullptr);
    progress.clear();
    if (!result)
      return Error{result.error().cause, "case " + cases[i].fullName() + ": " +
                                             result.error().message};
    table.add(*result);
    report.results.push_back(std::move(*result));
  }
  return report;
}

Status writeFile(const std::string &path, const std::string &text) {
  std::error_code error;
  llvm::raw_fd_ostream stream(path, error);
  if (!error) {
    stream << text;
    stream.close();
    error = stream.error();
    stream.clear_error();
  }
  if (error)
    return Error{Cause::BadFile,
                 "cannot write '" + path + "': " + error.message()};
  return Done{};
}

/// A run may take an hour: files that cannot be written are found before it.
Status checkWritable(const Options &options) {
  for (const std::string &path : {options.jsonFile, options.svgFile}) {
    if (path.empty())
      continue;
    llvm::StringRef folder = llvm::sys::path::parent_path(path);
    std::error_code error = llvm::sys::fs::access(
        folder.empty() ? "." : folder, llvm::sys::fs::AccessMode::Write);
    if (!error && llvm::sys::fs::is_directory(path))
      error = std::make_error_code(std::errc::is_a_directory);
    if (error)
      return Error{Cause::BadFile,
                   "cannot write '" + path + "': " + error.message()};
  }
  return Done{};
}

Status writeFiles(const Options &options, const Report &report) {
  if (!options.jsonFile.empty())
    if (Status ok = writeFile(options.jsonFile, writeJson(report)); !ok)
      return ok;
  if (!options.svgFile.empty())
    return writeFile(options.svgFile, writePlot(report));
  return Done{};
}

} // namespace

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  Options options;
  if (!parseOptions(argc, argv, options))
    return exitBadUsage;
  auto cases = loadCases(options);
  if (!cases)
    return fail(cases.error());
  if (options.list) {
    printCases(*cases);
    return exitSuccess;
  }
  if (Status ok = checkWritable(options); !ok)
    return fail(ok.error());
  auto report = measure(options, *cases);
  if (!report)
    return fail(report.error());
  printSummary(llvm::outs(), *report);
  if (Status ok = writeFiles(options, *report); !ok)
    return fail(ok.error());
  const auto warned =
      llvm::count_if(report->results, [](const CaseResult &result) {
        return !result.warnings.empty();
      });
  if (options.strict && warned != 0) {
    note(llvm::Twine(warned) + " of " + llvm::Twine(cases->size()) +
         " cases with a warning");
    return exitFailure;
  }
  return exitSuccess;
}
