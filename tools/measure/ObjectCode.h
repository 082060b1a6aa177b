//===- ObjectCode.h - what of an object is executed -------------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_TOOLS_MEASURE_OBJECTCODE_H
#define PERMC_TOOLS_MEASURE_OBJECTCODE_H

#include "permc/Plan/Error.h"

#include <string>

namespace permc {

/// The instructions of an object, the constants they load, and the relocations
/// that say which constant each of them loads: two objects of the same code do
/// the same. Objects also name the permc that made them, and tell this or that
/// of a kernel.
Result<std::string> codeOf(const std::string &object);

} // namespace permc

#endif // PERMC_TOOLS_MEASURE_OBJECTCODE_H
