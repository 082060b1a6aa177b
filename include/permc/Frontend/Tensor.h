//===- Tensor.h - how people spell tensors ----------------------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_FRONTEND_TENSOR_H
#define PERMC_FRONTEND_TENSOR_H

#include "permc/Plan/Problem.h"

#include <string>
#include <string_view>

namespace permc {

struct ElementType {
  std::string name; ///< "f32", "bytes12"
  int64_t bytes;
};
Result<ElementType> parseElementType(std::string_view text);

struct TensorSpec {
  Dims shape;
  ElementType element;
};
/// Reads MLIR's spelling without the brackets: "224x224x3xu8"; a bare type is
/// a scalar.
Result<TensorSpec> parseTensor(std::string_view text);
std::string spellTensor(const TensorSpec &tensor);

} // namespace permc

#endif // PERMC_FRONTEND_TENSOR_H
