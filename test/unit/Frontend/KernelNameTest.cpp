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

TEST(FrontendKernelName, DerivedFromProblems) {
  EXPECT_EQ(deriveName(*Problem::make(1, {224, 224, 3}, {2, 0, 1}), "u8"),
            "permute_224x224x3xu8_201");
  EXPECT_EQ(deriveName(*Problem::make(2, {3, 4}, {1, 0}, Dims{8, 1}), "u16"),
            "permute_3x4xu16_10_from_8_1_to_3_1");
  // Where an axis has two digits they are kept apart.
  EXPECT_EQ(deriveName(*Problem::make(1, Dims(11, 2),
                                      {10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0}),
                       "i8"),
            "permute_2x2x2x2x2x2x2x2x2x2x2xi8_10_9_8_7_6_5_4_3_2_1_0");
  EXPECT_EQ(
      deriveName(*DynamicProblem::make(4, Dims{dynamicDim, 3}, {1, 0}), "f32"),
      "permute_Nx3xf32_10");
  const DynamicProblem::Sizes shape = {{1, 1}, {3, 0}},
                              strides = {{16, 0}, {2, 0}};
  EXPECT_EQ(
      deriveName(*DynamicProblem::make(2, shape, {1, 0}, 1, strides), "u16"),
      "permute_Nx3xu16_10_from_8_1_to_N_1");
}
