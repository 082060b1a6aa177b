//===- WideMoves.h - matrices, one move an element --------------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For elements that share no register, and for matrices too small for tiles.
// An element of 3, 5 to 7 or 9 to 15 bytes takes one move of 4, 8 or 16: what
// is too much of it is stored again by the next element of its row in dst. The
// last of a row is moved as what it is.
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_LIB_RUNTIME_WIDEMOVES_H
#define PERMC_LIB_RUNTIME_WIDEMOVES_H

#include "permc/Runtime/GenericKernel.h"

namespace permc {

/// The largest element that is moved so.
inline constexpr int64_t maxWideElement = 16;

/// A kernel for elements of so many bytes. Its outer loop goes through columns,
/// which follow one another in src, its inner one through rows, which follow
/// one another in dst. Steps are the sizes of blocks, the last of which may be
/// smaller. A loop whose step through its table is not 0 goes by the table.
///
/// Reads nothing before the first and behind the last byte of a matrix if rows
/// are at least an element apart in src, each further on than the one before,
/// or if the element is a power of two.
GenericKernel wideMoves(int64_t element);

} // namespace permc

#endif // PERMC_LIB_RUNTIME_WIDEMOVES_H
