//===- KernelExecutionTest.cpp - kernels against the naive loop -----------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Problems through the JIT, each checked byte by byte against a loop that
// shares no code with the compiler.
//
//===----------------------------------------------------------------------===//

#include "KernelTesting.h"
#include "NaivePermute.h"
#include "PlanTesting.h"
#include "RandomProblem.h"

#include <algorithm>

using namespace permc;

namespace {

constexpr int64_t guardBytes = 96;

class KernelExecution : public X86LevelTest {
protected:
  /// Runs the kernel whole and in parts, on whole lines of dst and at odd
  /// alignments; what lies round dst and its padding must stay as it was.
  void check(const Problem &problem, std::mt19937_64 &random) {
    SCOPED_TRACE(spell(problem));
    Result<Kernel> kernel = sharedJit().compile(requestFor(problem, target));
    ASSERT_TRUE(kernel) << kernel.error().message;
    int64_t srcShift = random() % 64;
    int64_t dstShift = random() % 2 ? 0 : random() % 64;
    auto src = randomBytes(problem.srcSpan() + srcShift, random);
    auto expected =
        randomBytes(problem.dstSpan() + dstShift + guardBytes, random);
    auto whole = expected, parts = expected;
    naivePermute(problem, src.data() + srcShift, expected.data() + dstShift);
    (*kernel)(src.data() + srcShift, whole.data() + dstShift);
    ASSERT_TRUE(whole == expected);
    uint32_t count = 1 + random() % 9;
    for (uint32_t part = count; part-- > 0;)
      kernel->part(src.data() + srcShift, parts.data() + dstShift, part, count);
    ASSERT_TRUE(parts == expected) << "in " << count << " parts";
    checkLines(*kernel, problem, count);
    checkLines(*kernel, problem, uint32_t(problem.elements()) + 2);
  }

  /// The same at each place of dst relative to a line.
  void checkPlaces(const Problem &problem, std::mt19937_64 &random) {
    constexpr int64_t line = 64;
    SCOPED_TRACE(spell(problem));
    Result<Kernel> kernel = sharedJit().compile(requestFor(problem, target));
    ASSERT_TRUE(kernel) << kernel.error().message;
    auto src = randomBytes(problem.srcSpan(), random);
    for (int64_t place = line; place < 2 * line; ++place) {
      SCOPED_TRACE(place);
      auto expected = randomBytes(problem.dstSpan() + 3 * line, random);
      auto whole = expected, parts = expected;
      naivePermute(problem, src.data(), expected.data() + place);
      (*kernel)(src.data(), whole.data() + place);
      ASSERT_TRUE(whole == expected);
      const auto count = static_cast<uint32_t>(2 + place % 9);
      for (uint32_t part = 0; part < count; ++part)
        kernel->part(src.data(), parts.data() + place, part, count);
      ASSERT_TRUE(parts == expected) << "in " << count << " parts";
    }
  }

  /// No two parts write one line of a dst that starts with one. Part numbers
  /// differ in some bit: parts with that bit clear write zeros to what is all
  /// ones, the others do so to another dst.
  void checkLines(const Kernel &kernel, const Problem &problem,
                  uint32_t count) {
    const LineBuffer zeros(problem.srcSpan());
    for (uint32_t bit = 1; bit < count; bit *= 2) {
      LineBuffer dst[2] = {LineBuffer(problem.dstSpan()),
                           LineBuffer(problem.dstSpan())};
      for (LineBuffer &each : dst)
        std::memset(each.data(), 0xFF, each.size());
      for (uint32_t part = 0; part < count; ++part)
        kernel.part(zeros.data(), dst[(part & bit) != 0].data(), part, count);
      for (size_t line = 0; line < dst[0].size(); line += 64)
        ASSERT_FALSE(isWritten(dst[0].data() + line) &&
                     isWritten(dst[1].data() + line))
            << "the line at " << line << " is written by two of " << count
            << " parts";
    }
  }

  static bool isWritten(const unsigned char *line) {
    return std::any_of(line, line + 64,
                       [](unsigned char byte) { return byte != 0xFF; });
  }
};

TEST_P(KernelExecution, RandomProblems) {
  std::mt19937_64 random(20260 + target.facts.vectorBytes);
  for (int i = 0; i < 400; ++i) {
    // Now and then one that does not fit the nearest cache.
    int64_t elements = i % 8 == 0 ? 1 << 16 : 1 << 12;
    Problem problem = randomProblem(random, elements);
    ASSERT_NO_FATAL_FAILURE(check(problem, random));
  }
}

TEST_P(KernelExecution, RandomViews) {
  std::mt19937_64 random(20270 + target.facts.vectorBytes);
  for (int i = 0; i < 300; ++i) {
    int64_t elements = i % 8 == 0 ? 1 << 16 : 1 << 12;
    ASSERT_NO_FATAL_FAILURE(check(randomView(random, elements), random));
  }
}

TEST_P(KernelExecution, RandomViewsStreamed) {
  std::mt19937_64 random(20280 + target.facts.vectorBytes);
  target.facts.l3Bytes = 2 << 10;
  for (int i = 0; i < 150; ++i)
    ASSERT_NO_FATAL_FAILURE(check(randomView(random, 1 << 14), random));
}

/// On a machine that streams what others keep in the cache.
TEST_P(KernelExecution, RandomProblemsStreamed) {
  std::mt19937_64 random(30260 + target.facts.vectorBytes);
  target.facts.l3Bytes = 2 << 10;
  target.facts.l1Bytes = 1 << 10;
  target.facts.l2Bytes = target.facts.l3Bytes = 4 << 10;
  for (int i = 0; i < 200; ++i) {
    Problem problem = randomProblem(random, i % 4 == 0 ? 1 << 16 : 1 << 12);
    ASSERT_NO_FATAL_FAILURE(check(problem, random));
  }
}

/// Tiles of whole lines, to each place that a dst can begin at: those that are
/// moved along their rows, and those that go through panels or as runs.
TEST_P(KernelExecution, StreamedTilesToAnyPlace) {
  target.facts.l3Bytes = 2 << 10;
  target.facts.l1Bytes = 4 << 10;
  target.facts.l2Bytes = target.facts.l3Bytes = 16 << 10;
  std::mt19937_64 random(50260);
  for (const Problem &problem :
       {problemOf(2, {24, 6, 128}, {1, 0, 2}), // runs of lines
        problemOf(4, {6, 4, 512}, {1, 0, 2}),
        problemOf(4, {3, 5, 3, 64}, {2, 0, 1, 3}),
        problemOf(4, {3, 32, 48}, {0, 2, 1}), // short rows
        problemOf(4, {5, 32, 3, 32}, {3, 2, 0, 1}),
        problemOf(4, {2, 512, 16}, {0, 2, 1}), // long rows
        problemOf(1, {1024, 64}, {1, 0}),
        problemOf(4, {4, 8, 96}, {0, 2, 1}), // joined rows
        problemOf(4, {8, 2, 2, 16, 32}, {0, 3, 1, 4, 2}),
        problemOf(12, {48, 21}, {1, 0}), // three words
        problemOf(12, {32, 5, 16}, {2, 1, 0}),
        problemOf(8, {7, 16, 24}, {2, 0, 1})})
    ASSERT_NO_FATAL_FAILURE(checkPlaces(problem, random));
}

/// Tiles that are not streamed may be moved along their rows too.
TEST_P(KernelExecution, CachedTilesToAnyPlace) {
  std::mt19937_64 random(60260);
  for (const Problem &problem :
       {problemOf(4, {512, 17}, {1, 0}), problemOf(8, {3, 128, 8}, {0, 2, 1}),
        problemOf(1, {1024, 32}, {1, 0})})
    ASSERT_NO_FATAL_FAILURE(checkPlaces(problem, random));
}

/// Planes that end within a line: parts have unaligned edges.
TEST_P(KernelExecution, PartsOfPlanes) {
  std::mt19937_64 random(40260);
  for (const Problem &problem :
       {problemOf(1, {223, 223, 3}, {2, 0, 1}),
        problemOf(4, {2, 99, 99, 3}, {0, 3, 1, 2}),
        problemOf(2, {20001, 2, 2}, {2, 1, 0}),
        problemOf(1, {3, 90, 91, 4}, {3, 0, 1, 2}),
        problemOf(1, {20011, 4}, {1, 0}, {}, Dims{20015, 1})})
    for (int i = 0; i < 4; ++i)
      ASSERT_NO_FATAL_FAILURE(check(problem, random));
}

/// Panels that have all of the slowest dim: parts are ranges of the next, and
/// lines begin within the one after it. Tiles that fill a dim are not cut.
TEST_P(KernelExecution, PartsOfRowsInPlanes) {
  std::mt19937_64 random(41260);
  target.facts.l3Bytes = 2 << 10;
  for (const Problem &problem :
       {problemOf(8, {27, 100, 7, 33}, {3, 1, 0, 2}),
        problemOf(4, {15, 25, 17, 5, 7, 24}, {3, 2, 1, 5, 4, 0}),
        problemOf(1, {56, 42, 29, 29}, {3, 2, 1, 0}),
        problemOf(8, {3, 2, 259, 128}, {1, 0, 3, 2}),
        problemOf(4, {12, 256, 112}, {0, 2, 1}, {}, Dims{28676, 256, 1})})
    ASSERT_NO_FATAL_FAILURE(check(problem, random));
}

/// Tiles and panels that leave no room for a line of positions of a dim: lines
/// begin at any element of an edge.
TEST_P(KernelExecution, PartsThatBeginAnywhere) {
  std::mt19937_64 random(42260);
  for (int64_t l3Bytes : {int64_t{2} << 10, target.facts.l3Bytes}) {
    target.facts.l3Bytes = l3Bytes;
    for (const Problem &problem :
         {problemOf(1, {4, 4, 25, 21, 2, 7, 8}, {6, 3, 0, 4, 5, 2, 1}),
          problemOf(2, {14, 7, 9, 25, 11, 6}, {0, 4, 1, 2, 5, 3}),
          problemOf(4, {8, 31, 49, 36}, {3, 1, 0, 2}),
          problemOf(12, {17, 21, 9, 7, 5}, {4, 1, 3, 0, 2}),
          problemOf(3, {17, 900, 21}, {2, 1, 0})})
      ASSERT_NO_FATAL_FAILURE(check(problem, random));
  }
}

/// Rows that fill no register, or some and a little more, to columns with and
/// without gaps.
TEST_P(KernelExecution, FewRows) {
  std::mt19937_64 random(70260);
  for (int64_t element : {1, 2, 4})
    for (int64_t rows = 2; rows * element <= 68; rows += 3)
      for (int64_t columns : {9, 16, 37}) {
        const Dims gaps = {rows + 2, 1};
        ASSERT_NO_FATAL_FAILURE(
            check(problemOf(element, {rows, columns}, {1, 0}), random));
        ASSERT_NO_FATAL_FAILURE(check(
            problemOf(element, {rows, columns}, {1, 0}, {}, gaps), random));
      }
}

/// Every size of element in a transpose, in a rotation of three dims and as
/// runs that stay whole.
TEST_P(KernelExecution, ElementsOfEverySize) {
  std::mt19937_64 random(1);
  for (int64_t element = 1; element <= 64; ++element) {
    Problem transpose = problemOf(element, {19, 37}, {1, 0});
    ASSERT_NO_FATAL_FAILURE(check(transpose, random));
    Problem rotation = problemOf(element, {5, 9, 18}, {2, 0, 1});
    ASSERT_NO_FATAL_FAILURE(check(rotation, random));
    Problem runs = problemOf(element, {3, 5, 11}, {1, 0, 2});
    ASSERT_NO_FATAL_FAILURE(check(runs, random));
  }
}

/// Larger than any register, up to where runs are shared by pieces.
TEST_P(KernelExecution, LargeElements) {
  std::mt19937_64 random(2);
  for (int64_t element : {65, 100, 127, 128, 1000, 4096, 70001}) {
    ASSERT_NO_FATAL_FAILURE(check(problemOf(element, {3, 5}, {1, 0}), random));
    ASSERT_NO_FATAL_FAILURE(check(problemOf(element, {}, {}), random));
  }
}

/// `check` sees that dst stays as it was.
TEST_P(KernelExecution, EmptyTensorsMoveNothing) {
  std::mt19937_64 random(3);
  for (const Dims &shape : {Dims{0, 3, 5}, Dims{3, 0, 5}, Dims{0, 0, 0}})
    ASSERT_NO_FATAL_FAILURE(check(problemOf(4, shape, {2, 0, 1}), random));
}

INSTANTIATE_X86_LEVELS(KernelExecution);

/// The target that is not a level but this machine.
TEST(KernelExecutionNative, RunsHere) {
  Result<Target> native = findTarget("native");
  ASSERT_TRUE(native) << native.error().message;
  Status runs = checkRunsHere(*native);
  ASSERT_TRUE(runs) << runs.error().message;
  Problem problem = problemOf(4, {37, 5, 19}, {2, 0, 1});
  Result<Kernel> kernel = sharedJit().compile(requestFor(problem, *native));
  ASSERT_TRUE(kernel) << kernel.error().message;
  std::mt19937_64 random(2);
  auto src = randomBytes(problem.srcSpan(), random);
  LineBuffer dst(problem.dstSpan()), expected = dst;
  naivePermute(problem, src.data(), expected.data());
  (*kernel)(src.data(), dst.data());
  EXPECT_TRUE(dst == expected);
}

} // namespace
