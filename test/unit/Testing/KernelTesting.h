//===- KernelTesting.h - kernels that run here ------------------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_TEST_UNIT_KERNELTESTING_H
#define PERMC_TEST_UNIT_KERNELTESTING_H

#include "permc/JIT/Host.h"
#include "permc/JIT/Jit.h"

#include "gtest/gtest.h"

#include <array>
#include <cstring>
#include <random>

namespace permc {

/// One for all tests: starting it costs more than most kernels.
inline Jit &sharedJit() {
  static std::unique_ptr<Jit> shared = std::move(*Jit::create());
  return *shared;
}

inline Compiler &sharedCompiler() {
  static Compiler shared;
  return shared;
}

inline Request requestFor(const Problem &problem, const Target &target) {
  std::string bytes = std::to_string(problem.elementBytes());
  return {"k", problem, "bytes" + bytes, target, ""};
}

/// Bytes that start with a cache line, which is where kernels may stream.
class LineBuffer {
public:
  explicit LineBuffer(int64_t bytes) : lines(bytes / 64 + 1) {}

  unsigned char *data() { return lines.front().bytes.data(); }
  const unsigned char *data() const { return lines.front().bytes.data(); }
  size_t size() const { return lines.size() * sizeof(Line); }
  bool operator==(const LineBuffer &) const = default;

private:
  struct alignas(64) Line {
    std::array<unsigned char, 64> bytes;
    bool operator==(const Line &) const = default;
  };
  std::vector<Line> lines;
};

/// Bytes without a pattern.
inline LineBuffer randomBytes(int64_t bytes, std::mt19937_64 &random) {
  LineBuffer buffer(bytes);
  for (size_t at = 0; at < buffer.size(); at += 8) {
    uint64_t word = random();
    std::memcpy(buffer.data() + at, &word, 8);
  }
  return buffer;
}

/// A test for each level of x86, skipped where this machine cannot run it.
class X86LevelTest : public testing::TestWithParam<const char *> {
protected:
  void SetUp() override {
    Result<Target> found = findTarget(GetParam());
    ASSERT_TRUE(found) << found.error().message;
    target = *found;
    if (Status runs = checkRunsHere(target); !runs)
      GTEST_SKIP() << runs.error().message;
  }

  Target target;
};

inline std::string levelName(const testing::TestParamInfo<const char *> &info) {
  std::string name = info.param;
  for (char &c : name)
    c = c == '-' ? '_' : c;
  return name;
}

} // namespace permc

#define INSTANTIATE_X86_LEVELS(suite)                                          \
  INSTANTIATE_TEST_SUITE_P(                                                    \
      X86, suite,                                                              \
      testing::Values("x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4"),        \
      levelName)

#endif // PERMC_TEST_UNIT_KERNELTESTING_H
