//===- MachineOption.cpp - --machine FILE ---------------------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MachineOption.h"

#include "permc/Frontend/MachineFile.h"

using namespace permc;
namespace cl = llvm::cl;

MachineOption::MachineOption(cl::SubCommand &sub, cl::OptionCategory &category)
    : file("machine", cl::sub(sub), cl::cat(category), cl::value_desc("FILE"),
           cl::desc("Caches and times of the machine, as 'permc\n"
                    "calibrate -o FILE' measures them")) {}

Status MachineOption::apply(Target &target) const {
  if (!isGiven())
    return Done{};
  auto machine = readMachineFile(file, target.facts);
  if (!machine)
    return machine.error();
  static_cast<Machine &>(target.facts) = *machine;
  return Done{};
}

Result<Target> MachineOption::findTarget(const std::string &name) const {
  auto target = permc::findTarget(name);
  if (target)
    if (Status ok = apply(*target); !ok)
      return ok.error();
  return target;
}

Result<std::vector<Target>>
MachineOption::findTargets(const std::string &names) const {
  auto targets = permc::findTargets(names);
  if (targets)
    for (Target &target : *targets)
      if (Status ok = apply(target); !ok)
        return ok.error();
  return targets;
}
