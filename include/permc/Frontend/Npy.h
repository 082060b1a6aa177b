//===- Npy.h - numpy's .npy files -------------------------------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_FRONTEND_NPY_H
#define PERMC_FRONTEND_NPY_H

#include "permc/Frontend/Tensor.h"

#include <string>
#include <string_view>

namespace permc {

/// The header of a .npy file: what it holds and where the data starts.
struct NpyHeader {
  std::string descr; ///< numpy's own spelling, kept as it is: "<f4", "|u1"
  int64_t elementBytes;
  Dims shape;
  bool fortranOrder = false;
  int64_t dataOffset;
};

/// Reads the header from the first bytes of the file `path` (the name is for
/// messages). The data must be all there.
Result<NpyHeader> readNpyHeader(std::string_view file, const std::string &path);

/// The bytes of a version 1.0 header for a row-major array.
std::string writeNpyHeader(std::string_view descr, const Dims &shape);

/// The type of elements that numpy spells so; bytesN where there is none.
ElementType elementOf(const NpyHeader &header);

/// The descr numpy would use for `type` ("f32" -> "<f4").
std::string npyDescr(const ElementType &type);

} // namespace permc

#endif // PERMC_FRONTEND_NPY_H
