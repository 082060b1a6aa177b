//===- KernelName.h - names that kernels may have ------------- -*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_FRONTEND_KERNELNAME_H
#define PERMC_FRONTEND_KERNELNAME_H

#include "permc/Plan/DynamicProblem.h"

#include <map>
#include <string>
#include <string_view>

namespace permc {

/// A kernel's name becomes a symbol and a C declaration: it must be an
/// identifier in C and C++, and no name that the kernel itself may call.
Status checkKernelName(std::string_view name);

/// A C identifier made of all that tells one problem from another, such as
/// permute_224x224x3xu8_201; a dynamic dim is N.
std::string deriveName(const Problem &problem, const std::string &element);
std::string deriveName(const DynamicProblem &problem,
                       const std::string &element);

/// The symbols of a set of kernels that will share a library.
class KernelNames {
public:
  /// Adds `name`, with the names derived from it (NAME_part, NAME_info), unless
  /// one of them is taken.
  Status add(const std::string &name);

private:
  std::map<std::string, std::string> kernelOf; ///< by symbol
};

} // namespace permc

#endif // PERMC_FRONTEND_KERNELNAME_H
