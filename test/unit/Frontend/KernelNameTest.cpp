//===- KernelNameTest.cpp - names that kernels may have -------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "permc/Frontend/KernelName.h"

#include "FrontendTesting.h"

using namespace permc;

TEST(FrontendKernelName, Identifiers) {
  for (const char *name : {"hwc_to_chw", "k1", "_k", "K", "integer"})
    EXPECT_TRUE(checkKernelName(name)) << name;
  for (const char *name : {"", "1k", "a-b", "a b", "k.1", "\xc3\xa9t\xc3\xa9"})
    EXPECT_TRUE(failsWith(checkKernelName(name), Cause::BadSyntax,
                          "is not a C identifier"))
        << name;
}

TEST(FrontendKernelName, WordsOfTheLanguages) {
  for (const char *name : {"int", "restrict", "class", "co_await", "xor"})
    EXPECT_TRUE(failsWith(checkKernelName(name), Cause::BadSyntax, "keyword"))
        << name;
  for (const char *name : {"memcpy", "main"})
    EXPECT_TRUE(failsWith(checkKernelName(name), Cause::BadSyntax, "C library"))
        << name;
  for (const char *name : {"__k", "_K"})
    EXPECT_TRUE(failsWith(checkKernelName(name), Cause::BadSyntax, "reserved"))
        << name;
}

TEST(FrontendKernelName, SymbolsMustNotClash) {
  KernelNames names;
  EXPECT_TRUE(names.add("a"));
  EXPECT_TRUE(names.add("b_part"));
  EXPECT_TRUE(failsWith(names.add("a"), Cause::BadSyntax, "unique"));
  EXPECT_TRUE(failsWith(names.add("a_info"), Cause::BadSyntax,
                        "'a' and 'a_info' would both define"));
  EXPECT_TRUE(
      failsWith(names.add("b"), Cause::BadSyntax, "the symbol 'b_part'"));
  EXPECT_TRUE(failsWith(names.add("a_units"), Cause::BadSyntax,
                        "the symbol 'a_units'"));
  // A name refused leaves nothing behind.
  EXPECT_TRUE(names.add("b_info"));
}
