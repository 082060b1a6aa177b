//===- Seal.h - what an object says of its own making -----------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every object has a section .permc.seal with permc's version and the SHA-256
// of the whole file, in which the place of the hash itself is zeros. Linkers
// leave the section out.
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_LIB_COMPILER_SEAL_H
#define PERMC_LIB_COMPILER_SEAL_H

#include "permc/Plan/Error.h"

namespace llvm {
class Module;
} // namespace llvm

namespace permc {

/// Gives the object that is made of a module a place for its seal.
void addSeal(llvm::Module &module);

/// Fills in the seal of an object that has a place for it.
Status sealObject(std::string &object);

} // namespace permc

#endif // PERMC_LIB_COMPILER_SEAL_H
