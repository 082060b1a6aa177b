//===- Options.cpp - the command line of permc-bench ----------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Options.h"

#include "Peers.h"
#include "Program.h"

#include "permc/Plan/Schedule.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

using namespace permc;
using namespace permc::bench;
namespace cl = llvm::cl;

namespace {

constexpr llvm::StringRef overview =
    "permc-bench measures permc's kernels beside memcpy, naive loops and peers";

constexpr llvm::StringRef examples = R"(
All figures are time(memcpy) / time(competitor) in the same run: 1 is memcpy's
speed. docs/benchmarking.md says how they are measured.

Examples:
  permc-bench                                 all suites, all peers
  permc-bench --suite vision --peers none
  permc-bench --filter 'u8' --threads 2 --json u8.json --svg u8.svg
  permc-bench --cases my-layouts.csv --peers torch,numpy
  permc-bench --suite attention --dst-offset 16
)";

bool failUsage(const llvm::Twine &message) {
  llvm::errs() << "permc-bench: error: " << message << "\n";
  return false;
}

/// "all", "none" or names.
bool choosePeers(const std::vector<std::string> &given,
                 std::vector<std::string> &chosen) {
  std::string known;
  for (const PeerKind &kind : allPeers()) {
    known += kind.name + ", ";
    if (given.empty() || given[0] == "all" ||
        llvm::is_contained(given, kind.name))
      chosen.push_back(kind.name);
  }
  for (const std::string &name : given)
    if (!llvm::is_contained(chosen, name) &&
        !(given.size() == 1 && (name == "all" || name == "none")))
      return failUsage("--peers has '" + name + "'; expected all, none, or " +
                       "some of " + llvm::StringRef(known).drop_back(2));
  return true;
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
      cl::desc("Cases from a CSV file: suite,case,elem_bytes,\n"
               "shape,perm and lines as --list prints them"));
  cl::opt<std::string> filter("filter", cl::cat(own), cl::value_desc("REGEX"),
                              cl::init("."),
                              cl::desc("Only cases whose suite/case matches"));
  cl::opt<uint64_t> seed("seed", cl::cat(own), cl::value_desc("N"), cl::init(1),
                         cl::desc("What the random suite is drawn by"));
  cl::list<std::string> peers(
      "peers", cl::cat(own), cl::CommaSeparated, cl::value_desc("NAME,..."),
      cl::desc("Which other libraries to measure: all (default),\n"
               "none, or openblas, onednn, eigen, torch, numpy"));
  cl::opt<double> seconds("seconds-per-case", cl::cat(own), cl::value_desc("S"),
                          cl::init(options.secondsPerCase),
                          cl::desc("Time to take samples for; 0.3 by default"));
  cl::opt<unsigned> threads(
      "threads", cl::cat(own), cl::value_desc("N"), cl::init(1),
      cl::desc("Threads of the kernel, of memcpy and of the\n"
               "peers that have them"));
  cl::opt<unsigned> dstOffset(
      "dst-offset", cl::cat(own), cl::value_desc("BYTES"), cl::init(0),
      cl::desc("How far behind a line of the cache dst begins:\n"
               "0 (default) to 63. malloc's large blocks: 16"));
  cl::opt<std::string> target("target", cl::cat(own), cl::value_desc("TARGET"),
                              cl::init("native"),
                              cl::desc("The machine to compile for; this one\n"
                                       "must be able to run it"));
  cl::opt<std::string> schedule(
      "schedule", cl::cat(own), cl::value_desc("FILE"),
      cl::desc("Carry out the schedule in FILE in all cases;\n"
               "'permc explain' prints it"));
  cl::opt<std::string> json("json", cl::cat(own), cl::value_desc("FILE"),
                            cl::desc("Write all figures as JSON"));
  cl::opt<std::string> svg("svg", cl::cat(own), cl::value_desc("FILE"),
                           cl::desc("Write a plot"));
  cl::opt<bool> list("list", cl::cat(own),
                     cl::desc("Print the cases as CSV and measure nothing"));
  cl::opt<bool> strict("strict", cl::cat(own),
                       cl::desc("Fail if there was a warning"));
  cl::opt<bool> progress("progress", cl::cat(own),
                         cl::desc("Say which case is measured even where the\n"
                                  "standard error is no terminal"));
  cl::opt<bool> tune("tune", cl::cat(own),
                     cl::desc("Measure other schedules than the chosen one\n"
                              "first, and take the fastest of each case"));
  cl::extrahelp below(examples);
  cl::SetVersionPrinter([](llvm::raw_ostream &os) {
    os << "permc-bench " PERMC_VERSION ", with LLVM " LLVM_VERSION_STRING "\n";
  });

  // Messages name the tool however it was called.
  std::vector<const char *> arguments(argv, argv + argc);
  arguments[0] = "permc-bench";
  std::string message;
  llvm::raw_string_ostream stream(message);
  if (!cl::ParseCommandLineOptions(argc, arguments.data(), overview, &stream,
                                   nullptr, nullptr, true)) {
    llvm::StringRef text = message;
    text.consume_front("permc-bench: ");
    // What is wrong with an option's value has been printed by the parser.
    return text.empty() ? false : failUsage(text.rtrim());
  }
  if (!(seconds >= 0 && seconds <= 3600))
    return failUsage("--seconds-per-case is " + std::to_string(seconds) +
                     "; expected 0 to 3600");
  if (threads < 1 || threads > 1024)
    return failUsage("--threads is " + llvm::Twine(threads) +
                     "; expected 1 to 1024");
  if (dstOffset >= streamLineBytes)
    return failUsage("--dst-offset is " + llvm::Twine(dstOffset) +
                     "; expected 0 to " + llvm::Twine(streamLineBytes - 1));
  if (tune && !schedule.empty())
    return failUsage("--tune and --schedule exclude each other");
  if (!choosePeers({peers.begin(), peers.end()}, options.peers))
    return false;
  options.suites = {suites.begin(), suites.end()};
  options.caseFiles = {cases.begin(), cases.end()};
  options.sources = {PERMC_BENCH_CASES, PERMC_BENCH_PEERS_FILE, seed};
  options.filter = filter;
  options.target = target;
  options.scheduleFile = schedule;
  options.jsonFile = json;
  options.svgFile = svg;
  options.secondsPerCase = seconds;
  options.threads = threads;
  options.dstOffset = dstOffset;
  options.list = list;
  options.strict = strict;
  options.progress = progress;
  options.tune = tune;
  return true;
}
