//===- Model.h - the layers of a network that permute -----------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What permc keeps of a network, whoever wrote it down: the layers that permute
// and how they hang together. A reader for each format fills it in; everything
// after the readers knows of no format.
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_MODELS_MODEL_H
#define PERMC_MODELS_MODEL_H

#include "permc/Plan/Problem.h"

#include <optional>
#include <string>
#include <vector>

namespace permc {

/// `dynamicDim` for a dim that is not known; nothing if the rank is not.
using ModelShape = std::optional<Dims>;

/// A tensor that flows between layers. Numbered by the reader.
using ValueId = unsigned;

/// One layer that permutes.
struct ModelLayer {
  std::string name; ///< with the names of the graphs round it: "loop/body/t"
  std::string op;   ///< in the format's words: "DepthToSpace"
  /// The element type as permc spells it; empty if it is not known, or if its
  /// elements are no whole bytes.
  std::string element;
  ModelShape inputShape, outputShape;
  /// The input as the order sees it. That of a Transpose is the input's shape,
  /// that of a DepthToSpace has its blocks apart.
  ModelShape view;
  /// Output dim i of the view is its dim order[i].
  std::optional<Dims> order;
  /// Steps of the view's dims in elements, where a side is not dense.
  std::optional<Dims> inStrides = {}, outStrides = {};
  /// Why there is no order, or no kernel in spite of one.
  std::string reason = {};
  ValueId input = 0, output = 0;
};

/// A layer that gives the same bytes another shape.
struct ModelReshape {
  std::string name;
  ModelShape inputShape, outputShape;
  ValueId input = 0, output = 0;
};

struct Model {
  std::string path;
  /// All files that were read: a build has to watch them.
  std::vector<std::string> files = {};
  std::string format; ///< "OpenVINO IR 11", "ONNX, opset 13", "MLIR"
  std::vector<ModelLayer> layers;
  std::vector<ModelReshape> reshapes;
  /// By value: how many layers and results of the network read it.
  std::vector<unsigned> uses;
};

/// "[1, ?, 3]", or "unknown".
std::string spellModelShape(const ModelShape &shape);

} // namespace permc

#endif // PERMC_MODELS_MODEL_H
