//===- Registry.cpp - the list of targets ---------------------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SuggestTarget.h"

#include "permc/Targets/TargetFamily.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace permc;

static std::vector<const TargetFamily *> &families() {
  static std::vector<const TargetFamily *> list = {
      &x86Family(),
      &armFamily(),
      &arcFamily(),
      &cFamily(),
  };
  return list;
}

RegisterTargetFamily::RegisterTargetFamily(const TargetFamily &family) {
  families().push_back(&family);
}

const std::vector<Target> &permc::allTargets() {
  static const std::vector<Target> targets = [] {
    std::vector<Target> list;
    for (const TargetFamily *family : families()) {
      const size_t first = list.size();
      family->addTargets(list);
      for (size_t i = first; i < list.size(); ++i)
        list[i].code = family;
    }
    return list;
  }();
  return targets;
}

Result<Target> permc::findTarget(std::string_view name) {
  if (name.find(',') != name.npos)
    return Error{Cause::UnknownTarget, "'" + std::string(name) +
                                           "' names several targets; expected "
                                           "one here"};
  std::string known;
  for (const Target &target : allTargets()) {
    if (target.name == name)
      return target;
    known += (known.empty() ? "" : ", ") + target.name;
  }
  return Error{Cause::UnknownTarget, "unknown target '" + std::string(name) +
                                         "'" + suggestTarget(name) +
                                         "; expected one of " + known};
}

/// The targets that can be one of several, a machine's together.
static std::string listLevels() {
  std::string list;
  const Target *before = nullptr;
  for (const Target &target : allTargets()) {
    if (target.level == 0 || target.name == "native")
      continue;
    if (before)
      list += before->triple == target.triple ? ", " : "; or ";
    list += target.name;
    before = &target;
  }
  return list;
}

static Error notTogether(std::string_view names, const std::string &why) {
  return {Cause::UnknownTarget,
          "the targets '" + std::string(names) + "': " + why +
              "; expected levels of one machine: " + listLevels()};
}

Result<std::vector<Target>> permc::findTargets(std::string_view names) {
  std::vector<Target> targets;
  for (llvm::StringRef name : llvm::split(llvm::StringRef(names), ',')) {
    auto target = findTarget(name.trim());
    if (!target)
      return target.error();
    targets.push_back(std::move(*target));
  }
  if (targets.size() == 1)
    return targets;
  for (const Target &target : targets) {
    if (target.name == "native")
      return notTogether(names, "native is one level, that of this machine");
    if (target.level == 0)
      return notTogether(names, target.name + " is a machine by itself");
    if (target.triple != targets.front().triple)
      return notTogether(names, targets.front().name + " and " + target.name +
                                    " are different machines");
  }
  llvm::sort(targets, [](const Target &a, const Target &b) {
    return a.level < b.level;
  });
  for (size_t i = 1; i < targets.size(); ++i)
    if (targets[i].level == targets[i - 1].level)
      return notTogether(names, targets[i].name + " is named twice");
  return targets;
}
