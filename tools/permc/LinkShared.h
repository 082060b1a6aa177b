//===- LinkShared.h - kernels as a shared library ---------------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_TOOLS_PERMC_LINKSHARED_H
#define PERMC_TOOLS_PERMC_LINKSHARED_H

#include "permc/Compiler/Compiler.h"

namespace permc {

/// Links a static library of these kernels to a shared one, which shows them
/// and nothing else. `linker` is a C compiler; empty: the one that Debian has
/// for the target.
Result<std::string> linkShared(const std::string &library,
                               const std::vector<Request> &requests,
                               const std::string &soname,
                               const std::string &linker);

} // namespace permc

#endif // PERMC_TOOLS_PERMC_LINKSHARED_H
