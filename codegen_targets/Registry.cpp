//===- Registry.cpp - the list of targets ---------------------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SuggestTarget.h"

#include "permc/Targets/Target.h"

using namespace permc;

const std::vector<Target> &permc::allTargets() {
  static const std::vector<Target> targets = [] {
    std::vector<Target> list;
    addX86Targets(list);
    addArmTargets(list);
    addArcTargets(list);
    return list;
  }();
  return targets;
}

Result<Target> permc::findTarget(std::string_view name) {
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
