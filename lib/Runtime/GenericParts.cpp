//===- GenericParts.cpp - a problem shared by threads ---------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GenericParts.h"

#include "permc/Plan/CeilDiv.h"

#include <algorithm>
#include <cstring>

using namespace permc;

/// What parts should not cut: the dims that are fast on one side, as many as
/// fill a line together.
static void keepLine(const FixedProblem &problem, int64_t LoopDim::*stride,
                     Dims &tile) {
  int64_t bytes = problem.element;
  for (unsigned dim = 0; dim < problem.rank && bytes < streamLineBytes;) {
    LoopDim loop = problem.loopDim(dim);
    if (loop.*stride != bytes || loop.size == 1) {
      ++dim;
      continue;
    }
    int64_t wanted = ceilDiv(streamLineBytes, bytes);
    tile[dim] = std::max(tile[dim], std::min(loop.size, wanted));
    bytes *= loop.size;
    dim = 0;
  }
}

GenericParts::GenericParts(const FixedProblem &canonical,
                           const KernelTable &kernels)
    : problem(canonical), kernels(kernels) {
  auto list = [&](const int64_t *values) {
    return Dims(values, values + canonical.rank);
  };
  Schedule schedule;
  schedule.tile.assign(canonical.rank, 1);
  keepLine(canonical, &LoopDim::srcStride, schedule.tile);
  keepLine(canonical, &LoopDim::dstStride, schedule.tile);
  split = splitTiles(*Problem::makeWithByteStrides(
                         canonical.element, list(canonical.shape),
                         list(canonical.perm), list(canonical.srcStride),
                         list(canonical.dstStride)),
                     schedule, /*tilesAreLines=*/false);
}

namespace {

/// A box of a tensor and where it lies in both buffers.
struct Piece {
  FixedProblem problem;
  const char *src;
  char *dst;

  void narrow(size_t dim, int64_t begin, int64_t end) {
    LoopDim loop = problem.loopDim(unsigned(dim));
    problem.shape[problem.perm[dim]] = end - begin;
    src += begin * loop.srcStride;
    dst += begin * loop.dstStride;
  }
};

/// Element by element, all dims from one on.
void moveElements(const FixedProblem &problem, const char *src, char *dst,
                  unsigned dim = 0) {
  if (dim == problem.rank) {
    std::memcpy(dst, src, size_t(problem.element));
    return;
  }
  LoopDim loop = problem.loopDim(dim);
  for (int64_t i = 0; i < loop.size; ++i)
    moveElements(problem, src + i * loop.srcStride, dst + i * loop.dstStride,
                 dim + 1);
}

/// Planning takes longer than to move so little.
constexpr int64_t unplannedBytes = 512;

} // namespace

void GenericParts::run(const char *src, char *dst, uint32_t part,
                       uint32_t parts) const {
  auto move = [&](Piece piece) {
    if (piece.problem.isEmpty())
      return;
    canonicalize(piece.problem, kernels.facts.foldLimit);
    GenericPlan plan;
    makeGenericPlan(piece.problem, kernels, plan, startsLine(piece.dst),
                    problem.bytesMoved());
    runGenericPlan(plan, piece.src, piece.dst);
  };
  for (const Box &box : boxesOf(split, part, parts)) {
    auto moveBox = [&](Piece piece, const Box &box) {
      if (split.mostParts > 1)
        piece.narrow(split.dim, box.begin, box.end);
      if (split.outer)
        piece.narrow(*split.outer, box.outerBegin, box.outerEnd);
      move(piece);
    };
    auto moveFringe = [&](std::span<const Range> fringe) {
      Piece piece = {problem, src, dst};
      for (const Range &range : fringe)
        piece.narrow(range.dim, range.begin, range.end);
      if (piece.problem.bytesMoved() > unplannedBytes)
        move(piece);
      else
        moveElements(piece.problem, piece.src, piece.dst);
    };
    for (const Box &nest : visitFringes(split, box, moveFringe))
      moveBox({problem, src, dst}, nest);
  }
}
