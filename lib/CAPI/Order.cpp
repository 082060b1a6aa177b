//===- Order.cpp - other people's orders in C -----------------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Boundary.h"
#include "Struct.h"

#include "permc-c/permc.h"
#include "permc/Frontend/Convention.h"

using namespace permc;

// The C API's numbers are the Frontend's.
static_assert(int(Convention::Numpy) == PERMC_NUMPY &&
              int(Convention::Matlab) == PERMC_MATLAB &&
              int(Convention::OpenVINO) == PERMC_OPENVINO &&
              int(Convention::MLI) == PERMC_MLI);
static_assert(int(OrderNumber::I64) == PERMC_ORDER_I64 &&
              int(OrderNumber::U8) == PERMC_ORDER_U8 &&
              int(OrderNumber::F64) == PERMC_ORDER_F64);
static_assert(PERMC_MAX_RANK == maxRank);

/// The size of version 0.1; it never changes.
static constexpr size_t orderSize = 48;

static Result<PermuteSpec> readOrder(const permc_order &given) {
  if (given.convention > PERMC_MLI)
    return Error{Cause::BadSyntax, "permc_order.convention is " +
                                       std::to_string(given.convention) +
                                       "; expected a permc_convention"};
  if (given.number > PERMC_ORDER_F64)
    return Error{Cause::BadSyntax, "permc_order.number is " +
                                       std::to_string(given.number) +
                                       "; expected a permc_order_number"};
  if (given.rank > maxRank || given.length > maxRank)
    return Error{Cause::BadRank,
                 "a rank of " + std::to_string(given.rank) + ", an order of " +
                     std::to_string(given.length) + "; expected at most " +
                     std::to_string(maxRank)};
  if ((!given.shape && given.rank > 0) || (!given.order && given.length > 0))
    return Error{Cause::NullPointer,
                 "permc_order.shape or permc_order.order is null; expected "
                 "their entries"};
  PermuteSpec spec;
  if (given.rank > 0)
    spec.tensor.shape.assign(given.shape, given.shape + given.rank);
  spec.tensor.element =
      given.is_char ? *parseElementType(charType) : ElementType{"u8", 1};
  spec.convention = static_cast<Convention>(given.convention);
  spec.inverse = given.inverse != 0;
  spec.order = spellOrder(given.order, given.length,
                          static_cast<OrderNumber>(given.number));
  return spec;
}

permc_status permc_resolve_order(const permc_order *order, uint32_t *rank,
                                 int64_t *shape, int64_t *perm,
                                 int64_t *result_shape) {
  return atBoundary([&]() -> Status {
    auto given = readStruct(order, orderSize, "permc_order");
    if (!given)
      return given.error();
    if (!rank || !shape || !perm)
      return Error{Cause::NullPointer,
                   "rank, shape or perm is null; expected room for the result"};
    auto spec = readOrder(*given);
    if (!spec)
      return spec.error();
    auto resolved = resolve(*spec);
    if (!resolved)
      return resolved.error();
    const Problem &problem = resolved->problem;
    *rank = problem.rank();
    std::ranges::copy(problem.shape(), shape);
    std::ranges::copy(problem.perm(), perm);
    if (result_shape)
      std::ranges::copy(resolved->outShape, result_shape);
    return Done{};
  });
}
