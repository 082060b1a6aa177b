//===- Registry.cpp - the list of targets ---------------------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "permc/Targets/Target.h"

#include "llvm/ADT/StringRef.h"

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

/// ", did you mean 'arc-hs'?" if there is a target that is spelled much alike.
static std::string suggestTarget(llvm::StringRef name) {
  constexpr unsigned maxDistance = 2;
  const Target *nearest = nullptr;
  unsigned least = maxDistance + 1;
  for (const Target &target : allTargets()) {
    unsigned distance =
        !name.empty() &&
                llvm::StringRef(target.name).starts_with_insensitive(name)
            ? 1
            : name.edit_distance_insensitive(target.name);
    if (distance < least) {
      least = distance;
      nearest = &target;
    }
  }
  return nearest ? ", did you mean '" + nearest->name + "'?" : "";
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
