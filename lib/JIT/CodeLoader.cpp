//===- CodeLoader.cpp - objects to code in this process -------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each object has a library of its own in the LLJIT, so that it can be removed
// alone. Nothing of what LLJIT offers beyond linking is set up: kernels have no
// constructors, throw nothing, and need three symbols of the C library at most.
//
//===----------------------------------------------------------------------===//

#include "CodeLoader.h"

#include "permc/Compiler/Compiler.h"

#include "llvm/ExecutionEngine/Orc/AbsoluteSymbols.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"

#include <cstring>
#ifdef __aarch64__
#include <sys/auxv.h>
#endif

using namespace permc;
namespace orc = llvm::orc;

namespace {

/// An object is mapped in pages, at most one half-used page for each kind of
/// memory (code, constants, relocated constants).
constexpr int64_t pageBytes = 4096, segments = 3;
/// LLJIT's own records of a library. With it, 1024 small kernels cost what the
/// process grew by, 21 MB.
constexpr int64_t recordBytes = 6 << 10;

int64_t costOf(const std::string &object) {
  return int64_t(object.size()) + segments * pageBytes + recordBytes;
}

Error loadError(std::string_view what, llvm::Error error) {
  return {Cause::Internal, "the JIT could not " + std::string(what) + ": " +
                               llvm::toString(std::move(error))};
}

/// What LLVM's back ends may call for a load, a store or a copy.
llvm::Error defineLibraryCalls(orc::LLJIT &lljit) {
  orc::SymbolMap symbols;
  auto define = [&](const char *name, void *address) {
    symbols[lljit.mangleAndIntern(name)] = {orc::ExecutorAddr::fromPtr(address),
                                            llvm::JITSymbolFlags::Exported |
                                                llvm::JITSymbolFlags::Callable};
  };
  define("memcpy", reinterpret_cast<void *>(&std::memcpy));
  define("memmove", reinterpret_cast<void *>(&std::memmove));
  define("memset", reinterpret_cast<void *>(&std::memset));
#ifdef __aarch64__ // what chooses between levels asks it for the CPU's
  define("getauxval", reinterpret_cast<void *>(&getauxval));
#endif
  return lljit.getMainJITDylib().define(orc::absoluteSymbols(symbols));
}

} // namespace

Code::Code(std::shared_ptr<CodeLoader> loader, orc::JITDylib &library,
           int64_t mappedBytes)
    : loader(std::move(loader)), library(library), mappedBytes(mappedBytes) {}

Code::~Code() {
  std::lock_guard<std::mutex> lock(loader->linking);
  orc::ExecutionSession &session = loader->lljit->getExecutionSession();
  llvm::consumeError(session.removeJITDylib(library));
}

CodeLoader::CodeLoader(std::unique_ptr<orc::LLJIT> lljit)
    : lljit(std::move(lljit)) {}
CodeLoader::~CodeLoader() = default;

Result<std::shared_ptr<CodeLoader>> CodeLoader::create() {
  initializeNativeTarget();
  auto lljit = orc::LLJITBuilder()
                   .setPlatformSetUp(orc::setUpInactivePlatform)
                   .setLinkProcessSymbolsByDefault(false)
                   .create();
  if (!lljit)
    return loadError("start", lljit.takeError());
  if (auto error = defineLibraryCalls(**lljit))
    return loadError("find the C library", std::move(error));
  return std::shared_ptr<CodeLoader>(new CodeLoader(std::move(*lljit)));
}

Result<std::shared_ptr<const Code>> CodeLoader::load(const std::string &object,
                                                     const std::string &name) {
  // Declared before the lock: on failure it is destroyed after the unlock, and
  // its destructor takes the lock itself.
  std::shared_ptr<Code> code;
  std::lock_guard<std::mutex> lock(linking);
  auto library = lljit->createJITDylib("kernel" + std::to_string(loaded++));
  if (!library)
    return loadError("make room", library.takeError());
  code.reset(new Code(shared_from_this(), *library, costOf(object)));
  if (Status ok = link(*code, object, name); !ok)
    return ok.error();
  return std::shared_ptr<const Code>(std::move(code));
}

Status CodeLoader::link(Code &code, const std::string &object,
                        const std::string &name) {
  code.library.addToLinkOrder(lljit->getMainJITDylib());
  if (auto error = lljit->addObjectFile(
          code.library, llvm::MemoryBuffer::getMemBufferCopy(object, name)))
    return loadError("add the object", std::move(error));
  auto info = lljit->lookup(code.library, name + "_info");
  if (!info)
    return loadError("link the kernel", info.takeError());
  code.info = info->toPtr<const permc_kernel *>();
  return Done{};
}
