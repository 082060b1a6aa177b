//===- SuggestTarget.cpp - what an unknown target may mean ----------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Other tools have other names for the same machines. They are suggestions
// only: a target has one name, so that a build says what it means.
//
//===----------------------------------------------------------------------===//

#include "SuggestTarget.h"

#include "permc/Targets/Target.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace permc;
using llvm::StringRef;

/// The target that runs on what other tools call `name`, which has no capitals
/// and nothing between its letters and digits. Empty if it is not known.
static StringRef otherToolsName(StringRef name) {
  return llvm::StringSwitch<StringRef>(name)
      .Cases({"host", "auto", "default"}, "native")
      .Cases({"amd64", "x64", "sse", "sse2"}, "x86-64")
      .Cases({"ssse3", "sse4", "sse41", "sse42", "nehalem"}, "x86-64-v2")
      .Cases({"avx", "avx2", "haswell", "skylake", "zen", "zen2", "zen3"},
             "x86-64-v3")
      .Cases({"avx512", "avx512f", "avx512bw", "skylakeavx512", "zen4"},
             "x86-64-v4")
      .Cases({"arm64", "armv8", "armv8a", "asimd", "neon", "applem1"},
             "aarch64")
      .Cases({"sve", "sve2", "armv9", "armv9a"}, "aarch64-sve")
      .Cases({"arm", "arm32", "armhf", "armv7a", "armv7l", "cortexa5",
              "cortexa7", "cortexa8", "cortexa9", "cortexa15", "cortexa17"},
             "armv7-neon")
      .StartsWith("cortexa", "aarch64")
      .Cases({"armv7em", "cortexm7", "cortexm33"}, "cortex-m4")
      .Cases({"mve", "helium", "armv81m", "cortexm52", "cortexm85"},
             "cortex-m55")
      .Cases({"em", "arcv2em"}, "arc-em")
      .Cases({"hs", "arcv2hs"}, "arc-hs")
      // No machine code is made for these.
      .Cases({"c", "generic", "portable", "i386", "i686", "cortexm0",
              "cortexm3", "riscv", "riscv32", "riscv64"},
             "c99")
      .StartsWith("cortexr", "c99")
      .Default("");
}

/// The target whose name is a letter or two away or begins alike.
static StringRef nearestName(StringRef name) {
  constexpr unsigned maxDistance = 2;
  StringRef nearest;
  unsigned least = maxDistance + 1;
  for (const Target &target : allTargets()) {
    const StringRef each = target.name;
    unsigned distance = !name.empty() && each.starts_with_insensitive(name)
                            ? 1
                            : name.edit_distance_insensitive(each);
    if (distance < least) {
      least = distance;
      nearest = each;
    }
  }
  return nearest;
}

std::string permc::suggestTarget(StringRef name) {
  std::string plain;
  for (char c : name)
    if (llvm::isAlnum(c))
      plain += llvm::toLower(c);
  StringRef meant = otherToolsName(plain);
  if (meant.empty())
    meant = nearestName(name);
  return meant.empty() ? "" : ", did you mean '" + meant.str() + "'?";
}
