//===- ModelOptions.h - networks in place of a TENSOR -----------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_TOOLS_PERMC_MODELOPTIONS_H
#define PERMC_TOOLS_PERMC_MODELOPTIONS_H

#include "ModelReport.h"

#include "llvm/ADT/ArrayRef.h"

namespace permc {

/// A network with its kernels.
struct CompiledModel {
  Model model;
  std::vector<Target> targets; ///< levels of one machine, rising
  ModelPlan plan;
  std::vector<Artifact> objects; ///< of plan.kernels, once they are compiled
};

/// Reads a network and finds out which kernels it needs; `targets` as
/// findTargets gives them. The names of kernels begin with `prefix`, or with
/// the file's name: those of two networks must not clash in one program.
Result<CompiledModel>
readPlannedModel(const std::string &path, std::vector<Target> targets,
                 const std::optional<std::string> &prefix);

/// Compiles the kernels on all CPUs; none if they are to be C.
Status compileKernels(CompiledModel &compiled);

/// The report, with times of the kernels if this machine runs them.
ModelReport reportOn(const CompiledModel &compiled);

/// Whether the ending of each --report says what it is, or what to say if not.
Status checkReports(llvm::ArrayRef<std::string> paths);

/// Each --report with what it shall hold.
std::vector<std::pair<std::string, std::string>>
spellReports(llvm::ArrayRef<std::string> paths, const ModelReport &report);

inline constexpr const char *reportHelp =
    "Of a model: what its layout changes cost, as\n"
    ".json or .html; - prints JSON. Any number of them";

} // namespace permc

#endif // PERMC_TOOLS_PERMC_MODELOPTIONS_H
