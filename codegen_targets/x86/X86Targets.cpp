//===- X86Targets.cpp - facts of x86 machines -----------------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The four levels of the x86-64 psABI, and `native`: the level of the machine
// permc runs on, with that machine's own caches.
//
//===----------------------------------------------------------------------===//

#include "X86Targets.h"

#include "Machines.h"

#include "permc/Threads/HostCaches.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/TargetParser/Host.h"

#include <algorithm>

using namespace permc;

static const char *const cpuLevel =
#include "x86/CpuLevel.inc"
    ;

/// Caches of a machine nobody has told us about: small enough for any server
/// core of the last ten years.
static TargetFacts genericFacts(int64_t vectorBytes) {
  TargetFacts facts;
  facts.vectorBytes = vectorBytes;
  facts.foldLimit = 16; // every level has 16-byte moves
  facts.streamingStores = true;
  facts.l1Ways = 8;
  facts.l2Ways = 8;
  facts.combiningBytes = 512;
  // Of 1000x1000 floats two lines of a row at a time go at 0.98 of memcpy's
  // speed on Zen 3, 16 at 0.46; on Emerald Rapids 2 % are gained in the mean.
  facts.blockLines = 2;
  facts.l2Bytes = 512 << 10;
  return facts;
}

static Target makeLevel(std::string name, std::string description,
                        int64_t vectorBytes) {
  Target target;
  target.name = target.cpu = std::move(name);
  target.family = "x86";
  target.description = std::move(description);
  target.triple = "x86_64-unknown-linux-gnu";
  target.facts = genericFacts(vectorBytes);
  return target;
}

/// The highest level whose features the host has all.
static int hostLevel() {
  llvm::StringMap<bool> features = llvm::sys::getHostCPUFeatures();
  auto hasAll = [&](std::initializer_list<const char *> names) {
    return std::all_of(names.begin(), names.end(),
                       [&](const char *name) { return features.lookup(name); });
  };
  if (!hasAll({"cx16", "sahf", "popcnt", "sse3", "sse4.1", "sse4.2", "ssse3"}))
    return 1;
  if (!hasAll({"avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe"}))
    return 2;
  if (!hasAll({"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"}))
    return 3;
  return 4;
}

/// The host's level with the host's caches and, if its CPU was measured, the
/// times of that; those of the level if not. LLVM's tuning for the CPU stays
/// out of it: the same request gives the same bytes on machines of one level
/// whose caches and times agree. `--machine` puts what was measured in their
/// place.
static Target makeNative(const std::vector<Target> &levels) {
  Target target = levels[hostLevel() - 1];
  target.description = "this machine: " + target.name;
  target.name = "native";
  takeHostCaches(target.facts);
  takeKnown(std::string_view(llvm::sys::getHostCPUName()), target.facts);
  return target;
}

/// Of a line from the second cache in no order.
static constexpr double waitingL2Ns = 1.3;

void permc::addX86Targets(std::vector<Target> &targets) {
  std::vector<Target> levels;
  levels.push_back(makeLevel("x86-64", "SSE2, any 64-bit x86", 16));
  levels.push_back(makeLevel("x86-64-v2", "SSE4.2, SSSE3", 16));
  levels.push_back(makeLevel("x86-64-v3", "AVX2", 32));
  levels.push_back(makeLevel("x86-64-v4", "AVX-512", 64));
  for (size_t i = 0; i < levels.size(); ++i) {
    levels[i].level = int(i) + 1;
    levels[i].levelQuery = cpuLevel;
  }
  for (size_t i = 1; i < levels.size(); ++i)
    levels[i].facts.byteShuffle = true;
  for (size_t i = 0; i + 1 < levels.size(); ++i)
    takeZen3(levels[i].facts);
  takeZen4(levels[3].facts);
  for (Target &level : levels) {
    // Theirs, less what others on the same machine use of it.
    level.facts.l3Bytes = 16 << 20;
    // Others of a level wait longer than they do: Cascade Lake.
    level.facts.l2RandomNs = waitingL2Ns;
  }
  // vpermt2w does it of 2 bytes, but by three times the work.
  levels[3].facts.wideShuffleBytes = 4;
  targets.push_back(makeNative(levels));
  targets.insert(targets.end(), levels.begin(), levels.end());
}
