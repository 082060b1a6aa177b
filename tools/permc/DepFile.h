//===- DepFile.h - what a build has to watch --------------------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_TOOLS_PERMC_DEPFILE_H
#define PERMC_TOOLS_PERMC_DEPFILE_H

#include <string>
#include <vector>

namespace permc {

/// A rule for Make, Ninja and CMake that says which files were read to make
/// which: "a.o a.h: a.yaml". Paths are spelled as they were given. An input
/// that is removed is no error for Make, which has an empty rule for it.
std::string spellDepFile(const std::vector<std::string> &outputs,
                         const std::vector<std::string> &inputs);

} // namespace permc

#endif // PERMC_TOOLS_PERMC_DEPFILE_H
