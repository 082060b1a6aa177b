//===- Indices.cpp - elements that own memory -----------------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A string cannot be moved byte by byte. Here the caller moves, and is told
// what goes where.
//
//===----------------------------------------------------------------------===//

#include "Boundary.h"

#include "permc-rt/permc_rt.h"
#include "permc/Plan/Simplify.h"

#include <string>

using namespace permc;

namespace {

Result<Problem> readProblem(uint32_t rank, const int64_t *shape,
                            const int64_t *perm) {
  if (rank > maxRank)
    return Error{Cause::BadRank, "a rank of " + std::to_string(rank) +
                                     "; expected at most " +
                                     std::to_string(maxRank)};
  if (rank > 0 && (!shape || !perm))
    return Error{Cause::NullPointer, std::string(shape ? "perm" : "shape") +
                                         " is null; expected " +
                                         std::to_string(rank) + " integers"};
  auto list = [&](const int64_t *values) {
    return rank ? Dims(values, values + rank) : Dims();
  };
  return Problem::make(1, list(shape), list(perm));
}

/// Calls visit(to, from) for each element in the order of the output.
template <typename Visit> void visitAll(const Problem &problem, Visit visit) {
  // Elements of one byte: strides and places are the same.
  const Problem simple = canonicalize(problem, /*foldLimitBytes=*/1);
  const std::vector<LoopDim> dims = simple.loopDims();
  const int64_t count = simple.elements();
  Dims place(dims.size(), 0);
  int64_t from = 0;
  for (int64_t to = 0; to < count; ++to) {
    visit(uint64_t(to), uint64_t(from));
    for (size_t i = dims.size(); i-- > 0;) {
      from += dims[i].srcStride;
      if (++place[i] < dims[i].size)
        break;
      from -= dims[i].size * dims[i].srcStride;
      place[i] = 0;
    }
  }
}

} // namespace

permc_status permc_rt_permute_indices(uint32_t rank, const int64_t *shape,
                                      const int64_t *perm, uint64_t *indices,
                                      uint64_t count) {
  return atBoundary([&]() -> Status {
    Result<Problem> problem = readProblem(rank, shape, perm);
    if (!problem)
      return problem.error();
    const auto needed = uint64_t(problem->elements());
    if (count < needed)
      return Error{Cause::BadSize, "room for " + std::to_string(count) +
                                       " indices; expected at least " +
                                       std::to_string(needed)};
    if (needed > 0 && !indices)
      return Error{Cause::NullPointer, "indices is null; expected room for " +
                                           std::to_string(needed)};
    visitAll(*problem, [&](uint64_t to, uint64_t from) { indices[to] = from; });
    return Done{};
  });
}

permc_status permc_rt_permute_elements(
    uint32_t rank, const int64_t *shape, const int64_t *perm,
    void (*move)(void *context, uint64_t to, uint64_t from), void *context) {
  return atBoundary([&]() -> Status {
    Result<Problem> problem = readProblem(rank, shape, perm);
    if (!problem)
      return problem.error();
    if (!move)
      return Error{Cause::NullPointer, "move is null; expected a function"};
    visitAll(*problem,
             [&](uint64_t to, uint64_t from) { move(context, to, from); });
    return Done{};
  });
}
