//===- FoldTupleCopies.h - registers used where loaded ----------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_CODEGEN_TARGETS_ARM_BACKEND_FOLDTUPLECOPIES_H
#define PERMC_CODEGEN_TARGETS_ARM_BACKEND_FOLDTUPLECOPIES_H

namespace llvm {
class Pass;
} // namespace llvm

namespace permc {

/// Lets instructions use a register of a tuple, as a structure load fills it,
/// without a copy of it. LLVM's register coalescer for 32-bit ARM gives up on
/// such copies after the first few of a block, and half the instructions of a
/// loop over channels would be copies. For machine code in SSA form.
llvm::Pass *createFoldTupleCopiesPass();

} // namespace permc

#endif // PERMC_CODEGEN_TARGETS_ARM_BACKEND_FOLDTUPLECOPIES_H
