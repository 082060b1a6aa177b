//===- NpyDict.h - the dict in a .npy header ------------------ -*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A .npy header is a Python dict, written as Python source, with three keys:
//
//   {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_LIB_FRONTEND_NPYDICT_H
#define PERMC_LIB_FRONTEND_NPYDICT_H

#include "permc/Plan/Problem.h"

#include "llvm/ADT/StringRef.h"

#include <string>

namespace permc {

struct NpyDict {
  std::string descr; ///< a string's contents, or a list as it was written
  int64_t elementBytes = 0;
  bool fortranOrder = false;
  Dims shape;
};

Result<NpyDict> parseNpyDict(llvm::StringRef text);

} // namespace permc

#endif // PERMC_LIB_FRONTEND_NPYDICT_H
