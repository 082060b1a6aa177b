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
/// Knows `charType` too, which only some conventions take.
Result<ElementType> parseElementType(std::string_view text);

/// MATLAB's characters, of 16 bits.
inline constexpr std::string_view charType = "char";

struct TensorSpec {
  Dims shape; ///< `dynamicDim` where a size comes with the call
  ElementType element;

  bool isDynamic() const;
};
/// Reads MLIR's spelling without the brackets: "224x224x3xu8", with "?" for a
/// dynamic dim; a bare type is a scalar.
Result<TensorSpec> parseTensor(std::string_view text);
std::string spellTensor(const TensorSpec &tensor);

/// Reads shapes of a tensor with dynamic dims, "1x224x224x3,8x224x224x3" with
/// or without the type. Each gives the sizes of the dynamic dims, in order.
Result<std::vector<Dims>> parseSpecializations(std::string_view text,
                                               const TensorSpec &tensor);

} // namespace permc

#endif // PERMC_FRONTEND_TENSOR_H
