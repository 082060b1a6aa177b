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

/// A network with its kernels.
struct CompiledModel {
  Model model;
  std::vector<Target> targets; ///< levels of one machine, rising
  ModelPlan plan;
  std::vector<Artifact> objects; ///< of plan.kernels, once they are compiled
};

/// Reads a network and finds out which kernels it needs; `targetNames` as
/// findTargets takes them.
Result<CompiledModel> readPlannedModel(const std::string &path,
                                       const std::string &targetNames);

/// Compiles the kernels on all CPUs; none if they are to be C.
Status compileKernels(CompiledModel &compiled);

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
