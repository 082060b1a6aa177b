//===- CSupport.cpp - what generated C is built from ----------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CSource.h"

using namespace permc;

static const char *const macros = R"(#include <stddef.h>
#include <stdint.h>

/* Words are copied, not cast: to C, bytes are no words. Compilers make one
 * instruction of a copy. */
#if defined(__GNUC__)
#define PERMC_COPY __builtin_memcpy
#define PERMC_ALIGNED(p, bytes) __builtin_assume_aligned((p), (bytes))
#else
#include <string.h>
#define PERMC_COPY memcpy
#define PERMC_ALIGNED(p, bytes) (p)
#endif

/* The loops are as far unrolled as they should be. GCC is kept from two things:
 * to keep words on the stack that two rounds of a loop could share, and to call
 * memmove for a loop that copies. At -Os it does neither. */
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 8
#if !defined(__OPTIMIZE_SIZE__)
#pragma GCC optimize("no-predictive-commoning")
#pragma GCC optimize("no-tree-loop-distribute-patterns")
#endif
#define PERMC_NO_UNROLL _Pragma("GCC unroll 1")
#else
#define PERMC_NO_UNROLL
#endif

#define PERMC_IS_ALIGNED(p, bytes) (((uintptr_t)(p) & ((bytes) - 1)) == 0)

/* Code that takes words apart expects the first byte in the lowest place. */
#if defined(__BYTE_ORDER__) && defined(__ORDER_LITTLE_ENDIAN__)
#define PERMC_LITTLE_ENDIAN (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)
#else
#define PERMC_LITTLE_ENDIAN 0
#endif

)";

static const char *const pairMacro =
    R"(/* Without this GCC loads the two halves of a register pair one by one. */
#if defined(__arc__) && defined(__GNUC__)
#define PERMC_IN_ONE_PIECE(word) __asm__("" : : "r"(word))
#else
#define PERMC_IN_ONE_PIECE(word) ((void)0)
#endif

)";

static const char *const share =
    R"(/* The first unit of a part; groups of units go to parts as evenly as can be.
 * They are divided bit by bit: small machines have no division. */
static uint32_t permc_first_unit(uint32_t part, uint32_t parts, uint32_t groups,
                                 uint32_t group, uint32_t units) {
  uint32_t share = 0, rest = 0, bit;
  PERMC_NO_UNROLL
  for (bit = 0; bit < 32; ++bit) {
    rest = rest << 1 | groups >> 31;
    groups <<= 1;
    share <<= 1;
    if (rest >= parts) {
      rest -= parts;
      share |= 1;
    }
  }
  share = (part * share + (part < rest ? part : rest)) * group;
  return share < units ? share : units;
}

)";

namespace {

struct Access {
  bool isLoad, aligned;
  unsigned bytes;

  std::string name() const {
    return std::string("permc_") + (isLoad ? "load" : "store") +
           std::to_string(8 * bytes) + (aligned || bytes == 1 ? "" : "_any");
  }
  std::string type() const { return "uint" + std::to_string(8 * bytes) + "_t"; }
  /// What it passes: a register, or a pair of them.
  std::string valueType() const { return bytes == 8 ? type() : "uint32_t"; }

  std::string place() const {
    if (!aligned)
      return "p + offset";
    return "PERMC_ALIGNED(p + offset, " +
           std::to_string(bytes < 4 ? bytes : 4) + ")";
  }
  std::string write() const { return isLoad ? writeLoad() : writeStore(); }

private:
  std::string writeLoad() const {
    std::string head = "static inline " + valueType() + " " + name() +
                       "(const uint8_t *p, size_t offset) {\n";
    if (bytes == 1)
      return head + "  return p[offset];\n}\n\n";
    return head + "  " + type() + " word;\n  PERMC_COPY(&word, " + place() +
           ", sizeof word);\n" +
           (bytes == 8 ? "  PERMC_IN_ONE_PIECE(word);\n" : "") +
           "  return word;\n}\n\n";
  }
  std::string writeStore() const {
    std::string head = "static inline void " + name() +
                       "(uint8_t *p, size_t offset, " + valueType() +
                       " value) {\n";
    if (bytes == 1)
      return head + "  p[offset] = (uint8_t)value;\n}\n\n";
    return head + "  " + type() + " word = (" + type() +
           ")value;\n  PERMC_COPY(" + place() + ", &word, sizeof word);\n}\n\n";
  }
};

} // namespace

std::string permc::writeSupport(const std::string &code) {
  auto uses = [&](const std::string &name) {
    return code.find(name + "(") != std::string::npos;
  };
  std::string text = macros;
  if (uses("permc_load64"))
    text += pairMacro;
  for (bool isLoad : {true, false})
    for (unsigned bytes : {1, 2, 4, 8})
      for (bool aligned : {true, false}) {
        Access access{isLoad, aligned, bytes};
        if (bytes == 1 && !aligned)
          continue;
        if (uses(access.name()))
          text += access.write();
      }
  if (uses("permc_first_unit"))
    text += share;
  return text;
}
