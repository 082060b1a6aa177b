//===- Problem.cpp - a tensor permutation, fully described ----------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Problem::make is the only gate through which sizes enter. Everything after it
// may multiply a size by a stride without looking again.
//
//===----------------------------------------------------------------------===//

#include "permc/Plan/Problem.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>

using namespace permc;

namespace {

/// a * b, or nothing.
std::optional<int64_t> multiply(int64_t a, int64_t b) {
  int64_t product;
  if (__builtin_mul_overflow(a, b, &product))
    return std::nullopt;
  return product;
}

Error overflow(const Dims &shape, std::string_view what) {
  return {Cause::SizeOverflow, std::string(what) + " of the shape " +
                                   spellShape(shape) +
                                   " do not fit in 63 bits"};
}

Status checkShape(int64_t elementBytes, const Dims &shape) {
  if (elementBytes < 1)
    return Error{Cause::BadElement, "an element of " +
                                        std::to_string(elementBytes) +
                                        " bytes; expected 1 or more"};
  if (static_cast<int64_t>(shape.size()) > maxRank)
    return Error{Cause::BadRank, "a shape of " + std::to_string(shape.size()) +
                                     " dims; expected at most " +
                                     std::to_string(maxRank)};
  // Zeros do not excuse the rest: 0 x 2^62 x 2^62 has strides that overflow.
  int64_t bytes = elementBytes;
  for (size_t dim = 0; dim < shape.size(); ++dim) {
    if (shape[dim] == dynamicDim)
      return Error{Cause::Unsupported,
                   "dim " + std::to_string(dim) + " of the shape " +
                       spellShape(shape) + " is dynamic; expected a size here"};
    if (shape[dim] < 0)
      return Error{Cause::BadSize,
                   "dim " + std::to_string(dim) + " has the size " +
                       std::to_string(shape[dim]) + "; expected 0 or more"};
    auto product = multiply(bytes, std::max<int64_t>(shape[dim], 1));
    if (!product)
      return overflow(shape, "the bytes");
    bytes = *product;
  }
  return Done{};
}

/// A stride without its sign; saturated, as in toBytes.
int64_t distance(int64_t stride) {
  return stride == INT64_MIN ? INT64_MAX : std::abs(stride);
}

bool isEmptyShape(const Dims &shape) {
  return std::find(shape.begin(), shape.end(), 0) != shape.end();
}

/// Strides of one side: as many as dims, and spanning no more than 63 bits.
Status checkStrides(const Dims &shape, const Dims &strides,
                    int64_t elementBytes, std::string_view side) {
  if (strides.size() != shape.size())
    return Error{Cause::BadRank, std::to_string(strides.size()) + " " +
                                     std::string(side) +
                                     " strides for a tensor of rank " +
                                     std::to_string(shape.size())};
  int64_t span = elementBytes;
  for (size_t dim = 0; dim < shape.size(); ++dim) {
    // One step past the end as well: loops compute that offset. No loop steps
    // through a dim of size 1, so that its stride takes no room from others.
    auto extent =
        multiply(distance(strides[dim]), std::max<int64_t>(shape[dim], 1));
    int64_t past = shape[dim] > 1 ? span : elementBytes;
    if (!extent || __builtin_add_overflow(past, *extent, &past))
      return overflow(shape, "the " + std::string(side) + " offsets");
    if (shape[dim] > 1)
      span = past;
  }
  return Done{};
}

/// No two elements of dst may share a byte, or the result would depend on the
/// order of the moves. Taken from the fastest dim up, each stride must clear
/// all that the faster dims span. Its sign does not matter.
Status checkDisjoint(const Dims &shape, const Dims &byteStrides,
                     int64_t elementBytes) {
  std::vector<size_t> bySpeed;
  for (size_t dim = 0; dim < shape.size(); ++dim)
    if (shape[dim] > 1)
      bySpeed.push_back(dim);
  std::sort(bySpeed.begin(), bySpeed.end(), [&](size_t a, size_t b) {
    return distance(byteStrides[a]) < distance(byteStrides[b]);
  });
  int64_t span = elementBytes;
  for (size_t dim : bySpeed) {
    const int64_t stride = distance(byteStrides[dim]);
    if (stride < span)
      return Error{Cause::BadStride,
                   "the output stride of dim " + std::to_string(dim) + " is " +
                       std::to_string(byteStrides[dim]) +
                       " bytes, less than the " + std::to_string(span) +
                       " bytes that the faster dims span: elements of the "
                       "output would overlap"};
    span += stride * (shape[dim] - 1);
  }
  return Done{};
}

/// Bytes for elements; saturated, so that the check of the span reports it.
Dims toBytes(const Dims &strides, int64_t elementBytes) {
  Dims bytes;
  for (int64_t stride : strides)
    bytes.push_back(multiply(stride, elementBytes)
                        .value_or(stride < 0 ? INT64_MIN : INT64_MAX));
  return bytes;
}

/// Strides as they were given, but for those that mean nothing.
Dims meaningfulStrides(const Dims &shape, const std::optional<Dims> &given) {
  Dims dense = denseStrides(shape);
  if (!given)
    return dense;
  Dims strides = *given;
  const bool empty = isEmptyShape(shape);
  for (size_t dim = 0; dim < std::min(shape.size(), strides.size()); ++dim)
    if (empty || shape[dim] == 1)
      strides[dim] = dense[dim];
  return strides;
}

/// The same for strides of dst in bytes, where offsets are divided by them.
/// Only those are replaced by which none can be: places may be counted in the
/// others.
void replaceMeaningless(const Dims &shape, int64_t elementBytes,
                        Dims &strides) {
  const bool empty = isEmptyShape(shape);
  const Dims dense = denseStrides(shape);
  for (size_t dim = 0; dim < std::min(shape.size(), strides.size()); ++dim)
    if (strides[dim] < 1 && (empty || shape[dim] == 1))
      strides[dim] = dense[dim] * elementBytes;
}

int64_t span(const Dims &shape, const Dims &strides, int64_t elementBytes) {
  int64_t last = 0;
  for (size_t dim = 0; dim < shape.size(); ++dim)
    last += (shape[dim] - 1) * std::abs(strides[dim]);
  return last + elementBytes;
}

int64_t origin(const Dims &shape, const Dims &strides) {
  int64_t first = 0;
  for (size_t dim = 0; dim < shape.size(); ++dim)
    first += originOf(shape[dim], strides[dim]);
  return first;
}

} // namespace

Status permc::checkPermutation(const Dims &perm, int64_t rank) {
  if (static_cast<int64_t>(perm.size()) != rank)
    return Error{Cause::BadRank, "the order " + spellList(perm) + " has " +
                                     std::to_string(perm.size()) +
                                     " axes; expected " + std::to_string(rank) +
                                     ", one for each dim"};
  std::vector<bool> seen(perm.size());
  for (int64_t axis : perm) {
    if (axis < 0 || axis >= rank)
      return Error{Cause::AxisOutOfRange,
                   "axis " + std::to_string(axis) + " in the order " +
                       spellList(perm) + "; expected 0 to " +
                       std::to_string(rank - 1)};
    if (seen[axis])
      return Error{Cause::DuplicateAxis,
                   "axis " + std::to_string(axis) + " twice in the order " +
                       spellList(perm) + "; expected each axis once"};
    seen[axis] = true;
  }
  return Done{};
}

Dims permc::invertPermutation(const Dims &perm) {
  Dims inverse(perm.size());
  for (size_t i = 0; i < perm.size(); ++i)
    inverse[perm[i]] = static_cast<int64_t>(i);
  return inverse;
}

Dims permc::denseStrides(const Dims &shape) {
  Dims strides(shape.size(), 1);
  for (size_t dim = shape.size(); dim-- > 1;)
    strides[dim - 1] = strides[dim] * std::max<int64_t>(shape[dim], 1);
  return strides;
}

Result<Problem> Problem::make(int64_t elementBytes, Dims shape, Dims perm,
                              const std::optional<Dims> &srcStrides,
                              const std::optional<Dims> &dstStrides) {
  if (auto ok = checkShape(elementBytes, shape); !ok)
    return ok.error();
  if (auto ok = checkPermutation(perm, shape.size()); !ok)
    return ok.error();
  Dims outShape;
  for (int64_t axis : perm)
    outShape.push_back(shape[axis]);
  Dims src = meaningfulStrides(shape, srcStrides);
  Dims dst = meaningfulStrides(outShape, dstStrides);
  return makeWithByteStrides(elementBytes, std::move(shape), std::move(perm),
                             toBytes(src, elementBytes),
                             toBytes(dst, elementBytes));
}

Result<Problem> Problem::makeWithByteStrides(int64_t elementBytes, Dims shape,
                                             Dims perm, Dims srcStrides,
                                             Dims dstStrides) {
  if (auto ok = checkShape(elementBytes, shape); !ok)
    return ok.error();
  if (auto ok = checkPermutation(perm, shape.size()); !ok)
    return ok.error();
  Problem problem(elementBytes, std::move(shape), std::move(perm),
                  std::move(srcStrides), std::move(dstStrides));
  Dims outShape = problem.outShape();
  replaceMeaningless(outShape, elementBytes, problem.dstBytes);
  if (auto ok =
          checkStrides(problem.sizes, problem.srcBytes, elementBytes, "input");
      !ok)
    return ok.error();
  if (auto ok =
          checkStrides(outShape, problem.dstBytes, elementBytes, "output");
      !ok)
    return ok.error();
  if (auto ok = checkDisjoint(outShape, problem.dstBytes, elementBytes); !ok)
    return ok.error();
  return problem;
}

static Dims inElements(Dims byteStrides, int64_t elementBytes) {
  for (int64_t &stride : byteStrides)
    stride /= elementBytes;
  return byteStrides;
}

Dims Problem::srcStrides() const { return inElements(srcBytes, element); }
Dims Problem::dstStrides() const { return inElements(dstBytes, element); }

Dims Problem::outShape() const {
  Dims shape;
  for (int64_t axis : order)
    shape.push_back(sizes[axis]);
  return shape;
}

std::vector<LoopDim> Problem::loopDims() const {
  std::vector<LoopDim> dims;
  for (size_t i = 0; i < order.size(); ++i)
    dims.push_back({sizes[order[i]], srcBytes[order[i]], dstBytes[i]});
  return dims;
}

bool Problem::isEmpty() const { return isEmptyShape(sizes); }

bool Problem::isDense() const {
  return srcBytes == toBytes(denseStrides(sizes), element) &&
         dstBytes == toBytes(denseStrides(outShape()), element);
}

int64_t Problem::elements() const {
  return std::accumulate(sizes.begin(), sizes.end(), int64_t{1},
                         std::multiplies<>());
}

int64_t Problem::srcSpan() const {
  return isEmpty() ? 0 : span(sizes, srcBytes, element);
}

int64_t Problem::dstSpan() const {
  return isEmpty() ? 0 : span(outShape(), dstBytes, element);
}

int64_t Problem::srcOrigin() const {
  return isEmpty() ? 0 : origin(sizes, srcBytes);
}

int64_t Problem::dstOrigin() const {
  return isEmpty() ? 0 : origin(outShape(), dstBytes);
}

bool Problem::hasView() const {
  return std::any_of(srcBytes.begin(), srcBytes.end(),
                     [](int64_t stride) { return stride < 1; });
}

static std::string spellNumber(int64_t number) {
  return number == dynamicDim ? "?" : std::to_string(number);
}

std::string permc::spellShape(const Dims &shape) {
  if (shape.empty())
    return "scalar";
  std::string text;
  for (int64_t size : shape)
    text += (text.empty() ? "" : "x") + spellNumber(size);
  return text;
}

std::string permc::spellList(const Dims &list) {
  std::string text = "[";
  for (size_t i = 0; i < list.size(); ++i)
    text += (i ? ", " : "") + spellNumber(list[i]);
  return text + "]";
}
