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
#include "llvm/Support/ErrorHandling.h"

#include <mutex>

using namespace permc;

namespace {

/// The families, and their targets once somebody has asked for them.
class Registry {
public:
  static Registry &get() {
    static Registry registry;
    return registry;
  }

  Status add(const TargetFamily &family) {
    // Not under the lock: a family is free to do what it likes.
    std::vector<Target> added;
    family.addTargets(added);
    const std::lock_guard lock(mutex);
    const std::string what = describe(added);
    if (llvm::is_contained(families, &family))
      return Error{Cause::Unsupported,
                   what + " registered twice; expected once"};
    for (const Target &target : added)
      if (count(added, target.name) > 1 || count(targets, target.name) > 0)
        return Error{Cause::Unsupported, what + ": there is a target '" +
                                             target.name +
                                             "' already; expected another "
                                             "name"};
    if (isListed)
      return Error{Cause::Unsupported,
                   what + " registered late; expected it before targets are "
                          "first asked for"};
    append(family, std::move(added));
    return Done{};
  }

  const std::vector<Target> &list() {
    const std::lock_guard lock(mutex);
    isListed = true;
    return targets;
  }

private:
  Registry() {
    for (const TargetFamily *family :
         {&x86Family(), &armFamily(), &arcFamily(), &cFamily()}) {
      std::vector<Target> added;
      family->addTargets(added);
      append(*family, std::move(added));
    }
  }

  void append(const TargetFamily &family, std::vector<Target> added) {
    families.push_back(&family);
    for (Target &target : added) {
      target.code = &family;
      targets.push_back(std::move(target));
    }
  }

  static ptrdiff_t count(const std::vector<Target> &targets,
                         const std::string &name) {
    return llvm::count_if(
        targets, [&](const Target &target) { return target.name == name; });
  }

  static std::string describe(const std::vector<Target> &targets) {
    std::string names;
    for (const Target &target : targets)
      names += (names.empty() ? "" : ", ") + target.name;
    return "a family of targets (" + names + ")";
  }

  std::mutex mutex;
  std::vector<const TargetFamily *> families;
  std::vector<Target> targets;
  bool isListed = false; ///< whoever asked keeps a reference
};

} // namespace

Status permc::registerTargetFamily(const TargetFamily &family) {
  return Registry::get().add(family);
}

RegisterTargetFamily::RegisterTargetFamily(const TargetFamily &family) {
  if (Status ok = registerTargetFamily(family); !ok)
    llvm::report_fatal_error(llvm::StringRef(ok.error().message),
                             /*gen_crash_diag=*/false);
}

const std::vector<Target> &permc::allTargets() {
  return Registry::get().list();
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
