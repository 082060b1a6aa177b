//===- PlanModel.cpp - which kernels a network needs ----------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "permc/Models/PlanModel.h"

#include "Chains.h"

#include "permc/Frontend/KernelName.h"
#include "permc/Frontend/Tensor.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"

#include <numeric>

using namespace permc;

namespace {

/// One permutation of the network, however many layers it is of.
struct Move {
  ModelShape inputShape, outputShape;
  Dims view, order;
  std::optional<Dims> inStrides, outStrides;
  std::string element;
  /// Layers that move nothing get a kernel that copies, for those who need the
  /// result elsewhere. Chains are left out as a whole.
  bool isChain = false;
};

/// What tells a problem from others: its canonical form, as text.
std::string keyOf(const Problem &problem, int64_t foldLimit) {
  const Problem canonical = canonicalize(problem, foldLimit);
  return std::to_string(canonical.elementBytes()) + " " +
         spellList(canonical.shape()) + spellList(canonical.perm()) +
         spellList(canonical.srcByteStrides()) +
         spellList(canonical.dstByteStrides());
}

std::string keyOf(const DynamicProblem &problem, int64_t foldLimit) {
  const DynamicProblem canonical = canonicalize(problem, foldLimit);
  return std::to_string(canonical.elementBytes()) + " " +
         spellShape(canonical.shape()) + spellList(canonical.perm()) + "of " +
         std::to_string(canonical.dynamicDims());
}

class Planner {
public:
  Planner(const Model &model, const Target &target)
      : model(model), target(target) {}

  Result<ModelPlan> plan() {
    for (const ModelLayer &layer : model.layers) {
      PlannedMove planned;
      if (canMove(layer)) {
        auto made = planMove({layer.inputShape, layer.outputShape, *layer.view,
                              *layer.order, layer.inStrides, layer.outStrides,
                              layer.element});
        if (!made)
          return Error{made.error().cause, model.path + ": layer '" +
                                               layer.name + "' (" + layer.op +
                                               "): " + made.error().message};
        planned = *made;
      } else {
        planned.bytes = bytesOf(layer);
        if (layer.view && layer.order)
          planned.moveClass = classOfBytes(layer);
      }
      result.layers.push_back(planned);
    }
    result.reshaped = findReshaped(model);
    for (Chain &chain : findChains(model)) {
      const ModelLayer &first = model.layers[chain.layers.front()],
                       &last = model.layers[chain.layers.back()];
      auto made = planMove({first.inputShape,
                            last.outputShape,
                            chain.view,
                            chain.order,
                            {},
                            {},
                            first.element,
                            /*isChain=*/true});
      if (!made)
        return made.error();
      result.chains.push_back({std::move(chain.layers), std::move(chain.view),
                               std::move(chain.order), *made});
    }
    return std::move(result);
  }

private:
  /// A tensor with strides and dynamic dims has no kernel.
  static bool canMove(const ModelLayer &layer) {
    return layer.view && layer.order && !layer.element.empty() &&
           layer.reason.empty();
  }

  /// The size of the tensor, which is known without an order.
  static std::optional<int64_t> bytesOf(const ModelLayer &layer) {
    auto element = parseElementType(layer.element);
    if (!element || !layer.inputShape ||
        llvm::is_contained(*layer.inputShape, dynamicDim))
      return std::nullopt;
    Dims order(layer.inputShape->size());
    std::iota(order.begin(), order.end(), 0);
    auto problem = Problem::make(element->bytes, *layer.inputShape, order);
    return problem ? std::optional(problem->bytesMoved()) : std::nullopt;
  }

  /// The class is the same whatever the elements are.
  static std::optional<MoveClass> classOfBytes(const ModelLayer &layer) {
    auto problem = DynamicProblem::make(1, *layer.view, *layer.order);
    if (!problem)
      return std::nullopt;
    Move move;
    move.inputShape = layer.inputShape;
    move.outputShape = layer.outputShape;
    return classOf(move, classify(*problem));
  }

  Result<PlannedMove> planMove(const Move &move) {
    auto element = parseElementType(move.element);
    if (!element)
      return element.error();
    return llvm::is_contained(move.view, dynamicDim)
               ? planDynamic(move, *element)
               : planStatic(move, *element);
  }

  Result<PlannedMove> planStatic(const Move &move, const ElementType &element) {
    auto problem = Problem::make(element.bytes, move.view, move.order,
                                 move.inStrides, move.outStrides);
    if (!problem)
      return problem.error();
    PlannedMove planned;
    planned.moveClass = classOf(move, classify(*problem));
    planned.bytes = problem->bytesMoved();
    planned.predictedSeconds = planned.moveClass == MoveClass::Move
                                   ? predictSeconds(*problem, target)
                                   : std::optional<double>(0);
    if (needsKernel(move, planned))
      planned.kernel = addKernel(keyOf(*problem, target.facts.foldLimit),
                                 Request{deriveName(*problem, element.name),
                                         *problem, element.name, target, ""});
    return planned;
  }

  Result<PlannedMove> planDynamic(const Move &move,
                                  const ElementType &element) {
    auto problem = DynamicProblem::make(element.bytes, move.view, move.order);
    if (!problem)
      return problem.error();
    PlannedMove planned;
    planned.moveClass = classOf(move, classify(*problem));
    if (planned.moveClass != MoveClass::Move)
      planned.predictedSeconds = 0;
    if (target.route == Target::Route::Object && needsKernel(move, planned))
      planned.kernel = addKernel(keyOf(*problem, target.facts.foldLimit),
                                 makeRequest(deriveName(*problem, element.name),
                                             *problem, element.name, target));
    return planned;
  }

  static bool needsKernel(const Move &move, const PlannedMove &planned) {
    return !move.isChain || planned.moveClass == MoveClass::Move;
  }

  /// The network's shapes, not the view's, say whether one changes.
  static MoveClass classOf(const Move &move, MoveClass ofView) {
    if (ofView == MoveClass::Move)
      return ofView;
    return move.inputShape == move.outputShape ? MoveClass::Noop
                                               : MoveClass::Reshape;
  }

  size_t addKernel(const std::string &key, Request request) {
    auto [found, isNew] = kernelOf.try_emplace(key, result.kernels.size());
    if (isNew)
      result.kernels.push_back(std::move(request));
    return found->second;
  }

  const Model &model;
  const Target &target;
  ModelPlan result;
  llvm::StringMap<size_t> kernelOf;
};

} // namespace

Result<ModelPlan> permc::planModel(const Model &model, const Target &target) {
  return Planner(model, target).plan();
}
