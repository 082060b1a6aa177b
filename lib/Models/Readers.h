//===- Readers.h - one reader for each format -------------------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// To add a format, write a file with one such function and name its ending in
// the table of ReadModel.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_LIB_MODELS_READERS_H
#define PERMC_LIB_MODELS_READERS_H

#include "permc/Models/Model.h"

namespace permc {

Result<Model> readOpenVINO(const std::string &path);
Result<Model> readOnnx(const std::string &path);
/// What to do to have ONNX read; empty if it is.
std::string howToReadOnnx();
Result<Model> readMlir(const std::string &path);

} // namespace permc

#endif // PERMC_LIB_MODELS_READERS_H
