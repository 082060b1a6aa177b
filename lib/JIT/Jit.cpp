//===- Jit.cpp - kernels in this process ----------------------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The object that the ahead-of-time tool would write is linked into memory
// instead. Each one has a library of its own in one long-lived LLJIT; a
// kernel's last handle removes it.
//
//===----------------------------------------------------------------------===//

#include "permc/JIT/Jit.h"

#include "llvm/ExecutionEngine/Orc/LLJIT.h"

using namespace permc;

struct Jit::State {
  Compiler compiler;
  std::shared_ptr<llvm::orc::LLJIT> lljit;
  unsigned loaded = 0;
};

namespace {

Error jitError(std::string_view what, llvm::Error error) {
  return {Cause::Internal, "the JIT could not " + std::string(what) + ": " +
                               llvm::toString(std::move(error))};
}

/// Keeps one kernel's code mapped.
struct LoadedCode {
  std::shared_ptr<llvm::orc::LLJIT> lljit;
  llvm::orc::JITDylib &library;
  ~LoadedCode() {
    llvm::consumeError(lljit->getExecutionSession().removeJITDylib(library));
  }
};

} // namespace

Jit::Jit() : state(std::make_unique<State>()) {}
Jit::~Jit() = default;

Compiler &Jit::compiler() { return state->compiler; }

Result<std::unique_ptr<Jit>> Jit::create() {
  // The compiler's constructor initialises LLVM's targets, so it comes first.
  std::unique_ptr<Jit> jit(new Jit());
  auto lljit = llvm::orc::LLJITBuilder().create();
  if (!lljit)
    return jitError("start", lljit.takeError());
  jit->state->lljit = std::move(*lljit);
  return jit;
}

Result<Kernel> Jit::compile(const Request &request) {
  Result<Artifact> object = state->compiler.compile({request}, Emit::Object);
  if (!object)
    return object.error();
  return load(object->bytes, request.name);
}

Result<Kernel> Jit::load(const std::string &object, const std::string &name) {
  std::shared_ptr<llvm::orc::LLJIT> lljit = state->lljit;
  auto library =
      lljit->createJITDylib("kernel" + std::to_string(state->loaded++));
  if (!library)
    return jitError("make room", library.takeError());
  auto code = std::make_shared<LoadedCode>(lljit, *library);
  library->addToLinkOrder(lljit->getMainJITDylib());
  if (auto error = lljit->addObjectFile(
          *library, llvm::MemoryBuffer::getMemBufferCopy(object, name)))
    return jitError("add the object", std::move(error));
  auto info = lljit->lookup(*library, name + "_info");
  if (!info)
    return jitError("link the kernel", info.takeError());
  Kernel kernel;
  kernel.info = info->toPtr<const permc_kernel *>();
  kernel.code = std::move(code);
  return kernel;
}
