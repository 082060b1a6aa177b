//===- ArmMachines.cpp - made-up machines of ARM's kinds ------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ArmMachines.h"

#include "../plan/ArmPlanner.h"

using namespace permc;

std::vector<TargetFacts> permc::armMachines() {
  static const ArmPlanner joins("joins", {.joinTurn = 5, .joinStart = 13}),
      saves("saves", {.joinTurn = 5, .joinStart = 13, .savedRegisters = 8}),
      pieces("pieces", {.joinTurn = 5, .joinStart = 13, .piecesByWords = true}),
      plain("plain", {}), memory("memory", {.addressFromMemory = 3}),
      trades("trades", {.addressFromMemory = 3, .wordExchanges = true});
  TargetFacts neon;
  neon.planner = &joins;
  neon.vectorBytes = neon.foldLimit = 16;
  neon.byteShuffle = true;
  neon.l1Ways = 8;
  neon.blockLines = 2;
  neon.structureBytes = 8;
  neon.structuresOfThree = true;
  neon.halfVectors = neon.ownLastTiles = true;
  TargetFacts neon32 = neon;
  neon32.byteShuffle = false;
  TargetFacts sve = neon;
  sve.scalableVectors = true;
  TargetFacts words;
  words.planner = &plain;
  words.wordBytes = 4;
  words.wordTiles = true;
  TargetFacts pairs = words;
  pairs.planner = &memory;
  pairs.pairAlignment = 4;
  pairs.wordReach = {0, 4095};
  pairs.pairReach = {0, 1020};
  TargetFacts exchanges = pairs;
  exchanges.planner = &trades;
  exchanges.wordsPerLoad = 8;
  exchanges.stepReach = {1020, 1020};
  TargetFacts halves = neon32;
  halves.planner = &pieces;
  halves.loadsHalves = true;
  halves.structureBytes = 4;
  halves.vectorsPerLoad = 4;
  halves.wordReach = {0, 1023};
  TargetFacts helium = pairs;
  helium.vectorBytes = helium.foldLimit = 16;
  helium.gatherLoads = true;
  TargetFacts neonPairs = neon;
  neonPairs.planner = &saves;
  neonPairs.vectorRegisters = 32;
  neonPairs.vectorPairs = true;
  neonPairs.vectorReach = {0, 65520};
  neonPairs.pairReach = {1024, 1008};
  TargetFacts neonSteps = neonPairs;
  neonSteps.vectorsPerStep = 4;
  neonSteps.structuresOfLanes = true;
  TargetFacts tables = neonSteps;
  tables.tableVectors = 4;
  return {neon,      sve,       words,     helium, neon32, pairs,
          neonPairs, neonSteps, exchanges, halves, tables};
}
