//===- CheckCall.h - compare one call with the reference --------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_TOOLS_PERMC_FUZZ_CHECKCALL_H
#define PERMC_TOOLS_PERMC_FUZZ_CHECKCALL_H

#include "Reference.h"

#include <functional>

namespace permc::fuzz {

/// Moves a part of a tensor, or all of it with `parts` 0. What it returns is
/// empty, or says why it did not.
using Call = std::function<std::string(const void *src, void *dst,
                                       uint32_t part, uint32_t parts)>;

/// Calls it as the run says, between pages that cannot be touched and with a
/// src that cannot be written, and compares every byte of dst and beside it
/// with what it should be. Parts must write different bytes, and different
/// lines of a dst that begins with one. Returns what is wrong, or nothing.
std::string checkCall(const Moves &moves, const Run &run, const Call &call);

} // namespace permc::fuzz

#endif // PERMC_TOOLS_PERMC_FUZZ_CHECKCALL_H
