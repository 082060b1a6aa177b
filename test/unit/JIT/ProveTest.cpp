//===- ProveTest.cpp - loops that are right for every size ----------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelTesting.h"

#include "permc/JIT/Prove.h"

using namespace permc;

namespace {

constexpr int64_t any = dynamicDim;

/// The message of a nest that is wrong, or nothing.
std::string refute(const DimNest &nest, int64_t least) {
  Status ok = proveNest(nest, least);
  return ok ? "" : ok.error().message;
}

TEST(Prove, NestsOfAllRanges) {
  EXPECT_EQ(refute({{}, 1}, 1), "");
  EXPECT_EQ(refute({{}, 5}, 5), "");
  EXPECT_EQ(refute({{64}, 8}, 8), "");
  EXPECT_EQ(refute({{256, 32}, 16}, 16), "");
  EXPECT_EQ(refute({{}, 16}, 200), "");
}

TEST(Prove, RefutesATileThatIsLargerThanTheRange) {
  // In 15 elements a tile of 16 begins one before the first.
  const std::string message = refute({{}, 16}, 15);
  EXPECT_TRUE(message.starts_with("tiles of 16: position ")) << message;
  EXPECT_TRUE(message.ends_with("is in a tile, and outside of the range"))
      << message;
  EXPECT_NE(refute({{64}, 8}, 7), "");
  EXPECT_NE(refute({{}, 2}, 0), "");
}

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

using Kind = DynamicSplit::Kind;

/// Cuts as a kernel has them.
PartCuts cutsOf(Kind kind, int64_t piece, int64_t grain, bool filled = false) {
  DynamicSplit split;
  split.piece = piece;
  return {kind,
          piece,
          grain,
          piece,
          filled ? piece : 1,
          filled,
          split.leastRow(grain),
          DynamicSplit::grainsPerPart};
}

TEST(ProveParts, OfAllPiecesAndGrains) {
  for (int64_t piece : {1, 2, 3, 4, 5, 8, 12, 16, 24, 32, 48, 64, 100, 128}) {
    DynamicSplit split;
    split.piece = piece;
    ASSERT_FALSE(split.grains().empty());
    for (int64_t grain : split.grains()) {
      EXPECT_EQ(grain % piece, 0);
      for (Kind kind : {Kind::Range, Kind::Row, Kind::Grains})
        for (bool filled : {false, true}) {
          Status ok = proveCuts(cutsOf(kind, piece, grain, filled));
          EXPECT_TRUE(ok) << ok.error().message;
        }
    }
  }
}

/// Each mistake is refuted, with sizes that show it.
TEST(ProveParts, MistakesAreRefuted) {
  struct Mistake {
    PartCuts cuts;
    const char *what;
  };
  auto with = [](PartCuts cuts, int64_t PartCuts::*field, int64_t value) {
    cuts.*field = value;
    return cuts;
  };
  const PartCuts range = cutsOf(Kind::Range, 16, 16),
                 row = cutsOf(Kind::Row, 8, 16),
                 filled = cutsOf(Kind::Row, 8, 16, true),
                 grains = cutsOf(Kind::Grains, 8, 8);
  for (const Mistake &mistake : {
           // The guard for a tile is one too low, or missing.
           Mistake{with(range, &PartCuts::least, 15), "the only part"},
           Mistake{with(range, &PartCuts::least, 1), "the only part"},
           // Parts meet within pieces.
           Mistake{with(range, &PartCuts::grain, 8), "less than a piece"},
           Mistake{with(filled, &PartCuts::grain, 12), "within a piece"},
           Mistake{with(filled, &PartCuts::divisor, 4), "no number of pieces"},
           Mistake{with(grains, &PartCuts::grain, 4), "too little of a row"},
           // Rows that are too short are cut.
           Mistake{with(row, &PartCuts::leastRow, row.leastRow - 2),
                   "behind the begin of a part"},
           Mistake{with(row, &PartCuts::leastRow, 16), "too little of a row"},
           // Parts have too few grains.
           Mistake{with(row, &PartCuts::grainsPerPart, 1), "begins later"},
           Mistake{with(cutsOf(Kind::Row, 16, 16), &PartCuts::grainsPerPart, 2),
                   "begins later"},
       }) {
    Status ok = proveCuts(mistake.cuts);
    ASSERT_FALSE(ok) << mistake.what;
    const std::string &message = ok.error().message;
    EXPECT_NE(message.find(mistake.what), std::string::npos) << message;
    EXPECT_NE(message.find(": size "), std::string::npos) << message;
  }
}

/// Variants as they are chosen, and with one mistake in them.
class ProveVariantsTest : public testing::Test {
protected:
  static DynamicProblem canonicalOf(const Dims &shape, const Dims &perm,
                                    const Target &target, int64_t element = 4) {
    return unfold(canonicalize(*DynamicProblem::make(element, shape, perm),
                               target.facts.foldLimit),
                  64);
  }

  /// Whether every variant that has the mistake, of those there are, is
  /// refuted.
  template <typename Mistake> int refutedWith(Mistake mistake) {
    int refuted = 0;
    for (const Variant &variant : variants) {
      Variant wrong = variant;
      if (proveVariants(canonical, {variant})->proven == 0 || !mistake(wrong))
        continue;
      auto proofs = proveVariants(canonical, {wrong});
      EXPECT_FALSE(proofs);
      refuted += !proofs;
    }
    return refuted;
  }

  const Target target = *findTarget("x86-64-v3");
  const DynamicProblem canonical = canonicalOf({any, any}, {1, 0}, target);
  const std::vector<Variant> variants =
      *chooseVariants(canonical, target.facts);
};

TEST_F(ProveVariantsTest, WhatIsChosenIsRightForAllSizes) {
  for (const Target &each : allTargets()) {
    if (each.route != Target::Route::Object)
      continue;
    for (auto [shape, perm] : {std::pair(Dims{any, any}, Dims{1, 0}),
                               {Dims{any, 24, 7}, Dims{2, 0, 1}},
                               {Dims{8, any, 3}, Dims{0, 2, 1}},
                               {Dims{any, 5, any, 16}, Dims{2, 1, 0, 3}},
                               {Dims{any, 4096}, Dims{1, 0}}})
      for (int64_t element : {1, 2, 4, 12}) {
        const DynamicProblem problem = canonicalOf(shape, perm, each, element);
        auto chosen = chooseVariants(problem, each.facts);
        ASSERT_TRUE(chosen);
        auto proofs = proveVariants(problem, *chosen);
        ASSERT_TRUE(proofs) << each.name << " " << spellShape(problem.shape())
                            << ": " << proofs.error().message;
        EXPECT_EQ(proofs->proven, chosen->size());
        EXPECT_TRUE(proofs->outside.empty()) << proofs->outside.front();
      }
  }
}

TEST_F(ProveVariantsTest, WhatIsNotCoveredIsNamedAndNoKernelHasIt) {
  for (auto [spoil, name] :
       {std::pair<void (*)(Schedule &), const char *>(
            [](Schedule &schedule) {
              schedule.panel =
                  Panel{.extent = schedule.tile, .wholeLines = true};
            },
            "rows of panels that end with lines"),
        {[](Schedule &schedule) {
           schedule.kernel.emplace<micro::Copy>().scalable = true;
         },
         "vectors of any length"},
        {[](Schedule &schedule) {
           schedule.kernel.emplace<micro::TileTranspose>().lastTile =
               schedule.tile;
         },
         "last tiles of their own"}}) {
    Variant variant = variants.front();
    spoil(variant.schedule);
    auto proofs = proveVariants(canonical, {variant});
    ASSERT_TRUE(proofs);
    EXPECT_EQ(proofs->proven, 0u);
    EXPECT_EQ(proofs->outside,
              std::vector<std::string>{std::string("variant 1: ") + name});
    EXPECT_FALSE(checkNominal(variant.schedule)) << name;
  }
}

TEST_F(ProveVariantsTest, GuardsOffByOneAreRefuted) {
  int refuted = 0;
  for (size_t dim : {0, 1})
    refuted += refutedWith([&](Variant &variant) {
      // The guard that makes room for a tile along this dim.
      const int64_t unit = innermost(variant.schedule)[dim];
      auto guard = std::ranges::find_if(variant.guards, [&](const Guard &each) {
        return each.kind == Guard::Kind::AtLeast && each.bound == unit &&
               each.size == canonical.outShape()[dim];
      });
      if (guard == variant.guards.end())
        return false;
      --guard->bound;
      return true;
    });
  EXPECT_GE(refuted, 4);
}

TEST_F(ProveVariantsTest, MissingGuardsAreRefuted) {
  EXPECT_GT(refutedWith([](Variant &variant) {
              variant.guards.clear();
              return innermost(variant.schedule) != Dims{1, 1};
            }),
            0);
}

TEST_F(ProveVariantsTest, MissingLoopsAreRefuted) {
  EXPECT_GT(refutedWith([](Variant &variant) {
              variant.schedule.loops.pop_back();
              return true;
            }),
            0);
  EXPECT_GT(refutedWith([](Variant &variant) {
              variant.schedule.loops.clear();
              return true;
            }),
            0);
}

TEST_F(ProveVariantsTest, OtherTilesAreRefuted) {
  EXPECT_GT(refutedWith([](Variant &variant) {
              variant.schedule.tile[0] *= 2;
              return !variant.schedule.panel;
            }),
            0);
  EXPECT_GT(refutedWith([](Variant &variant) {
              variant.schedule.tile[1] += 1;
              return !variant.schedule.panel;
            }),
            0);
}

} // namespace
