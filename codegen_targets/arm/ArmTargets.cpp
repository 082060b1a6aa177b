//===- ArmTargets.cpp - facts of ARM machines -----------------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// AArch64 and ARMv7 under Linux, and Cortex-M without an operating system.
// Caches are those of small cores: what does not know its machine must not
// count on more.
//
//===----------------------------------------------------------------------===//

#include "ArmTargets.h"

#include "plan/ArmPlanner.h"

using namespace permc;

static const char *const cpuLevel =
#include "arm/CpuLevel.inc"
    ;

static Target makeTarget(std::string name, std::string description,
                         std::string triple, std::string cpu,
                         std::string features) {
  Target target;
  target.name = std::move(name);
  target.family = "arm";
  target.description = std::move(description);
  target.triple = std::move(triple);
  target.cpu = std::move(cpu);
  target.features = std::move(features);
  return target;
}

/// What tiles are counted by. The back end takes about as many instructions and
/// registers on all of these machines.
static ArmCounts makeCounts() {
  return {.loopTurn = 2,
          .nestStart = 10,
          .movedBack = 5,
          .addressFromMemory = 3,
          .addressRegisters = 8,
          .stillRegisters = 5};
}

static ArmCounts makeNeonCounts() {
  ArmCounts counts = makeCounts();
  counts.freeHalves = 24; // all but d8 to d15
  counts.joinTurn = 5;
  counts.joinStart = 13;
  return counts;
}

static ArmCounts makeAArch64Counts() {
  ArmCounts counts = makeNeonCounts();
  counts.savedRegisters = 8; // v8 to v15 by stp, and by ldp
  counts.nearReach = 255;    // ldur, stur
  return counts;
}

static ArmCounts makeARMv7Counts() {
  ArmCounts counts = makeNeonCounts();
  counts.zipsBoth = counts.piecesByWords = true;
  return counts;
}

static ArmCounts makeCortexMCounts() {
  ArmCounts counts = makeCounts();
  counts.wordExchanges = true; // pkhbt, uxtb16
  counts.wordsPerRunMove = 5;  // ldm, stm
  return counts;
}

static ArmCounts makeHeliumCounts() {
  ArmCounts counts = makeCortexMCounts();
  counts.gatherCost = 4;
  return counts;
}

/// Vectors of 16 bytes, which is one lane: every shuffle is within it.
static void addNeon(TargetFacts &facts) {
  facts.vectorBytes = 16;
  facts.foldLimit = 16;
  facts.structuresOfThree = true; // ld3, vld3
  facts.halfVectors = facts.ownLastTiles = true;
  facts.l2Bytes = 512 << 10;
  facts.l3Bytes = 0;
}

static Target makeAArch64() {
  Target target = makeTarget("aarch64", "NEON, any 64-bit ARM",
                             "aarch64-unknown-linux-gnu", "generic", "+neon");
  target.level = 1;
  target.levelQuery = cpuLevel;
  static const ArmPlanner planner(target.name, makeAArch64Counts());
  target.facts.planner = &planner;
  addNeon(target.facts);
  target.facts.byteShuffle = true; // tbl
  target.facts.tableVectors = 4;
  target.facts.vectorRegisters = 32;
  target.facts.vectorPairs = true; // ldp, stp
  target.facts.vectorsPerStep = 4; // ld1, st1
  target.facts.vectorReach = {.back = 0, .ahead = 65520};
  target.facts.pairReach = {.back = 1024, .ahead = 1008};
  target.facts.structureBytes = 8;
  target.facts.structuresOfLanes = true; // st2 to st4
  return target;
}

static Target makeARMv7() {
  Target target =
      makeTarget("armv7-neon", "NEON, 32-bit Cortex-A, hard-float ABI",
                 "armv7-unknown-linux-gnueabihf", "generic", "+neon");
  static const ArmPlanner planner(target.name, makeARMv7Counts());
  target.facts.planner = &planner;
  addNeon(target.facts);
  target.facts.structureBytes = 4;
  target.facts.loadsHalves = true;
  target.facts.vectorsPerLoad = 4; // vld1
  target.facts.wordBytes = 4;
  // Plain half words reach 255 bytes, bytes and words 4095: the best of three
  // that were tried.
  target.facts.wordReach = {.back = 0, .ahead = 1023};
  target.facts.pointerBits = 32;
  return target;
}

static Target makeSVE() {
  Target target = makeAArch64();
  target.name = "aarch64-sve";
  target.level = 2;
  target.description = "SVE of any length, NEON for transposes";
  target.features = "+neon,+sve";
  target.facts.scalableVectors = true;
  return target;
}

/// Words at any address, no cache to count on.
static Target makeCortexM(const std::string &cpu, std::string description,
                          std::string triple) {
  Target target = makeTarget(cpu, std::move(description), std::move(triple),
                             cpu, /*features=*/"");
  TargetFacts &facts = target.facts;
  static const ArmPlanner planner("cortex-m", makeCortexMCounts());
  facts.planner = &planner;
  facts.wordTiles = true;
  facts.wordBytes = 4;
  facts.pairAlignment = 4; // ldrd, strd
  facts.wordsPerLoad = 8;  // ldm
  facts.wordReach = {.back = 0, .ahead = 4095};
  facts.pairReach = {.back = 0, .ahead = 1020};
  facts.stepReach = {.back = 1020, .ahead = 1020}; // strd
  facts.foldLimit = 8;
  facts.pointerBits = 32;
  facts.lineBytes = 32;
  facts.l1Bytes = facts.l2Bytes = facts.l3Bytes = 0;
  return target;
}

static Target makeCortexM55() {
  Target target =
      makeCortexM("cortex-m55", "Helium: 16-byte moves and gathers, words else",
                  "thumbv8.1m.main-unknown-none-eabi");
  static const ArmPlanner planner(target.name, makeHeliumCounts());
  target.facts.planner = &planner;
  // Helium moves 16 bytes at any address and has gathers, but no zips. Its
  // vld2 and vld4 would need aligned elements.
  target.facts.vectorBytes = 16;
  target.facts.foldLimit = 16;
  target.facts.vectorRegisters = 8;
  target.facts.vectorReach = {.back = 127, .ahead = 127}; // vldrb
  target.facts.gatherLoads = true;
  return target;
}

void permc::addArmTargets(std::vector<Target> &targets) {
  targets.push_back(makeAArch64());
  targets.push_back(makeSVE());
  targets.push_back(makeARMv7());
  targets.push_back(makeCortexM("cortex-m4", "no vectors, words at any address",
                                "thumbv7em-unknown-none-eabi"));
  targets.push_back(makeCortexM55());
}
