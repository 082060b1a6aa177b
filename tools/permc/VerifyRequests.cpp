//===- VerifyRequests.cpp - proof of what is compiled ---------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VerifyRequests.h"

#include "VerifyC.h"
#include "VerifyEmulated.h"
#include "VerifyHere.h"

#include "permc/JIT/Host.h"
#include "permc/JIT/Jit.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace permc;

namespace {

/// Requests for one target, and how messages call it: nothing where there is
/// but one.
struct Group {
  Target target;
  std::vector<Request> requests;
  std::string label = {};
};

Status verifyHere(Compiler &compiler, const Group &group) {
  auto jit = Jit::create();
  if (!jit)
    return jit.error();
  for (const Request &request : group.requests) {
    auto object = compiler.compile({request}, Emit::Object);
    if (!object)
      return object.error();
    if (Status ok = verifyHere(**jit, object->bytes, request, group.label); !ok)
      return ok;
  }
  return Done{};
}

/// An error if a target's code can be run nowhere.
Status checkCanRun(const Target &target) {
  if (target.route == Target::Route::C || canEmulate(target))
    return Done{};
  return checkRunsHere(target);
}

Status verifyGroup(Compiler &compiler, const Group &group) {
  if (group.target.route == Target::Route::C) {
    auto source = compiler.compile(group.requests, Emit::C);
    if (!source)
      return source.error();
    return verifyC(source->bytes, group.requests);
  }
  if (checkRunsHere(group.target))
    return verifyHere(compiler, group);
  auto library = compiler.compile(group.requests, Emit::Library);
  if (!library)
    return library.error();
  return verifyEmulated(library->bytes, group.requests, group.target);
}

/// One group for each target, the kernels' levels apart.
std::vector<Group> groupByTarget(const std::vector<Request> &requests) {
  std::vector<Group> groups;
  for (const Request &request : requests)
    for (Request &level : request.levels()) {
      auto group = llvm::find_if(groups, [&](const Group &each) {
        return each.target.name == level.target.name;
      });
      if (group == groups.end())
        group = groups.insert(groups.end(), Group{level.target, {}});
      group->requests.push_back(std::move(level));
    }
  if (groups.size() > 1)
    for (Group &group : groups)
      group.label = " for " + group.target.name;
  return groups;
}

/// What chooses between levels, on the CPU that is here, or else on an emulated
/// one of each level.
Status verifyDispatch(Compiler &compiler, const Request &request) {
  const Group here{
      request.target, {request}, " for the best of " + request.targetNames()};
  if (checkRunsHere(request.target))
    return verifyHere(compiler, here);
  for (const Request &level : request.levels())
    if (canEmulate(level.target))
      if (Status ok =
              verifyGroup(compiler, Group{level.target, {request}, here.label});
          !ok)
        return ok;
  return Done{};
}

} // namespace

Status permc::verifyRequests(Compiler &compiler,
                             const std::vector<Request> &requests) {
  const std::vector<Group> groups = groupByTarget(requests);
  bool anyProven = false;
  for (const Group &group : groups) {
    Status canRun = checkCanRun(group.target);
    if (canRun) {
      if (Status ok = verifyGroup(compiler, group); !ok)
        return ok;
      anyProven = true;
      continue;
    }
    if (!anyProven && &group == &groups.back())
      return Error{canRun.error().cause,
                   "cannot verify: " + canRun.error().message};
    llvm::errs() << "not verified" << group.label << ": "
                 << canRun.error().message
                 << ", and there is no emulator for it\n";
  }
  for (const Request &request : requests)
    if (!request.better.empty())
      if (Status ok = verifyDispatch(compiler, request); !ok)
        return ok;
  return Done{};
}
