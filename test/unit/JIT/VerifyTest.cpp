//===- VerifyTest.cpp - does the proof see every kind of mistake? ---------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels written by hand, one right and the others each with one mistake.
//
//===----------------------------------------------------------------------===//

#include "permc/JIT/Verify.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstring>
#include <numeric>
#include <thread>

using namespace permc;

namespace {

/// 5x7 bytes, transposed: dst is 7x5.
constexpr int64_t rows = 5, columns = 7;
const Dims shape = {rows, columns};
const Dims swap = {1, 0};

/// The right kernel: rows [first, last) of dst.
void transposeRows(const void *src, void *dst, int64_t first, int64_t last) {
  const auto *from = static_cast<const uint8_t *>(src);
  auto *to = static_cast<uint8_t *>(dst);
  for (int64_t i = first; i < last; ++i)
    for (int64_t j = 0; j < rows; ++j)
      to[i * rows + j] = from[j * columns + i];
}

constexpr auto transpose = [](const void *src, void *dst) {
  transposeRows(src, dst, 0, columns);
};

/// The whole tensor fits one cache line, so the last part does it all.
template <typename Whole>
void lastPartDoesAll(const void *src, void *dst, uint32_t part,
                     uint32_t parts) {
  if (part + 1 == parts)
    Whole()(src, dst);
}

uint8_t &at(void *buffer, int64_t offset) {
  return static_cast<uint8_t *>(buffer)[offset];
}

/// A description of `problem` that calls the given functions.
struct FakeKernel {
  FakeKernel(const Problem &problem, void (*run)(const void *, void *),
             void (*runPart)(const void *, void *, uint32_t, uint32_t)) {
    info.size = sizeof info;
    info.rank = problem.rank();
    info.element_bytes = problem.elementBytes();
    info.alignment = 64;
    info.src_bytes = problem.srcSpan();
    info.dst_bytes = problem.dstSpan();
    info.shape = problem.shape().data();
    info.perm = problem.perm().data();
    srcStrides = problem.srcStrides();
    dstStrides = problem.dstStrides();
    info.src_strides = srcStrides.data();
    info.dst_strides = dstStrides.data();
    info.name = "fake";
    info.element = "bytes";
    info.target = "native";
    info.run = run;
    info.run_part = runPart;
  }
  /// `Whole` is a lambda without captures.
  template <typename Whole>
  FakeKernel(const Problem &problem, Whole whole)
      : FakeKernel(problem, whole, lastPartDoesAll<Whole>) {}
  FakeKernel(const FakeKernel &) = delete;

  permc_kernel info = {};

private:
  Dims srcStrides, dstStrides;
};

Problem makeProblem(int64_t elementBytes, const Dims &shape, const Dims &perm,
                    const std::optional<Dims> &srcStrides = {},
                    const std::optional<Dims> &dstStrides = {}) {
  auto problem =
      Problem::make(elementBytes, shape, perm, srcStrides, dstStrides);
  EXPECT_TRUE(problem) << (problem ? "" : problem.error().message);
  return *problem;
}

std::string messageOf(const Result<VerifyReport> &result) {
  if (result)
    return "verified";
  EXPECT_EQ(result.error().cause, Cause::VerifyFailed);
  return result.error().message;
}

/// What verify says of a kernel for the 5x7 transpose.
template <typename Whole> std::string verifyTranspose(Whole whole) {
  const Problem problem = makeProblem(1, shape, swap);
  const FakeKernel fake(problem, whole);
  return messageOf(verifyKernel(problem, fake.info));
}

std::string verifyParts(void (*runPart)(const void *, void *, uint32_t,
                                        uint32_t)) {
  const Problem problem = makeProblem(1, shape, swap);
  const FakeKernel fake(problem, transpose, runPart);
  return messageOf(verifyKernel(problem, fake.info));
}

bool contains(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}
#define EXPECT_CONTAINS(text, part)                                            \
  EXPECT_PRED2(contains, std::string(text), std::string(part))

TEST(Verify, AcceptsARightKernel) {
  const Problem problem = makeProblem(1, shape, swap);
  const FakeKernel fake(problem, transpose);
  const auto report = verifyKernel(problem, fake.info);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->elements, rows * columns);
  EXPECT_GT(report->runs, 64) << "every alignment of a line, at least";
}

TEST(Verify, NamesTheElementThatWentWrong) {
  // Output [2, 3] (byte 13) should be input [3, 2]; it gets input [3, 3].
  constexpr auto offByOne = [](const void *src, void *dst) {
    transpose(src, dst);
    at(dst, 2 * rows + 3) = static_cast<const uint8_t *>(src)[3 * columns + 3];
  };
  const std::string message = verifyTranspose(offByOne);
  EXPECT_CONTAINS(message, "output element [2, 3] (byte 13 of dst)");
  EXPECT_CONTAINS(message, "holds input element [3, 3]");
  EXPECT_CONTAINS(message, "should hold input element [3, 2]");
  EXPECT_CONTAINS(message, "src starts 0 bytes past a page");
}

TEST(Verify, SeesAnElementThatIsNotWritten) {
  constexpr auto skipsOne = [](const void *src, void *dst) {
    const uint8_t before = at(dst, 34);
    transpose(src, dst);
    at(dst, 34) = before;
  };
  EXPECT_CONTAINS(verifyTranspose(skipsOne),
                  "output element [6, 4] (byte 34 of dst) was not written");
}

TEST(Verify, SeesMistakesAtOneAlignmentOnly) {
  constexpr auto wrongAt17 = [](const void *src, void *dst) {
    transpose(src, dst);
    if (reinterpret_cast<uintptr_t>(dst) % 64 == 17)
      at(dst, 0) = static_cast<const uint8_t *>(src)[1];
  };
  EXPECT_CONTAINS(verifyTranspose(wrongAt17),
                  "dst starts 17 bytes past a page");
}

TEST(Verify, SeesAWriteJustOutside) {
  constexpr auto before = [](const void *src, void *dst) {
    transpose(src, dst);
    if (reinterpret_cast<uintptr_t>(dst) % 64 != 0)
      at(dst, -1) = 0;
  };
  EXPECT_CONTAINS(verifyTranspose(before),
                  "it touched memory outside dst at offset -1");
  constexpr auto after = [](const void *src, void *dst) {
    transpose(src, dst);
    at(dst, rows * columns + 3) = 0;
  };
  EXPECT_CONTAINS(verifyTranspose(after),
                  "outside dst at offset 38; dst has 35 bytes");
}

/// Reads a byte in a way that the compiler must keep.
void touch(const void *src, int64_t offset) {
  (void)static_cast<const volatile uint8_t *>(src)[offset];
}

TEST(Verify, SurvivesAReadOutside) {
  struct sigaction before, after;
  sigaction(SIGSEGV, nullptr, &before);
  constexpr auto pastEnd = [](const void *src, void *dst) {
    touch(src, rows * columns);
    transpose(src, dst);
  };
  const std::string message = verifyTranspose(pastEnd);
  EXPECT_CONTAINS(message, "it touched memory outside src at offset 35");
  EXPECT_CONTAINS(message, "src ends at a page");

  constexpr auto beforeStart = [](const void *src, void *dst) {
    touch(src, -1);
    transpose(src, dst);
  };
  EXPECT_CONTAINS(verifyTranspose(beforeStart),
                  "it touched memory outside src at offset -1");
  sigaction(SIGSEGV, nullptr, &after);
  EXPECT_EQ(before.sa_handler, after.sa_handler);
}

TEST(Verify, SeesAWriteToSrc) {
  constexpr auto writesSrc = [](const void *src, void *dst) {
    transpose(src, dst);
    at(const_cast<void *>(src), 4) = 0;
  };
  EXPECT_CONTAINS(verifyTranspose(writesSrc), "it wrote to src at offset 4");
}

TEST(Verify, SurvivesAnUnknownInstruction) {
  constexpr auto traps = [](const void *, void *) { std::raise(SIGILL); };
  EXPECT_CONTAINS(verifyTranspose(traps),
                  "an instruction that this machine does not have");
}

TEST(Verify, SeesBytesOfAnElementSwapped) {
  // Two elements of 3 bytes, the second with its bytes reversed. All their
  // indices fit one byte: only labels by byte can tell.
  constexpr auto reverses = [](const void *src, void *dst) {
    std::memcpy(dst, src, 6);
    std::swap(at(dst, 3), at(dst, 5));
  };
  const Problem problem = makeProblem(3, {2}, {0});
  const FakeKernel fake(problem, reverses);
  EXPECT_CONTAINS(messageOf(verifyKernel(problem, fake.info)),
                  "output element [1] (byte 3 of dst) holds the wrong byte");
}

TEST(Verify, TellsElementsApartThatAgreeInOneByte) {
  // Elements 0 and 256 of 700 have the same low byte.
  constexpr auto mixesUp = [](const void *src, void *dst) {
    std::memcpy(dst, src, 700);
    at(dst, 256) = static_cast<const uint8_t *>(src)[0];
  };
  const Problem problem = makeProblem(1, {700}, {0});
  const FakeKernel fake(problem, mixesUp);
  EXPECT_CONTAINS(
      messageOf(verifyKernel(problem, fake.info)),
      "holds input element [0]; it should hold input element [256]");
}

//===----------------------------------------------------------------------===//
// Strides
//===----------------------------------------------------------------------===//

/// 2x3 bytes to rows of 3 in 8; the padding stays.
constexpr auto copyRows = [](const void *src, void *dst) {
  for (int64_t row = 0; row < 2; ++row)
    std::memcpy(&at(dst, row * 8), static_cast<const uint8_t *>(src) + row * 3,
                3);
};

TEST(Verify, SeesAWriteToPadding) {
  const Problem problem =
      makeProblem(1, {2, 3}, {0, 1}, std::nullopt, Dims{8, 1});
  const FakeKernel right(problem, copyRows);
  EXPECT_EQ(messageOf(verifyKernel(problem, right.info)), "verified");

  constexpr auto pads = [](const void *src, void *dst) {
    copyRows(src, dst);
    at(dst, 5) = 0;
  };
  const FakeKernel wrong(problem, pads);
  EXPECT_CONTAINS(messageOf(verifyKernel(problem, wrong.info)),
                  "it wrote byte 5 of dst, which is padding");
}

constexpr int64_t farStride = int64_t(3) << 30;

/// Three elements of 4 bytes, 3 GiB apart on both sides.
constexpr auto copyFar = [](const void *src, void *dst) {
  for (int64_t i = 0; i < 3; ++i)
    std::memcpy(&at(dst, i * farStride),
                static_cast<const uint8_t *>(src) + i * farStride, 4);
};

TEST(Verify, HandlesOffsetsBeyond32Bits) {
  const Dims strides = {farStride / 4};
  const Problem problem = makeProblem(4, {3}, {0}, strides, strides);
  const FakeKernel right(problem, copyFar);
  EXPECT_EQ(messageOf(verifyKernel(problem, right.info)), "verified");

  // The last offset, 6 GiB, cut to 32 bits.
  constexpr auto cut = [](const void *src, void *dst) {
    copyFar(src, dst);
    const auto offset = static_cast<uint32_t>(2 * farStride);
    std::memcpy(&at(dst, 2 * farStride),
                static_cast<const uint8_t *>(src) + offset, 4);
  };
  const FakeKernel wrong(problem, cut);
  EXPECT_CONTAINS(messageOf(verifyKernel(problem, wrong.info)),
                  "it touched src at offset 2147483648, pages away from");
}

/// The problem that copyElements carries out.
const Problem *current = nullptr;

/// Copies element by element, whatever the strides.
constexpr auto copyElements = [](const void *src, void *dst) {
  const std::vector<LoopDim> dims = current->loopDims();
  for (int64_t n = 0; n < current->elements(); ++n) {
    int64_t rest = n, from = 0, to = 0;
    for (size_t i = dims.size(); i-- > 0; rest /= dims[i].size) {
      from += rest % dims[i].size * dims[i].srcStride;
      to += rest % dims[i].size * dims[i].dstStride;
    }
    std::memcpy(&at(dst, to), static_cast<const uint8_t *>(src) + from,
                current->elementBytes());
  }
};

TEST(Verify, HandlesAnyLayout) {
  constexpr int64_t mega = 1 << 20;
  struct Layout {
    Dims shape, srcStrides, dstStrides;
  };
  const Layout layouts[] = {
      // Runs far apart, one or two dims of them, in any order.
      {{3, 40}, {mega, 1}, {50, 1}},
      {{3, 2, 40}, {mega, 7 * mega, 1}, {9 * mega, mega, 2}},
      {{40, 3}, {2, mega}, {1, 100}},
      // Runs whose steps interleave: 0, 300k, 450k, 600k, 750k, ...
      {{3, 2, 5}, {300000, 450000, 1}, {10, 5, 1}},
      // Elements of src that overlap: windows over 10 elements.
      {{7, 4}, {1, 1}, {4, 1}},
  };
  for (const Layout &layout : layouts) {
    Dims perm(layout.shape.size());
    std::iota(perm.begin(), perm.end(), 0);
    const Problem problem = makeProblem(2, layout.shape, perm,
                                        layout.srcStrides, layout.dstStrides);
    current = &problem;
    const FakeKernel right(problem, copyElements);
    EXPECT_EQ(messageOf(verifyKernel(problem, right.info)), "verified")
        << spellShape(layout.shape);

    // One byte next to the last element, in padding or past the end.
    constexpr auto spills = [](const void *src, void *dst) {
      copyElements(src, dst);
      at(dst, current->dstSpan()) = 0;
    };
    const FakeKernel wrong(problem, spills);
    EXPECT_CONTAINS(messageOf(verifyKernel(problem, wrong.info)),
                    "it touched memory outside dst")
        << spellShape(layout.shape);
  }
}

TEST(Verify, RefusesWhatDoesNotFitMemory) {
  const Problem problem = makeProblem(1, {int64_t(1) << 50}, {0});
  const FakeKernel fake(problem, transpose);
  const auto result = verifyKernel(problem, fake.info);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().cause, Cause::Unsupported);
  EXPECT_CONTAINS(result.error().message, "GiB of memory");
}

TEST(Verify, AnEmptyTensorMustNotBeTouched) {
  const Problem problem = makeProblem(4, {3, 0}, {1, 0});
  constexpr auto nothing = [](const void *, void *) {};
  const FakeKernel right(problem, nothing);
  EXPECT_EQ(messageOf(verifyKernel(problem, right.info)), "verified");
  const FakeKernel wrong(problem, transpose);
  EXPECT_CONTAINS(messageOf(verifyKernel(problem, wrong.info)),
                  "it touched memory outside");
}

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

/// 64 rows of one cache line each.
void copyLines(const void *src, void *dst, uint32_t part, uint32_t parts) {
  const uint32_t first = uint64_t(64) * part / parts;
  const uint32_t last = uint64_t(64) * (part + 1) / parts;
  std::memcpy(&at(dst, first * 64),
              static_cast<const uint8_t *>(src) + first * 64,
              (last - first) * 64);
}
void copyAllLines(const void *src, void *dst) { copyLines(src, dst, 0, 1); }

TEST(Verify, SeesPartsThatOverlap) {
  const Problem problem = makeProblem(64, {64}, {0});
  constexpr auto overlaps = [](const void *src, void *dst, uint32_t part,
                               uint32_t parts) {
    copyLines(src, dst, part, parts);
    if (part == 5)
      std::memcpy(&at(dst, 100), static_cast<const uint8_t *>(src) + 100, 1);
  };
  const FakeKernel fake(problem, copyAllLines, overlaps);
  EXPECT_CONTAINS(messageOf(verifyKernel(problem, fake.info)),
                  "byte 100 of dst is written by more than one part");
}

/// Such as parts that store whole lines, where dst starts within one.
TEST(Verify, SeesPartsThatOverlapAtOneAlignmentOnly) {
  const Problem problem = makeProblem(64, {64}, {0});
  constexpr auto overlaps = [](const void *src, void *dst, uint32_t part,
                               uint32_t parts) {
    copyLines(src, dst, part, parts);
    if (part == 1 && reinterpret_cast<uintptr_t>(dst) % 64 == 3)
      std::memcpy(dst, src, 64);
  };
  const FakeKernel fake(problem, copyAllLines, overlaps);
  EXPECT_CONTAINS(messageOf(verifyKernel(problem, fake.info)),
                  "byte 0 of dst is written by more than one part (src starts "
                  "1 bytes past a page, dst starts 3 bytes past a page");
}

TEST(Verify, ManyThreadsVerifyAtOnce) {
  constexpr auto outside = [](const void *, void *dst) { at(dst, -8192) = 0; };
  const Problem problem = makeProblem(1, shape, swap);
  const FakeKernel right(problem, transpose), wrong(problem, outside);
  std::atomic<int> mistakes = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      for (int j = 0; j < 5; ++j)
        mistakes += !verifyKernel(problem, right.info) ||
                    verifyKernel(problem, wrong.info);
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(mistakes, 0);
  // All handlers are gone again.
  struct sigaction now;
  ASSERT_EQ(sigaction(SIGSEGV, nullptr, &now), 0);
  EXPECT_EQ(now.sa_handler, SIG_DFL);
}

/// A fault of another thread, while a kernel is being verified, is the
/// program's own to handle.
TEST(Verify, LeavesFaultsOfOthersToTheProgram) {
  static std::atomic<bool> isVerifying, wasHandled;
  isVerifying = wasHandled = false;
  struct sigaction action = {}, before;
  action.sa_handler = [](int) { wasHandled = true; };
  ASSERT_EQ(sigaction(SIGBUS, &action, &before), 0);
  constexpr auto slow = [](const void *src, void *dst) {
    isVerifying = true;
    while (!wasHandled)
      std::this_thread::yield();
    transpose(src, dst);
  };
  std::thread other([] {
    while (!isVerifying)
      std::this_thread::yield();
    pthread_kill(pthread_self(), SIGBUS);
  });
  EXPECT_EQ(verifyTranspose(slow), "verified");
  other.join();
  EXPECT_EQ(sigaction(SIGBUS, &before, nullptr), 0);
}

TEST(Verify, SeesALineThatPartsShare) {
  // 35 bytes in one line, whose rows of 5 bytes go to different parts.
  constexpr auto rowsOfParts = [](const void *src, void *dst, uint32_t part,
                                  uint32_t parts) {
    transposeRows(src, dst, columns * part / parts,
                  columns * (part + 1) / parts);
  };
  EXPECT_CONTAINS(verifyParts(rowsOfParts),
                  "the line at byte 0 of dst is written by more than one part");

  const Problem lines = makeProblem(64, {64}, {0});
  const FakeKernel apart(lines, copyAllLines, copyLines);
  const auto none = verifyKernel(lines, apart.info);
  EXPECT_TRUE(none) << none.error().message;
}

TEST(Verify, SeesAPartThatIsMissing) {
  constexpr auto forgets = [](const void *src, void *dst, uint32_t part,
                              uint32_t parts) {
    if (parts != 7)
      lastPartDoesAll<decltype(transpose)>(src, dst, part, parts);
  };
  EXPECT_CONTAINS(verifyParts(forgets), "was not written");
  EXPECT_CONTAINS(verifyParts(forgets), "in 7 parts");
}

TEST(Verify, NamesThePartThatWentWrong) {
  constexpr auto wrongInPart2 = [](const void *src, void *dst, uint32_t part,
                                   uint32_t parts) {
    if (parts != 3)
      return lastPartDoesAll<decltype(transpose)>(src, dst, part, parts);
    if (part == 2) {
      transpose(src, dst);
      at(dst, 9) = static_cast<const uint8_t *>(src)[0];
    }
  };
  EXPECT_CONTAINS(verifyParts(wrongInPart2),
                  "holds input element [0, 0], written by part 2");
}

TEST(Verify, TriesMorePartsThanThereIsWork) {
  constexpr auto failsWhenIdle = [](const void *src, void *dst, uint32_t part,
                                    uint32_t parts) {
    if (parts > rows * columns)
      at(dst, rows * columns) = 0;
    lastPartDoesAll<decltype(transpose)>(src, dst, part, parts);
  };
  EXPECT_CONTAINS(verifyParts(failsWhenIdle), "outside dst at offset 35");
}

TEST(Verify, ChecksTheDescription) {
  const Problem problem = makeProblem(1, shape, swap);
  const Problem other = makeProblem(1, {7, 5}, swap);
  const FakeKernel mistaken(other, transpose);
  EXPECT_CONTAINS(messageOf(verifyKernel(problem, mistaken.info)),
                  "shape [7, 5] instead of [5, 7]");
  const FakeKernel incomplete(problem, transpose, nullptr);
  EXPECT_CONTAINS(messageOf(verifyKernel(problem, incomplete.info)),
                  "an entry point is missing");
}

} // namespace
