//===- RecognizePermute.h - permutations by other names ---------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_TRANSFORMS_RECOGNIZEPERMUTE_H
#define PERMC_TRANSFORMS_RECOGNIZEPERMUTE_H

#include "permc/Plan/Problem.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"

#include <optional>
#include <string>

namespace permc {

/// An operation of another dialect that does nothing but permute.
struct RecognizedPermute {
  mlir::Value src;
  /// What is written, if it is memory.
  mlir::Value dst = {};
  mlir::ShapedType srcType, dstType;
  /// The input with its dims apart (those of a linalg.pack are tiled), and the
  /// order of these dims in the output; `dynamicDim` as everywhere.
  Dims view, order;
  /// Of memory that is not dense: in elements, `srcStrides` by dim of the view,
  /// `dstStrides` by dim of the output.
  std::optional<Dims> srcStrides = {}, dstStrides = {};
  /// A value of the output's shape, where dims are taken apart.
  mlir::Value like = {};
  /// Why no kernel can carry it out; empty if one can.
  std::string obstacle = {};
};

/// Knows linalg.transpose, tosa.transpose, a linalg.generic that yields its
/// input, and linalg.pack and unpack that neither pad nor cut. Nothing for
/// other operations.
std::optional<RecognizedPermute> recognizePermute(mlir::Operation *op);

/// permc's name of an element type: "f32"; empty if elements are no whole
/// bytes in memory, or none that can be moved as bytes.
std::string elementNameOf(mlir::Type type);

} // namespace permc

#endif // PERMC_TRANSFORMS_RECOGNIZEPERMUTE_H
