//===- FuzzTest.cpp - the oracle can tell right from wrong ----------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CheckCall.h"
#include "RightGroups.h"
#include "ScheduleText.h"
#include "Shrink.h"
#include "SmallWorld.h"
#include "Workers.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>
#include <unistd.h>

using namespace permc;
using namespace permc::fuzz;

namespace {

Case makeCase(Ints shape, Ints order, int64_t element) {
  Case one;
  one.shape = std::move(shape);
  one.order = std::move(order);
  one.element = element;
  one.target = "x86-64";
  one.runs.resize(1);
  return one;
}

/// Moves the elements from `begin` to `end`, counted in output order.
void moveSome(const Moves &moves, const void *src, void *dst, int64_t begin,
              int64_t end) {
  for (int64_t n = begin; n < end; ++n) {
    int64_t rest = n, from = 0, to = 0;
    for (size_t i = moves.sizes.size(); i-- > 0;) {
      from += rest % moves.sizes[i] * moves.srcStrides[i];
      to += rest % moves.sizes[i] * moves.dstStrides[i];
      rest /= moves.sizes[i];
    }
    std::memcpy(static_cast<char *>(dst) + to,
                static_cast<const char *>(src) + from, size_t(moves.element));
  }
}

/// A kernel that is right, in parts of whole lines of a 16x16 matrix.
std::string rightCall(const Moves &moves, const void *src, void *dst,
                      uint32_t part, uint32_t parts) {
  const int64_t all = moves.elements();
  const int64_t line = 64 / moves.element;
  const int64_t share = parts ? (all / parts + line - 1) / line * line : all;
  moveSome(moves, src, dst, std::min(all, int64_t(part) * share),
           std::min(all, int64_t(part + 1) * share));
  return "";
}

std::string check(const Case &one, const Call &call) {
  return checkCall(movesOf(one, one.runs.front()), one.runs.front(), call);
}

class FuzzCheckTest : public testing::Test {
protected:
  FuzzCheckTest() : moves(movesOf(one, one.runs.front())) {}

  Case one = makeCase({16, 16}, {1, 0}, 4);
  Moves moves;
};

} // namespace

TEST_F(FuzzCheckTest, TakesWhatIsRight) {
  for (uint32_t parts : {0u, 1u, 3u, 40u})
    for (bool atEnd : {false, true}) {
      one.runs.front().parts = parts;
      one.runs.front().src.atEnd = one.runs.front().dst.atEnd = atEnd;
      EXPECT_EQ(check(one, [&](auto... of) { return rightCall(moves, of...); }),
                "");
    }
}

TEST_F(FuzzCheckTest, SeesAByteThatIsWrong) {
  EXPECT_EQ(
      check(one,
            [&](const void *src, void *dst, uint32_t part, uint32_t parts) {
              rightCall(moves, src, dst, part, parts);
              ++static_cast<char *>(dst)[77];
              return "";
            })
          .substr(0, 14),
      "byte 77 of dst");
}

TEST_F(FuzzCheckTest, SeesWhatIsNotWritten) {
  EXPECT_NE(check(one,
                  [&](const void *src, void *dst, uint32_t, uint32_t) {
                    moveSome(moves, src, dst, 0, 255);
                    return "";
                  })
                .find("not written"),
            std::string::npos);
}

TEST_F(FuzzCheckTest, SeesWritesBesideDst) {
  one.runs.front().dst.offset = 16;
  for (int64_t at : {-1, 16 * 16 * 4})
    EXPECT_NE(
        check(one,
              [&](const void *src, void *dst, uint32_t part, uint32_t parts) {
                static_cast<char *>(dst)[at] = 0;
                return rightCall(moves, src, dst, part, parts);
              })
            .find("outside"),
        std::string::npos);
}

TEST_F(FuzzCheckTest, SeesWritesToAGap) {
  one.dstStrides = Ints{17, 1};
  const Moves gaps = movesOf(one, one.runs.front());
  EXPECT_NE(check(one,
                  [&](const void *src, void *dst, uint32_t, uint32_t) {
                    moveSome(gaps, src, dst, 0, gaps.elements());
                    static_cast<char *>(dst)[64] = 0;
                    return "";
                  })
                .find("gap"),
            std::string::npos);
}

TEST_F(FuzzCheckTest, SeesPartsThatMeet) {
  one.runs.front().parts = 2;
  // Both write one element: of it, or of a line of it.
  for (int64_t first : {129, 120})
    EXPECT_NE(check(one,
                    [&](const void *src, void *dst, uint32_t part, uint32_t) {
                      if (part == 0)
                        moveSome(moves, src, dst, 0, first);
                      else
                        moveSome(moves, src, dst, std::min<int64_t>(first, 128),
                                 256);
                      return "";
                    })
                  .find("is written by the parts 0 and 1"),
              std::string::npos);
}

TEST_F(FuzzCheckTest, SeesAPartThatIsMissing) {
  one.runs.front().parts = 2;
  EXPECT_NE(check(one,
                  [&](const void *src, void *dst, uint32_t part, uint32_t) {
                    moveSome(moves, src, dst, part ? 144 : 0, part ? 256 : 128);
                    return "";
                  })
                .find("by no part"),
            std::string::npos);
}

TEST_F(FuzzCheckTest, TouchingWhatIsBesideEndsTheProcess) {
  one.runs.front().src.atEnd = true;
  EXPECT_DEATH(check(one,
                     [&](const void *src, void *dst, uint32_t, uint32_t) {
                       std::memcpy(dst, static_cast<const char *>(src) + 4,
                                   size_t(moves.src.bytes()));
                       return "";
                     }),
               "");
  EXPECT_DEATH(check(one,
                     [&](const void *src, void *, uint32_t, uint32_t) {
                       *static_cast<char *>(const_cast<void *>(src)) = 0;
                       return "";
                     }),
               "");
}

TEST(FuzzReference, KnowsConventions) {
  // MATLAB: columns first. permute of a 2x3 to 3x2, also by its inverse.
  Case one = makeCase({2, 3}, {1, 0}, 1);
  one.convention = "matlab";
  for (bool inverse : {false, true}) {
    one.inverse = inverse;
    const Moves moves = movesOf(one, one.runs.front());
    EXPECT_EQ(moves.sizes, (Ints{3, 2}));
    EXPECT_EQ(moves.srcStrides, (Ints{2, 1}));
    EXPECT_EQ(moves.dstStrides, (Ints{1, 3}));
  }
  Case three = makeCase({2, 3, 4}, {2, 0, 1}, 2);
  EXPECT_EQ(movesOf(three, three.runs.front()).sizes, (Ints{4, 2, 3}));
  EXPECT_EQ(movesOf(three, three.runs.front()).srcStrides, (Ints{2, 24, 8}));
  three.inverse = true; // 2x3x4 is what the order has made of a 3x4x2
  EXPECT_EQ(movesOf(three, three.runs.front()).sizes, (Ints{3, 4, 2}));
}

TEST(FuzzReference, KnowsViews) {
  Case one = makeCase({3, 4}, {0, 1}, 2);
  one.srcStrides = Ints{-10, 0};
  const Moves moves = movesOf(one, one.runs.front());
  EXPECT_EQ(moves.src.low, -40);
  EXPECT_EQ(moves.src.high, 2);
}

TEST(FuzzCase, ReadsWhatItWrites) {
  Case one = makeCase({3, anySize, 5}, {2, 0, 1}, 12);
  one.convention = "openvino";
  one.inverse = true;
  one.srcStrides = Ints{-1, 0, 7};
  one.dstStrides = Ints{1, 2, 3};
  one.specialized = {{4}, {0}};
  one.api = Api::Jit;
  one.schedule = "#permc.schedule<copy, tile = [1, 2], loops = [0 : 1]>";
  one.runs = {{{9}, 3, 2, {true, 0}, {false, 16}}, {{0}, 0, 1, {}, {}}};
  std::string why;
  const auto read = parseOptions(spellOptions(one), why);
  ASSERT_TRUE(read) << why;
  EXPECT_TRUE(*read == one) << spellCommand(*read);
}

TEST(FuzzCase, RefusesWhatIsNoCase) {
  for (const std::vector<std::string> &words :
       {std::vector<std::string>{"--tensor=2x3xu8"},
        {"--tensor=2x3xbytes1", "--order=0,0", "--target=x86-64"},
        {"--tensor=2x3xbytes1", "--order=1,0"},
        {"--tensor=2x?xbytes1", "--order=1,0", "--target=x86-64"},
        {"--tensor=2xbytes1", "--order=0", "--target=x86-64", "--run=1/2"}}) {
    std::string why;
    EXPECT_FALSE(parseOptions(words, why));
    EXPECT_NE(why, "");
  }
}

TEST(FuzzShrink, FindsTheSmallest) {
  Case one = makeCase({9, 40, 33}, {2, 0, 1}, 8);
  one.inverse = true;
  one.dstStrides = Ints{4000, 100, 1};
  one.runs.front().parts = 7;
  // Fails if some dim has 5 or more and there are 2 parts.
  const auto fails = [](const Case &tried) {
    std::string why;
    EXPECT_TRUE(parseOptions(spellOptions(tried), why)) << why;
    return tried.runs.front().parts >= 2 &&
           std::ranges::any_of(tried.shape,
                               [](int64_t size) { return size >= 5; });
  };
  const Case small = shrink(one, fails, 1000);
  EXPECT_EQ(small.shape, Ints{5});
  EXPECT_EQ(small.element, 1);
  EXPECT_EQ(small.runs.front().parts, 2u);
  EXPECT_FALSE(small.inverse);
  EXPECT_FALSE(small.dstStrides);
}

TEST(FuzzSchedule, FieldsAreJoinedAsTheyWere) {
  const std::string text = "#permc.schedule<tile_transpose, tile = [5, 4], "
                           "loops = [1 : 4, 0 : 5], units = 0, streaming>";
  EXPECT_EQ(scheduleFields(text).size(), 5u);
  EXPECT_EQ(joinFields(scheduleFields(text)), text);
  Random random(1, 2);
  bool changed = false;
  for (int i = 0; i < 100; ++i)
    changed |= mutateSchedule(text, {"panel = [4, 4]"}, random) != text;
  EXPECT_TRUE(changed);
}

TEST(FuzzWorkers, TellWhatEndedThem) {
  const Case one = makeCase({3}, {0}, 2);
  Worker crashes([&](Progress &progress) {
    progress.begin(one);
    std::raise(SIGSEGV);
  });
  crashes.waitUntilEnded(60);
  ASSERT_TRUE(crashes.failure() && crashes.failure()->one);
  EXPECT_TRUE(*crashes.failure()->one == one);
  Worker says([&](Progress &progress) {
    progress.begin(one);
    progress.fail("so it is");
  });
  says.waitUntilEnded(60);
  ASSERT_TRUE(says.failure());
  EXPECT_EQ(says.failure()->what, "so it is");
  Worker hangs([&](Progress &progress) {
    progress.begin(one);
    for (;;)
      pause();
  });
  hangs.waitUntilEnded(0.05);
  ASSERT_TRUE(hangs.failure());
  EXPECT_NE(hangs.failure()->what.find("no end"), std::string::npos);
  Worker ends([](Progress &progress) { ++progress.cases; });
  ends.waitUntilEnded(60);
  EXPECT_FALSE(ends.failure());
  EXPECT_EQ(ends.progress().cases, 1u);
}

TEST(FuzzSmallWorld, HasEachCaseOnce) {
  Menu menu;
  menu.here = {"x86-64"};
  menu.elsewhere = {"aarch64"};
  const SmallWorld world(menu);
  uint64_t here = 0, elsewhere = 0;
  std::set<std::vector<std::string>> seen;
  for (uint64_t group = 0; group < world.groups(); ++group)
    world.visit(group, [&](const Case &one) {
      ++(one.target == "x86-64" ? here : elsewhere);
      if (one.element == 2 || one.target == "aarch64")
        EXPECT_TRUE(seen.insert(spellOptions(one)).second);
    });
  // Shapes and orders of rank 1 to 5, by 6 elements; of rank 1 to 3, by 3.
  EXPECT_EQ(here, 6u * (5 * 1 + 25 * 2 + 125 * 6 + 625 * 24 + 243 * 120));
  EXPECT_EQ(elsewhere, 3u * (4 * 1 + 16 * 2 + 64 * 6));
}

/// A file keeps what was right, for the build that wrote it.
TEST(FuzzSmallWorld, GoesOnBehindWhatWasRight) {
  const std::string path =
      testing::TempDir() + "/right-groups-" + std::to_string(getpid());
  const RightGroups::Counts counts = {12, 24};
  EXPECT_FALSE(RightGroups(path, "one").find("x86-64 jit bytes1"));
  EXPECT_TRUE(RightGroups(path, "one").add("x86-64 jit bytes1", counts));
  std::ofstream(path, std::ios::app) << "one 7 "; // cut off
  const RightGroups again(path, "one"), other(path, "other");
  EXPECT_EQ(again.find("x86-64 jit bytes1"), counts);
  EXPECT_FALSE(again.find("x86-64 jit bytes2"));
  EXPECT_FALSE(other.find("x86-64 jit bytes1"));
  const std::string hash = hashOfFiles({path});
  std::ofstream(path, std::ios::app) << "x";
  EXPECT_NE(hashOfFiles({path}), hash);
  EXPECT_EQ(hashOfFiles({path + ".none"}), "");
  std::filesystem::remove(path);
}
