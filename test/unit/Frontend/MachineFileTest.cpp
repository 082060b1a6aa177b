//===- MachineFileTest.cpp - machines in files ----------------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "permc/Frontend/MachineFile.h"

#include "permc/Plan/Cost.h"
#include "permc/Plan/Simplify.h"
#include "permc/Targets/Target.h"

#include "gtest/gtest.h"

#include <cmath>
#include <fstream>
#include <set>
#include <sstream>

using namespace permc;

namespace {

std::string noNote(const MachineKey &) { return ""; }

Machine machineOf(const char *target) { return findTarget(target)->facts; }

std::string messageOf(const std::string &text) {
  auto read = parseMachine(text, "m.yaml", machineOf("x86-64-v3"));
  return read ? "read" : read.error().message;
}

TEST(MachineFile, IsReadAsItWasWritten) {
  for (const char *target : {"x86-64-v3", "x86-64-v4", "native"}) {
    const Machine machine = machineOf(target);
    auto read = parseMachine(spellMachine(machine, "a test", noNote), "m.yaml",
                             Machine());
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(*read, machine) << target;
  }
}

TEST(MachineFile, HasEachFieldByItsName) {
  const Machine machine = machineOf("x86-64-v4");
  visitMachine(machine, [&](const MachineKey &wanted, const auto &before) {
    // Twice of all that caches have is what caches can have.
    const auto more = 2 * static_cast<double>(before);
    auto read =
        parseMachine(std::string(wanted.name) + ": " + spellQuantity(more),
                     "m.yaml", machine);
    ASSERT_TRUE(read) << read.error().message;
    visitMachine(*read, [&](const MachineKey &key, const auto &value) {
      if (std::string_view(key.name) == wanted.name)
        EXPECT_EQ(static_cast<double>(value), more) << key.name;
    });
    EXPECT_NE(*read, machine) << wanted.name;
  });
}

/// A new field is physical, and has a key.
TEST(MachineFile, HasAllFields) {
  std::set<std::string> fields, keys;
#define PERMC_MACHINE_FIELD(type, member, value) fields.insert(#member);
#include "permc/Plan/MachineFields.def"
  const Machine native = machineOf("native");
  visitMachine(native, [&](const MachineKey &key, const auto &) {
    keys.insert(key.name);
  });
  EXPECT_EQ(keys, fields);
}

TEST(MachineFile, LeavesOutWhatIsNotKnown) {
  Machine machine = machineOf("x86-64-v3");
  machine.l1Ways = 0;
  const std::string text = spellMachine(machine, "a test", noNote);
  EXPECT_EQ(text.find("l1Ways"), std::string::npos);
  EXPECT_NE(text.find("l2Ways"), std::string::npos);
}

TEST(MachineFile, SaysWhatIsWrongAndWhere) {
  EXPECT_EQ(messageOf("l2Ns: 0.3\nl3ns: 1\n"),
            "m.yaml:2:1: error: unknown key 'l3ns'; did you mean 'l3Ns'?");
  EXPECT_TRUE(
      messageOf("bandwidth: 3")
          .starts_with(
              "m.yaml:1:1: error: unknown key 'bandwidth'; expected one of "
              "lineBytes, l1Bytes, "));
  for (const char *value : {"fast", "-1", "0", "inf", "nan", "1e9", "1 ns"})
    EXPECT_EQ(messageOf(std::string("l2Ns: ") + value),
              std::string("m.yaml:1:1: error: 'l2Ns' is '") + value +
                  "'; expected a number of ns from 0.001 to 1e+06");
  EXPECT_EQ(messageOf("tlbPages: 1.5"),
            "m.yaml:1:1: error: 'tlbPages' is '1.5'; expected a whole number "
            "of pages from 1 to 1e+09");
  EXPECT_EQ(messageOf("l2Ns: [1]"),
            "m.yaml:1:1: error: 'l2Ns' is no number; expected a number of ns "
            "from 0.001 to 1e+06");
  EXPECT_EQ(messageOf("l2Ns: 1\nl2Ns: 2\n"),
            "m.yaml:2:1: error: a second 'l2Ns'; the first is on line 1");
  for (const char *text : {"", "- 1", "l2Ns"})
    EXPECT_EQ(messageOf(text),
              "m.yaml:1:1: error: this is no machine; expected lines such as "
              "'l2Ns: 0.3', as 'permc calibrate' writes them");
}

TEST(MachineFile, HasCachesThatCanBe) {
  EXPECT_EQ(messageOf("lineBytes: 48"),
            "m.yaml:1:1: error: 'lineBytes' is 48; expected a power of two "
            "from 16 to 4096");
  EXPECT_EQ(messageOf("l2Ns: 1\nl1Ways: 7"),
            "m.yaml:2:1: error: l1Bytes 32768 with l1Ways 7; expected a "
            "multiple of l1Ways times lineBytes, 448");
  EXPECT_EQ(messageOf("l1Bytes: 1048576"),
            "m.yaml:1:1: error: l1Bytes 1048576 is more than l2Bytes 524288; "
            "expected each cache to be as large as the one before, or larger");
  EXPECT_EQ(messageOf("l1Bytes: 49152\nl1Ways: 12"), "read");
}

/// Whatever a file may say, schedules move every element, and costs are
/// numbers.
TEST(MachineFile, MakesOnlyLegalSchedules) {
  const char *const files[] = {
      "{lineBytes: 16, l1Bytes: 16, l1Ways: 1, l2Bytes: 16, l2Ways: 1, "
      "l3Bytes: 16, tlbPages: 1}",
      "{lineBytes: 4096, l1Bytes: 4194304, l1Ways: 1024, l2Bytes: 4194304, "
      "l2Ways: 1, l3Bytes: 1e12}",
      "{lineBytes: 128, l1Bytes: 131072, l1Ways: 4, l2Bytes: 12582912, "
      "l2Ways: 12, l3Bytes: 25165824, tlbPages: 1e9}",
      "{l1Bytes: 512, l1Ways: 1, l2Ns: 1e6, memoryNs: 0.001, cycleNs: 1e6}"};
  for (const Target &target : allTargets())
    for (const char *text : files) {
      TargetFacts facts = target.facts;
      auto machine = parseMachine(text, "m.yaml", facts);
      ASSERT_TRUE(machine) << target.name << ": " << machine.error().message;
      static_cast<Machine &>(facts) = *machine;
      for (int64_t element : {1, 3, 4, 16})
        for (const Dims &shape :
             {Dims{7, 9}, {257, 129}, {24, 40000}, {1025, 1023}}) {
          const Problem problem = canonicalize(
              *Problem::make(element, shape, {1, 0}), facts.foldLimit);
          const Schedule schedule = chooseSchedule(problem, facts);
          Status ok = checkSchedule(problem, schedule);
          EXPECT_TRUE(ok) << target.name << ": " << ok.error().message;
          if (auto time = cost(problem, schedule, facts, facts))
            EXPECT_TRUE(std::isfinite(time->total()) && time->total() > 0)
                << target.name << " " << text;
        }
    }
}

TEST(MachineFile, HasItsKeysAndShippedValuesInThePage) {
  std::ifstream file(PERMC_DOCS "/command-line.md");
  std::stringstream page;
  page << file.rdbuf();
  const Machine zen3 = machineOf("x86-64-v3"), zen4 = machineOf("x86-64-v4");
  visitMachine(zen3, [&](const MachineKey &key, const auto &value) {
    double other = 0;
    visitMachine(zen4, [&](const MachineKey &its, const auto &theirs) {
      if (std::string_view(its.name) == key.name)
        other = static_cast<double>(theirs);
    });
    const std::string row = "| `" + std::string(key.name) + "` | " + key.unit +
                            " | " + spellQuantity(static_cast<double>(value)) +
                            " | " + spellQuantity(other) + " | ";
    EXPECT_NE(page.str().find(row), std::string::npos) << row;
  });
}

} // namespace
