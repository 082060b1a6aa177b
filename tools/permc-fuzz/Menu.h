//===- Menu.h - what cases are drawn from -----------------------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_TOOLS_PERMC_FUZZ_MENU_H
#define PERMC_TOOLS_PERMC_FUZZ_MENU_H

#include <cstdint>
#include <string>
#include <vector>

namespace permc::fuzz {

/// What cases are drawn from.
struct Menu {
  /// Machines: those whose kernels this one runs, and others.
  std::vector<std::string> here, elsewhere;
  std::vector<std::string> shims; ///< sets of kernels of libpermc_rt
  /// If not 0: tensors have no more bytes than this.
  int64_t mostBytes = 0;
};

} // namespace permc::fuzz

#endif // PERMC_TOOLS_PERMC_FUZZ_MENU_H
