//===- Cpu.cpp - what this CPU can run ------------------------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The run-time side of codegen_targets: for each target the question whether it
// is safe here. A new target of a family that the shim is built for needs a
// line.
//
//===----------------------------------------------------------------------===//

#include "Cpu.h"

#if defined(__aarch64__) || defined(__arm__)
#include <sys/auxv.h>
#endif

using namespace permc;

#if defined(__x86_64__)

static bool isLevel2() {
  return __builtin_cpu_supports("sse3") && __builtin_cpu_supports("ssse3") &&
         __builtin_cpu_supports("sse4.1") && __builtin_cpu_supports("sse4.2") &&
         __builtin_cpu_supports("popcnt");
}

static bool isLevel3() {
  return isLevel2() && __builtin_cpu_supports("avx") &&
         __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
         __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("fma") &&
         __builtin_cpu_supports("f16c") && __builtin_cpu_supports("lzcnt") &&
         __builtin_cpu_supports("movbe");
}

static bool isLevel4() {
  return isLevel3() && __builtin_cpu_supports("avx512f") &&
         __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512cd") &&
         __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512vl");
}

static bool canRunLevel(std::string_view target) {
  __builtin_cpu_init();
  if (target == "x86-64")
    return true;
  if (target == "x86-64-v2")
    return isLevel2();
  if (target == "x86-64-v3")
    return isLevel3();
  return target == "x86-64-v4" && isLevel4();
}

#elif defined(__aarch64__)

static bool canRunLevel(std::string_view target) {
  constexpr unsigned long sve = 1ul << 22;
  return target == "aarch64" ||
         (target == "aarch64-sve" && (getauxval(AT_HWCAP) & sve));
}

#elif defined(__arm__)

static bool canRunLevel(std::string_view target) {
  constexpr unsigned long neon = 1ul << 12;
  return target == "armv7-neon" && (getauxval(AT_HWCAP) & neon);
}

#else

static bool canRunLevel(std::string_view) { return false; }

#endif

bool permc::cpuCanRun(std::string_view targets) {
  for (;;) {
    const size_t comma = targets.find(',');
    if (canRunLevel(targets.substr(0, comma)))
      return true;
    if (comma == targets.npos)
      return false;
    targets.remove_prefix(comma + 1);
  }
}
