//===- Arguments.h - mistakes in the words after permc ----------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_TOOLS_PERMC_ARGUMENTS_H
#define PERMC_TOOLS_PERMC_ARGUMENTS_H

#include "Command.h"

#include <optional>

namespace permc {

using Commands = std::vector<std::unique_ptr<Command>>;

/// What is wrong with the words after `permc`, if anything is: no command of
/// that name, an option that the command lacks, one that is given twice or
/// without its value, a word too many. LLVM's parser would find most of it too,
/// but says less.
std::optional<std::string> findMistake(const Commands &commands,
                                       llvm::ArrayRef<const char *> arguments);

} // namespace permc

#endif // PERMC_TOOLS_PERMC_ARGUMENTS_H
