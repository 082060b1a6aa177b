//===- SuggestTarget.h - what an unknown target may mean --------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_CODEGEN_TARGETS_SUGGESTTARGET_H
#define PERMC_CODEGEN_TARGETS_SUGGESTTARGET_H

#include "llvm/ADT/StringRef.h"

#include <string>

namespace permc {

/// ", did you mean 'aarch64'?" for a name that is no target's but known or
/// spelled much alike; else nothing.
std::string suggestTarget(llvm::StringRef name);

} // namespace permc

#endif // PERMC_CODEGEN_TARGETS_SUGGESTTARGET_H
