//===- DynamicProblem.cpp - a permutation of some unknown dims ------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Canonicalize.h"

#include "permc/Plan/DynamicProblem.h"

#include <algorithm>
#include <bit>

using namespace permc;

using Sizes = DynamicProblem::Sizes;

int64_t DynamicSize::at(const Dims &values) const {
  int64_t size = factor;
  bool fits = true;
  for (uint64_t rest = dims; rest != 0; rest &= rest - 1)
    fits &=
        !__builtin_mul_overflow(size, values[std::countr_zero(rest)], &size);
  return fits ? size : INT64_MAX;
}

DynamicSize permc::operator*(DynamicSize a, DynamicSize b) {
  // What does not fit equals no stride of a problem: none reaches so far.
  int64_t factor;
  if (__builtin_mul_overflow(a.factor, b.factor, &factor))
    factor = (a.factor < 0) == (b.factor < 0) ? INT64_MAX : INT64_MIN;
  return {factor, factor == 0 ? 0 : a.dims | b.dims};
}

std::string permc::spellSize(const DynamicSize &size) {
  std::string text;
  if (size.factor != 1 || size.isStatic())
    text = std::to_string(size.factor);
  for (uint64_t rest = size.dims; rest != 0; rest &= rest - 1)
    text +=
        (text.empty() ? "?" : "*?") + std::to_string(std::countr_zero(rest));
  return text;
}

std::string permc::spellShape(const Sizes &shape) {
  std::string text;
  for (const DynamicSize &size : shape)
    text += (text.empty() ? "" : "x") + spellSize(size);
  return text.empty() ? "scalar" : text;
}

/// Row-major strides in bytes.
static Sizes denseByteStrides(const Sizes &shape, int64_t elementBytes) {
  Sizes strides(shape.size());
  DynamicSize stride = {elementBytes, 0};
  for (size_t dim = shape.size(); dim-- > 0;) {
    strides[dim] = stride;
    stride = stride * shape[dim];
  }
  return strides;
}

Result<DynamicProblem> DynamicProblem::make(int64_t elementBytes, Sizes shape,
                                            Dims perm, unsigned dynamicDims,
                                            std::optional<Sizes> srcStrides,
                                            std::optional<Sizes> dstStrides) {
  Dims factors;
  for (const DynamicSize &size : shape)
    factors.push_back(size.factor);
  if (auto ok = Problem::make(elementBytes, factors, perm); !ok)
    return ok.error();
  uint64_t used = 0;
  for (const DynamicSize &size : shape) {
    bool known = dynamicDims >= 64 || size.dims >> dynamicDims == 0;
    if (!known || (used & size.dims) != 0)
      return Error{Cause::BadSize,
                   "the dynamic dims of the shape " + spellShape(shape) +
                       "; expected each of " + std::to_string(dynamicDims) +
                       " at most once"};
    used |= size.dims;
  }
  DynamicProblem problem(elementBytes, std::move(shape), std::move(perm),
                         dynamicDims);
  // Of what is empty no stride means anything.
  if (problem.isEmpty())
    srcStrides = dstStrides = {};
  problem.srcStrides = srcStrides
                           ? std::move(*srcStrides)
                           : denseByteStrides(problem.sizes, elementBytes);
  problem.dstStrides = dstStrides
                           ? std::move(*dstStrides)
                           : denseByteStrides(problem.outShape(), elementBytes);
  if (Status ok = problem.checkStrides(); !ok)
    return ok.error();
  return problem;
}

/// One number for each dim, known or not, and no two elements of dst at one
/// place as far as that is known. What is left is for Problem to say, of the
/// sizes and strides of a call.
Status DynamicProblem::checkStrides() const {
  if (isEmpty())
    return Done{};
  const bool areMine = count >= 64;
  Dims known(rank(), 1), src, dst;
  const std::pair<const char *, const Sizes *> sides[] = {{"src", &srcStrides},
                                                          {"dst", &dstStrides}};
  for (auto [side, strides] : sides) {
    if (strides->size() != rank())
      return Error{Cause::BadRank, std::to_string(strides->size()) + " " +
                                       side + " strides; expected " +
                                       std::to_string(rank())};
    for (unsigned i = 0; i < rank(); ++i) {
      const DynamicSize &stride = (*strides)[i];
      if (!areMine && stride.dims >> count != 0)
        return Error{Cause::BadStride,
                     std::string("the ") + side + " stride of dim " +
                         std::to_string(i) + " is " + spellSize(stride) +
                         " bytes; expected it of the " + std::to_string(count) +
                         " numbers of a call"};
    }
  }
  for (unsigned i = 0; i < rank(); ++i) {
    src.push_back(srcStrides[i].factor);
    dst.push_back(dstStrides[i].factor);
    const int64_t axis = order[i];
    if (dstStrides[i].factor == 0 && sizes[axis] != DynamicSize{1, 0})
      return Error{Cause::BadStride,
                   "the output stride of dim " + std::to_string(i) +
                       " is 0, and its size " + spellSize(sizes[axis]) +
                       ": elements of the output would overlap"};
    if (sizes[axis].isStatic() && srcStrides[axis].isStatic() &&
        dstStrides[i].isStatic())
      known[axis] = sizes[axis].factor;
  }
  auto valid = Problem::makeWithByteStrides(element, known, order, src, dst);
  return valid ? Status(Done{}) : valid.error();
}

Result<DynamicProblem> DynamicProblem::make(int64_t elementBytes,
                                            const Dims &shape, Dims perm) {
  // Said here, since a dim of this number would have no bit.
  if (static_cast<int64_t>(shape.size()) > maxRank)
    return Error{Cause::BadRank, "a shape of " + std::to_string(shape.size()) +
                                     " dims; expected at most " +
                                     std::to_string(maxRank)};
  Sizes sizes;
  unsigned count = 0;
  for (int64_t size : shape)
    sizes.push_back(size == dynamicDim ? DynamicSize{1, uint64_t(1) << count++}
                                       : DynamicSize{size, 0});
  return make(elementBytes, std::move(sizes), std::move(perm), count);
}

bool DynamicProblem::isSrcDense() const {
  return srcStrides == denseByteStrides(sizes, element);
}

bool DynamicProblem::isDstDense() const {
  return dstStrides == denseByteStrides(outShape(), element);
}

unsigned DynamicProblem::placeOf(unsigned number) const {
  // Sizes first: dense strides are made of them.
  unsigned place = 0;
  for (const Sizes *list : {&sizes, &srcStrides, &dstStrides})
    for (const DynamicSize &size : *list) {
      if (size.dims >> number & 1)
        return place;
      ++place;
    }
  return place;
}

Problem DynamicProblem::withOnes() const {
  Dims shape;
  for (const DynamicSize &size : sizes)
    shape.push_back(size.factor);
  return *Problem::make(element, std::move(shape), order);
}

Sizes DynamicProblem::outShape() const {
  Sizes shape;
  for (int64_t axis : order)
    shape.push_back(sizes[axis]);
  return shape;
}

DynamicSize DynamicProblem::bytesMoved() const {
  DynamicSize bytes = {element, 0};
  for (const DynamicSize &size : sizes)
    bytes = bytes * size;
  return bytes;
}

bool DynamicProblem::isEmpty() const {
  return std::any_of(sizes.begin(), sizes.end(),
                     [](const DynamicSize &size) { return size.factor == 0; });
}

Dims DynamicProblem::staticShape() const {
  Dims shape;
  for (const DynamicSize &size : sizes)
    shape.push_back(size.isStatic() ? size.factor : dynamicDim);
  return shape;
}

Result<Problem> DynamicProblem::at(const Dims &values) const {
  if (values.size() != count)
    return Error{Cause::BadRank,
                 std::to_string(values.size()) + " sizes " + spellList(values) +
                     " for the dynamic dims of " + permc::spellShape(sizes) +
                     "; expected " + std::to_string(count)};
  Dims shape;
  for (const DynamicSize &size : sizes)
    shape.push_back(size.at(values));
  if (isDense())
    return Problem::make(element, std::move(shape), order);
  // Says what is wrong with the shape in the words for any shape.
  if (auto dense = Problem::make(element, shape, order); !dense)
    return dense;
  Dims src, dst;
  for (unsigned i = 0; i < rank(); ++i) {
    src.push_back(srcStrides[i].at(values));
    dst.push_back(dstStrides[i].at(values));
  }
  return Problem::makeWithByteStrides(element, std::move(shape), order,
                                      std::move(src), std::move(dst));
}

//===----------------------------------------------------------------------===//
// Simplification
//===----------------------------------------------------------------------===//

/// Rebuilds a problem of `sizes`, with the strides `src` and `dst`, without the
/// input dims that `keep` does not name. Being a part of a valid problem, it is
/// valid.
static DynamicProblem keepDims(const DynamicProblem &problem,
                               const std::vector<bool> &keep,
                               int64_t elementBytes, const Sizes &sizes,
                               const Sizes &src, const Sizes &dst) {
  Dims newAxis(problem.rank(), -1), perm;
  Sizes shape, srcStrides, dstStrides;
  for (unsigned dim = 0; dim < problem.rank(); ++dim) {
    if (!keep[dim])
      continue;
    newAxis[dim] = static_cast<int64_t>(shape.size());
    shape.push_back(sizes[dim]);
    srcStrides.push_back(src[dim]);
  }
  for (unsigned i = 0; i < problem.rank(); ++i) {
    const int64_t axis = problem.perm()[i];
    if (!keep[axis])
      continue;
    perm.push_back(newAxis[axis]);
    dstStrides.push_back(dst[i]);
  }
  return *DynamicProblem::make(elementBytes, shape, perm, problem.dynamicDims(),
                               srcStrides, dstStrides);
}

DynamicProblem permc::flip(const DynamicProblem &problem) {
  Sizes src = problem.srcByteStrides(), dst = problem.dstByteStrides();
  for (unsigned i = 0; i < problem.rank(); ++i)
    if (dst[i].factor < 0)
      for (DynamicSize *stride : {&dst[i], &src[problem.perm()[i]]})
        stride->factor = -stride->factor;
  return keepDims(problem, std::vector<bool>(problem.rank(), true),
                  problem.elementBytes(), problem.shape(), src, dst);
}

DynamicProblem permc::squeeze(const DynamicProblem &problem) {
  if (problem.isEmpty())
    return *DynamicProblem::make(problem.elementBytes(), {{0, 0}}, {0},
                                 problem.dynamicDims());
  std::vector<bool> keep;
  for (const DynamicSize &size : problem.shape())
    keep.push_back(size != DynamicSize{1, 0});
  return keepDims(problem, keep, problem.elementBytes(), problem.shape(),
                  problem.srcByteStrides(), problem.dstByteStrides());
}

DynamicProblem permc::merge(const DynamicProblem &problem) {
  Sizes sizes = problem.shape(), src = problem.srcByteStrides(),
        dst = problem.dstByteStrides();
  const Dims &perm = problem.perm();
  std::vector<bool> keep(problem.rank(), true);
  // As in a static problem, where there is no gap whatever the sizes are.
  for (unsigned i = problem.rank(); i-- > 1;) {
    const int64_t outer = perm[i - 1], inner = perm[i];
    if (outer + 1 != inner || src[outer] != src[inner] * sizes[inner] ||
        dst[i - 1] != dst[i] * sizes[inner])
      continue;
    keep[inner] = false;
    sizes[outer] = sizes[outer] * sizes[inner];
    src[outer] = src[inner];
    dst[i - 1] = dst[i];
  }
  return keepDims(problem, keep, problem.elementBytes(), sizes, src, dst);
}

DynamicProblem permc::fold(const DynamicProblem &problem, int64_t limitBytes) {
  unsigned rank = problem.rank();
  if (rank == 0 || problem.isEmpty() || problem.perm()[rank - 1] != rank - 1)
    return problem;
  const DynamicSize &last = problem.shape()[rank - 1];
  const DynamicSize element = {problem.elementBytes(), 0};
  if (!last.isStatic() || element.factor * last.factor > limitBytes ||
      problem.srcByteStrides()[rank - 1] != element ||
      problem.dstByteStrides()[rank - 1] != element)
    return problem;
  std::vector<bool> keep(rank, true);
  keep[rank - 1] = false;
  return keepDims(problem, keep, problem.elementBytes() * last.factor,
                  problem.shape(), problem.srcByteStrides(),
                  problem.dstByteStrides());
}

DynamicProblem permc::unfold(const DynamicProblem &problem,
                             int64_t limitBytes) {
  int64_t element = problem.elementBytes();
  if (element <= limitBytes || problem.isEmpty())
    return problem;
  int64_t word = wordOf(element, limitBytes);
  Sizes shape = problem.shape();
  Dims perm = problem.perm();
  Sizes src = problem.srcByteStrides(), dst = problem.dstByteStrides();
  shape.push_back({element / word, 0});
  perm.push_back(problem.rank());
  src.push_back({word, 0});
  dst.push_back({word, 0});
  auto unfolded = DynamicProblem::make(word, std::move(shape), std::move(perm),
                                       problem.dynamicDims(), std::move(src),
                                       std::move(dst));
  // A dim more can be one too many for the rank: then the element stays.
  return unfolded ? merge(*unfolded) : problem;
}

DynamicProblem permc::canonicalize(const DynamicProblem &problem,
                                   int64_t foldLimitBytes,
                                   std::vector<DynamicStep> *steps) {
  return simplifyToTheEnd(problem, foldLimitBytes, steps);
}

MoveClass permc::classify(const DynamicProblem &problem) {
  DynamicProblem simple = merge(squeeze(problem));
  if (!simple.isEmpty() && (simple.rank() > 1 || !simple.isDense()))
    return MoveClass::Move;
  return problem.outShape() == problem.shape() ? MoveClass::Noop
                                               : MoveClass::Reshape;
}
