//===- PlanModel.h - which kernels a network needs --------------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Layers whose permutations are the same at heart share a kernel. Layers that
// follow one another with nothing between them, or nothing but a reshape, are a
// chain, which one permutation can replace.
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_MODELS_PLANMODEL_H
#define PERMC_MODELS_PLANMODEL_H

#include "permc/Compiler/Compiler.h"
#include "permc/Models/Model.h"

namespace permc {

/// What one permutation of a network comes to.
struct PlannedMove {
  std::optional<MoveClass> moveClass; ///< nothing if the order is not known
  std::optional<size_t> kernel;       ///< of ModelPlan::kernels
  std::optional<int64_t> bytes;       ///< of the tensor; nothing if dynamic
  std::optional<double> predictedSeconds;
};

/// Layers in a row that become one permutation.
struct PlannedChain {
  std::vector<size_t> layers; ///< of the model, in the order of data
  Dims view, order;           ///< as in ModelLayer
  PlannedMove move;

  /// They undo each other: all can go.
  bool isRemovable() const { return move.moveClass == MoveClass::Noop; }
};

/// A layer between two reshapes: one permutation of a tensor that has these
/// shapes outside, such as a shuffle of channels.
struct Reshaped {
  std::string before, after; ///< the names of the reshapes
  ModelShape inputShape, outputShape;
};

struct ModelPlan {
  std::vector<Request> kernels;
  std::vector<PlannedMove> layers; ///< one for each of the model's
  std::vector<std::optional<Reshaped>> reshaped; ///< by layer
  std::vector<PlannedChain> chains;
};

/// Every layer that can have a kernel gets one; `kernels` are distinct.
Result<ModelPlan> planModel(const Model &model, const Target &target);

/// How long the kernel may take on the target, in seconds (permc/Plan/Cost.h).
/// Nothing for machines whose times are not known.
std::optional<double> predictSeconds(const Problem &problem,
                                     const Target &target);

} // namespace permc

#endif // PERMC_MODELS_PLANMODEL_H
