//===- Jit.h - kernels in this process --------------------------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_JIT_JIT_H
#define PERMC_JIT_JIT_H

#include "permc-c/kernel.h"
#include "permc/Compiler/Compiler.h"

#include <memory>

namespace permc {

/// A kernel that can be called. Its code lives as long as a copy of it does.
class Kernel {
public:
  void operator()(const void *src, void *dst) const { info->run(src, dst); }
  void part(const void *src, void *dst, uint32_t part, uint32_t parts) const {
    info->run_part(src, dst, part, parts);
  }
  const permc_kernel &describe() const { return *info; }

private:
  friend class Jit;
  const permc_kernel *info = nullptr;
  std::shared_ptr<void> code;
};

/// Compiles for this process. One thread at a time.
class Jit {
public:
  static Result<std::unique_ptr<Jit>> create();
  ~Jit();

  Result<Kernel> compile(const Request &request);
  /// Loads an object that Compiler made for this machine.
  Result<Kernel> load(const std::string &object, const std::string &name);

  Compiler &compiler();

private:
  Jit();
  struct State;
  std::unique_ptr<State> state;
};

} // namespace permc

#endif // PERMC_JIT_JIT_H
