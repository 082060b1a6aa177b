//===- Chains.h - permutations in a row ------------------------ -*- C++
//-*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_LIB_MODELS_CHAINS_H
#define PERMC_LIB_MODELS_CHAINS_H

#include "permc/Models/PlanModel.h"

namespace permc {

/// Two layers or more that one permutation of `view` by `order` replaces.
struct Chain {
  std::vector<size_t> layers; ///< of the model, in the order of data
  Dims view, order;
};

/// The longest chains of the model. Nobody else reads what is between two
/// layers of a chain.
std::vector<Chain> findChains(const Model &model);

/// By layer: the reshapes that it stands between, if it does.
std::vector<std::optional<Reshaped>> findReshaped(const Model &model);

/// A permutation of a view, as layers have them.
struct ViewPermute {
  Dims view, order;
};

/// `first`, then `second` on the same bytes, which may see them with other
/// dims; nothing if no view has the dims of both apart.
std::optional<ViewPermute> composeViews(const ViewPermute &first,
                                        const ViewPermute &second);

} // namespace permc

#endif // PERMC_LIB_MODELS_CHAINS_H
