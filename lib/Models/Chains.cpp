//===- Chains.cpp - permutations in a row ---------------------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two permutations compose if one list of dims tells apart what either of them
// moves. What the first writes as 4x6 the second may read as 2x2x6 (there was a
// reshape between): then the first is taken as one of 2x2 and 6. 4x6 and 3x8
// have no such list, and stay two.
//
//===----------------------------------------------------------------------===//

#include "Chains.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"

#include <numeric>

using namespace permc;

/// Without dims of size 1, which say nothing of where bytes go.
static ViewPermute squeezed(const ViewPermute &permute) {
  Dims place(permute.view.size(), -1);
  ViewPermute result;
  for (size_t dim = 0; dim < permute.view.size(); ++dim)
    if (permute.view[dim] != 1) {
      place[dim] = static_cast<int64_t>(result.view.size());
      result.view.push_back(permute.view[dim]);
    }
  for (int64_t dim : permute.order)
    if (place[dim] >= 0)
      result.order.push_back(place[dim]);
  return result;
}

static Dims permuted(const Dims &shape, const Dims &order) {
  Dims result;
  for (int64_t dim : order)
    result.push_back(shape[dim]);
  return result;
}

/// For each dim of `a` the sizes it falls into, if the dims of both lists are
/// taken apart as far as either demands; nothing if they do not agree.
static std::optional<std::vector<Dims>> refine(const Dims &a, const Dims &b) {
  std::vector<Dims> pieces(a.size());
  size_t j = b.size();
  int64_t rest = 1; // of the dim b[j]
  for (size_t i = a.size(); i-- > 0;) {
    int64_t left = a[i];
    while (left != 1) {
      if (rest == 1) {
        if (j == 0)
          return std::nullopt;
        rest = b[--j];
      }
      const int64_t piece = left == dynamicDim || rest == dynamicDim
                                ? left
                                : std::gcd(left, rest);
      // One of the two ends here, else there is a boundary within both.
      if (piece != left && piece != rest)
        return std::nullopt;
      if (left == dynamicDim || rest == dynamicDim) {
        if (left != rest)
          return std::nullopt;
        left = rest = 1;
      } else {
        left /= piece;
        rest /= piece;
      }
      pieces[i].insert(pieces[i].begin(), piece);
    }
  }
  return j == 0 && rest == 1 ? std::optional(std::move(pieces)) : std::nullopt;
}

/// `permute` with each dim of its view taken apart into `pieces`.
static ViewPermute split(const ViewPermute &permute,
                         const std::vector<Dims> &pieces) {
  ViewPermute result;
  std::vector<int64_t> first;
  for (const Dims &piece : pieces) {
    first.push_back(static_cast<int64_t>(result.view.size()));
    result.view.insert(result.view.end(), piece.begin(), piece.end());
  }
  for (int64_t dim : permute.order)
    for (size_t k = 0; k < pieces[dim].size(); ++k)
      result.order.push_back(first[dim] + static_cast<int64_t>(k));
  return result;
}

std::optional<ViewPermute> permc::composeViews(const ViewPermute &firstGiven,
                                               const ViewPermute &secondGiven) {
  if (llvm::is_contained(firstGiven.view, 0) ||
      llvm::is_contained(secondGiven.view, 0))
    return std::nullopt;
  const ViewPermute first = squeezed(firstGiven),
                    second = squeezed(secondGiven);
  const Dims between = permuted(first.view, first.order);
  auto ofFirst = refine(between, second.view);
  auto ofSecond = refine(second.view, between);
  if (!ofFirst || !ofSecond)
    return std::nullopt;
  // The pieces of the first one's dims, as its input has them.
  std::vector<Dims> byInput(first.view.size());
  for (size_t i = 0; i < between.size(); ++i)
    byInput[first.order[i]] = (*ofFirst)[i];
  const ViewPermute a = split(first, byInput), b = split(second, *ofSecond);
  if (a.order.size() != b.order.size() ||
      static_cast<int64_t>(a.order.size()) > maxRank)
    return std::nullopt;
  return ViewPermute{a.view, permuted(a.order, b.order)};
}

namespace {

/// Who makes a value: a layer, seen through reshapes that nobody else reads.
class Producers {
public:
  explicit Producers(const Model &model) : model(model) {
    for (size_t i = 0; i < model.layers.size(); ++i)
      layers[model.layers[i].output] = i;
    for (size_t i = 0; i < model.reshapes.size(); ++i)
      reshapes[model.reshapes[i].output] = i;
  }

  std::optional<size_t> of(ValueId value) const {
    // A model has no cycles, but a reader may have been told of one.
    for (size_t steps = 0; steps <= model.reshapes.size(); ++steps) {
      if (model.uses[value] != 1)
        return std::nullopt;
      if (auto layer = layers.find(value); layer != layers.end())
        return layer->second;
      auto reshape = reshapes.find(value);
      if (reshape == reshapes.end())
        return std::nullopt;
      value = model.reshapes[reshape->second].input;
    }
    return std::nullopt;
  }

private:
  const Model &model;
  llvm::DenseMap<ValueId, size_t> layers, reshapes;
};

} // namespace

std::vector<std::optional<Reshaped>> permc::findReshaped(const Model &model) {
  llvm::DenseMap<ValueId, const ModelReshape *> makers, readers;
  for (const ModelReshape &reshape : model.reshapes) {
    makers[reshape.output] = &reshape;
    readers[reshape.input] = &reshape;
  }
  std::vector<std::optional<Reshaped>> found;
  for (const ModelLayer &layer : model.layers) {
    const ModelReshape *before = makers.lookup(layer.input),
                       *after = readers.lookup(layer.output);
    const bool isSandwiched = before && after && model.uses[layer.output] == 1;
    found.push_back(isSandwiched ? std::optional<Reshaped>(
                                       {before->name, after->name,
                                        before->inputShape, after->outputShape})
                                 : std::nullopt);
  }
  return found;
}

/// Dense permutations that are known.
static bool canCompose(const ModelLayer &layer) {
  return layer.view && layer.order && !layer.element.empty() &&
         !layer.inStrides && !layer.outStrides;
}

std::vector<Chain> permc::findChains(const Model &model) {
  const Producers producers(model);
  // The chain that ends with each layer, grown from its producer's. Layers
  // come in any order, so chains are followed from their ends.
  std::vector<bool> isContinued(model.layers.size());
  std::vector<std::optional<size_t>> before(model.layers.size());
  for (size_t i = 0; i < model.layers.size(); ++i)
    if (auto producer = producers.of(model.layers[i].input);
        producer && *producer != i && canCompose(model.layers[i]) &&
        canCompose(model.layers[*producer]) &&
        model.layers[i].element == model.layers[*producer].element) {
      before[i] = producer;
      isContinued[*producer] = true;
    }
  std::vector<Chain> chains;
  auto keep = [&](Chain chain) {
    if (chain.layers.size() > 1)
      chains.push_back(std::move(chain));
  };
  for (size_t end = 0; end < model.layers.size(); ++end) {
    if (isContinued[end] || !canCompose(model.layers[end]))
      continue;
    std::vector<size_t> row = {end};
    while (before[row.back()] && row.size() <= model.layers.size())
      row.push_back(*before[row.back()]);
    Chain chain;
    for (size_t layer : llvm::reverse(row)) {
      const ViewPermute next{*model.layers[layer].view,
                             *model.layers[layer].order};
      auto composed = chain.layers.empty()
                          ? std::optional(next)
                          : composeViews({chain.view, chain.order}, next);
      if (!composed) {
        keep(std::move(chain));
        chain = {};
        composed = next;
      }
      chain.layers.push_back(layer);
      chain.view = composed->view;
      chain.order = composed->order;
    }
    keep(std::move(chain));
  }
  return chains;
}
