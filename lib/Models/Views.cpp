//===- Views.cpp - permutes that are not called transposes ----------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Views.h"

#include <limits>

using namespace permc;

/// block^power, or nothing if that is no size.
static std::optional<int64_t> powerOf(int64_t block, size_t power) {
  int64_t product = 1;
  for (size_t i = 0; i < power; ++i)
    if (__builtin_mul_overflow(product, block, &product))
      return std::nullopt;
  return product;
}

static Status checkBlocked(const Dims &shape, int64_t block) {
  if (shape.size() < 3)
    return Error{Cause::BadRank,
                 "the input " + spellShape(shape) +
                     "; expected batch, channels and one dim or more"};
  // The view has one dim more for each spatial one.
  if (static_cast<int64_t>(shape.size()) > maxRank / 2)
    return Error{Cause::BadRank, "an input of " + std::to_string(shape.size()) +
                                     " dims; expected " +
                                     std::to_string(maxRank / 2) + " at most"};
  if (block < 1)
    return Error{Cause::BadSize, "the block size " + std::to_string(block) +
                                     "; expected 1 or more"};
  return Done{};
}

static Error notDivisible(const Dims &shape, size_t dim, int64_t by) {
  return {Cause::BadSize, "dim " + std::to_string(dim) + " of the input " +
                              spellShape(shape) + " is no multiple of " +
                              std::to_string(by)};
}

/// A dynamic dim stays one.
static Result<int64_t> multiply(int64_t size, int64_t by) {
  int64_t product = dynamicDim;
  if (size != dynamicDim && __builtin_mul_overflow(size, by, &product))
    return Error{Cause::SizeOverflow, "the size " + std::to_string(size) +
                                          " times " + std::to_string(by) +
                                          " does not fit 63 bits"};
  return product;
}

Result<PermutedView> permc::depthToSpace(const Dims &shape, int64_t block,
                                         BlockOrder blockOrder) {
  if (Status ok = checkBlocked(shape, block); !ok)
    return ok.error();
  const size_t spatial = shape.size() - 2;
  const int64_t channels = shape[1];
  const auto blocks = powerOf(block, spatial);
  if (!blocks || (channels != dynamicDim && channels % *blocks != 0))
    return notDivisible(shape, 1,
                        blocks.value_or(std::numeric_limits<int64_t>::max()));
  const int64_t depth =
      channels == dynamicDim ? dynamicDim : channels / *blocks;

  // Batch, then the factors of the channels, then the spatial dims.
  const bool depthFirst = blockOrder == BlockOrder::DepthFirst;
  const size_t depthDim = depthFirst ? 1 : 1 + spatial;
  PermutedView result;
  result.view = {shape[0]};
  result.view.insert(result.view.end(), spatial, block);
  result.view.insert(result.view.begin() + depthDim, depth);
  result.view.insert(result.view.end(), shape.begin() + 2, shape.end());
  result.order = {0, static_cast<int64_t>(depthDim)};
  result.outputShape = {shape[0], depth};
  for (size_t i = 0; i < spatial; ++i) {
    result.order.push_back(static_cast<int64_t>(2 + spatial + i));
    result.order.push_back(static_cast<int64_t>(1 + depthFirst + i));
    Result<int64_t> size = multiply(shape[2 + i], block);
    if (!size)
      return size.error();
    result.outputShape.push_back(*size);
  }
  return result;
}

Result<PermutedView> permc::spaceToDepth(const Dims &shape, int64_t block,
                                         BlockOrder blockOrder) {
  if (Status ok = checkBlocked(shape, block); !ok)
    return ok.error();
  const size_t spatial = shape.size() - 2;
  PermutedView result;
  result.view = {shape[0], shape[1]};
  Dims inner, outer, outputSpatial;
  for (size_t i = 0; i < spatial; ++i) {
    const int64_t size = shape[2 + i];
    if (size != dynamicDim && size % block != 0)
      return notDivisible(shape, 2 + i, block);
    outputSpatial.push_back(size == dynamicDim ? dynamicDim : size / block);
    outer.push_back(static_cast<int64_t>(result.view.size()));
    result.view.push_back(outputSpatial.back());
    inner.push_back(static_cast<int64_t>(result.view.size()));
    result.view.push_back(block);
  }
  const auto blocks = powerOf(block, spatial);
  Result<int64_t> channels =
      multiply(shape[1], blocks.value_or(std::numeric_limits<int64_t>::max()));
  if (!channels)
    return channels.error();
  result.outputShape = {shape[0], *channels};
  result.outputShape.insert(result.outputShape.end(), outputSpatial.begin(),
                            outputSpatial.end());
  result.order = {0};
  result.order.insert(result.order.end(), inner.begin(), inner.end());
  result.order.insert(blockOrder == BlockOrder::DepthFirst
                          ? result.order.begin() + 1
                          : result.order.end(),
                      1);
  result.order.insert(result.order.end(), outer.begin(), outer.end());
  return result;
}

Result<PermutedView> permc::shuffleChannels(const Dims &shape, int64_t axis,
                                            int64_t groups) {
  const auto rank = static_cast<int64_t>(shape.size());
  if (axis < -rank || axis >= rank)
    return Error{Cause::AxisOutOfRange, "the axis " + std::to_string(axis) +
                                            " of an input of rank " +
                                            std::to_string(rank)};
  if (axis < 0)
    axis += rank;
  if (groups < 1)
    return Error{Cause::BadSize, "a group of " + std::to_string(groups) +
                                     "; expected 1 or more"};
  const int64_t size = shape[axis];
  if (size != dynamicDim && size % groups != 0)
    return notDivisible(shape, static_cast<size_t>(axis), groups);
  PermutedView result{shape, {}, shape};
  result.view[axis] = size == dynamicDim ? dynamicDim : size / groups;
  result.view.insert(result.view.begin() + axis, groups);
  for (int64_t dim = 0; dim <= rank; ++dim)
    result.order.push_back(dim);
  std::swap(result.order[axis], result.order[axis + 1]);
  return result;
}
