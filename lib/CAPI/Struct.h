//===- Struct.h - structs of callers of any age -----------------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A struct of the C API says how large it is. One from an older header lacks
// the fields that were added since: they read as zero. One from a newer header
// has fields that this library does not know: that is fine as long as they are
// zero.
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_LIB_CAPI_STRUCT_H
#define PERMC_LIB_CAPI_STRUCT_H

#include "permc/Plan/Error.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>

namespace permc {

/// No struct of the API will ever be this large: a size beyond it is garbage.
inline constexpr size_t maxStructBytes = 1024;

/// A copy of `*given` in this library's terms. `firstSize` is the size the
/// struct had when it was introduced.
template <typename T>
Result<T> readStruct(const T *given, size_t firstSize, std::string_view name) {
  if (!given)
    return Error{Cause::NullPointer,
                 "the " + std::string(name) + " is null; expected one"};
  const size_t size = given->size;
  if (size < firstSize || size > maxStructBytes)
    return Error{Cause::Unsupported,
                 std::string(name) + ".size is " + std::to_string(size) +
                     "; expected sizeof(" + std::string(name) + "), which is " +
                     std::to_string(sizeof(T))};
  const auto *bytes = reinterpret_cast<const char *>(given);
  for (size_t i = sizeof(T); i < size; ++i)
    if (bytes[i] != 0)
      return Error{Cause::Unsupported,
                   std::string(name) + " uses a field at byte " +
                       std::to_string(i) + " that this version of permc does " +
                       "not have; expected zero there"};
  T known = {};
  std::memcpy(&known, given, std::min(size, sizeof(T)));
  return known;
}

} // namespace permc

#endif // PERMC_LIB_CAPI_STRUCT_H
