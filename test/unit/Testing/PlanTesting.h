//===- PlanTesting.h - what the tests of Plan share -------------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_TEST_UNIT_PLANTESTING_H
#define PERMC_TEST_UNIT_PLANTESTING_H

#include "permc/Plan/Schedule.h"

#include <ostream>
#include <string>

namespace permc {

/// A problem that the test knows to be valid.
inline Problem problemOf(int64_t elementBytes, Dims shape, Dims perm,
                         const std::optional<Dims> &srcStrides = {},
                         const std::optional<Dims> &dstStrides = {}) {
  return *Problem::make(elementBytes, std::move(shape), std::move(perm),
                        srcStrides, dstStrides);
}

/// A machine that moves plain words.
inline TargetFacts smallMachine(int64_t wordBytes, bool unaligned) {
  TargetFacts facts;
  facts.wordTiles = true;
  facts.wordBytes = wordBytes;
  facts.unalignedWords = unaligned;
  facts.foldLimit = wordBytes;
  return facts;
}

inline std::string spell(const Problem &problem) {
  return spellShape(problem.shape()) + " by " + spellList(problem.perm()) +
         ", element " + std::to_string(problem.elementBytes()) + ", strides " +
         spellList(problem.srcByteStrides()) + " " +
         spellList(problem.dstByteStrides());
}

inline std::string spell(const Schedule &schedule) {
  std::string text =
      kernelName(schedule) + ", tile " + spellList(schedule.tile) + ", loops";
  for (const Loop &loop : schedule.loops)
    text += " " + std::to_string(loop.dim) + ":" + std::to_string(loop.step);
  return text + ", units " + std::to_string(schedule.unitLoops) + ", panel " +
         spellList(schedule.panel.value_or(Panel()).extent) + ", vector " +
         std::to_string(schedule.vectorBytes) +
         (schedule.streaming ? ", streaming" : "");
}

/// How GoogleTest shows these when they differ.
inline void PrintTo(const Problem &problem, std::ostream *out) {
  *out << spell(problem);
}
inline void PrintTo(const Schedule &schedule, std::ostream *out) {
  *out << spell(schedule);
}

} // namespace permc

/// What a failed Result says of itself: its cause and its whole message.
#define EXPECT_ERROR(result, expectedCause, expectedMessage)                   \
  do {                                                                         \
    const auto &outcome = (result);                                            \
    ASSERT_FALSE(outcome) << "was accepted";                                   \
    EXPECT_EQ(causeName(outcome.error().cause), causeName(expectedCause));     \
    EXPECT_EQ(outcome.error().message, expectedMessage);                       \
  } while (false)

#endif // PERMC_TEST_UNIT_PLANTESTING_H
