//===- KernelExecutionTest.cpp - kernels against the naive loop -----------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Random problems through the JIT, each checked byte by byte against a loop
// that shares no code with the compiler.
//
//===----------------------------------------------------------------------===//

#include "NaivePermute.h"
#include "RandomProblem.h"

#include "permc/JIT/Host.h"
#include "permc/JIT/Jit.h"

#include "gtest/gtest.h"

#include <cstring>

using namespace permc;

namespace {

constexpr int64_t guardBytes = 96;

std::vector<unsigned char> randomBytes(int64_t bytes, std::mt19937_64 &random) {
  std::vector<unsigned char> data(bytes);
  for (unsigned char &byte : data)
    byte = static_cast<unsigned char>(random());
  return data;
}

std::string spell(const Problem &problem) {
  return spellShape(problem.shape()) + " by " + spellList(problem.perm()) +
         ", element " + std::to_string(problem.elementBytes()) + ", strides " +
         spellList(problem.srcByteStrides()) + " " +
         spellList(problem.dstByteStrides());
}

class KernelExecution : public testing::TestWithParam<const char *> {
protected:
  static Jit &jit() {
    static std::unique_ptr<Jit> shared = std::move(*Jit::create());
    return *shared;
  }

  /// Runs the kernel whole and in parts at odd alignments; what lies round dst
  /// and its padding must stay as it was.
  void check(const Problem &problem, const Target &target,
             std::mt19937_64 &random) {
    Result<Kernel> kernel = jit().compile({"k", problem, "bytes", target, ""});
    ASSERT_TRUE(kernel) << spell(problem) << ": " << kernel.error().message;
    int64_t srcShift = random() % 64, dstShift = random() % 64;
    auto src = randomBytes(problem.srcSpan() + srcShift, random);
    auto expected =
        randomBytes(problem.dstSpan() + dstShift + guardBytes, random);
    auto whole = expected, parts = expected;
    naivePermute(problem, src.data() + srcShift, expected.data() + dstShift);
    (*kernel)(src.data() + srcShift, whole.data() + dstShift);
    ASSERT_TRUE(whole == expected) << spell(problem);
    uint32_t count = 1 + random() % 9;
    for (uint32_t part = count; part-- > 0;)
      kernel->part(src.data() + srcShift, parts.data() + dstShift, part, count);
    ASSERT_TRUE(parts == expected)
        << spell(problem) << " in " << count << " parts";
  }
};

TEST_P(KernelExecution, RandomProblems) {
  Result<Target> target = findTarget(GetParam());
  ASSERT_TRUE(target);
  if (Status runs = checkRunsHere(*target); !runs)
    GTEST_SKIP() << runs.error().message;
  std::mt19937_64 random(20260 + target->facts.vectorBytes);
  for (int i = 0; i < 700; ++i) {
    // Streaming is for large tensors; here every other problem is one.
    target->facts.streamBytes = i % 2 ? 1024 : 1 << 30;
    ASSERT_NO_FATAL_FAILURE(check(randomProblem(random), *target, random));
  }
}

INSTANTIATE_TEST_SUITE_P(X86, KernelExecution,
                         testing::Values("x86-64", "x86-64-v2", "x86-64-v3",
                                         "x86-64-v4", "native"),
                         [](const auto &info) {
                           std::string name = info.param;
                           for (char &c : name)
                             c = c == '-' ? '_' : c;
                           return name;
                         });

} // namespace
