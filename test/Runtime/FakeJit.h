//===- FakeJit.h - a libpermc.so that does what a test wants ----*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_TEST_RUNTIME_FAKEJIT_H
#define PERMC_TEST_RUNTIME_FAKEJIT_H

#include "permc-c/permc.h"

extern "C" {
/// While it holds no compilation ends.
PERMC_API void fake_jit_hold(bool hold);
/// While it is broken every compilation fails.
PERMC_API void fake_jit_break(bool broken);
/// Compilations that were begun.
PERMC_API uint64_t fake_jit_asked(void);
/// The first size of the problem that came last.
PERMC_API int64_t fake_jit_last_size(void);
}

#endif // PERMC_TEST_RUNTIME_FAKEJIT_H
