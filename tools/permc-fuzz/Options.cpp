//===- Options.cpp - the command line of permc-fuzz -----------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Options.h"

#include "RunProgramCase.h"

#include "permc/JIT/Host.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <thread>

using namespace permc;
using namespace permc::fuzz;

const char *const fuzz::help =
    R"(permc-fuzz looks for permutations that permc gets wrong

Usage: permc-fuzz [OPTION...]

Draws tensors, orders, strides, targets, legal schedules, APIs, part counts and
alignments at random, carries them out between pages that cannot be touched, and
compares every byte with what a plain loop of its own moves. A case that fails
is made smaller, and the command line that shows it is printed.

  --seed=N         the same N draws the same cases; 1 by default
  --cases=N        end after N cases
  --seconds=N      end after N seconds
  --jobs=N         processes at a time; all cores by default
  --failures=N     go on until N cases have failed; 1 by default
  --targets=T,...  machines to compile for, 'shim' for libpermc_rt, 'here' for
                   all that this machine runs (the default), 'elsewhere' for
                   those that emulators and sanitizers run
  --most-bytes=N   no larger tensors
  --small-world    not at random: every order of every small shape
  --log=FILE       keeps what was right of the small world; another run of the
                   same build goes on behind that

One case, as it is printed when it fails:
  --tensor=3x?xbytes2 --order=1,0 --target=x86-64-v3
  --api=object|jit|plan|shim|program
  --convention=NAME --inverse --in-strides=S,... --out-strides=S,...
  --specialize=N,... --schedule=TEXT --unaligned=TEXT
  --run=DIMS/PARTS/THREADS/SRC/DST   where SRC and DST are bytes behind the start
                   of a page, or 'end' to end with one; may be given again
)";

namespace {

template <typename Number>
bool readNumber(const std::string &text, Number &number) {
  const char *end = text.data() + text.size();
  auto [stopped, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && stopped == end;
}

/// Sets of kernels that libpermc_rt may have: of x86, the levels.
std::vector<std::string> shimsHere(const std::vector<std::string> &here) {
  std::vector<std::string> shims = here;
  std::erase(shims, "x86-64-v2");
  return shims;
}

/// The targets of a family that this machine is of, and can run.
std::vector<std::string> targetsHere() {
  std::vector<std::string> names;
  for (const Target &target : allTargets())
    if (target.name != "native" && target.route == Target::Route::Object &&
        checkRunsHere(target))
      names.push_back(target.name);
  return names;
}

Status addTarget(Menu &menu, const std::string &name) {
  auto target = findTarget(name);
  if (!target)
    return target.error();
  if (target->route == Target::Route::Object && checkRunsHere(*target)) {
    menu.here.push_back(name);
    return Done{};
  }
  if (std::string why = whyNoPrograms(*target); !why.empty())
    return Error{Cause::Unsupported, why};
  menu.elsewhere.push_back(name);
  return Done{};
}

/// All that can be run in some other way than by this machine itself.
void addElsewhere(Menu &menu) {
  for (const Target &target : allTargets()) {
    if (target.name == "native" ||
        (target.route == Target::Route::Object && checkRunsHere(target)))
      continue;
    if (Status ok = addTarget(menu, target.name); !ok)
      std::fprintf(stderr, "permc-fuzz: without %s: %s\n", target.name.c_str(),
                   ok.error().message.c_str());
  }
}

Status addTargets(Menu &menu, const std::string &names) {
  for (size_t begin = 0; begin <= names.size();) {
    const size_t end = std::min(names.find(',', begin), names.size());
    const std::string name = names.substr(begin, end - begin);
    begin = end + 1;
    if (name == "shim" || name == "here")
      menu.shims = shimsHere(targetsHere());
    if (name == "here")
      menu.here = targetsHere();
    else if (name == "elsewhere")
      addElsewhere(menu);
    else if (name != "shim")
      if (Status ok = addTarget(menu, name); !ok)
        return ok;
  }
  return Done{};
}

/// Sets what a word says; false if it is one of a case's.
Result<bool> readWord(Options &options, const std::string &word) {
  const size_t at = std::min(word.find('='), word.size());
  const std::string name = word.substr(0, at);
  const std::string value = word.substr(std::min(at + 1, word.size()));
  bool read = true;
  if (name == "--seed")
    read = readNumber(value, options.seed);
  else if (name == "--cases")
    read = readNumber(value, options.cases);
  else if (name == "--seconds")
    read = readNumber(value, options.seconds);
  else if (name == "--jobs")
    read = readNumber(value, options.jobs) && options.jobs > 0;
  else if (name == "--failures")
    read = readNumber(value, options.failures) && options.failures > 0;
  else if (name == "--most-bytes")
    read = readNumber(value, options.menu.mostBytes);
  else if (word == "--small-world")
    options.smallWorld = true;
  else if (name == "--log" && !value.empty())
    options.log = value;
  else if (name == "--targets") {
    if (Status ok = addTargets(options.menu, value); !ok)
      return ok.error();
  } else
    return false;
  if (!read)
    return Error{Cause::BadSyntax,
                 "'" + word + "' cannot be read; expected a number"};
  return true;
}

} // namespace

Result<Options> fuzz::readOptions(const std::vector<std::string> &words) {
  Options options;
  options.jobs = std::max(std::thread::hardware_concurrency(), 1u);
  std::vector<std::string> ofCase;
  for (const std::string &word : words) {
    auto read = readWord(options, word);
    if (!read)
      return read.error();
    if (!*read)
      ofCase.push_back(word);
  }
  if (!ofCase.empty()) {
    std::string why;
    options.replay = parseOptions(ofCase, why);
    if (!options.replay)
      return Error{Cause::BadSyntax, why + "; see permc-fuzz --help"};
  }
  Menu &menu = options.menu;
  if (menu.here.empty() && menu.elsewhere.empty() && menu.shims.empty())
    if (Status ok = addTargets(menu, "here"); !ok)
      return ok.error();
  return options;
}
