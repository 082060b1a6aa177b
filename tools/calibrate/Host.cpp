//===- Host.cpp - can this machine be measured? ---------------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Host.h"

#include <array>
#include <cstdint>
#include <cstring>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

using namespace permc;

#if defined(__x86_64__)

namespace {

using Registers = std::array<uint32_t, 4>; // eax, ebx, ecx, edx

Registers askCpu(uint32_t leaf) {
  Registers registers = {};
  __cpuid(leaf, registers[0], registers[1], registers[2], registers[3]);
  return registers;
}

/// The name of what is between the program and the CPU, or nothing. Emulators
/// tell it whether or not they claim to be there.
std::string hypervisorName() {
  const Registers told = askCpu(0x40000000);
  char name[12];
  std::memcpy(name, &told[1], sizeof name);
  return {name, sizeof name};
}

} // namespace

Status permc::checkMeasurable() {
  if (hypervisorName() == "TCGTCGTCGTCG")
    return Error{Cause::Unsupported,
                 "this machine is emulated by QEMU, and its times are those of "
                 "the emulator; expected to run on the machine itself"};
  return Done{};
}

std::string permc::hostBrand() {
  constexpr uint32_t first = 0x80000002, last = 0x80000004;
  if (askCpu(0x80000000)[0] < last)
    return "";
  std::string brand;
  for (uint32_t leaf = first; leaf <= last; ++leaf) {
    const Registers told = askCpu(leaf);
    brand.append(reinterpret_cast<const char *>(told.data()), sizeof told);
  }
  brand = brand.c_str(); // up to the first zero
  brand.erase(brand.find_last_not_of(' ') + 1);
  return brand;
}

#else

Status permc::checkMeasurable() {
  return Error{Cause::Unsupported,
               "only x86-64 machines can be measured so far; machine files can "
               "be written by hand for others"};
}

std::string permc::hostBrand() { return ""; }

#endif
