//===- RunCase.h - carry out a case in this process -------------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_TOOLS_PERMC_FUZZ_RUNCASE_H
#define PERMC_TOOLS_PERMC_FUZZ_RUNCASE_H

#include "Case.h"

#include "permc/JIT/Jit.h"

namespace permc::fuzz {

struct Verdict {
  enum Kind {
    Right,
    Refused, ///< permc said that it cannot, and was allowed to
    Wrong
  } kind = Right;
  std::string message; ///< empty if it is right
};

/// How the message of a verdict begins that is about a refusal.
inline constexpr std::string_view refusedPrefix = "refused: ";

/// Carries out cases. The process does not survive all that can go wrong.
class CaseRunner {
public:
  /// What permc is asked for.
  static Result<Request> requestFor(const Case &one, const std::string &name);

  /// Whether permc takes the case, its schedule included. Anything that it may
  /// not refuse is wrong.
  Verdict check(const Case &one);
  Verdict run(const Case &one);

  Compiler &compiler() { return ownCompiler; }

private:
  Verdict runKernel(const Case &one);
  Verdict runPlan(const Case &one);
  Verdict runShim(const Case &one);

  Compiler ownCompiler;
  std::unique_ptr<Jit> jit;
};

} // namespace permc::fuzz

#endif // PERMC_TOOLS_PERMC_FUZZ_RUNCASE_H
