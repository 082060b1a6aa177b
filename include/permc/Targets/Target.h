//===- Target.h - the machines permc compiles for ---------------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A target is a folder under codegen_targets/ that fills in this struct, and
// brings what code it has by TargetFamily.h; the list of folders is in
// codegen_targets/Registry.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_TARGETS_TARGET_H
#define PERMC_TARGETS_TARGET_H

#include "permc/Plan/Error.h"
#include "permc/Plan/TargetFacts.h"

#include <string>
#include <string_view>
#include <vector>

namespace permc {

class TargetFamily;

struct Target {
  std::string name;        ///< "x86-64-v3"
  std::string family;      ///< "x86": targets of one family can share a file
  std::string description; ///< one line for `permc targets`
  std::string triple, cpu, features; ///< as LLVM wants them
  /// Objects through LLVM, or C source for the user's own compiler.
  enum class Route { Object, C } route = Route::Object;
  /// Which of several levels of one machine it is, from 1 on: kernels for some
  /// of them can be one kernel, which asks the CPU. 0: there are no levels.
  int level = 0;
  /// LLVM IR that finds out the level of the CPU it runs on.
  std::string_view levelQuery = {};
  TargetFacts facts;
  /// The code of its folder; null for a machine that is known by facts only.
  /// The registry fills it in.
  const TargetFamily *code = nullptr;

  /// The name by which others know it: `native` is a level on this machine
  /// only.
  const std::string &resolvedName() const {
    return name == "native" ? cpu : name;
  }
};

/// All targets in the order `permc targets` lists them. The first is `native`.
const std::vector<Target> &allTargets();

Result<Target> findTarget(std::string_view name);

/// The targets of a list such as "x86-64-v2,x86-64-v4". Several are levels of
/// one machine, and come with the lowest first.
Result<std::vector<Target>> findTargets(std::string_view names);

} // namespace permc

#endif // PERMC_TARGETS_TARGET_H
