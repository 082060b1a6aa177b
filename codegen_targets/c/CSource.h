//===- CSource.h - kernels as a C file --------------------------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_CODEGEN_TARGETS_C_CSOURCE_H
#define PERMC_CODEGEN_TARGETS_C_CSOURCE_H

#include "permc/Targets/TargetFamily.h"

namespace permc {

/// One kernel of a C file, and the functions that do it.
struct CKernel {
  const SourceKernel &kernel;
  std::string functions;
};

/// One function of an EmitC module in C, with the names that the conversion
/// chose for its values.
Result<std::string> printFunction(mlir::Operation *function);

/// The whole file.
Result<std::string> writeCSource(const std::vector<CKernel> &kernels);

/// The parts that every C file of kernels starts with: only those that `code`
/// uses.
std::string writeSupport(const std::string &code);

/// The constants, the functions and the entry points of one kernel. A static
/// one has only NAME, for use within its file.
Result<std::string> writeKernel(const CKernel &kernel, bool isStatic);

/// The file that defines MLI's permute kernels by these.
Result<std::string> writeMliSource(const std::vector<CKernel> &kernels);

} // namespace permc

#endif // PERMC_CODEGEN_TARGETS_C_CSOURCE_H
