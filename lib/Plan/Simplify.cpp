//===- Simplify.cpp - the simplest equivalent problem ---------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Flip, squeeze, merge and fold are FixedProblem's, which the run-time shim
// uses as it is. What comes out of them is part of a valid problem, so making
// it a Problem cannot fail.
//
//===----------------------------------------------------------------------===//

#include "Canonicalize.h"

#include "permc/Plan/Simplify.h"

#include "permc/Plan/FixedProblem.h"

using namespace permc;

static Problem toProblem(const FixedProblem &fixed) {
  auto list = [&](const int64_t *values) {
    return Dims(values, values + fixed.rank);
  };
  return *Problem::makeWithByteStrides(fixed.element, list(fixed.shape),
                                       list(fixed.perm), list(fixed.srcStride),
                                       list(fixed.dstStride));
}

Problem permc::flip(const Problem &problem) {
  FixedProblem fixed(problem);
  return flip(fixed) ? toProblem(fixed) : problem;
}

Problem permc::squeeze(const Problem &problem) {
  FixedProblem fixed(problem);
  return squeeze(fixed) ? toProblem(fixed) : problem;
}

Problem permc::merge(const Problem &problem) {
  FixedProblem fixed(problem);
  return merge(fixed) ? toProblem(fixed) : problem;
}

Problem permc::fold(const Problem &problem, int64_t limitBytes) {
  FixedProblem fixed(problem);
  return fold(fixed, limitBytes) ? toProblem(fixed) : problem;
}

Problem permc::unfold(const Problem &problem, int64_t limitBytes) {
  int64_t element = problem.elementBytes();
  if (element <= limitBytes || problem.isEmpty())
    return problem;
  int64_t word = wordOf(element, limitBytes);
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
  return simplifyToTheEnd(problem, foldLimitBytes, steps);
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
  Problem simple = merge(squeeze(flip(problem)));
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
