//===- Options.cpp - the command line of permc-bench ----------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Options.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

using namespace permc;
using namespace permc::bench;
namespace cl = llvm::cl;

namespace {

constexpr llvm::StringRef overview =
    "permc-bench measures permc's kernels beside memcpy, naive loops and peers";

bool failUsage(const llvm::Twine &message) {
  llvm::errs() << "permc-bench: error: " << message << "\n";
  return false;
}

/// Takes out the hundreds of options that LLVM registers for itself, one of
/// which is called --threads; of its own only --help and --version remain.
void removeForeignOptions() {
  std::vector<cl::Option *> foreign;
  for (auto &[name, option] : cl::getRegisteredOptions())
    if (name != "help" && name != "version")
      foreign.push_back(option);
  for (cl::Option *option : foreign)
    option->removeArgument();
}

} // namespace

bool bench::parseOptions(int argc, char **argv, Options &options) {
  removeForeignOptions();
  cl::OptionCategory own("Options");
  cl::list<std::string> suites("suite", cl::cat(own), cl::CommaSeparated,
                               cl::value_desc("NAME,..."),
                               cl::desc("Only these suites; all by default"));
  cl::list<std::string> cases(
      "cases", cl::cat(own), cl::value_desc("FILE"),
      cl::desc("Cases from a CSV file with the columns suite,\n"
               "case, elem_bytes, shape, perm"));
  cl::opt<std::string> filter("filter", cl::cat(own), cl::value_desc("REGEX"),
                              cl::init("."),
                              cl::desc("Only cases whose suite/case matches"));
  cl::opt<uint64_t> seed("seed", cl::cat(own), cl::value_desc("N"), cl::init(1),
                         cl::desc("What the random suite is drawn by"));
  cl::opt<double> seconds("seconds-per-case", cl::cat(own), cl::value_desc("S"),
                          cl::init(options.secondsPerCase),
                          cl::desc("Time to measure each case for; 0.3 by "
                                   "default"));
  cl::opt<unsigned> threads("threads", cl::cat(own), cl::value_desc("N"),
                            cl::init(1),
                            cl::desc("Threads of the kernel and of memcpy"));
  cl::opt<std::string> target("target", cl::cat(own), cl::value_desc("TARGET"),
                              cl::init("native"),
                              cl::desc("The machine to compile for; this one\n"
                                       "must be able to run it"));
  cl::opt<std::string> schedule(
      "schedule", cl::cat(own), cl::value_desc("FILE"),
      cl::desc("Carry out the schedule in FILE in all "
               "cases"));
  cl::opt<bool> list("list", cl::cat(own),
                     cl::desc("Print the cases as CSV and measure nothing"));

  std::string message;
  llvm::raw_string_ostream stream(message);
  if (!cl::ParseCommandLineOptions(argc, argv, overview, &stream, nullptr,
                                   nullptr, true))
    return failUsage(llvm::StringRef(message).rtrim());
  if (!(seconds >= 0))
    return failUsage("--seconds-per-case is negative");
  if (threads < 1 || threads > 1024)
    return failUsage("--threads is " + llvm::Twine(threads) +
                     "; expected 1 to 1024");
  options.suites = {suites.begin(), suites.end()};
  options.caseFiles = {cases.begin(), cases.end()};
  options.filter = filter;
  options.sources = {PERMC_BENCH_CASES, PERMC_BENCH_PEERS_FILE, seed};
  options.secondsPerCase = seconds;
  options.threads = threads;
  options.target = target;
  options.scheduleFile = schedule;
  options.list = list;
  return true;
}
