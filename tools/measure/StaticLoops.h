//===- StaticLoops.h - naive loops, compiled for their shape ----*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What someone would write by hand who knows the shape: a loop nest in C over
// the output with all sizes constant, compiled by the system's compiler at -O3
// for this CPU. All loops of a run are one C file, so the compiler starts once.
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_TOOLS_MEASURE_STATICLOOPS_H
#define PERMC_TOOLS_MEASURE_STATICLOOPS_H

#include "permc/Plan/Problem.h"

namespace permc {

struct LoopOptions {
  std::string cpu = "native"; ///< of -march
  /// Sizes and strides are read from memory: what someone would write who knows
  /// the order only. Of tensors without gaps.
  bool runTimeSizes = false;
};

class StaticLoops {
public:
  using Function = void (*)(const void *src, void *dst);

  /// One function a problem, in the order given. Fails without a compiler.
  static Result<StaticLoops> compile(const std::vector<Problem> &problems,
                                     const LoopOptions &options = {});

  Function operator[](size_t index) const { return functions[index]; }
  /// The compiler and its options, for the report.
  const std::string &compiler() const { return compilerText; }

private:
  std::vector<Function> functions; ///< in a library that is never unloaded
  std::string compilerText;
};

/// The C source of the loop nest, as a function of that name.
std::string writeStaticLoop(const Problem &problem, const std::string &name,
                            bool runTimeSizes = false);

} // namespace permc

#endif // PERMC_TOOLS_MEASURE_STATICLOOPS_H
