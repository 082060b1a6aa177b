//===- OpenVINO.cpp - OpenVINO's Transpose-1 ------------------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// 0-based and row-major, of exactly the tensor's rank, never negative. An empty
// order reverses the axes. Messages begin with OpenVINO's own words.
//
//===----------------------------------------------------------------------===//

#include "../ConventionRules.h"
#include "../Order.h"

using namespace permc;

static Result<Dims> completeShape(const Dims &shape) { return shape; }

static Error invalid(Cause cause, const Dims &axes, const Dims &shape,
                     const std::string &why) {
  std::string list = spellList(axes);
  std::string vector = "{" + list.substr(1, list.size() - 2) + "}";
  return {cause, "Permutation AxisVector" + vector +
                     " is not valid for input shape " + spellList(shape) +
                     ": " + why};
}

static Result<Dims> readOrder(const PermuteSpec &spec, const Dims &shape) {
  Result<Dims> axes = readAxes(spec.order);
  if (!axes)
    return axes;
  const int64_t rank = shape.size();
  if (axes->empty())
    return reversedAxes(rank);
  if (static_cast<int64_t>(axes->size()) != rank)
    return invalid(Cause::BadRank, *axes, shape,
                   std::to_string(axes->size()) + " axes; expected " +
                       std::to_string(rank) + ", or none to reverse them");
  for (int64_t axis : *axes) {
    if (axis < 0)
      return invalid(Cause::AxisOutOfRange, *axes, shape,
                     "axis " + std::to_string(axis) +
                         " is negative; expected 0 to " +
                         std::to_string(rank - 1));
    if (axis >= rank)
      return invalid(Cause::AxisOutOfRange, *axes, shape,
                     "axis " + std::to_string(axis) +
                         " is out of range; expected 0 to " +
                         std::to_string(rank - 1));
  }
  if (std::optional<int64_t> axis = firstRepeated(*axes))
    return invalid(Cause::DuplicateAxis, *axes, shape,
                   "axis " + std::to_string(*axis) +
                       " is there twice; expected each axis once");
  return axes;
}

const ConventionRules permc::openvinoRules = {
    "openvino",         /*columnMajor=*/false,
    /*hasChars=*/false, /*positiveStrides=*/false, completeShape, readOrder};
