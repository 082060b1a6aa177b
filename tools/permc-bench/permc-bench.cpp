//===- permc-bench.cpp - measure suites of permutations -------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads the command line, runs the cases one after the other and prints them.
//
//===----------------------------------------------------------------------===//

#include "Options.h"
#include "Runner.h"
#include "Suites.h"
#include "Table.h"

#include "permc/JIT/Host.h"

#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Regex.h"

using namespace permc;
using namespace permc::bench;

namespace {

enum ExitCode { exitSuccess = 0, exitFailure = 1, exitBadUsage = 2 };

int fail(const Error &error) {
  llvm::errs() << "permc-bench: error: " << error.message << "\n";
  return exitFailure;
}

Result<std::vector<Case>> loadCases(const Options &options) {
  std::vector<Case> cases;
  for (const std::string &path : options.caseFiles) {
    auto some = readCases(path);
    if (!some)
      return some;
    cases.insert(cases.end(), some->begin(), some->end());
  }
  if (options.caseFiles.empty() || !options.suites.empty()) {
    auto some = loadSuites(options.suites, options.sources);
    if (!some)
      return some;
    cases.insert(cases.end(), some->begin(), some->end());
  }
  llvm::Regex filter(options.filter);
  std::string why;
  if (!filter.isValid(why))
    return Error{Cause::BadSyntax, "--filter '" + options.filter + "': " + why};
  std::erase_if(cases,
                [&](const Case &one) { return !filter.match(one.fullName()); });
  if (cases.empty())
    return Error{Cause::BadSyntax,
                 "no case matches --filter '" + options.filter + "'"};
  return cases;
}

Result<RunOptions> makeRunOptions(const Options &options) {
  auto target = findTarget(options.target);
  if (!target)
    return target.error();
  if (Status ok = checkRunsHere(*target); !ok)
    return ok.error();
  RunOptions run{.target = *target,
                 .secondsPerCase = options.secondsPerCase,
                 .threads = options.threads};
  if (!options.scheduleFile.empty()) {
    auto text = llvm::MemoryBuffer::getFile(options.scheduleFile);
    if (!text)
      return Error{Cause::BadFile, "cannot read '" + options.scheduleFile +
                                       "': " + text.getError().message()};
    run.schedule = (*text)->getBuffer().str();
  }
  return run;
}

void printCases(const std::vector<Case> &cases) {
  llvm::outs() << "suite,case,elem_bytes,shape,perm\n";
  for (const Case &one : cases)
    llvm::outs() << one.suite << "," << one.name << ","
                 << one.problem.elementBytes() << ","
                 << spellShape(one.problem.shape()) << ","
                 << spellOrder(one.problem) << "\n";
}

Result<std::vector<CaseResult>>
measure(const Options &options, const std::vector<Case> &cases, Table &table) {
  auto runOptions = makeRunOptions(options);
  if (!runOptions)
    return runOptions.error();
  auto loops = StaticLoops::compile(cases);
  if (!loops)
    llvm::errs() << "permc-bench: the naive loop is one for any shape: "
                 << loops.error().message << "\n";
  auto runner = Runner::create(cases, *runOptions);
  if (!runner)
    return runner.error();
  std::vector<CaseResult> results;
  for (size_t i = 0; i < cases.size(); ++i) {
    auto result = runner->run(cases[i], loops ? (*loops)[i] : nullptr);
    if (!result)
      return Error{result.error().cause, "case " + cases[i].fullName() + ": " +
                                             result.error().message};
    table.add(*result);
    results.push_back(std::move(*result));
  }
  return results;
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
  Table table(llvm::outs(), {kernelName, streamingName, naiveName});
  auto results = measure(options, *cases, table);
  if (!results)
    return fail(results.error());
  table.printSummary(*results);
  return exitSuccess;
}
