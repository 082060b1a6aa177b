//===- StreamingCopy.h - a copy that passes by the caches -------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_TOOLS_MEASURE_STREAMINGCOPY_H
#define PERMC_TOOLS_MEASURE_STREAMINGCOPY_H

#include <cstdint>

namespace permc {

/// Whether this build has non-temporal stores to copy with.
bool hasStreamingCopy();

/// memcpy with non-temporal stores at any size. memcpy itself uses them only
/// above a limit of its own, so it is not the same yardstick at all sizes.
void streamingCopy(void *dst, const void *src, int64_t bytes);

} // namespace permc

#endif // PERMC_TOOLS_MEASURE_STREAMINGCOPY_H
