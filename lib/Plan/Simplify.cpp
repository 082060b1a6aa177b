//===- Simplify.cpp - the simplest equivalent problem ---------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every function here rebuilds the problem from a list of input dims that stay,
// each with its size and its strides on both sides. Since it is a part of a
// valid problem, making the new one cannot fail.
//
//===----------------------------------------------------------------------===//

#include "permc/Plan/Simplify.h"

using namespace permc;

namespace {

/// Rebuilds a problem without the input dims that `keep` does not name. `sizes`
/// and `srcStrides` are by input dim, `dstStrides` by output dim.
Problem keepDims(const Problem &problem, const std::vector<bool> &keep,
                 int64_t elementBytes, const Dims &sizes,
                 const Dims &srcStrides, const Dims &dstStrides) {
  Dims newAxis(problem.rank(), -1), shape, perm, src, dst;
  for (unsigned dim = 0; dim < problem.rank(); ++dim) {
    if (!keep[dim])
      continue;
    newAxis[dim] = static_cast<int64_t>(shape.size());
    shape.push_back(sizes[dim]);
    src.push_back(srcStrides[dim]);
  }
  for (unsigned i = 0; i < problem.rank(); ++i) {
    if (!keep[problem.perm()[i]])
      continue;
    perm.push_back(newAxis[problem.perm()[i]]);
    dst.push_back(dstStrides[i]);
  }
  return *Problem::makeWithByteStrides(elementBytes, shape, perm, src, dst);
}

Problem emptyProblem(int64_t elementBytes) {
  return *Problem::make(elementBytes, {0}, {0});
}

} // namespace

Problem permc::squeeze(const Problem &problem) {
  if (problem.isEmpty())
    return emptyProblem(problem.elementBytes());
  std::vector<bool> keep;
  for (int64_t size : problem.shape())
    keep.push_back(size != 1);
  return keepDims(problem, keep, problem.elementBytes(), problem.shape(),
                  problem.srcByteStrides(), problem.dstByteStrides());
}

Problem permc::merge(const Problem &problem) {
  Dims sizes = problem.shape(), src = problem.srcByteStrides(),
       dst = problem.dstByteStrides();
  const Dims &perm = problem.perm();
  std::vector<bool> keep(problem.rank(), true);
  // From the last output dim to the first, so that the inner dim of a pair
  // already holds all that was merged into it. The outer dim takes over its
  // size and its strides.
  for (unsigned i = problem.rank(); i-- > 1;) {
    int64_t outer = perm[i - 1], inner = perm[i];
    if (outer + 1 != inner)
      continue;
    if (src[outer] != src[inner] * sizes[inner] ||
        dst[i - 1] != dst[i] * sizes[inner])
      continue;
    keep[inner] = false;
    sizes[outer] *= sizes[inner];
    src[outer] = src[inner];
    dst[i - 1] = dst[i];
  }
  return keepDims(problem, keep, problem.elementBytes(), sizes, src, dst);
}

Problem permc::fold(const Problem &problem, int64_t limitBytes) {
  unsigned rank = problem.rank();
  if (rank == 0 || problem.isEmpty())
    return problem;
  int64_t element = problem.elementBytes(), last = rank - 1;
  if (problem.perm()[last] != last ||
      problem.srcByteStrides()[last] != element ||
      problem.dstByteStrides()[last] != element)
    return problem;
  int64_t folded = element * problem.shape()[last];
  if (folded > limitBytes)
    return problem;
  std::vector<bool> keep(rank, true);
  keep[last] = false;
  return keepDims(problem, keep, folded, problem.shape(),
                  problem.srcByteStrides(), problem.dstByteStrides());
}

Problem permc::unfold(const Problem &problem, int64_t limitBytes) {
  int64_t element = problem.elementBytes();
  if (element <= limitBytes || problem.isEmpty())
    return problem;
  int64_t word = 1;
  while (word * 2 <= limitBytes && element % (word * 2) == 0)
    word *= 2;
  auto append = [](Dims list, int64_t last) {
    list.push_back(last);
    return list;
  };
  Result<Problem> unfolded = Problem::makeWithByteStrides(
      word, append(problem.shape(), element / word),
      append(problem.perm(), problem.rank()),
      append(problem.srcByteStrides(), word),
      append(problem.dstByteStrides(), word));
  // A dim more can be one too many for the rank or the offsets: then the
  // element stays as it is.
  return unfolded ? merge(*unfolded) : problem;
}

Problem permc::canonicalize(const Problem &problem, int64_t foldLimitBytes,
                            std::vector<SimplifyStep> *steps) {
  Problem current = problem;
  auto apply = [&](std::string_view name, Problem next) {
    if (next == current)
      return false;
    current = std::move(next);
    if (steps)
      steps->push_back({name, current});
    return true;
  };
  bool changed = true;
  while (changed) {
    changed = apply("squeeze", squeeze(current));
    changed |= apply("merge", merge(current));
    changed |= apply("fold", fold(current, foldLimitBytes));
  }
  return current;
}

Problem permc::inverse(const Problem &problem) {
  return *Problem::makeWithByteStrides(
      problem.elementBytes(), problem.outShape(),
      invertPermutation(problem.perm()), problem.dstByteStrides(),
      problem.srcByteStrides());
}

Result<Problem> permc::compose(const Problem &first, const Problem &second) {
  if (first.elementBytes() != second.elementBytes())
    return Error{Cause::BadElement, "the first permutation moves elements of " +
                                        std::to_string(first.elementBytes()) +
                                        " bytes, the second of " +
                                        std::to_string(second.elementBytes())};
  if (first.outShape() != second.shape())
    return Error{Cause::BadRank,
                 "the first permutation gives " + spellShape(first.outShape()) +
                     ", the second takes " + spellShape(second.shape())};
  if (first.dstByteStrides() != second.srcByteStrides())
    return Error{Cause::BadStride,
                 "the first permutation writes byte strides " +
                     spellList(first.dstByteStrides()) + ", the second reads " +
                     spellList(second.srcByteStrides())};
  Dims perm;
  for (int64_t axis : second.perm())
    perm.push_back(first.perm()[axis]);
  return Problem::makeWithByteStrides(first.elementBytes(), first.shape(), perm,
                                      first.srcByteStrides(),
                                      second.dstByteStrides());
}

MoveClass permc::classify(const Problem &problem) {
  Problem simple = merge(squeeze(problem));
  bool oneBlock = simple.isEmpty() || simple.rank() == 0 ||
                  (simple.rank() == 1 && simple.isDense());
  if (!oneBlock)
    return MoveClass::Move;
  return problem.outShape() == problem.shape() ? MoveClass::Noop
                                               : MoveClass::Reshape;
}

std::string_view permc::moveClassName(MoveClass moveClass) {
  switch (moveClass) {
  case MoveClass::Noop:
    return "noop";
  case MoveClass::Reshape:
    return "reshape";
  case MoveClass::Move:
    return "move";
  }
  return "move";
}
