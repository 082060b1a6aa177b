//===- Codegen.cpp - LLVM modules to machine code -------------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// No mid-end runs: the lowering already says what it wants, and the passes of
// -O2 find nothing to add to it. Nor does loop strength reduction: offsets are
// strength-reduced as they are lowered, and it takes a quarter of the back
// end's time to find that out.
//
//===----------------------------------------------------------------------===//

#include "Codegen.h"

#include "permc/Targets/TargetFamily.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Pass.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Target/TargetOptions.h"
#include "llvm/TargetParser/Host.h"

#include <mutex>

using namespace permc;

namespace {

/// Registers what the triple needs: all targets take ten times as long as this
/// machine's own.
void initializeLLVM(const llvm::Triple &triple) {
  initializeNativeTarget();
  const llvm::Triple host(llvm::sys::getProcessTriple());
  if (triple.getArch() == host.getArch())
    return;
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::InitializeAllTargetInfos();
    llvm::InitializeAllTargets();
    llvm::InitializeAllTargetMCs();
    llvm::InitializeAllAsmPrinters();
    llvm::InitializeAllAsmParsers();
  });
}

/// Passes that find nothing to do in kernels, and take time to find that out:
/// loop strength reduction and what prepares for it.
constexpr llvm::StringLiteral leftOut[] = {
    "Loop Strength Reduction",
    "Canonicalize Freeze Instructions in Loops",
};
/// A back end's passes but for those left out, and with those that the target's
/// family adds. LLVM's own switches are global variables; leaving passes out as
/// they come concerns nobody else in the process.
class PassesToRun : public llvm::legacy::PassManager {
public:
  PassesToRun(const TargetFamily *family, const llvm::Triple &triple)
      : family(family), triple(triple) {}

  void add(llvm::Pass *pass) override {
    const llvm::StringRef name = pass->getPassName();
    const BackendStep step =
        family ? family->backendStep(triple, name) : BackendStep{};
    addAll(step.before);
    if (llvm::is_contained(leftOut, name) || !step.runs)
      delete pass;
    else
      llvm::legacy::PassManager::add(pass);
    addAll(step.after);
  }

private:
  void addAll(const std::vector<llvm::Pass *> &passes) {
    for (llvm::Pass *pass : passes)
      llvm::legacy::PassManager::add(pass);
  }

  const TargetFamily *family;
  const llvm::Triple triple;
};

} // namespace

/// A pipeline and the bytes it writes; it can run again and again.
struct Backend::Passes {
  Passes(const TargetFamily *family, const llvm::Triple &triple)
      : manager(family, triple) {}

  llvm::SmallString<0> bytes;
  llvm::raw_svector_ostream stream{bytes};
  PassesToRun manager;

  static Result<std::unique_ptr<Passes>> create(llvm::TargetMachine &machine,
                                                const TargetFamily *family,
                                                llvm::CodeGenFileType type) {
    auto passes = std::make_unique<Passes>(family, machine.getTargetTriple());
    if (machine.addPassesToEmitFile(passes->manager, passes->stream, nullptr,
                                    type))
      return Error{Cause::Internal, "the back end cannot write this file type"};
    return passes;
  }

  std::string run(llvm::Module &module) {
    manager.run(module);
    std::string written(bytes);
    bytes.clear();
    return written;
  }
};

void permc::initializeNativeTarget() {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    llvm::InitializeNativeTargetAsmParser(); // CPUID is inline assembly
  });
}

Backend::Backend(std::unique_ptr<llvm::TargetMachine> machine,
                 const TargetFamily *family)
    : machine(std::move(machine)), family(family) {}
Backend::~Backend() = default;

Result<std::unique_ptr<Backend>> Backend::create(const Target &target) {
  const llvm::Triple triple(target.triple);
  initializeLLVM(triple);
  std::string why;
  const llvm::Target *found = llvm::TargetRegistry::lookupTarget(triple, why);
  if (!found)
    return Error{Cause::Unsupported,
                 "LLVM has no back end for " + target.name + ": " + why};
  // Without an operating system there is nobody to relocate constants.
  auto relocation =
      triple.isOSLinux() ? llvm::Reloc::PIC_ : llvm::Reloc::Static;
  std::unique_ptr<llvm::TargetMachine> machine(found->createTargetMachine(
      triple, target.cpu, target.features, llvm::TargetOptions(), relocation,
      std::nullopt, llvm::CodeGenOptLevel::Default));
  return std::unique_ptr<Backend>(new Backend(std::move(machine), target.code));
}

void Backend::prepare(llvm::Module &module) const {
  module.setTargetTriple(machine->getTargetTriple());
  module.setDataLayout(machine->createDataLayout());
  // Firmware passes floats in registers or not; kernels have none to pass, and
  // say so (Tag_ABI_VFP_args, "compatible with both").
  if (machine->getTargetTriple().getEnvironment() == llvm::Triple::EABI)
    module.appendModuleInlineAsm(".eabi_attribute 28, 3");
}

Result<std::string> Backend::emitObject(llvm::Module &module) {
  if (!objectPasses) {
    auto passes =
        Passes::create(*machine, family, llvm::CodeGenFileType::ObjectFile);
    if (!passes)
      return passes.error();
    objectPasses = std::move(*passes);
  }
  return objectPasses->run(module);
}

Result<std::string> Backend::emitAssembly(llvm::Module &module) {
  auto passes =
      Passes::create(*machine, family, llvm::CodeGenFileType::AssemblyFile);
  if (!passes)
    return passes.error();
  return (*passes)->run(module);
}

Result<Backend *> Codegen::backendFor(const Target &target) {
  std::unique_ptr<Backend> &backend =
      backends[target.triple + "/" + target.cpu + "/" + target.features];
  if (!backend) {
    auto made = Backend::create(target);
    if (!made)
      return made.error();
    backend = std::move(*made);
  }
  return backend.get();
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
