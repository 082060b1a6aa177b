//===- X86Family.cpp - how LLVM is run for x86 ----------------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "X86Targets.h"

#include "permc/Targets/TargetFamily.h"

#include "llvm/ADT/STLExtras.h"

using namespace permc;

/// Without these, every kernel of the suites is the same byte for byte.
static constexpr llvm::StringLiteral leftOut[] = {
    "Constant Hoisting",
    "Expand memcmp() to load/stores",
    "Live DEBUG_VALUE analysis",
    "Machine Late Instructions Cleanup Pass",
    "Merge contiguous icmps into a memcmp",
    "Partially inline calls to library functions",
    "Replace intrinsics with calls to vector library",
    "X86 Domain Reassignment Pass",
    "X86 LEA Optimize",
    "X86 cmov Conversion",
};
/// Turns integer shuffles into those of floats where both would do. Registers
/// of up to 32 bytes have two units for the former on Intel's cores from Ice
/// Lake on (vpunpckldq), one for the latter (vunpcklps), and elsewhere as many.
static constexpr llvm::StringLiteral makesFloatShuffles =
    "X86 Execution Dependency Fix";

namespace {
struct X86Family : TargetFamily {
  void addTargets(std::vector<Target> &targets) const override {
    addX86Targets(targets);
  }

  BackendStep backendStep(const llvm::Triple &,
                          llvm::StringRef name) const override {
    BackendStep step;
    step.runs =
        !llvm::is_contained(leftOut, name) && name != makesFloatShuffles;
    return step;
  }
};
} // namespace

const TargetFamily &permc::x86Family() {
  static const X86Family family;
  return family;
}
