//===- DynamicSplit.cpp - parts of a tensor of any size -------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "permc/Plan/DynamicSplit.h"

#include <algorithm>

using namespace permc;

/// The slowest dim that there is a loop through and, if its tile is one
/// position, the next. None of a strided dst: where rows share lines is not
/// known.
static Dims splitDims(const DynamicProblem &problem, const Schedule &schedule) {
  Dims dims;
  if (!problem.isDstDense())
    return dims;
  for (int64_t dim = 0; dim < problem.rank() && dims.size() < 2; ++dim) {
    const bool stepped = std::ranges::any_of(
        schedule.loops, [dim](const Loop &loop) { return loop.dim == dim; });
    if (stepped)
      dims.push_back(dim);
    if (stepped && innermost(schedule)[size_t(dim)] != 1)
      break;
  }
  return dims;
}

DynamicSplit permc::splitDynamic(const DynamicProblem &canonical,
                                 const Schedule &schedule) {
  DynamicSplit split;
  split.dims = splitDims(canonical, schedule);
  if (split.dims.empty())
    return split;
  const auto dim = size_t(split.dims.back());
  split.piece = innermost(schedule)[dim];
  split.tilesFillRows =
      !schedule.panel && canonical.outShape()[dim].factor % split.piece == 0;
  if (split.dims.size() == 1)
    split.kind = DynamicSplit::Kind::Range;
  else if (split.dims.front() + 1 == split.dims.back())
    split.kind = DynamicSplit::Kind::Row;
  else
    split.kind = DynamicSplit::Kind::Grains;
  return split;
}

Dims DynamicSplit::grains() const {
  Dims all;
  const int64_t even = piece & -piece;
  for (int64_t lines = even; lines <= std::max(even, streamLineBytes);
       lines *= 2)
    all.push_back(lines * (piece / even));
  return all;
}
