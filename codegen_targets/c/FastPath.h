//===- FastPath.h - fast code, and code for any buffer ----------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_CODEGEN_TARGETS_C_FASTPATH_H
#define PERMC_CODEGEN_TARGETS_C_FASTPATH_H

#include "permc/Plan/WordTile.h"

namespace permc {

/// What the fast code of a kernel asks of its caller and its machine.
struct FastPath {
  int64_t srcAlignment = 1, dstAlignment = 1;
  bool littleEndian = false;

  /// Whether there must be other code for those who cannot give that.
  bool needsOther() const {
    return srcAlignment > 1 || dstAlignment > 1 || littleEndian;
  }
};
Result<FastPath> fastPath(const Problem &canonical, const Schedule &schedule,
                          const TargetFacts &facts);

/// The same loops over single elements: small code for buffers that the fast
/// path cannot serve.
Schedule elementSchedule(const Problem &canonical, const Schedule &schedule);

/// What that code may do to memory.
WordAccess anyAccess(const TargetFacts &facts);

} // namespace permc

#endif // PERMC_CODEGEN_TARGETS_C_FASTPATH_H
