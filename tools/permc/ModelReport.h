//===- ModelReport.h - what a network's layout changes cost -----*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_TOOLS_PERMC_MODELREPORT_H
#define PERMC_TOOLS_PERMC_MODELREPORT_H

#include "permc/Models/PlanModel.h"

namespace permc {

/// Seconds of a call by kernel of the plan; nothing where it was not measured.
using MeasuredKernels = std::vector<std::optional<double>>;

/// All that reports are made of.
struct ModelReport {
  const Model &model;
  const ModelPlan &plan;
  std::string target; ///< its name, or those of several levels
  MeasuredKernels measured;

  std::optional<double> measuredSeconds(const PlannedMove &move) const;
};

/// One step that the network takes if chains are replaced: a layer that is in
/// none, or a chain.
struct ReportedStep {
  std::string name;
  const PlannedMove *move;
  /// Measured if there is such a time, else predicted; nothing if neither.
  std::optional<double> seconds;
};
/// The steps of the network, the longest first.
std::vector<ReportedStep> listSteps(const ModelReport &report);

/// A sum of which some terms may not be known. Steps that move nothing are
/// known to add nothing, and are not counted.
template <typename T> struct PartialSum {
  T known = 0; ///< the sum of those terms that are
  size_t terms = 0, unknownTerms = 0;

  void add(std::optional<T> term) {
    known += term.value_or(0);
    ++terms;
    unknownTerms += !term;
  }
  /// Nothing if a term is missing.
  std::optional<T> sum() const {
    return unknownTerms == 0 ? std::optional(known) : std::nullopt;
  }
  /// Nothing if all terms are missing: that the sum is not negative says
  /// nothing.
  std::optional<T> atLeast() const {
    return unknownTerms < terms || terms == 0 ? std::optional(known)
                                              : std::nullopt;
  }
};

/// What all steps come to together.
struct ReportedTotal {
  PartialSum<int64_t> bytes;
  PartialSum<double> predicted, measured;
  PartialSum<double> seconds; ///< as of ReportedStep
};
ReportedTotal sumUp(const std::vector<ReportedStep> &steps,
                    const ModelReport &report);

/// "measured", "predicted" or "predicted in part": the times that are known.
std::string spellOrigin(const ReportedTotal &total);

std::string spellJson(const ModelReport &report);
std::string spellHtml(const ModelReport &report);
std::string spellText(const ModelReport &report);

/// C that says which kernel carries out each layer; `stem` is that of the
/// header it is for.
std::string spellLayerTable(const Model &model, const ModelPlan &plan,
                            const std::string &stem);

} // namespace permc

#endif // PERMC_TOOLS_PERMC_MODELREPORT_H
