//===- FixedProblem.cpp - a problem that takes no memory ------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "permc/Plan/FixedProblem.h"

#include <algorithm>
#include <cstdlib>

using namespace permc;

namespace {

bool multiply(int64_t a, int64_t b, int64_t &product) {
  return !__builtin_mul_overflow(a, b, &product);
}

/// Whether the sizes and all their products fit; zeros count as 1.
bool isShape(int64_t element, unsigned rank, const int64_t *sizes) {
  int64_t bytes = element;
  for (unsigned dim = 0; dim < rank; ++dim)
    if (sizes[dim] < 0 ||
        !multiply(bytes, std::max<int64_t>(sizes[dim], 1), bytes))
      return false;
  return true;
}

bool isPermutation(unsigned rank, const int64_t *order) {
  uint64_t seen = 0;
  for (unsigned i = 0; i < rank; ++i) {
    if (order[i] < 0 || order[i] >= int64_t(rank))
      return false;
    seen |= uint64_t{1} << order[i];
  }
  return rank == 0 || seen == ~uint64_t{0} >> (64 - rank);
}

/// Strides of a dense tensor, in bytes; `axis` gives the input dim of a dim.
template <typename Axis>
void makeDense(int64_t element, unsigned rank, const int64_t *sizes, Axis axis,
               int64_t *strides) {
  int64_t stride = element;
  for (unsigned dim = rank; dim-- > 0;) {
    strides[dim] = stride;
    stride *= std::max<int64_t>(sizes[axis(dim)], 1);
  }
}

/// Strides in bytes from strides in elements. As in Problem.cpp, one step past
/// the end must fit too. No size is 0, and dims of size 1 have the strides of a
/// dense tensor.
template <typename Axis>
bool makeStrided(int64_t element, unsigned rank, const int64_t *sizes,
                 Axis axis, const int64_t *given, int64_t *strides) {
  makeDense(element, rank, sizes, axis, strides);
  int64_t span = element;
  for (unsigned dim = 0; dim < rank; ++dim) {
    int64_t size = sizes[axis(dim)], extent;
    if (size == 1)
      continue;
    if (!multiply(given[dim], element, strides[dim]) ||
        strides[dim] == INT64_MIN ||
        !multiply(std::abs(strides[dim]), size, extent) ||
        __builtin_add_overflow(span, extent, &span))
      return false;
  }
  return true;
}

/// Whether no two elements of dst share a byte: from the fastest dim up, each
/// stride clears all that the faster ones span.
bool isDisjoint(const FixedProblem &problem) {
  unsigned bySpeed[maxRank], count = 0;
  for (unsigned i = 0; i < problem.rank; ++i) {
    if (problem.shape[problem.perm[i]] <= 1)
      continue;
    unsigned place = count++;
    for (; place > 0 && std::abs(problem.dstStride[i]) <
                            std::abs(problem.dstStride[bySpeed[place - 1]]);
         --place)
      bySpeed[place] = bySpeed[place - 1];
    bySpeed[place] = i;
  }
  int64_t span = problem.element;
  for (unsigned place = 0; place < count; ++place) {
    unsigned i = bySpeed[place];
    const int64_t stride = std::abs(problem.dstStride[i]);
    if (stride < span)
      return false;
    span += stride * (problem.shape[problem.perm[i]] - 1);
  }
  return true;
}

/// Drops the input dims that `keep` does not name. Dims move to the front, so
/// each is read before anything is written over it.
void keepDims(FixedProblem &problem, uint64_t keep) {
  unsigned newAxis[maxRank], rank = 0;
  for (unsigned dim = 0; dim < problem.rank; ++dim) {
    newAxis[dim] = rank;
    if (!(keep >> dim & 1))
      continue;
    problem.shape[rank] = problem.shape[dim];
    problem.srcStride[rank] = problem.srcStride[dim];
    ++rank;
  }
  unsigned next = 0;
  for (unsigned i = 0; i < problem.rank; ++i) {
    if (!(keep >> problem.perm[i] & 1))
      continue;
    problem.perm[next] = newAxis[problem.perm[i]];
    problem.dstStride[next] = problem.dstStride[i];
    ++next;
  }
  problem.rank = rank;
}

} // namespace

FixedProblem::FixedProblem(const Problem &problem)
    : element(problem.elementBytes()), rank(problem.rank()) {
  std::copy_n(problem.shape().begin(), rank, shape);
  std::copy_n(problem.perm().begin(), rank, perm);
  std::copy_n(problem.srcByteStrides().begin(), rank, srcStride);
  std::copy_n(problem.dstByteStrides().begin(), rank, dstStride);
}

FixedProblem &FixedProblem::operator=(const FixedProblem &other) {
  if (this == &other)
    return *this;
  element = other.element;
  rank = other.rank;
  std::copy_n(other.shape, rank, shape);
  std::copy_n(other.perm, rank, perm);
  std::copy_n(other.srcStride, rank, srcStride);
  std::copy_n(other.dstStride, rank, dstStride);
  return *this;
}

bool FixedProblem::operator==(const FixedProblem &other) const {
  return element == other.element && rank == other.rank &&
         std::equal(shape, shape + rank, other.shape) &&
         std::equal(perm, perm + rank, other.perm) &&
         std::equal(srcStride, srcStride + rank, other.srcStride) &&
         std::equal(dstStride, dstStride + rank, other.dstStride);
}

bool FixedProblem::assign(int64_t elementBytes, unsigned dims,
                          const int64_t *sizes, const int64_t *order,
                          const int64_t *srcStrides,
                          const int64_t *dstStrides) {
  if (elementBytes < 1 || dims > maxRank ||
      !isShape(elementBytes, dims, sizes) || !isPermutation(dims, order))
    return false;
  element = elementBytes;
  rank = dims;
  std::copy_n(sizes, rank, shape);
  std::copy_n(order, rank, perm);
  auto input = [](unsigned dim) { return dim; };
  auto output = [order](unsigned i) { return order[i]; };
  // Of what is empty no stride means anything.
  if (isEmpty())
    srcStrides = dstStrides = nullptr;
  if (!srcStrides)
    makeDense(element, rank, shape, input, srcStride);
  else if (!makeStrided(element, rank, shape, input, srcStrides, srcStride))
    return false;
  if (!dstStrides) {
    makeDense(element, rank, shape, output, dstStride);
    return true;
  }
  return makeStrided(element, rank, shape, output, dstStrides, dstStride) &&
         isDisjoint(*this);
}

bool FixedProblem::isEmpty() const {
  return std::find(shape, shape + rank, 0) != shape + rank;
}

int64_t FixedProblem::bytesMoved() const {
  int64_t bytes = element;
  for (unsigned dim = 0; dim < rank; ++dim)
    bytes *= shape[dim];
  return bytes;
}

int64_t FixedProblem::srcSpan() const {
  if (isEmpty())
    return 0;
  int64_t span = element;
  for (unsigned dim = 0; dim < rank; ++dim)
    span += (shape[dim] - 1) * std::abs(srcStride[dim]);
  return span;
}

int64_t FixedProblem::dstSpan() const {
  if (isEmpty())
    return 0;
  int64_t span = element;
  for (unsigned i = 0; i < rank; ++i)
    span += (shape[perm[i]] - 1) * std::abs(dstStride[i]);
  return span;
}

int64_t FixedProblem::srcOrigin() const {
  int64_t origin = 0;
  for (unsigned dim = 0; dim < rank; ++dim)
    origin += originOf(shape[dim], srcStride[dim]);
  return origin;
}

int64_t FixedProblem::dstOrigin() const {
  int64_t origin = 0;
  for (unsigned i = 0; i < rank; ++i)
    origin += originOf(shape[perm[i]], dstStride[i]);
  return origin;
}

bool permc::flip(FixedProblem &problem) {
  bool changed = false;
  for (unsigned i = 0; i < problem.rank; ++i) {
    if (problem.dstStride[i] >= 0)
      continue;
    problem.dstStride[i] = -problem.dstStride[i];
    problem.srcStride[problem.perm[i]] = -problem.srcStride[problem.perm[i]];
    changed = true;
  }
  return changed;
}

bool permc::squeeze(FixedProblem &problem) {
  if (problem.isEmpty()) {
    bool done = problem.rank == 1 && problem.srcStride[0] == problem.element &&
                problem.dstStride[0] == problem.element;
    problem.rank = 1;
    problem.shape[0] = problem.perm[0] = 0;
    problem.srcStride[0] = problem.dstStride[0] = problem.element;
    return !done;
  }
  uint64_t keep = 0;
  for (unsigned dim = 0; dim < problem.rank; ++dim)
    keep |= uint64_t{problem.shape[dim] != 1} << dim;
  unsigned before = problem.rank;
  keepDims(problem, keep);
  return problem.rank != before;
}

bool permc::merge(FixedProblem &problem) {
  uint64_t keep = ~uint64_t{0};
  // From the last output dim to the first, so that the inner dim of a pair
  // already holds all that was merged into it. The outer dim takes over its
  // size and its strides.
  for (unsigned i = problem.rank; i-- > 1;) {
    int64_t outer = problem.perm[i - 1], inner = problem.perm[i];
    if (outer + 1 != inner ||
        problem.srcStride[outer] !=
            problem.srcStride[inner] * problem.shape[inner] ||
        problem.dstStride[i - 1] != problem.dstStride[i] * problem.shape[inner])
      continue;
    keep &= ~(uint64_t{1} << inner);
    problem.shape[outer] *= problem.shape[inner];
    problem.srcStride[outer] = problem.srcStride[inner];
    problem.dstStride[i - 1] = problem.dstStride[i];
  }
  if (keep == ~uint64_t{0})
    return false;
  keepDims(problem, keep);
  return true;
}

bool permc::fold(FixedProblem &problem, int64_t limitBytes) {
  if (problem.rank == 0 || problem.isEmpty())
    return false;
  unsigned last = problem.rank - 1;
  int64_t element = problem.element;
  if (problem.perm[last] != int64_t(last) ||
      problem.srcStride[last] != element || problem.dstStride[last] != element)
    return false;
  int64_t folded = element * problem.shape[last];
  if (folded > limitBytes)
    return false;
  problem.element = folded;
  problem.rank = last;
  return true;
}

void permc::canonicalize(FixedProblem &problem, int64_t foldLimitBytes) {
  bool changed = true;
  while (changed) {
    changed = flip(problem);
    changed |= squeeze(problem);
    changed |= merge(problem);
    changed |= fold(problem, foldLimitBytes);
  }
}
