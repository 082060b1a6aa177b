//===- ReadModel.h - networks from files ------------------------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_MODELS_READMODEL_H
#define PERMC_MODELS_READMODEL_H

#include "permc/Models/Model.h"

#include <string_view>

namespace permc {

/// Whether the ending of `path` is that of a network.
bool isModelPath(std::string_view path);

/// The endings of networks in words, and what to do where one of them is not
/// supported by this build.
std::string spellModelFormats();

/// Reads the network in the file `path` by the format its ending names. An
/// error names the file, the layer (or the line) and the cause. What it takes
/// in memory is bounded by the size of the file.
Result<Model> readModel(const std::string &path);

} // namespace permc

#endif // PERMC_MODELS_READMODEL_H
