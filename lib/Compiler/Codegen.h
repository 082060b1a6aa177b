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

/// LLVM's back end for one target.
class Backend {
public:
  static Result<std::unique_ptr<Backend>> create(const Target &target);
  ~Backend();

  /// Gives a module the target's triple and layout. Without them LLVM would
  /// assume the worst of everything.
  void prepare(llvm::Module &module) const;

  /// Machine code for a module that was prepared.
  Result<std::string> emitObject(llvm::Module &module);
  Result<std::string> emitAssembly(llvm::Module &module);

private:
  struct Passes;
  Backend(std::unique_ptr<llvm::TargetMachine> machine,
          const TargetFamily *family);

  std::unique_ptr<llvm::TargetMachine> machine;
  const TargetFamily *family; ///< may be null
  /// To make an object, kept: they take a fifth of a kernel's time to set up.
  std::unique_ptr<Passes> objectPasses;
};

/// Back ends, made once for each target and kept.
class Codegen {
public:
  Result<Backend *> backendFor(const Target &target);

private:
  std::map<std::string, std::unique_ptr<Backend>> backends;
};

/// Bytes in the object's sections of machine code.
int64_t textBytes(const std::string &object);

/// Adds `NAME_info`, which describes the request's kernel.
void addKernelInfo(llvm::Module &module, const Request &request);

/// Makes the functions of `module`, a kernel for one level, those of a level
/// among others: code for its CPU whatever module they are moved to, under
/// names of their own.
void markLevel(llvm::Module &module, const Request &level);

/// Code for the CPU of `target` in whatever module it is moved to.
void fixTarget(llvm::Module &module, const Target &target);

/// Adds NAME and NAME_part, which call those of the best level that the CPU
/// has, to a module with the functions of all levels.
Status addDispatch(llvm::Module &module, const Request &request);

/// A static library; members are (name, object).
Result<std::string>
archive(const std::vector<std::pair<std::string, std::string>> &members);

} // namespace permc

#endif // PERMC_LIB_COMPILER_CODEGEN_H
