//===- Numpy.cpp - numpy.transpose ----------------------------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// 0-based and row-major. Negative axes count from the end; no order at all
// reverses the axes. Messages begin with numpy's own words.
//
//===----------------------------------------------------------------------===//

#include "../ConventionRules.h"
#include "../Order.h"

using namespace permc;

static Result<Dims> completeShape(const Dims &shape) { return shape; }

static Result<Dims> readOrder(const PermuteSpec &spec, const Dims &shape) {
  Result<Dims> axes = readAxes(spec.order);
  if (!axes)
    return axes;
  const int64_t rank = shape.size();
  if (axes->empty())
    return reversedAxes(rank);
  if (static_cast<int64_t>(axes->size()) != rank)
    return Error{Cause::BadRank, "axes don't match array: the order " +
                                     spellList(*axes) + " has " +
                                     std::to_string(axes->size()) +
                                     " axes; expected " + std::to_string(rank) +
                                     " for the shape " + spellShape(shape)};
  Dims perm;
  for (int64_t axis : *axes) {
    if (axis < -rank || axis >= rank)
      return Error{Cause::AxisOutOfRange,
                   "axis " + std::to_string(axis) +
                       " is out of bounds for array of dimension " +
                       std::to_string(rank) + ": expected " +
                       std::to_string(-rank) + " to " +
                       std::to_string(rank - 1) + " in the order " +
                       spellList(*axes)};
    perm.push_back(axis < 0 ? axis + rank : axis);
  }
  if (std::optional<int64_t> axis = firstRepeated(perm))
    return Error{Cause::DuplicateAxis,
                 "repeated axis in transpose: the order " + spellList(*axes) +
                     " names axis " + std::to_string(*axis) +
                     " twice; expected each axis once"};
  return perm;
}

const ConventionRules permc::numpyRules = {"numpy",
                                           /*columnMajor=*/false,
                                           /*hasChars=*/false,
                                           /*positiveStrides=*/false,
                                           completeShape,
                                           readOrder};
