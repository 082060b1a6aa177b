//===- GenericParts.h - a problem shared by threads -------------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A part is at most three boxes of the tensor, and each of them is a problem of
// its own: planning it takes a few microseconds, moving it many times that.
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_LIB_RUNTIME_GENERICPARTS_H
#define PERMC_LIB_RUNTIME_GENERICPARTS_H

#include "GenericPlan.h"

#include "permc/Plan/Split.h"

namespace permc {

class GenericParts {
public:
  /// A canonical problem that is not empty.
  GenericParts(const FixedProblem &canonical, const KernelTable &kernels);

  /// Moves one part; `src` and `dst` are where the first element is. No two
  /// parts write the same line of dst if dst starts with one. Takes no memory
  /// but the stack.
  void run(const char *src, char *dst, uint32_t part, uint32_t parts) const;

private:
  const FixedProblem &problem;
  const KernelTable &kernels;
  Split split;
};

} // namespace permc

#endif // PERMC_LIB_RUNTIME_GENERICPARTS_H
