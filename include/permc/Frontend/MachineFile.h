//===- MachineFile.h - a machine's quantities in a file ---------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What `permc calibrate` writes: YAML, a line for each key of MachineKeys.def,
// which this is all made from.
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_FRONTEND_MACHINEFILE_H
#define PERMC_FRONTEND_MACHINEFILE_H

#include "permc/Plan/Error.h"
#include "permc/Plan/TargetFacts.h"

#include <functional>
#include <string>
#include <string_view>

namespace permc {

/// A physical quantity of a Machine, as files and tables know it.
struct MachineKey {
  const char *name, *unit, *description;
};

/// Calls `visit` with each key and its value.
template <typename OfMachine, typename Visit>
void visitMachine(OfMachine &machine, Visit visit) {
#define PERMC_MACHINE_KEY(member, unit, description)                           \
  visit(MachineKey{#member, unit, description}, machine.member);
#include "permc/Frontend/MachineKeys.def"
}

/// The fields that `text` names in the place of those of `machine`, which has
/// the others. An error names `path`, the place and what was expected.
Result<Machine> parseMachine(std::string_view text, const std::string &path,
                             const Machine &machine);

/// The same from the file `path`.
Result<Machine> readMachineFile(const std::string &path,
                                const Machine &machine);

/// The text of a file, with a first line that is a comment. `note` says what
/// there is to say of a key, or nothing.
std::string
spellMachine(const Machine &machine, const std::string &firstLine,
             const std::function<std::string(const MachineKey &)> &note);

/// "0.27", "32768": as short as reads back as the same.
std::string spellQuantity(double value);

} // namespace permc

#endif // PERMC_FRONTEND_MACHINEFILE_H
