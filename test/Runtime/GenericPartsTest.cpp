//===- GenericPartsTest.cpp - parts of generic plans ----------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From inside, for nobody outside sees which thread wrote a line.
//
//===----------------------------------------------------------------------===//

#include "GenericParts.h"
#include "NaivePermute.h"
#include "RandomProblem.h"

#include "gtest/gtest.h"

using namespace permc;

namespace {

constexpr size_t line = 64;

/// Bytes that start with a line.
class Lines {
public:
  Lines(int64_t bytes, unsigned char value)
      : memory(static_cast<size_t>(bytes) + 2 * line, value) {}
  unsigned char *data() {
    auto past = reinterpret_cast<uintptr_t>(memory.data()) % line;
    return memory.data() + (line - past) % line;
  }

private:
  std::vector<unsigned char> memory;
};

/// Runs each part by itself into a dst that nobody wrote to.
void check(const Problem &problem, uint32_t parts, std::mt19937_64 &random) {
  SCOPED_TRACE(spellShape(problem.shape()) + " by " +
               spellList(problem.perm()) + ", strides " +
               spellList(problem.dstByteStrides()) + ", " +
               std::to_string(parts) + " parts");
  const KernelTable &kernels = KernelTable::forThisCPU();
  FixedProblem canonical(problem);
  canonicalize(canonical, kernels.facts.foldLimit);
  GenericParts shared(canonical, kernels);

  const int64_t span = problem.dstSpan();
  Lines src(problem.srcSpan(), 0), expected(span, 0xFF), all(span, 0xFF);
  for (int64_t i = 0; i < problem.srcSpan(); ++i)
    src.data()[i] = static_cast<unsigned char>(random() % 0xFF);
  naivePermute(problem, src.data(), expected.data());
  std::vector<uint32_t> writers(static_cast<size_t>(span) / line + 1, parts);
  for (uint32_t part = 0; part < parts; ++part) {
    Lines dst(span, 0xFF);
    shared.run(reinterpret_cast<const char *>(src.data()),
               reinterpret_cast<char *>(dst.data()), part, parts);
    for (int64_t i = 0; i < span; ++i) {
      if (dst.data()[i] == 0xFF)
        continue;
      uint32_t &writer = writers[static_cast<size_t>(i) / line];
      ASSERT_TRUE(writer == parts || writer == part)
          << "parts " << writer << " and " << part << " write the line of byte "
          << i;
      writer = part;
      all.data()[i] = dst.data()[i];
    }
  }
  ASSERT_EQ(std::memcmp(all.data(), expected.data(), size_t(span)), 0);
}

TEST(GenericParts, ShareNoLine) {
  std::mt19937_64 random(50260);
  for (int i = 0; i < 600; ++i) {
    Problem problem = randomProblem(random, i % 8 == 0 ? 1 << 16 : 1 << 12);
    if (!problem.isEmpty())
      ASSERT_NO_FATAL_FAILURE(
          check(problem, static_cast<uint32_t>(1 + random() % 9), random));
  }
}

TEST(GenericParts, OfPlanesShareNoLine) {
  std::mt19937_64 random(60260);
  for (uint32_t parts = 1; parts <= 9; ++parts) {
    check(*Problem::make(1, {223, 223, 3}, {2, 0, 1}), parts, random);
    check(*Problem::make(4, {2, 99, 99, 3}, {0, 3, 1, 2}), parts, random);
  }
}

TEST(GenericParts, MoreThanThereIsWork) {
  std::mt19937_64 random(70260);
  check(*Problem::make(4, {100, 77}, {1, 0}), 1000, random);
  check(*Problem::make(1, {3, 5}, {1, 0}), 16, random);
}

} // namespace
