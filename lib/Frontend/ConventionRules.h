//===- ConventionRules.h - what sets conventions apart -------- -*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each file in Conventions/ defines one ConventionRules. To add a convention,
// write such a file, declare its rules here, and name it in the enum Convention
// and in the table of Convention.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_LIB_FRONTEND_CONVENTIONRULES_H
#define PERMC_LIB_FRONTEND_CONVENTIONRULES_H

#include "permc/Frontend/Convention.h"

namespace permc {

struct ConventionRules {
  std::string_view name;

  /// The first dim is the fastest in memory, not the last.
  bool columnMajor;

  /// There are arrays of characters, of two dims and no more.
  bool hasChars;

  /// Tensors have no dims that are repeated or reversed.
  bool positiveStrides;

  /// The shape with the dims that the convention adds to what a user writes,
  /// or why the convention has no such tensor.
  Result<Dims> (*completeShape)(const Dims &shape);

  /// The permutation, 0-based, that an order in numbers asks for. `shape` is
  /// the completed shape; the result may be longer where the convention takes
  /// missing dims for dims of size 1.
  Result<Dims> (*readOrder)(const PermuteSpec &spec, const Dims &shape);
};

extern const ConventionRules numpyRules, matlabRules, openvinoRules, mliRules;

} // namespace permc

#endif // PERMC_LIB_FRONTEND_CONVENTIONRULES_H
