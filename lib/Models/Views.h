//===- Views.h - permutes that are not called transposes ------- -*- C++
//-*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// DepthToSpace and its kin take dims apart, permute, and put dims together
// again. Only the middle step moves bytes, and it is a plain permutation of the
// tensor seen with its dims apart.
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_LIB_MODELS_VIEWS_H
#define PERMC_LIB_MODELS_VIEWS_H

#include "permc/Models/Model.h"

namespace permc {

struct PermutedView {
  Dims view, order, outputShape;
};

/// Which of the factors of the channels varies slower.
enum class BlockOrder {
  BlocksFirst, ///< ONNX's DCR
  DepthFirst   ///< ONNX's CRD
};

/// `shape` is batch, channels, then one spatial dim or more, all of which are
/// multiplied by `block`.
Result<PermutedView> depthToSpace(const Dims &shape, int64_t block,
                                  BlockOrder order);
/// The opposite. A spatial dim that is dynamic stands in the view for as many
/// blocks as it has.
Result<PermutedView> spaceToDepth(const Dims &shape, int64_t block,
                                  BlockOrder order);
/// Swaps the `groups` that a dim consists of with what is in each.
Result<PermutedView> shuffleChannels(const Dims &shape, int64_t axis,
                                     int64_t groups);

} // namespace permc

#endif // PERMC_LIB_MODELS_VIEWS_H
