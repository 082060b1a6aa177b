//===- ArcFamily.cpp - ARC processors -------------------------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM has no back end for ARC that Debian ships, and ARC users have compilers
// of their own: these targets make C99.
//
//===----------------------------------------------------------------------===//

#include "../c/CFamily.h"

using namespace permc;

namespace {
struct ArcFamily : CFamily {
  void addTargets(std::vector<Target> &targets) const override {
    targets.push_back(makeCTarget("arc-em", "arc", "ARC EM, as C99"));
    // HS moves register pairs (ldd, std) and words at any address. HS34 lacks
    // ldd; its compiler makes two loads of one, which costs nothing else.
    Target hs = makeCTarget("arc-hs", "arc", "ARC HS3x and HS4x, as C99");
    hs.facts.wordBytes = 8;
    hs.facts.unalignedWords = true;
    hs.facts.foldLimit = 8;
    hs.facts.lineBytes = 64;
    targets.push_back(hs);
  }
};
} // namespace

const TargetFamily &permc::arcFamily() {
  static const ArcFamily family;
  return family;
}
