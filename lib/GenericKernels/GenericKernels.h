//===- GenericKernels.h - compile the shim's kernels ------------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_LIB_GENERICKERNELS_GENERICKERNELS_H
#define PERMC_LIB_GENERICKERNELS_GENERICKERNELS_H

#include "permc/Plan/Error.h"
#include "permc/Targets/Target.h"

#include <string>

namespace permc {

/// The kernels of one target in two files.
struct GenericSources {
  std::string assembly;
  /// C++ that lists them as a `GenericKernelSet` (permc/Runtime).
  std::string table;
};

Result<GenericSources> makeGenericKernels(const Target &target);

/// The name of the set in C++: "kernels_x86_64_v3".
std::string genericSetName(const Target &target);

} // namespace permc

#endif // PERMC_LIB_GENERICKERNELS_GENERICKERNELS_H
