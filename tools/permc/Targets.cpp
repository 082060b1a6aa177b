//===- Targets.cpp - permc targets ----------------------------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Command.h"

#include "permc/Targets/Target.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace permc;

namespace {

/// "32K", "1M": sizes of caches are whole kilobytes.
std::string spellCache(int64_t bytes) {
  const int64_t kilobytes = bytes >> 10;
  return kilobytes % 1024 == 0 && kilobytes > 0
             ? std::to_string(kilobytes >> 10) + "M"
             : std::to_string(kilobytes) + "K";
}

class TargetsCommand : public Command {
public:
  TargetsCommand() : Command("targets", "List the targets and their facts") {}

  llvm::StringRef examples() const override {
    return R"(
vector, word, fold: the widest vector and scalar move, and what an element may
grow to by folding, in bytes. L1, L2, L3: the caches that schedules count on.

Example:
  permc targets
)";
  }

  int run() override {
    // The columns that are words as wide as their longest; the rest is short.
    int nameWidth = 6;
    for (const Target &target : allTargets())
      nameWidth = std::max(nameWidth, int(target.name.size()));
    llvm::outs() << llvm::format("%-*s %6s %4s %4s %6s %5s %5s  %s\n",
                                 nameWidth, "target", "vector", "word", "fold",
                                 "L1", "L2", "L3", "");
    for (const Target &target : allTargets()) {
      const TargetFacts &facts = target.facts;
      llvm::outs() << llvm::format(
          "%-*s %6d %4d %4d %6s %5s %5s  %s\n", nameWidth, target.name.c_str(),
          int(facts.vectorBytes), int(facts.wordBytes), int(facts.foldLimit),
          spellCache(facts.l1Bytes).c_str(), spellCache(facts.l2Bytes).c_str(),
          spellCache(facts.l3Bytes).c_str(), target.description.c_str());
    }
    return ExitSuccess;
  }
};

} // namespace

std::unique_ptr<Command> permc::makeTargetsCommand() {
  return std::make_unique<TargetsCommand>();
}
