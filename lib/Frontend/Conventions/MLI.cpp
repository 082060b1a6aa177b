//===- MLI.cpp - embARC MLI's permute kernels -----------------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// 0-based and row-major tensors of rank 1 to 4 without empty dims. perm_dim is
// an array of four of which the first `rank` entries count; whoever copies all
// four from a program gets what the program gets.
//
//===----------------------------------------------------------------------===//

#include "../ConventionRules.h"
#include "../Order.h"

using namespace permc;

/// MLI_MAX_RANK, the length of perm_dim.
static constexpr size_t maxMliRank = 4;

static Result<Dims> completeShape(const Dims &shape) {
  if (shape.empty() || shape.size() > maxMliRank)
    return Error{Cause::BadRank, "an MLI tensor of rank " +
                                     std::to_string(shape.size()) +
                                     "; expected a rank of 1 to 4"};
  for (size_t dim = 0; dim < shape.size(); ++dim)
    if (shape[dim] == 0)
      return Error{Cause::BadSize,
                   "dim " + std::to_string(dim) + " of the MLI tensor " +
                       spellShape(shape) + " is 0; expected 1 or more"};
  return shape;
}

static Result<Dims> readOrder(const PermuteSpec &spec, const Dims &shape) {
  Result<Dims> given = readAxes(spec.order);
  if (!given)
    return given;
  const int64_t rank = shape.size();
  if (given->size() < shape.size() || given->size() > maxMliRank)
    return Error{Cause::BadRank,
                 "perm_dim " + spellList(*given) + " has " +
                     std::to_string(given->size()) + " entries; expected " +
                     std::to_string(rank) + " for the shape " +
                     spellShape(shape) + " (up to 4, the rest is not read)"};
  Dims perm(given->begin(), given->begin() + rank);
  for (int64_t axis : perm)
    if (axis < 0 || axis >= rank)
      return Error{Cause::AxisOutOfRange,
                   "perm_dim " + spellList(perm) + " has the entry " +
                       std::to_string(axis) + (axis < 0 ? ", negative" : "") +
                       "; expected 0 to " + std::to_string(rank - 1) +
                       ", less than the rank"};
  if (std::optional<int64_t> axis = firstRepeated(perm))
    return Error{Cause::DuplicateAxis,
                 "perm_dim " + spellList(perm) + " has the entry " +
                     std::to_string(*axis) + " twice; expected unique entries"};
  return perm;
}

const ConventionRules permc::mliRules = {"mli",
                                         /*columnMajor=*/false,
                                         /*hasChars=*/false,
                                         /*positiveStrides=*/true,
                                         completeShape,
                                         readOrder};
