//===- ObjectInfo.h - what is in an object that permc made ------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Long after an object was made, what was asked for can be read from it: from
// the file alone, for any machine, without loading it.
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_COMPILER_OBJECTINFO_H
#define PERMC_COMPILER_OBJECTINFO_H

#include "permc/Compiler/Compiler.h"

namespace permc {

/// The version of permc that made an object, if not a byte of it has changed
/// since.
Result<std::string> checkSeal(const std::string &object);

/// The requests of the kernels in an object, by what each `NAME_info` says.
/// Their schedules and specialised shapes are not known.
Result<std::vector<Request>> readRequests(const std::string &object);

/// One object, or all members of a static library, with their names.
struct NamedObject {
  std::string name, bytes;
};
Result<std::vector<NamedObject>> readObjects(const std::string &file,
                                             const std::string &name);

} // namespace permc

#endif // PERMC_COMPILER_OBJECTINFO_H
