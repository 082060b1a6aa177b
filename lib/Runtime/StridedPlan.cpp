//===- StridedPlan.cpp - loops where one side has gaps --------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   dst has runs, which src     Shuffle, along the run; along the next dim if
//   has near one another        that follows and the run is part of a vector
//   elements side by side lie   blocks of single elements
//   along other dims in src
//   anything else               rows of single elements
//
//===----------------------------------------------------------------------===//

#include "StridedPlan.h"

#include "ShuffledRun.h"
#include "StridedElements.h"

#include <algorithm>
#include <cstdlib>

using namespace permc;

namespace {

/// Single elements along two dims go by blocks of so many of each: what a row
/// of a block touches of src is still in the cache when the next row needs it.
constexpr int64_t blockElements = 32;

class StridedPlanner {
public:
  StridedPlanner(std::span<const LoopDim> dims, int64_t element,
                 GenericPlan &plan)
      : dims(dims), element(element), plan(plan) {}

  bool run(const TargetFacts &facts) {
    if (dims.empty() || element > maxStridedElement)
      return false;
    const int dst = contiguous(&LoopDim::dstStride),
              src = contiguous(&LoopDim::srcStride);
    const int64_t along = dst < 0 ? element : dims[size_t(dst)].srcStride;
    const bool isTurned = along == 0 || along == -element;
    // Runs and tiles have kernels of their own.
    if (dst >= 0 && (along == element || (src >= 0 && !isTurned)))
      return false;
    if (dst >= 0 && canShuffle(facts.vectorBytes) &&
        (planGroups(dst) || planRun(dst)))
      return true;
    if (isTurned && src >= 0 && src != dst)
      return false;
    planElements();
    return true;
  }

private:
  using Stride = int64_t LoopDim::*;

  /// The dim whose neighbours are next to one another, in either direction, or
  /// -1.
  int contiguous(Stride stride) const {
    for (size_t i = dims.size(); i-- > 0;)
      if (std::abs(dims[i].*stride) == element)
        return int(i);
    return -1;
  }

  //===--- shuffles -------------------------------------------------------===//

  bool planRun(int run) {
    const LoopDim &dim = dims[size_t(run)];
    return planShuffle({element, 1, 0, dim.size, dim.srcStride},
                       uint64_t{1} << run);
  }

  /// Pixels and the like: the dim that follows has the next group.
  bool planGroups(int group) {
    const LoopDim &inner = dims[size_t(group)];
    const int64_t bytes = inner.size * element;
    if (bytes > Shuffle::vectorBytes)
      return false;
    for (size_t i = 0; i < dims.size(); ++i)
      if (int(i) != group && dims[i].dstStride == bytes)
        return planShuffle({element, inner.size, inner.srcStride, dims[i].size,
                            dims[i].srcStride},
                           uint64_t{1} << group | uint64_t{1} << i);
    return false;
  }

  bool planShuffle(const GroupedRun &run, uint64_t taken) {
    if (!plan.shuffle.assign(run))
      return false;
    begin(shuffledRuns(plan.shuffle.windowCount));
    addLoops(taken, 0, 1);
    return true;
  }

  //===--- elements -------------------------------------------------------===//

  void planElements() {
    begin(stridedElements(element));
    const size_t row = nearest(&LoopDim::dstStride),
                 side = nearest(&LoopDim::srcStride);
    takeLoop(1, row);
    uint64_t taken = uint64_t{1} << row;
    // Where src repeats a dim, there is nothing near to come back for.
    if (side == row || dims[row].srcStride == 0)
      return addLoops(taken, 0, 0);
    takeLoop(0, side);
    taken |= uint64_t{1} << side;
    addLoops(taken, 0, -1);
    addBlocks(0, side);
    addBlocks(1, row);
  }

  /// The dim of the smallest distance that is not 0.
  size_t nearest(Stride stride) const {
    auto distance = [&](const LoopDim &dim) {
      // As unsigned, 0 less 1 is the largest.
      return uint64_t(std::abs(dim.*stride)) - 1;
    };
    size_t best = dims.size() - 1;
    for (size_t i = dims.size() - 1; i-- > 0;)
      if (distance(dims[i]) < distance(dims[best]))
        best = i;
    return best;
  }

  //===--- loops ----------------------------------------------------------===//

  void begin(GenericKernel kernel) {
    plan.body = GenericPlan::Body::Kernel;
    plan.streams = false;
    plan.kernel = kernel;
    plan.call = KernelCall();
    plan.loopCount = 0;
  }

  void takeLoop(int loop, size_t dim) {
    plan.call.loops[loop] = {
        intptr_t(dims[dim].size),      1, intptr_t(dims[dim].srcStride),
        intptr_t(dims[dim].dstStride), 0, 0};
  }

  /// All other dims, the fastest of dst last: as the kernel's loops from
  /// `firstFree` to `lastFree`, and round it.
  void addLoops(uint64_t taken, int firstFree, int lastFree) {
    size_t order[maxRank], count = 0;
    for (size_t i = 0; i < dims.size(); ++i)
      if (!(taken >> i & 1))
        order[count++] = i;
    std::sort(order, order + count, [&](size_t a, size_t b) {
      return dims[a].dstStride > dims[b].dstStride;
    });
    for (int loop = lastFree; loop >= firstFree && count > 0; --loop)
      takeLoop(loop, order[--count]);
    for (size_t i = 0; i < count; ++i) {
      const LoopDim &dim = dims[order[i]];
      plan.loops[plan.loopCount++] = {dim.size, dim.srcStride, dim.dstStride};
    }
  }

  void addBlocks(int loop, size_t dim) {
    const int64_t size = dims[dim].size, blocks = size / blockElements;
    if (blocks < 2)
      return;
    plan.loops[plan.loopCount++] = {blocks,
                                    blockElements * dims[dim].srcStride,
                                    blockElements * dims[dim].dstStride,
                                    loop,
                                    blockElements,
                                    size - (blocks - 1) * blockElements};
  }

  const std::span<const LoopDim> dims;
  const int64_t element;
  GenericPlan &plan;
};

} // namespace

bool permc::planStrided(std::span<const LoopDim> dims, int64_t element,
                        const TargetFacts &facts, GenericPlan &plan) {
  return StridedPlanner(dims, element, plan).run(facts);
}
