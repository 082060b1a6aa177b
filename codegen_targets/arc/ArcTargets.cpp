//===- ArcTargets.cpp - facts of ARC processors, and portable C -----------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM has no back end for ARC that Debian ships, and ARC users have compilers
// of their own: these targets make C99. `c99` takes the same road and assumes
// no more than 32-bit words at aligned addresses.
//
//===----------------------------------------------------------------------===//

#include "ArcTargets.h"

using namespace permc;

static Target makeTarget(std::string name, std::string family,
                         std::string description) {
  Target target;
  target.name = std::move(name);
  target.family = std::move(family);
  target.description = std::move(description);
  target.route = Target::Route::C;
  TargetFacts &facts = target.facts;
  facts.wordTiles = true;
  facts.wordBytes = 4;
  facts.unalignedWords = false;
  facts.foldLimit = 4;
  facts.pointerBits = 32;
  facts.lineBytes = 32;
  facts.l1Bytes = 16 << 10;
  facts.l2Bytes = facts.l3Bytes = 0; // most have closely coupled memory instead
  return target;
}

void permc::addArcTargets(std::vector<Target> &targets) {
  targets.push_back(makeTarget("arc-em", "arc", "ARC EM, as C99"));
  // HS moves register pairs (ldd, std) and words at any address. HS34 lacks
  // ldd; its compiler makes two loads of one, which costs nothing else.
  Target hs = makeTarget("arc-hs", "arc", "ARC HS3x and HS4x, as C99");
  hs.facts.wordBytes = 8;
  hs.facts.unalignedWords = true;
  hs.facts.foldLimit = 8;
  hs.facts.lineBytes = 64;
  targets.push_back(hs);
  targets.push_back(
      makeTarget("c99", "c", "portable C99 for any 32-bit or 64-bit compiler"));
}
