//===- ScheduleFieldsTest.cpp - one table for all fields ------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "permc/Compiler/Compiler.h"
#include "permc/Dialect/Permute/Permute.h"
#include "permc/Plan/Schedule.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"

#include "gtest/gtest.h"

#include <fstream>
#include <set>
#include <sstream>

using namespace permc;

namespace {

void change(Dims &list) { list = {3, 5}; }
void change(bool &flag) { flag = true; }
void change(int64_t &number) { number = 7; }
void change(Reach &reach) { reach = {.back = 11, .ahead = 13}; }

/// A schedule of each kind, with a panel.
std::vector<Schedule> schedulesOfAllKinds() {
  std::vector<Schedule> all;
  forEachKernel([&](const auto &kernel) {
    Schedule &schedule = all.emplace_back();
    schedule.kernel = kernel;
    schedule.tile = {1, 16};
    schedule.loops = {{0, 1}, {1, 16}};
    schedule.panel = Panel{.extent = {1, 16}};
  });
  return all;
}

/// A schedule for each field of each kind, in which that one is not what it is
/// by default.
std::vector<std::pair<std::string, Schedule>> schedulesWithOneField() {
  std::vector<std::pair<std::string, Schedule>> all;
  for (const Schedule &some : schedulesOfAllKinds())
    visitFields(some, [&](const std::string &key, const auto &) {
      Schedule schedule = some;
      visitFields(schedule, [&](const std::string &other, auto &value) {
        if (other == key)
          change(value);
      });
      all.emplace_back(key, schedule);
    });
  return all;
}

} // namespace

TEST(ScheduleFields, AreReadAsTheyArePrinted) {
  mlir::MLIRContext context;
  context.getOrLoadDialect<PermcDialect>();
  for (const auto &[key, schedule] : schedulesWithOneField()) {
    const std::string text = spellSchedule(schedule);
    EXPECT_NE(text.find(", " + key), std::string::npos) << text;
    auto read = llvm::dyn_cast_if_present<ScheduleAttr>(
        mlir::parseAttribute(text, &context));
    ASSERT_TRUE(read) << text;
    EXPECT_EQ(read.getValue(), schedule) << text;
  }
}

TEST(ScheduleFields, TellSchedulesApart) {
  const auto all = schedulesWithOneField();
  for (size_t i = 0; i < all.size(); ++i)
    for (size_t j = 0; j < i; ++j) {
      EXPECT_NE(all[i].second, all[j].second);
      EXPECT_NE(hash_value(all[i].second), hash_value(all[j].second))
          << all[i].first << ", " << all[j].first;
    }
}

/// What a key is refused for where it means nothing, or "".
static std::string refusalOf(const std::string &text) {
  mlir::MLIRContext context;
  context.getOrLoadDialect<PermcDialect>();
  std::string message;
  mlir::ScopedDiagnosticHandler handler(
      &context,
      [&](mlir::Diagnostic &diagnostic) { message = diagnostic.str(); });
  mlir::parseAttribute(text, &context);
  return message;
}

/// Of each kind and key of all kernels.
TEST(ScheduleFields, OfOtherKindsAreRefused) {
  std::set<std::string> keys;
  forEachKernel([&](auto kernel) {
    micro::visitFields(
        kernel, [&](const std::string &key, auto &) { keys.insert(key); });
  });
  EXPECT_EQ(keys.size(), 14u);
  forEachKernel([&](auto kernel) {
    std::set<std::string> own;
    micro::visitFields(
        kernel, [&](const std::string &key, auto &) { own.insert(key); });
    const std::string name(kernel.name);
    for (const std::string &key : keys) {
      const std::string message =
          refusalOf("#permc.schedule<" + name +
                    ", tile = [1, 16], loops = [], units = 0, "
                    "vector = 16, " +
                    key + " = 1>");
      const std::string refusal = "the key '" + key +
                                  "' in a schedule of the kind " + name +
                                  "; expected the kind ";
      EXPECT_EQ(message.starts_with(refusal), !own.contains(key))
          << name << ", " << key << ": " << message;
    }
  });
}

TEST(ScheduleFields, OfPanelsNeedOne) {
  const std::string text = "#permc.schedule<copy, tile = [1, 16], loops = [], "
                           "units = 0, vector = 16, ";
  const std::string message =
      "'whole_lines' or 'prefetch_panel' without a 'panel'";
  EXPECT_EQ(refusalOf(text + "whole_lines>"), message);
  EXPECT_EQ(refusalOf(text + "prefetch_panel = 64>"), message);
  // In any order.
  EXPECT_EQ(refusalOf(text + "whole_lines, panel = [1, 16]>"), "");
}

TEST(ScheduleFields, AreInTheDialectsPage) {
  std::ifstream file(PERMC_DOCS "/dialect.md");
  std::stringstream page;
  page << file.rdbuf();
  ASSERT_FALSE(page.str().empty());
  for (const auto &[key, schedule] : schedulesWithOneField())
    EXPECT_TRUE(page.str().find("`" + key + "`") != std::string::npos ||
                page.str().find("`" + key + " =") != std::string::npos)
        << key;
}
