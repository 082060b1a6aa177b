//===- ScheduleOrigin.cpp - what a schedule was printed for ---------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Problems are compared in their simplest form, for schedules are made for
// that: the same images with a batch of one, or by another convention, are no
// others. Strides are compared as they were given.
//
//===----------------------------------------------------------------------===//

#include "ScheduleOrigin.h"

#include "permc/Plan/Simplify.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace permc;
using llvm::StringRef;

std::string permc::spellProblem(const Problem &problem) {
  const int64_t bytes = problem.elementBytes();
  std::string text;
  llvm::raw_string_ostream(text)
      << llvm::format("%-24s %-20s ", spellShape(problem.shape()).c_str(),
                      spellList(problem.perm()).c_str())
      << "elements of " << bytes << (bytes == 1 ? " byte" : " bytes");
  return text;
}

std::string permc::spellStrides(const Problem &problem) {
  return spellList(problem.srcStrides()) + " in src, " +
         spellList(problem.dstStrides()) + " in dst";
}

std::string permc::spellTarget(const Target &target) {
  return target.name == target.resolvedName()
             ? target.name
             : target.name + ", which is " + target.resolvedName() + " here";
}

/// With one blank where there are some.
static std::string joinWords(StringRef text) {
  llvm::SmallVector<StringRef> words;
  llvm::SplitString(text, words);
  return llvm::join(words, " ");
}

namespace {

/// Each as it stands in the text, or empty.
struct Origin {
  std::string problem, strides, target;
};

} // namespace

/// The last problem before the schedule is the simplest form.
static Origin readOrigin(StringRef printed) {
  Origin origin;
  bool simplifies = false;
  llvm::SmallVector<StringRef> lines;
  printed.split(lines, '\n');
  for (StringRef line : lines) {
    if (line.consume_front("schedule for ")) {
      origin.target = line.rtrim().str();
      break;
    }
    if (line.starts_with("schedule"))
      break;
    auto [label, text] = llvm::getToken(line);
    if (label == "strides")
      origin.strides = joinWords(text);
    else if (simplifies && text.contains(" elements of "))
      origin.problem = joinWords(text);
    simplifies |= label == "simplification";
  }
  return origin;
}

/// The name of a target that spellTarget spelled, or of what it is.
static StringRef targetName(StringRef spelled) {
  auto [name, is] = spelled.split(", which is ");
  return is.consume_back(" here") ? is : name;
}

static std::string spellWhole(const std::string &problem,
                              const std::string &strides) {
  return strides.empty() ? problem : problem + ", " + strides;
}

std::optional<std::string> permc::findOtherOrigin(StringRef printed,
                                                  const Request &request) {
  const Origin origin = readOrigin(printed);
  auto other = [](const std::string &printedFor, const std::string &now) {
    return "was printed for " + printedFor + "; this is " + now;
  };
  // It first: how far dims are folded is the target's.
  if (!origin.target.empty() &&
      targetName(origin.target) != request.target.resolvedName())
    return other(origin.target, spellTarget(request.target));
  const std::string problem = joinWords(spellProblem(
      canonicalize(request.problem, request.target.facts.foldLimit)));
  const std::string strides =
      request.problem.isDense() ? "" : spellStrides(request.problem);
  if (!origin.problem.empty() &&
      (origin.problem != problem || origin.strides != strides))
    return other(spellWhole(origin.problem, origin.strides),
                 spellWhole(problem, strides));
  return std::nullopt;
}
