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
#include "mlir/IR/MLIRContext.h"

#include "gtest/gtest.h"

#include <fstream>
#include <sstream>

using namespace permc;

namespace {

void change(Dims &list) { list = {3, 5}; }
void change(bool &flag) { flag = true; }
void change(int64_t &number) { number = 7; }
void change(Reach &reach) { reach = {.back = 11, .ahead = 13}; }

/// A schedule for each field, in which that one is not what it is by default.
std::vector<std::pair<std::string, Schedule>> schedulesWithOneField() {
  std::vector<std::pair<std::string, Schedule>> all;
  Schedule some;
  some.tile = {1, 16};
  some.loops = {{0, 1}, {1, 16}};
  some.panel = Panel{.extent = {1, 16}};
  visitFields(some, [&](const std::string &key, auto &) {
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
