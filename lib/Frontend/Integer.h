//===- Integer.h - decimal integers in user text ----------------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one reader of decimal integers, so that "not a number" and "too large"
// are told apart in the same words everywhere.
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_LIB_FRONTEND_INTEGER_H
#define PERMC_LIB_FRONTEND_INTEGER_H

#include "permc/Plan/Error.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"

#include <cstdint>

namespace permc {

/// Reads `text`, an optional '-' and digits; `what` names it in messages. A
/// number that does not fit int64 fails with SizeOverflow.
inline Result<int64_t> parseInteger(llvm::StringRef text,
                                    const llvm::Twine &what) {
  llvm::StringRef digits = text;
  digits.consume_front("-");
  if (digits.empty() || !llvm::all_of(digits, llvm::isDigit))
    return Error{Cause::BadSyntax,
                 (what + " '" + text + "' is not an integer").str()};
  int64_t value;
  if (text.getAsInteger(10, value))
    return Error{Cause::SizeOverflow,
                 (what + " '" + text + "' does not fit 64 bits").str()};
  return value;
}

} // namespace permc

#endif // PERMC_LIB_FRONTEND_INTEGER_H
