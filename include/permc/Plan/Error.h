//===- Error.h - causes of failure, carried as values -----------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one list of causes. A cause travels as a value from where it is found to
// the edge that reports it: an MLIR diagnostic, the command line, a C status.
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_PLAN_ERROR_H
#define PERMC_PLAN_ERROR_H

#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace permc {

/// The values are part of the C API: append, never reorder.
enum class Cause {
  BadRank = 1,        ///< order and shape (or strides) differ in length
  DuplicateAxis,      ///< an axis is named twice
  AxisOutOfRange,     ///< an axis is below the first or past the last
  BadSize,            ///< a negative dim
  SizeOverflow,       ///< a product or an offset does not fit 63 bits
  BadElement,         ///< an element size or type that does not exist
  BadStride,          ///< a stride that makes elements of dst overlap
  BadSyntax,          ///< text that could not be read
  OverlappingBuffers, ///< src and dst share bytes
  NullPointer,        ///< a buffer is missing
  BadSchedule,        ///< a schedule that does not fit its problem
  UnknownTarget,      ///< no target of that name
  Unsupported,        ///< valid, but this target or version cannot do it
  BadFile,            ///< a file that is missing, unwritable or malformed
  VerifyFailed,       ///< a compiled kernel moved an element wrongly
  Internal            ///< a defect of permc itself
};

/// The cause's name as it is spelled above.
std::string_view causeName(Cause cause);

struct Error {
  Cause cause;
  /// One sentence: what was given, what was expected, where. No full stop.
  std::string message;
  /// The message begins with a place in a file, as compilers write it:
  /// "kernels.yaml:3:5: error: ...".
  bool located = false;
};

/// A value or the error that kept it from being made.
template <typename T> class [[nodiscard]] Result {
public:
  Result(T value) : state(std::move(value)) {}
  Result(Error error) : state(std::move(error)) {}

  explicit operator bool() const { return state.index() == 0; }
  T &operator*() {
    if (!*this)
      std::abort(); // the caller did not look: a defect, stopped here
    return *std::get_if<0>(&state);
  }
  const T &operator*() const { return *const_cast<Result &>(*this); }
  T *operator->() { return &**this; }
  const T *operator->() const { return &**this; }
  const Error &error() const {
    if (*this)
      std::abort();
    return *std::get_if<1>(&state);
  }

private:
  std::variant<T, Error> state;
};

/// The result of something that yields no value.
struct Done {};
using Status = Result<Done>;

} // namespace permc

#endif // PERMC_PLAN_ERROR_H
