//===- StreamedLinesTest.cpp - whole lines or ordinary stores -------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A line that is partly streamed, or streamed here and stored to there, goes to
// memory more than once: 5 planes of floats were interleaved at a hundredth of
// memcpy's speed. So the stores of kernels are replayed, line by line. A line
// is written by non-temporal stores, each aligned to its width, that complete
// it within one turn of the innermost loop; or by ordinary stores; never both,
// whoever of the parts writes it.
//
//===----------------------------------------------------------------------===//

#include "KernelTesting.h"
#include "PlanTesting.h"
#include "RandomProblem.h"
#include "StoreReplay.h"

#include <set>
#include <unordered_map>
#include <unordered_set>

using namespace permc;

namespace {

constexpr int64_t line = 64;

/// What the kernels of one call did to each line of dst.
class LineLedger {
public:
  StoreReplay::Listener listener() {
    return {[this](int64_t address, int64_t bytes, bool nonTemporal) {
              nonTemporal ? stream(address, bytes) : store(address, bytes);
            },
            [this] {
              if (!incomplete.empty())
                fail(*incomplete.begin(), "is left incomplete");
              incomplete.clear();
            }};
  }

  const std::string &failure() const { return message; }
  size_t streamedLines() const { return streamed.size(); }

private:
  void stream(int64_t address, int64_t bytes) {
    const int64_t number = address / line;
    if (address % bytes != 0 || bytes < 16)
      fail(number, "has a non-temporal store of " + std::to_string(bytes) +
                       " bytes at " + std::to_string(address % line));
    if (stored.contains(number))
      fail(number, "is streamed after an ordinary store");
    streamed.insert(number);
    const uint64_t bits =
        (bytes == line ? ~uint64_t{0} : (uint64_t{1} << bytes) - 1)
        << address % line;
    uint64_t &done = bytesOf[number];
    done |= bits;
    if (~done == 0) {
      done = 0;
      incomplete.erase(number);
    } else {
      incomplete.insert(number);
    }
  }

  void store(int64_t address, int64_t bytes) {
    for (int64_t number = address / line;
         number <= (address + bytes - 1) / line; ++number) {
      if (streamed.contains(number))
        fail(number, "has an ordinary store after it was streamed");
      stored.insert(number);
    }
  }

  void fail(int64_t number, const std::string &what) {
    if (message.empty())
      message = "line " + std::to_string(number) + " " + what;
  }

  std::unordered_set<int64_t> streamed, stored;
  std::set<int64_t> incomplete;
  std::unordered_map<int64_t, uint64_t> bytesOf; ///< streamed so far, of a line
  std::string message;
};

class StreamedLines : public testing::TestWithParam<const char *> {
protected:
  void SetUp() override {
    target = *findTarget(GetParam());
    // Small tensors are streamed: there is less to replay.
    target.facts.l3Bytes = 16 << 10;
  }

  /// Replays a kernel whole and in parts, into a dst at several places.
  void check(const Request &request, const std::vector<int64_t> &sizes = {}) {
    auto module =
        sharedCompiler().compile({request}, Emit::MLIR, "permc-lower-to-loops");
    ASSERT_TRUE(module) << module.error().message;
    auto replay = StoreReplay::create(module->bytes);
    ASSERT_TRUE(replay) << replay.error().message;
    constexpr int64_t page = int64_t{1} << 30;
    for (int64_t place : {0, 16, 52})
      for (uint32_t parts : {1, 5}) {
        LineLedger ledger;
        for (uint32_t part = 0; part < parts; ++part) {
          Status ok =
              replay->run(page + place, sizes, part, parts, ledger.listener());
          ASSERT_TRUE(ok) << ok.error().message;
        }
        ASSERT_EQ(ledger.failure(), "")
            << "dst " << place << " bytes behind a line, " << parts << " parts";
        if (place == 0 && parts == 1)
          streamed += ledger.streamedLines() != 0;
      }
  }

  void check(const Problem &problem) {
    SCOPED_TRACE(spell(problem));
    check(requestFor(problem, target));
  }

  Target target;    ///< which this machine need not be
  int streamed = 0; ///< kernels that did
};

/// Planes that are interleaved and taken apart.
TEST_P(StreamedLines, OfPlanes) {
  for (int64_t element : {1, 2, 4, 8, 12, 16})
    for (int64_t planes : {2, 3, 5, 12, 20, 28, 56})
      for (int64_t length : {904, 1003}) {
        check(*Problem::make(element, {planes, length}, {1, 0}));
        check(*Problem::make(element, {length, planes}, {1, 0}));
        if (HasFatalFailure())
          return;
      }
  EXPECT_GT(streamed, 50);
}

TEST_P(StreamedLines, OfBatches) {
  for (int64_t element : {1, 2, 4, 8})
    for (int64_t planes : {3, 6, 10}) {
      check(*Problem::make(element, {4, planes, 400}, {0, 2, 1}));
      check(*Problem::make(element, {2, planes, 25, 32}, {0, 2, 3, 1}));
      check(*Problem::make(element, {96, 24, planes}, {1, 0, 2}));
      if (HasFatalFailure())
        return;
    }
  EXPECT_GT(streamed, 10);
}

TEST_P(StreamedLines, OfRandomProblems) {
  std::mt19937_64 random(23);
  for (int i = 0; i < 250; ++i) {
    const Problem problem = randomProblem(random, 1 << 13);
    if (problem.bytesMoved() >= target.facts.streamedBytes() &&
        problem.bytesMoved() <= 128 << 10)
      check(problem);
    if (HasFatalFailure())
      return;
  }
  EXPECT_GT(streamed, 20);
}

/// Sizes that come with the call.
TEST_P(StreamedLines, OfDynamicKernels) {
  struct Case {
    Dims shape, perm;
    std::vector<int64_t> sizes;
  };
  constexpr int64_t any = dynamicDim;
  for (const Case &one :
       {Case{{any, 5}, {1, 0}, {1601}}, Case{{5, any}, {1, 0}, {1600}},
        Case{{any, any}, {1, 0}, {96, 80}},
        Case{{any, 24, 40}, {1, 0, 2}, {33}}})
    for (int64_t element : {1, 4, 8}) {
      auto problem = DynamicProblem::make(element, one.shape, one.perm);
      ASSERT_TRUE(problem) << problem.error().message;
      check(makeRequest("k", *problem, "bytes", target), one.sizes);
      if (HasFatalFailure())
        return;
    }
  EXPECT_GT(streamed, 0);
}

/// What nobody chooses can be written by hand. Rows of 20 bytes are stored in
/// pieces that are no part of a line.
TEST_P(StreamedLines, AreAskedOfWrittenSchedules) {
  const Problem problem = *Problem::make(4, {5, 1600}, {1, 0});
  Schedule schedule;
  schedule.kernel = micro::TileTranspose{};
  schedule.tile = {16, 5};
  schedule.loops = {{0, 16}};
  schedule.vectorBytes = 16;
  EXPECT_TRUE(checkSchedule(problem, schedule));
  schedule.streaming = true;
  EXPECT_FALSE(streamsTiles(problem, schedule));
  EXPECT_FALSE(checkSchedule(problem, schedule));
}

INSTANTIATE_X86_LEVELS(StreamedLines);

} // namespace
