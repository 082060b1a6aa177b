//===- RegistryTest.cpp - kernels by their problem ------------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Registry.h"

#include "Hash.h"
#include "KernelTable.h"

#include "gtest/gtest.h"

using namespace permc;

namespace {

FixedProblem makeProblem(int64_t srcStride, int64_t dstStride) {
  const int64_t shape[] = {3, 5}, perm[] = {1, 0}, src[] = {srcStride, 1},
                dst[] = {dstStride, 1};
  FixedProblem problem;
  EXPECT_TRUE(problem.assign(1, 2, shape, perm, src, dst));
  return problem;
}

/// Another problem with the hash of `problem`: a stride of src is changed, and
/// then the stride of dst that follows it in the hash such that nothing shows.
std::optional<std::pair<int64_t, int64_t>>
findTwin(const FixedProblem &problem) {
  uint64_t before = mix(problem.rank, problem.element);
  before = mix(before, problem.shape[0]);
  before = mix(before, problem.perm[0]);
  const uint64_t wanted =
      mix(before, problem.srcStride[0]) ^ uint64_t(problem.dstStride[0]);
  constexpr uint64_t most = uint64_t{1} << 59; // five of them are an offset
  for (int64_t src = 6; src < 10000; ++src)
    if (uint64_t dst = wanted ^ mix(before, src); dst > 1000 && dst < most)
      return std::pair(src, int64_t(dst));
  return std::nullopt;
}

} // namespace

TEST(Registry, TellsProblemsOfOneHashApart) {
  const FixedProblem problem = makeProblem(5, 3);
  const auto strides = findTwin(problem);
  ASSERT_TRUE(strides);
  const FixedProblem twin = makeProblem(strides->first, strides->second);
  ASSERT_EQ(hashOf(twin), hashOf(problem));
  ASSERT_FALSE(twin == problem);

  // Static: the registry keeps what it is given.
  static const int64_t shape[] = {3, 5}, perm[] = {1, 0};
  static int64_t src[] = {0, 1}, dst[] = {0, 1};
  src[0] = strides->first;
  dst[0] = strides->second;
  static permc_kernel kernel = {};
  kernel.size = sizeof kernel;
  kernel.rank = 2;
  kernel.element_bytes = 1;
  kernel.shape = shape;
  kernel.perm = perm;
  kernel.src_strides = src;
  kernel.dst_strides = dst;
  kernel.name = "twin";
  kernel.target = KernelTable::forThisCPU().target;
  kernel.run = [](const void *, void *) {};
  static const permc_kernel *const list[] = {&kernel};
  ASSERT_TRUE(Registry::get().add(list, 16));
  EXPECT_EQ(Registry::get().find(twin), &kernel);
  EXPECT_EQ(Registry::get().find(problem), nullptr);
}
