//===- Boundary.h - nothing but a status leaves -----------------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_LIB_CAPI_BOUNDARY_H
#define PERMC_LIB_CAPI_BOUNDARY_H

#include "permc-c/status.h"
#include "permc/Plan/Error.h"

#include <exception>
#include <new>

namespace permc {

/// Remembers the error for lastError; returns its status.
permc_status fail(const Error &error) noexcept;

/// The message of this thread's last failure, empty before the first.
const char *lastError() noexcept;

/// The status without its prefix.
const char *statusName(permc_status status) noexcept;

/// Calls `body`, which returns a Status. What goes wrong in it, exceptions
/// included, becomes the status of the C API.
template <typename Body> permc_status atBoundary(Body &&body) noexcept {
  try {
    const Status status = body();
    return status ? PERMC_OK : fail(status.error());
  } catch (const std::bad_alloc &) {
    return fail({Cause::Internal, "out of memory"});
  } catch (const std::exception &exception) {
    return fail({Cause::Internal, exception.what()});
  } catch (...) {
    return fail({Cause::Internal, "an unknown exception"});
  }
}

} // namespace permc

#endif // PERMC_LIB_CAPI_BOUNDARY_H
