//===- ModelOptions.h - networks in place of a TENSOR -----------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_TOOLS_PERMC_MODELOPTIONS_H
#define PERMC_TOOLS_PERMC_MODELOPTIONS_H

#include "ModelReport.h"

#include <functional>

namespace permc {

/// A network with its kernels, compiled but for those of other machines' C.
struct CompiledModel {
  Model model;
  Target target;
  ModelPlan plan;
  std::vector<Artifact> objects; ///< of plan.kernels; none on the way to C
};

/// Reads a network and compiles its kernels on all CPUs.
Result<CompiledModel> compileModel(const std::string &path,
                                   const std::string &targetName);

/// The report, with times of the kernels if this machine runs them.
ModelReport reportOn(const CompiledModel &compiled);

/// What the ending of --report says, or why it says nothing; "-" is JSON.
Result<std::string (*)(const ModelReport &)>
findReportKind(const std::string &path);

inline constexpr const char *reportHelp =
    "Of a model: what its layout changes cost, as\n"
    ".json or .html; - prints JSON";

} // namespace permc

#endif // PERMC_TOOLS_PERMC_MODELOPTIONS_H
