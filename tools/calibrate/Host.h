//===- Host.h - can this machine be measured? -------------------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_TOOLS_CALIBRATE_HOST_H
#define PERMC_TOOLS_CALIBRATE_HOST_H

#include "permc/Plan/Error.h"

#include <string>

namespace permc {

/// Not if it is no x86, or an emulator, whose times are those of its
/// translator.
Status checkMeasurable();

/// "AMD EPYC 7R13 Processor", or nothing where nobody tells.
std::string hostBrand();

} // namespace permc

#endif // PERMC_TOOLS_CALIBRATE_HOST_H
