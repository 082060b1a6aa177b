//===- CFamily.h - targets that are C compilers -----------------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_CODEGEN_TARGETS_C_CFAMILY_H
#define PERMC_CODEGEN_TARGETS_C_CFAMILY_H

#include "permc/Targets/TargetFamily.h"

namespace permc {

/// Kernels as C99, for machines of which LLVM knows nothing: the user's own
/// compiler has the last word. By itself it has one target, `c99`; a family of
/// such machines derives from it and brings others.
struct CFamily : TargetFamily {
  void addTargets(std::vector<Target> &targets) const override;
  void addSourcePasses(const Target &target, AddPass add) const override;
  Result<std::string> writeSource(mlir::ModuleOp module,
                                  llvm::ArrayRef<SourceKernel> kernels,
                                  SourceForm form) const override;
};

/// A target of which no more is known than 32-bit words at aligned addresses.
Target makeCTarget(std::string name, std::string family,
                   std::string description);

} // namespace permc

#endif // PERMC_CODEGEN_TARGETS_C_CFAMILY_H
