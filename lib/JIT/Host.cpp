//===- Host.cpp - can this machine run a target's code? -------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "permc/JIT/Host.h"

#include "permc/Compiler/Compiler.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"

#include <algorithm>
#include <memory>

using namespace permc;

static Error cannotRun(const Target &target, const std::string &why) {
  return {Cause::Unsupported, "this machine cannot run code for the target '" +
                                  target.name + "': " + why};
}

Status permc::checkRunsHere(const Target &target) {
  if (target.route != Target::Route::Object)
    return cannotRun(target, "it makes C source, not objects");
  const llvm::Triple triple(target.triple);
  const llvm::Triple host(llvm::sys::getProcessTriple());
  if (triple.getArch() != host.getArch())
    return cannotRun(target, "it is for " + triple.getArchName().str() +
                                 ", this machine is " +
                                 host.getArchName().str());

  initializeNativeTarget();
  std::string message;
  const llvm::Target *known =
      llvm::TargetRegistry::lookupTarget(triple, message);
  if (!known)
    return cannotRun(target, message);
  const std::unique_ptr<llvm::MCSubtargetInfo> needs(
      known->createMCSubtargetInfo(triple, target.cpu, target.features));
  if (!needs)
    return cannotRun(target,
                     "LLVM does not know its processor '" + target.cpu + "'");

  // What the machine is known not to have must not be needed.
  std::vector<std::string> missing;
  for (const auto &feature : llvm::sys::getHostCPUFeatures())
    if (!feature.second && needs->checkFeatures("+" + feature.first().str()))
      missing.push_back(feature.first().str());
  if (missing.empty())
    return Done{};
  std::sort(missing.begin(), missing.end());
  std::string list;
  for (const std::string &feature : missing)
    list += (list.empty() ? "" : ", ") + feature;
  return cannotRun(target, "it lacks " + list);
}
