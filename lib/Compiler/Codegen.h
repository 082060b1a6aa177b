//===- Codegen.h - LLVM modules to machine code -----------------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_LIB_COMPILER_CODEGEN_H
#define PERMC_LIB_COMPILER_CODEGEN_H

#include "permc/Compiler/Compiler.h"

#include <map>

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace permc {

/// Target machines, made once for each target and kept.
class Codegen {
public:
  Codegen();
  ~Codegen();

  Result<llvm::TargetMachine *> machineFor(const Target &target);

private:
  std::map<std::string, std::unique_ptr<llvm::TargetMachine>> machines;
};

/// Machine code (or assembly) for a module that was set up for `machine`.
Result<std::string> generate(llvm::Module &module, llvm::TargetMachine &machine,
                             bool assembly);

/// Bytes in the object's sections of machine code.
int64_t textBytes(const std::string &object);

/// Adds `NAME_info`, which describes the request's kernel.
void addKernelInfo(llvm::Module &module, const Request &request);

/// A static library; members are (name, object).
Result<std::string>
archive(const std::vector<std::pair<std::string, std::string>> &members);

} // namespace permc

#endif // PERMC_LIB_COMPILER_CODEGEN_H
