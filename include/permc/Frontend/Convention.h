//===- Convention.h - whose rules an order follows --------------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// numpy, MATLAB, OpenVINO and embARC MLI write the same permutation in
// different ways. The differences end here: what leaves is a Problem, row-major
// and 0-based.
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_FRONTEND_CONVENTION_H
#define PERMC_FRONTEND_CONVENTION_H

#include "permc/Frontend/Tensor.h"
#include "permc/Plan/DynamicProblem.h"

#include <optional>

namespace permc {

enum class Convention { Numpy, Matlab, OpenVINO, MLI };
Result<Convention> parseConvention(std::string_view name);

/// A permutation as a user asked for it, in the user's own convention.
struct PermuteSpec {
  TensorSpec tensor;
  std::string order; ///< "2,0,1" or "hwc->chw"; empty as the convention says
  Convention convention = Convention::Numpy;
  bool inverse = false;
  /// In elements; `dynamicDim` where one comes with the call.
  std::optional<Dims> inStrides, outStrides;

  /// Whether anything comes with the call.
  bool isDynamic() const;
};

/// What the user asked for, in permc's terms, and the shape of the result in
/// the user's.
struct ResolvedPermute {
  Problem problem;
  Dims outShape;
};
Result<ResolvedPermute> resolve(const PermuteSpec &spec);

/// The same for a tensor with dynamic dims or strides. They are numbered as the
/// user wrote them, whatever the convention: dims, then strides of the input,
/// then those of the output.
struct ResolvedDynamicPermute {
  DynamicProblem problem;
  Dims outShape;
};
Result<ResolvedDynamicPermute> resolveDynamic(const PermuteSpec &spec);

/// What the entries of an order are that a program has in memory. The values
/// are part of the C API: append, never reorder.
enum class OrderNumber { I64, I32, I16, I8, U64, U32, U16, U8, F64 };

/// The text of such an order, for PermuteSpec.
std::string spellOrder(const void *entries, size_t count, OrderNumber number);

/// "4,2,1" as a list of integers; `what` names it in messages.
Result<Dims> parseIntegers(std::string_view text, std::string_view what);

/// The same with "?" for `dynamicDim`.
Result<Dims> parseStrides(std::string_view text, std::string_view what);

} // namespace permc

#endif // PERMC_FRONTEND_CONVENTION_H
