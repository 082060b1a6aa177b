//===- StridedElements.h - one element at a time ----------------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_LIB_RUNTIME_STRIDEDELEMENTS_H
#define PERMC_LIB_RUNTIME_STRIDEDELEMENTS_H

#include "permc/Runtime/GenericKernel.h"

namespace permc {

/// The largest element that is moved so.
inline constexpr int64_t maxStridedElement = 16;

/// Moves an element for each step of a call's loops, wherever they lie.
GenericKernel stridedElements(int64_t element);

} // namespace permc

#endif // PERMC_LIB_RUNTIME_STRIDEDELEMENTS_H
