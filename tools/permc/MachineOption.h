//===- MachineOption.h - --machine FILE -------------------------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_TOOLS_PERMC_MACHINEOPTION_H
#define PERMC_TOOLS_PERMC_MACHINEOPTION_H

#include "permc/Targets/Target.h"

#include "llvm/Support/CommandLine.h"

namespace permc {

/// The machine that targets are taken to be, for every command that compiles:
/// it finds them as the registry does, and puts the quantities of the file, if
/// one is given, in the place of theirs.
class MachineOption {
public:
  MachineOption(llvm::cl::SubCommand &sub, llvm::cl::OptionCategory &category);

  bool isGiven() const { return file.getNumOccurrences() != 0; }
  const std::string &path() const { return file; }

  Result<Target> findTarget(const std::string &name) const;
  Result<std::vector<Target>> findTargets(const std::string &names) const;

private:
  Status apply(Target &target) const;

  llvm::cl::opt<std::string> file;
};

} // namespace permc

#endif // PERMC_TOOLS_PERMC_MACHINEOPTION_H
