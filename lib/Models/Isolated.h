//===- Isolated.h - other people's code on hostile input ------- -*- C++
//-*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_LIB_MODELS_ISOLATED_H
#define PERMC_LIB_MODELS_ISOLATED_H

#include <functional>
#include <optional>
#include <string>

namespace permc {

/// What `body` returns, from a process of its own that may crash, run out of
/// its share of memory or not end; nothing if it did. For libraries that trust
/// what they read.
std::optional<std::string> runIsolated(const std::function<std::string()> &body,
                                       size_t memoryBytes, unsigned cpuSeconds);

} // namespace permc

#endif // PERMC_LIB_MODELS_ISOLATED_H
