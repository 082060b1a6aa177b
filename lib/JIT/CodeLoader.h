//===- CodeLoader.h - objects to code in this process -----------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_LIB_JIT_CODELOADER_H
#define PERMC_LIB_JIT_CODELOADER_H

#include "permc-c/kernel.h"
#include "permc/Plan/Error.h"

#include <cstdint>
#include <memory>
#include <mutex>

namespace llvm::orc {
class JITDylib;
class LLJIT;
} // namespace llvm::orc

namespace permc {

class CodeLoader;

/// The code of one kernel, mapped for as long as this object lives.
class Code {
public:
  ~Code();
  Code(const Code &) = delete;
  Code &operator=(const Code &) = delete;

  const permc_kernel &kernel() const { return *info; }
  int64_t bytes() const { return mappedBytes; } ///< what it costs to keep it

private:
  friend class CodeLoader;
  Code(std::shared_ptr<CodeLoader> loader, llvm::orc::JITDylib &library,
       int64_t mappedBytes);

  std::shared_ptr<CodeLoader> loader;
  llvm::orc::JITDylib &library;
  const permc_kernel *info = nullptr;
  int64_t mappedBytes;
};

/// Links objects into one long-lived LLJIT. Safe to use from many threads.
class CodeLoader : public std::enable_shared_from_this<CodeLoader> {
public:
  static Result<std::shared_ptr<CodeLoader>> create();
  ~CodeLoader();

  /// The kernel `name` of an object that Compiler made for this machine.
  Result<std::shared_ptr<const Code>> load(const std::string &object,
                                           const std::string &name);

  /// Held while LLVM is at work here; a fork waits for it.
  std::mutex &mutex() { return linking; }

private:
  friend class Code;
  explicit CodeLoader(std::unique_ptr<llvm::orc::LLJIT> lljit);
  Status link(Code &code, const std::string &object, const std::string &name);

  std::mutex linking;
  std::unique_ptr<llvm::orc::LLJIT> lljit;
  uint64_t loaded = 0;
};

} // namespace permc

#endif // PERMC_LIB_JIT_CODELOADER_H
