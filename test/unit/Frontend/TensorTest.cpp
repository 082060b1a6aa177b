//===- TensorTest.cpp - tensors as people spell them ----------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "permc/Frontend/Tensor.h"

#include "FrontendTesting.h"

using namespace permc;

TEST(FrontendTensor, ReadsSizesAndType) {
  Result<TensorSpec> tensor = parseTensor("224x224x3xu8");
  ASSERT_TRUE(tensor);
  EXPECT_EQ(tensor->shape, (Dims{224, 224, 3}));
  EXPECT_EQ(tensor->element.name, "u8");
  EXPECT_EQ(tensor->element.bytes, 1);
  EXPECT_EQ(spellTensor(*tensor), "224x224x3xu8");
}

TEST(FrontendTensor, BareTypeIsAScalar) {
  Result<TensorSpec> tensor = parseTensor("c128");
  ASSERT_TRUE(tensor);
  EXPECT_TRUE(tensor->shape.empty());
  EXPECT_EQ(tensor->element.bytes, 16);
  EXPECT_EQ(spellTensor(*tensor), "c128");
}

TEST(FrontendTensor, KnowsTheSizeOfEveryType) {
  const std::pair<const char *, int64_t> types[] = {
      {"u8", 1},       {"i8", 1},          {"u16", 2},  {"i16", 2},
      {"f16", 2},      {"u32", 4},         {"i32", 4},  {"f32", 4},
      {"u64", 8},      {"i64", 8},         {"f64", 8},  {"bf16", 2},
      {"c128", 16},    {"c64", 8},         {"bool", 1}, {"bytes1", 1},
      {"bytes12", 12}, {"bytes4096", 4096}};
  for (auto [name, bytes] : types) {
    Result<ElementType> type = parseElementType(name);
    ASSERT_TRUE(type) << name;
    EXPECT_EQ(type->name, name);
    EXPECT_EQ(type->bytes, bytes) << name;
  }
}

TEST(FrontendTensor, OpaqueTypesHaveOneSpelling) {
  Result<ElementType> type = parseElementType("bytes012");
  ASSERT_TRUE(type);
  EXPECT_EQ(type->name, "bytes12");
}

TEST(FrontendTensor, ZeroIsASize) {
  Result<TensorSpec> tensor = parseTensor("0x4xf32");
  ASSERT_TRUE(tensor);
  EXPECT_EQ(tensor->shape, (Dims{0, 4}));
}

TEST(FrontendTensor, RejectsBadSizes) {
  EXPECT_TRUE(failsWith(parseTensor("2x-3xf32"), Cause::BadSize, "dim 1"));
  EXPECT_TRUE(failsWith(parseTensor("9223372036854775808xu8"),
                        Cause::SizeOverflow, "does not fit 64 bits"));
  EXPECT_TRUE(failsWith(parseTensor("2x3.5xf32"), Cause::BadSyntax,
                        "'3.5' is not an integer"));
  EXPECT_TRUE(failsWith(parseTensor("2x+3xf32"), Cause::BadSyntax, "'+3'"));
  EXPECT_TRUE(
      failsWith(parseTensor("2x 3xf32"), Cause::BadSyntax, "expected 2x3xf32"));
}

TEST(FrontendTensor, ReadsDynamicDims) {
  Result<TensorSpec> tensor = parseTensor("?x224x?xu8");
  ASSERT_TRUE(tensor) << tensor.error().message;
  EXPECT_EQ(tensor->shape, (Dims{dynamicDim, 224, dynamicDim}));
  EXPECT_TRUE(tensor->isDynamic());
  EXPECT_FALSE(parseTensor("2x224xu8")->isDynamic());
  EXPECT_EQ(spellTensor(*tensor), "?x224x?xu8");
  EXPECT_TRUE(failsWith(parseTensor("2x??xf32"), Cause::BadSyntax, "'?\?'"));
  EXPECT_TRUE(failsWith(parseTensor("2x?"), Cause::BadElement, "2x?xf32"));
}

TEST(FrontendTensor, ReadsSpecializations) {
  const TensorSpec tensor = *parseTensor("?x224x?xu8");
  auto shapes = parseSpecializations("1x224x3, 8x224x4xu8", tensor);
  ASSERT_TRUE(shapes) << shapes.error().message;
  EXPECT_EQ(*shapes, (std::vector<Dims>{{1, 3}, {8, 4}}));
  for (const char *other : {"1x225x3", "1x224", "1x224x3xi8", "1x224x?"})
    EXPECT_TRUE(failsWith(parseSpecializations(other, tensor), Cause::BadSize,
                          "is none of ?x224x?xu8"))
        << other;
  EXPECT_TRUE(failsWith(parseSpecializations("1x224x3,1x224x3", tensor),
                        Cause::BadSyntax, "given twice"));
  EXPECT_TRUE(failsWith(parseSpecializations("1x224x3,", tensor),
                        Cause::BadSyntax, "is empty"));
  EXPECT_TRUE(failsWith(parseSpecializations("1x-2x3", tensor), Cause::BadSize,
                        "0 or more"));
  EXPECT_TRUE(failsWith(parseSpecializations("1x2", *parseTensor("1x2xu8")),
                        Cause::BadSyntax, "which has no '?'"));
}

TEST(FrontendTensor, RejectsMissingPieces) {
  EXPECT_TRUE(failsWith(parseTensor(""), Cause::BadSyntax, "is empty"));
  EXPECT_TRUE(failsWith(parseTensor("2xx3xf32"), Cause::BadSyntax, "dim 1"));
  EXPECT_TRUE(failsWith(parseTensor("x2xf32"), Cause::BadSyntax, "dim 0"));
  EXPECT_TRUE(failsWith(parseTensor("2x3x"), Cause::BadSyntax,
                        "ends without an element type"));
  EXPECT_TRUE(
      failsWith(parseTensor("2x3"), Cause::BadElement, "has no element type"));
  EXPECT_TRUE(failsWith(parseTensor("x"), Cause::BadSyntax, "dim 0"));
}

TEST(FrontendTensor, RejectsUnknownTypesWithASuggestion) {
  EXPECT_TRUE(failsWith(parseTensor("2xfloat32"), Cause::BadElement,
                        "did you mean 'f32'?"));
  EXPECT_TRUE(failsWith(parseTensor("2xF64"), Cause::BadElement, "'f64'?"));
  EXPECT_TRUE(failsWith(parseTensor("2xu33"), Cause::BadElement, "'u32'?"));
  Result<TensorSpec> unknown = parseTensor("2xquaternion");
  EXPECT_TRUE(failsWith(unknown, Cause::BadElement, "known: u8 i8"));
  EXPECT_EQ(unknown.error().message.find("did you mean"), std::string::npos);
}

TEST(FrontendTensor, NamesTypesWithAnXWhole) {
  const std::pair<const char *, const char *> types[] = {
      {"complex64", "c64"},     {"complex128", "c128"}, {"complex<f32>", "c64"},
      {"complex<f64>", "c128"}, {"fx8", "i8"},          {"fx16", "i16"}};
  for (auto [name, known] : types)
    for (const char *sizes : {"", "2x", "2x?x3x"})
      EXPECT_TRUE(failsWith(parseTensor(std::string(sizes) + name),
                            Cause::BadElement,
                            "unknown element type '" + std::string(name) +
                                "', did you mean '" + known + "'?"))
          << sizes << name;
  // What only ends like one is split as before.
  EXPECT_TRUE(failsWith(parseTensor("2xcompacx8"), Cause::BadSyntax, "dim 1"));
}

TEST(FrontendTensor, RejectsBadOpaqueTypes) {
  for (const char *type : {"bytes", "bytes0", "bytes-4", "bytesN"})
    EXPECT_TRUE(failsWith(parseElementType(type), Cause::BadElement, "N >= 1"));
  EXPECT_TRUE(failsWith(parseElementType("bytes9223372036854775808"),
                        Cause::SizeOverflow, "64 bits"));
}

TEST(FrontendTensor, RejectsTypesThatAreNotWholeBytes) {
  EXPECT_TRUE(failsWith(parseElementType("u4"), Cause::Unsupported,
                        "smaller than a byte"));
  EXPECT_TRUE(
      failsWith(parseElementType("string"), Cause::Unsupported, "owns memory"));
}

TEST(FrontendTensor, BoundsTheRank) {
  std::string tensor;
  for (int dim = 0; dim < maxRank; ++dim)
    tensor += "1x";
  EXPECT_TRUE(parseTensor(tensor + "u8"));
  EXPECT_TRUE(
      failsWith(parseTensor("1x" + tensor + "u8"), Cause::BadRank, "rank 65"));
}
