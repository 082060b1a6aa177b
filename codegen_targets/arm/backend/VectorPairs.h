//===- VectorPairs.h - moves of two vectors on AArch64 ----------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM joins two moves into one where it happens to find them, after it has
// chosen addresses and registers: by then the addresses are not those that a
// pair can have. A non-temporal move of two vectors is one instruction from the
// start; so that is what the lowering asks for, and the hint is dropped here.
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_CODEGEN_TARGETS_ARM_BACKEND_VECTORPAIRS_H
#define PERMC_CODEGEN_TARGETS_ARM_BACKEND_VECTORPAIRS_H

namespace llvm {
class Pass;
} // namespace llvm

namespace permc {

/// Makes non-temporal moves of two vector registers ordinary ones. For machine
/// code in SSA form.
llvm::Pass *createPlainPairsPass();

/// Two passes round the machine scheduler: it leaves functions with pairs,
/// with loads of more vectors, or with tables before structure stores, as they
/// are. Their tiles may need every register, and are in the order that needs no
/// more.
llvm::Pass *createHoldOrderPass();
llvm::Pass *createReleaseOrderPass();

} // namespace permc

#endif // PERMC_CODEGEN_TARGETS_ARM_BACKEND_VECTORPAIRS_H
