//===- SketchTargetTest.cpp - a family that registered itself -------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "permc/Compiler/Compiler.h"
#include "permc/Plan/ScheduleReasons.h"
#include "permc/Targets/TargetFamily.h"

#include <gtest/gtest.h>

using namespace permc;

namespace {

Request requestFor(const char *target, const std::string &schedule = "") {
  Request request{"k", *Problem::make(2, {8, 4}, {1, 0}), "u16",
                  *findTarget(target), schedule};
  return request;
}

std::string assemblyOf(const Request &request) {
  auto artifact = Compiler().compile({request}, Emit::Assembly);
  EXPECT_TRUE(artifact) << artifact.error().message;
  return artifact ? artifact->bytes : "";
}

const char *const gather = "#permc.schedule<gather, tile = [4, 8], loops = [], "
                           "units = 0, vector = 16>";

TEST(SketchTarget, IsListedBesideTheOthers) {
  EXPECT_TRUE(findTarget("riscv64-sketch"));
  EXPECT_TRUE(findTarget("x86-64-v3"));
  EXPECT_EQ(allTargets().back().name, "riscv64-sketch");
}

TEST(SketchTarget, CompilesByItsFactsAlone) {
  Request request = requestFor("riscv64-sketch");
  request.problem = *Problem::make(8, {8, 4}, {1, 0});
  const std::string text = assemblyOf(request);
  EXPECT_NE(text.find("rv64"), std::string::npos) << text;
  EXPECT_NE(text.find("\tret"), std::string::npos) << text;
  EXPECT_EQ(text.find("# sketched gather"), std::string::npos);
}

TEST(SketchTarget, CarriesOutTilesByItsOwnCode) {
  const std::string text = assemblyOf(requestFor("riscv64-sketch", gather));
  EXPECT_NE(text.find("# sketched gather"), std::string::npos) << text;
}

/// Schedules are its own planner's, but for what that leaves to the rules.
TEST(SketchTarget, ChoosesTilesOfItsOwn) {
  const TargetFacts facts = findTarget("riscv64-sketch")->facts;
  auto chosen = explainSchedule(*Problem::make(2, {8, 4}, {1, 0}), facts);
  EXPECT_EQ(kernelName(chosen.schedule), micro::Gather::name);
  EXPECT_EQ(chosen.schedule.tile, (Dims{1, 8}));
  EXPECT_EQ(chosen.schedule.loops, (std::vector<Loop>{{0, 1}}));
  EXPECT_EQ(chosen.reasons.kind,
            "d0 is contiguous in src, d1 in dst; columns are gathered");
  EXPECT_NE(
      kernelName(
          explainSchedule(*Problem::make(8, {8, 4}, {1, 0}), facts).schedule),
      micro::Gather::name);
  const std::string text = assemblyOf(requestFor("riscv64-sketch"));
  EXPECT_NE(text.find("# sketched gather"), std::string::npos) << text;
}

/// A family of one target.
struct OneTarget : TargetFamily {
  explicit OneTarget(const char *name) : name(name) {}
  void addTargets(std::vector<Target> &targets) const override {
    targets.emplace_back().name = name;
  }
  const char *name;
};

std::string refusalOf(const TargetFamily &family) {
  Status ok = registerTargetFamily(family);
  return ok ? "" : ok.error().message;
}

TEST(SketchTarget, IsRegisteredOnce) {
  const TargetFamily &sketch = *findTarget("riscv64-sketch")->code;
  EXPECT_EQ(refusalOf(sketch), "a family of targets (riscv64-sketch) "
                               "registered twice; expected once");
  EXPECT_EQ(refusalOf(x86Family()).find("a family of targets (native, x86-64,"),
            0u);
}

TEST(SketchTarget, IsRegisteredBeforeTargetsAreAskedFor) {
  static const OneTarget late("riscv64-late");
  const size_t before = allTargets().size();
  EXPECT_EQ(refusalOf(late),
            "a family of targets (riscv64-late) registered late; expected it "
            "before targets are first asked for");
  EXPECT_EQ(allTargets().size(), before);
  EXPECT_FALSE(findTarget("riscv64-late"));
}

TEST(SketchTarget, HasNamesOfItsOwn) {
  static const OneTarget other("x86-64-v3");
  EXPECT_EQ(refusalOf(other),
            "a family of targets (x86-64-v3): there is a target 'x86-64-v3' "
            "already; expected another name");
}

TEST(SketchTargetDeathTest, EndsTheProgramWithTheReason) {
  EXPECT_EXIT(RegisterTargetFamily{*findTarget("riscv64-sketch")->code},
              testing::ExitedWithCode(1), "registered twice; expected once");
}

/// The same schedule is another family's business elsewhere.
TEST(SketchTarget, LeavesOtherFamiliesAlone) {
  const std::string text = assemblyOf(requestFor("cortex-m55", gather));
  EXPECT_EQ(text.find("# sketched gather"), std::string::npos);
  EXPECT_NE(text.find("vldrh.u16"), std::string::npos) << text;
}

} // namespace
