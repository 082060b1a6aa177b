//===- VariantsTest.cpp - the variants of dynamic problems ----------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PlanTesting.h"

#include "permc/Plan/StreamedLoops.h"
#include "permc/Plan/Variants.h"
#include "permc/Targets/Target.h"

#include "gtest/gtest.h"

#include <numeric>
#include <random>

using namespace permc;

namespace {

constexpr int64_t any = dynamicDim;

TargetFacts machine(int64_t vectorBytes) {
  TargetFacts facts;
  facts.vectorBytes = vectorBytes;
  facts.byteShuffle = vectorBytes > 0;
  facts.streamingStores = vectorBytes > 0;
  return facts;
}

/// ... with times: one that streams.
TargetFacts timed(int64_t vectorBytes) {
  TargetFacts facts = machine(vectorBytes);
  facts.cycleNs = 0.3;
  return facts;
}

std::vector<Variant> variantsOf(int64_t element, const Dims &shape,
                                const Dims &perm, const TargetFacts &facts) {
  auto problem = canonicalize(*DynamicProblem::make(element, shape, perm), 8);
  auto variants = chooseVariants(problem, facts);
  EXPECT_TRUE(variants) << variants.error().message;
  return variants ? *variants : std::vector<Variant>();
}

/// The variant that a call with these dims runs.
const Variant &chosen(const std::vector<Variant> &variants,
                      const Dims &values) {
  for (const Variant &variant : variants)
    if (variant.admits(values))
      return variant;
  ADD_FAILURE() << "no variant for " << spellList(values);
  return variants.back();
}

/// Whether the micro kernel is that of a static problem.
void expectAsStatic(const Schedule &schedule, const Problem &problem,
                    const TargetFacts &facts) {
  const Schedule chosen = chooseSchedule(problem, facts);
  EXPECT_EQ(kernelName(schedule), kernelName(chosen));
  EXPECT_EQ(schedule.tile, chosen.tile);
}

TEST(PlanVariants, StaticTilesNeedNoGuards) {
  TargetFacts facts = machine(32);
  facts.streamingStores = false;
  auto batch = variantsOf(1, {any, 224, 224, 3}, {0, 3, 1, 2}, facts);
  ASSERT_EQ(batch.size(), 1u);
  EXPECT_TRUE(batch[0].guards.empty());
  // What a static problem of that kind has.
  expectAsStatic(batch[0].schedule, problemOf(1, {7, 50176, 3}, {0, 2, 1}),
                 facts);

  auto heads = variantsOf(2, {any, 12, any, 64}, {0, 2, 1, 3}, facts);
  ASSERT_EQ(heads.size(), 1u);
  expectAsStatic(heads[0].schedule, problemOf(2, {7, 12, 9, 64}, {0, 2, 1, 3}),
                 facts);
}

TEST(PlanVariants, LargeDimsGetTilesAndSmallOnesElements) {
  TargetFacts facts = timed(32);
  auto variants = variantsOf(4, {any, any}, {1, 0}, facts);
  EXPECT_EQ(kernelName(chosen(variants, {100, 100}).schedule),
            micro::TileTranspose::name);
  EXPECT_FALSE(chosen(variants, {100, 100}).schedule.streaming);
  EXPECT_EQ(kernelName(chosen(variants, {5, 4}).schedule),
            micro::TileTranspose::name);
  EXPECT_EQ(kernelName(chosen(variants, {3, 1000}).schedule),
            micro::Scalar::name);
  EXPECT_EQ(chosen(variants, {1, 1}).schedule.tile, (Dims{1, 1}));
  // Streamed from the size on that facts say, in lines where rows are lines.
  const Schedule &lines = chosen(variants, {4096, 4096}).schedule;
  EXPECT_TRUE(lines.streaming && !lines.panel);
  const Schedule &panels = chosen(variants, {4095, 4097}).schedule;
  EXPECT_TRUE(panels.streaming && panels.panel);
}

/// The nominal sizes are large, those of a call may not be.
TEST(PlanVariants, TilesInTheCachesPrefetchNothing) {
  TargetFacts facts = machine(32);
  facts.l1Ways = 8;
  for (const Variant &variant : variantsOf(4, {any, any}, {1, 0}, facts))
    if (!variant.schedule.streaming)
      EXPECT_EQ(variant.schedule.prefetch.srcBytes, 0);
}

/// A few static channels are shuffled however many pixels there are.
TEST(PlanVariants, StaticChannelsKeepTheirShuffles) {
  TargetFacts facts = machine(32);
  for (bool split : {true, false}) {
    auto variants = split ? variantsOf(1, {any, any, 3}, {2, 0, 1}, facts)
                          : variantsOf(1, {3, any, any}, {1, 2, 0}, facts);
    const Schedule &schedule = chosen(variants, {100, 100}).schedule;
    expectAsStatic(schedule,
                   split ? problemOf(1, {10000, 3}, {1, 0})
                         : problemOf(1, {3, 10000}, {1, 0}),
                   facts);
    EXPECT_EQ(kernelName(chosen(variants, {4, 5}).schedule),
              kernelName(schedule));
  }
  // By structure moves, where there are some: few pixels too.
  facts = machine(16);
  facts.planner = findTarget("aarch64")->facts.planner;
  facts.structureBytes = 8;
  facts.structuresOfThree = true;
  auto variants = variantsOf(1, {any, any, 3}, {2, 0, 1}, facts);
  for (const Dims &pixels : {Dims{100, 100}, Dims{4, 5}})
    EXPECT_EQ(kernelName(chosen(variants, pixels).schedule),
              micro::Interleave::name);
}

/// Pieces as large as a register where the run has that much, in one loop.
TEST(PlanVariants, ShortRunsAreCopiedInFewPieces) {
  auto variants =
      variantsOf(4, {any, any, any, any}, {0, 2, 1, 3}, machine(32));
  for (auto [run, piece] :
       {std::pair(2000, 32), std::pair(40, 32), std::pair(16, 8),
        std::pair(5, 4), std::pair(3, 1)}) {
    const Schedule &schedule = chosen(variants, {1, 2, 3, run}).schedule;
    EXPECT_EQ(schedule.tile.back(), piece) << run;
    const auto along =
        std::count_if(schedule.loops.begin(), schedule.loops.end(),
                      [](const Loop &loop) { return loop.dim == 3; });
    EXPECT_EQ(along, 1) << run;
  }
}

/// Tiles of whole lines are for a dst that begins with one. Any other gets what
/// rows of any size get: panels.
TEST(PlanVariants, LinesThatDstDoesNotHaveGoThroughPanels) {
  for (auto [element, shape, perm] :
       {std::tuple(int64_t{2}, Dims{any, 32, 128}, Dims{1, 0, 2}),
        std::tuple(int64_t{4}, Dims{any, any, any}, Dims{0, 2, 1}),
        std::tuple(int64_t{4}, Dims{any, 64, any}, Dims{0, 2, 1})}) {
    SCOPED_TRACE(spellShape(shape));
    auto variants = variantsOf(element, shape, perm, timed(64));
    ASSERT_GT(variants.size(), 2u);
    EXPECT_TRUE(variants[0].dstStartsLine);
    EXPECT_TRUE(streamsTiles(variants[0].nominal, variants[0].schedule));
    EXPECT_FALSE(variants[1].dstStartsLine);
    EXPECT_TRUE(variants[1].schedule.streaming);
    EXPECT_TRUE(variants[1].schedule.panel);
    for (size_t i = 1; i < variants.size(); ++i)
      EXPECT_FALSE(variants[i].dstStartsLine);
  }
}

/// Whether some dims that suit `guard` do not suit `other`, which is of the
/// same size; all guards here are on products of positive sizes.
bool isWeaker(const Guard &guard, const Guard &other) {
  if (guard.kind != other.kind || guard.size != other.size)
    return true;
  return guard.kind == Guard::Kind::AtLeast ? guard.bound < other.bound
                                            : guard.bound % other.bound != 0;
}

/// Each variant is run for some dims: those before it ask for something that it
/// does not.
void expectAllAreReached(const std::vector<Variant> &variants) {
  for (size_t i = 0; i < variants.size(); ++i)
    for (size_t before = 0; before < i; ++before) {
      if (variants[before].dstStartsLine && !variants[i].dstStartsLine)
        continue;
      EXPECT_TRUE(std::any_of(
          variants[before].guards.begin(), variants[before].guards.end(),
          [&](const Guard &other) {
            return std::all_of(
                variants[i].guards.begin(), variants[i].guards.end(),
                [&](const Guard &guard) { return isWeaker(guard, other); });
          }))
          << i << " after " << before;
    }
}

/// What guards must make sure of: a tile within its dim, units that divide it.
TEST(PlanVariants, AreRightForAllThatTheyAdmit) {
  std::mt19937_64 random(11);
  static constexpr int64_t elements[] = {1, 2, 3, 4, 5, 8, 12, 16, 100};
  static constexpr int64_t sizes[] = {1, 2, 3, 4, 7, 16, 33, 64, 1000};
  for (int i = 0; i < 600; ++i) {
    Dims shape, perm(1 + random() % 6);
    std::iota(perm.begin(), perm.end(), 0);
    std::shuffle(perm.begin(), perm.end(), random);
    for (size_t dim = 0; dim < perm.size(); ++dim)
      shape.push_back(random() % 2 ? any : sizes[random() % std::size(sizes)]);
    shape[random() % shape.size()] = any;
    int64_t element = elements[random() % std::size(elements)];
    TargetFacts facts = machine(std::array{0, 16, 32, 64}[random() % 4]);
    DynamicProblem problem = unfold(
        canonicalize(*DynamicProblem::make(element, shape, perm), 8), 64);
    SCOPED_TRACE(spellShape(problem.shape()) + " by " +
                 spellList(problem.perm()));
    auto variants = chooseVariants(problem, facts);
    ASSERT_TRUE(variants) << variants.error().message;
    ASSERT_FALSE(variants->empty());
    EXPECT_TRUE(variants->back().guards.empty());
    EXPECT_LE(variants->size(), 9u);
    expectAllAreReached(*variants);
    for (const Variant &variant : *variants) {
      Status ok = checkVariant(problem, variant);
      EXPECT_TRUE(ok) << ok.error().message;
      EXPECT_EQ(variant.nominal.perm(), problem.perm());
      for (unsigned dim = 0; dim < problem.rank(); ++dim)
        EXPECT_EQ(variant.nominal.shape()[dim] % problem.shape()[dim].factor,
                  0);
    }
  }
}

TEST(PlanVariants, ChecksWhatAScheduleTakesForGranted) {
  DynamicProblem problem = *DynamicProblem::make(4, {any, any}, {1, 0});
  Problem nominal = problemOf(4, {997, 997}, {1, 0});
  Schedule schedule{.kernel = micro::Scalar{},
                    .tile = {1, 2},
                    .loops = {{0, 1}, {1, 2}},
                    .unitLoops = 1,
                    .vectorBytes = 8,
                    .panel = {},
                    .prefetch = {}};
  const Guard two = {Guard::Kind::AtLeast, {1, 0b1}, 2};
  EXPECT_TRUE(checkVariant(problem, {{two}, nominal, schedule}));
  EXPECT_ERROR(checkVariant(problem, {{}, nominal, schedule}),
               Cause::BadSchedule,
               "a tile of 2 along dim 1 of size ?0 without a guard");
  // All of the nominal dim need not be all of the dim.
  Problem pair = problemOf(4, {2, 997}, {1, 0});
  schedule = {.kernel = micro::Scalar{},
              .tile = {1, 2},
              .loops = {{0, 1}},
              .vectorBytes = 8,
              .panel = {},
              .prefetch = {}};
  EXPECT_ERROR(checkVariant(problem, {{two}, pair, schedule}),
               Cause::BadSchedule, "no loop goes through dim 1 of size ?0");
}

/// Of moves that need constant strides dynamic dims make no use.
TEST(PlanVariants, KeepsToNetworks) {
  TargetFacts facts = machine(16);
  facts.planner = findTarget("aarch64")->facts.planner;
  facts.gatherLoads = facts.scalableVectors = facts.wordTiles = true;
  facts.structureBytes = facts.wideShuffleBytes = 8;
  facts.structuresOfThree = true;
  facts.vectorPairs = true;
  facts.vectorsPerStep = 4;
  facts.vectorReach = facts.pairReach = {1024, 1008};
  for (int64_t element : {1, 2, 4, 8, 12})
    for (bool words : {true, false}) {
      facts.wordTiles = words;
      for (const Dims &shape : {Dims{any, 3}, Dims{any, any}, Dims{8, any}})
        for (const Variant &variant : variantsOf(element, shape, {1, 0}, facts))
          EXPECT_TRUE(
              !isScalable(variant.schedule) &&
              !movesVectorPairs(variant.schedule) &&
              !fieldsOf<micro::TileTranspose>(variant.schedule).stepping &&
              fieldsOf<micro::FixedMoves>(variant.schedule).srcReach ==
                  Reach{} &&
              !is<micro::Gather>(variant.schedule) &&
              !is<micro::WordTranspose>(variant.schedule));
    }
  DynamicProblem problem = *DynamicProblem::make(4, Dims{any}, {0});
  Schedule scalable{.kernel = micro::Copy{},
                    .tile = {4},
                    .loops = {{0, 4}},
                    .vectorBytes = 16,
                    .panel = {},
                    .prefetch = {}};
  getIf<micro::Copy>(scalable)->scalable = true;
  EXPECT_FALSE(checkVariant(problem, {{{Guard::Kind::AtLeast, {1, 1}, 4}},
                                      problemOf(4, {997}, {0}),
                                      scalable}));
  Schedule reaching = scalable;
  auto &moves = reaching.kernel.emplace<micro::Copy>();
  EXPECT_TRUE(checkVariant(problem, {{{Guard::Kind::AtLeast, {1, 1}, 4}},
                                     problemOf(4, {997}, {0}),
                                     reaching}));
  moves.srcReach = moves.dstReach = {0, 64};
  EXPECT_FALSE(checkVariant(problem, {{{Guard::Kind::AtLeast, {1, 1}, 4}},
                                      problemOf(4, {997}, {0}),
                                      reaching}));
}

/// Streams are loaded one by one, but joined as ever.
TEST(PlanVariants, KeepsStructureMoves) {
  TargetFacts facts = machine(16);
  facts.planner = findTarget("armv7-neon")->facts.planner;
  facts.structureBytes = facts.vectorsPerLoad = 4;
  for (const Variant &variant : variantsOf(2, {any, 8, 8}, {0, 2, 1}, facts)) {
    EXPECT_EQ(kernelName(variant.schedule), micro::Interleave::name);
    EXPECT_EQ(fieldsOf<micro::Interleave>(variant.schedule).vectorsPerLoad, 0);
  }
}

TEST(PlanVariants, RefusesWhatItCannotDo) {
  Dims shape(40, any), perm(40);
  std::iota(perm.rbegin(), perm.rend(), 0);
  auto many =
      chooseVariants(*DynamicProblem::make(1, shape, perm), machine(32));
  ASSERT_FALSE(many);
  EXPECT_EQ(many.error().cause, Cause::Unsupported);
  // Ten of them are fine.
  shape.resize(10);
  perm.resize(10);
  std::iota(perm.rbegin(), perm.rend(), 0);
  EXPECT_TRUE(
      chooseVariants(*DynamicProblem::make(1, shape, perm), machine(32)));
  EXPECT_TRUE(chooseVariants(*DynamicProblem::make(1, Dims{any, 0}, {1, 0}),
                             machine(32)));
}

} // namespace
