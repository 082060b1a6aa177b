//===- Codegen.cpp - LLVM modules to machine code -------------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// No mid-end runs: the lowering already says what it wants, and the passes of
// -O2 find nothing to add to it.
//
//===----------------------------------------------------------------------===//

#include "Codegen.h"

#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Target/TargetOptions.h"

#include <mutex>

using namespace permc;

static void initializeLLVM() {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::InitializeAllTargetInfos();
    llvm::InitializeAllTargets();
    llvm::InitializeAllTargetMCs();
    llvm::InitializeAllAsmPrinters();
  });
}

Codegen::Codegen() { initializeLLVM(); }
Codegen::~Codegen() = default;

Result<llvm::TargetMachine *> Codegen::machineFor(const Target &target) {
  std::unique_ptr<llvm::TargetMachine> &machine =
      machines[target.triple + "/" + target.cpu + "/" + target.features];
  if (machine)
    return machine.get();
  std::string why;
  llvm::Triple triple(target.triple);
  const llvm::Target *found = llvm::TargetRegistry::lookupTarget(triple, why);
  if (!found)
    return Error{Cause::Unsupported,
                 "LLVM has no back end for " + target.name + ": " + why};
  machine.reset(found->createTargetMachine(
      triple, target.cpu, target.features, llvm::TargetOptions(),
      llvm::Reloc::PIC_, std::nullopt, llvm::CodeGenOptLevel::Default));
  return machine.get();
}

Result<std::string> permc::generate(llvm::Module &module,
                                    llvm::TargetMachine &machine,
                                    bool assembly) {
  llvm::SmallString<0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  llvm::legacy::PassManager passes;
  auto type = assembly ? llvm::CodeGenFileType::AssemblyFile
                       : llvm::CodeGenFileType::ObjectFile;
  if (machine.addPassesToEmitFile(passes, stream, nullptr, type))
    return Error{Cause::Internal, "the back end cannot write this file type"};
  passes.run(module);
  return std::string(bytes);
}

int64_t permc::textBytes(const std::string &object) {
  auto file = llvm::object::ObjectFile::createObjectFile(
      llvm::MemoryBufferRef(object, "object"));
  if (!file) {
    llvm::consumeError(file.takeError());
    return 0;
  }
  int64_t bytes = 0;
  for (const llvm::object::SectionRef &section : (*file)->sections())
    if (section.isText())
      bytes += static_cast<int64_t>(section.getSize());
  return bytes;
}
