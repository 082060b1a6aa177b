//===- NpyTest.cpp - .npy files made by hand ------------------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "permc/Frontend/Npy.h"

#include "FrontendTesting.h"

using namespace permc;

/// A file of the given version whose header is `dict`, without padding.
static std::string npyFile(char major, const std::string &dict,
                           size_t dataBytes) {
  std::string file = std::string("\x93NUMPY") + major + '\0';
  for (int byte = 0; byte < (major == 1 ? 2 : 4); ++byte)
    file += static_cast<char>(dict.size() >> (8 * byte));
  return file + dict + std::string(dataBytes, 'd');
}

static std::string dictOf(const std::string &descr, const std::string &shape) {
  return "{'descr': " + descr + ", 'fortran_order': False, 'shape': " + shape +
         ", }\n";
}

static Result<NpyHeader> read(const std::string &file) {
  return readNpyHeader(file, "a.npy");
}

/// The element size that a one-element file with this descr has.
static int64_t elementBytes(const std::string &descr, size_t dataBytes) {
  Result<NpyHeader> header = read(npyFile(1, dictOf(descr, "()"), dataBytes));
  EXPECT_TRUE(header) << header.error().message;
  return header ? header->elementBytes : -1;
}

static testing::AssertionResult descrFails(const std::string &descr,
                                           Cause cause, std::string_view text) {
  return failsWith(read(npyFile(1, dictOf(descr, "(0,)"), 0)), cause, text);
}

static testing::AssertionResult shapeFails(const std::string &shape,
                                           Cause cause, std::string_view text) {
  return failsWith(read(npyFile(1, dictOf("'|u1'", shape), 0)), cause, text);
}

TEST(FrontendNpy, ReadsAllVersions) {
  for (char major : {1, 2, 3}) {
    std::string file = npyFile(major, dictOf("'<f4'", "(2, 3)"), 24);
    Result<NpyHeader> header = read(file);
    ASSERT_TRUE(header) << header.error().message;
    EXPECT_EQ(header->descr, "<f4");
    EXPECT_EQ(header->elementBytes, 4);
    EXPECT_EQ(header->shape, (Dims{2, 3}));
    EXPECT_FALSE(header->fortranOrder);
    EXPECT_EQ(file.substr(header->dataOffset), std::string(24, 'd'));
  }
}

TEST(FrontendNpy, ReadsWhatPythonMayWrite) {
  // Keys in any order, either quote, no trailing comma, Python 2's longs.
  Result<NpyHeader> header = read(npyFile(
      1, "{\"shape\":(3L,),\"fortran_order\":True,\"descr\":\">i2\"}   \n", 6));
  ASSERT_TRUE(header) << header.error().message;
  EXPECT_EQ(header->descr, ">i2");
  EXPECT_TRUE(header->fortranOrder);
  EXPECT_EQ(header->shape, (Dims{3}));
}

TEST(FrontendNpy, ReadsScalarsAndEmptyArrays) {
  Result<NpyHeader> scalar = read(npyFile(1, dictOf("'<f8'", "()"), 8));
  ASSERT_TRUE(scalar);
  EXPECT_TRUE(scalar->shape.empty());
  Result<NpyHeader> empty = read(npyFile(1, dictOf("'<f8'", "(3, 0)"), 0));
  ASSERT_TRUE(empty);
  EXPECT_EQ(empty->shape, (Dims{3, 0}));
}

TEST(FrontendNpy, KnowsElementSizes) {
  EXPECT_EQ(elementBytes("'|b1'", 1), 1);
  EXPECT_EQ(elementBytes("'?'", 1), 1);
  EXPECT_EQ(elementBytes("'>c16'", 16), 16);
  EXPECT_EQ(elementBytes("'|S10'", 10), 10);
  EXPECT_EQ(elementBytes("'<U5'", 20), 20);
  EXPECT_EQ(elementBytes("'|V7'", 7), 7);
  EXPECT_EQ(elementBytes("'<M8[ns]'", 8), 8);
  EXPECT_EQ(elementBytes("[('a', '<f4'), ('', '|V4'), ('b', '<f8')]", 16), 16);
  EXPECT_EQ(elementBytes("[('a', '<f4', (2, 3)), ('b', '|u1', (2,))]", 26), 26);
  EXPECT_EQ(
      elementBytes("[('p', [('x', '<f4'), ('y', '<f4')]), ('n', '|i1')]", 9),
      9);
  EXPECT_EQ(elementBytes("[(('title', 'n\\'a'), '<i8')]", 8), 8);
}

TEST(FrontendNpy, KeepsStructuredDescrs) {
  const std::string descr = "[('a', '<f4'), ('b', '>i2', (3,))]";
  Result<NpyHeader> header = read(npyFile(1, dictOf(descr, "(2,)"), 20));
  ASSERT_TRUE(header) << header.error().message;
  EXPECT_EQ(header->descr, descr);
  std::string again = writeNpyHeader(header->descr, header->shape);
  Result<NpyHeader> reread = read(again + std::string(20, 'd'));
  ASSERT_TRUE(reread) << reread.error().message;
  EXPECT_EQ(reread->descr, descr);
  EXPECT_EQ(reread->elementBytes, 10);
}

TEST(FrontendNpy, RejectsOtherFiles) {
  EXPECT_TRUE(failsWith(read("PK\x03\x04 a zip file"), Cause::BadFile,
                        "'a.npy' is not a .npy file: it begins with "
                        "0x504B03042061; expected the magic string"));
  EXPECT_TRUE(failsWith(read(npyFile(4, "{}", 0)), Cause::Unsupported,
                        "version 4.0; expected 1.0, 2.0 or 3.0"));
  std::string minor = npyFile(1, dictOf("'|u1'", "()"), 1);
  minor[7] = 1;
  EXPECT_TRUE(failsWith(read(minor), Cause::Unsupported, "version 1.1"));
}

TEST(FrontendNpy, RejectsElementsItCannotMove) {
  EXPECT_TRUE(descrFails("'|O'", Cause::Unsupported, "Python objects"));
  EXPECT_TRUE(descrFails("[('a', '<f4'), ('b', '|O')]", Cause::Unsupported,
                         "Python objects"));
  EXPECT_TRUE(descrFails("[('a', '<f4') ('b', '<i2')]", Cause::BadFile, "','"));
  EXPECT_TRUE(descrFails("[('a', '<f4', 3 4)]", Cause::BadFile, "')'"));
  EXPECT_TRUE(
      descrFails("[('a', '<f4', (2 3))]", Cause::BadFile, "',' or ')'"));
  EXPECT_TRUE(descrFails("'<q4'", Cause::BadElement, "'<q4' is no type"));
  EXPECT_TRUE(descrFails("'<f'", Cause::BadElement, "'<f' is no type"));
  EXPECT_TRUE(descrFails("'<f-4'", Cause::BadElement, "is no type"));
  EXPECT_TRUE(descrFails("''", Cause::BadElement, "is no type"));
  EXPECT_TRUE(descrFails("'|V0'", Cause::BadElement, "0 bytes"));
  EXPECT_TRUE(descrFails("[]", Cause::BadElement, "0 bytes"));
  EXPECT_TRUE(descrFails("{'names': ['a']}", Cause::BadFile,
                         "expected a descr: a string, or a list of fields"));
  std::string nested;
  for (int depth = 0; depth < 1000; ++depth)
    nested += "[('a', ";
  EXPECT_TRUE(descrFails(nested, Cause::Unsupported, "nested more than"));
}

TEST(FrontendNpy, RejectsSizesThatOverflow) {
  EXPECT_TRUE(
      descrFails("'|V99999999999999999999'", Cause::SizeOverflow, "64 bits"));
  EXPECT_TRUE(
      descrFails("'<U4611686018427387904'", Cause::SizeOverflow, "64 bits"));
  EXPECT_TRUE(descrFails("[('a', '<f8', (4294967296, 4294967296))]",
                         Cause::SizeOverflow, "64 bits"));
  EXPECT_TRUE(descrFails("[('a', '|V9223372036854775807'), ('b', '|u1')]",
                         Cause::SizeOverflow, "64 bits"));
  EXPECT_TRUE(
      shapeFails("(4294967296, 4294967296)", Cause::SizeOverflow, "63 bits"));
  EXPECT_TRUE(shapeFails("(0, 4294967296, 4294967296)", Cause::SizeOverflow,
                         "63 bits"));
  EXPECT_TRUE(
      shapeFails("(99999999999999999999,)", Cause::SizeOverflow, "64 bits"));
}

TEST(FrontendNpy, RejectsBadShapes) {
  EXPECT_TRUE(shapeFails("(-1,)", Cause::BadSize, "the size -1"));
  EXPECT_TRUE(shapeFails("(3)", Cause::BadFile, "a tuple, written (3,)"));
  EXPECT_TRUE(shapeFails("(3 4)", Cause::BadFile, "',' or ')'"));
  EXPECT_TRUE(shapeFails("(a,)", Cause::BadFile, "a size"));
  EXPECT_TRUE(shapeFails("[3]", Cause::BadFile, "'('"));
  std::string ones;
  for (int64_t dim = 0; dim <= maxRank; ++dim)
    ones += "1,";
  EXPECT_TRUE(shapeFails("(" + ones + ")", Cause::BadRank, "rank 65"));
}

TEST(FrontendNpy, RejectsBadDicts) {
  auto fails = [](const std::string &dict, std::string_view text) {
    return failsWith(read(npyFile(1, dict, 0)), Cause::BadFile, text);
  };
  EXPECT_TRUE(fails("", "offset 0; expected '{'"));
  EXPECT_TRUE(fails("{}", "no key 'descr'"));
  EXPECT_TRUE(fails("{'descr': '|u1', 'shape': ()}", "no key 'fortran_order'"));
  EXPECT_TRUE(
      fails("{'descr': '|u1', 'fortran_order': True}", "no key 'shape'"));
  EXPECT_TRUE(fails("{'descr': '|u1', 'descr': '|u1'}", "'descr' twice"));
  EXPECT_TRUE(fails("{'order': 'C'}", "the key 'order'; expected"));
  EXPECT_TRUE(fails("{'fortran_order': 1}", "True or False"));
  EXPECT_TRUE(fails("{'descr': '|u1", "a string that ends"));
  EXPECT_TRUE(fails("{'descr' '|u1'}", "':'"));
  EXPECT_TRUE(fails("{'shape': () 'descr': '|u1'}", "','"));
  EXPECT_TRUE(
      fails(dictOf("'|u1'", "(0,)") + "more", "nothing after the dict"));
}

TEST(FrontendNpy, RejectsDataOfTheWrongLength) {
  const std::string dict = dictOf("'<f4'", "(2, 3)");
  EXPECT_TRUE(failsWith(read(npyFile(1, dict, 23)), Cause::BadFile,
                        "has 23 bytes of data; expected 24 for the shape 2x3 "
                        "of 4-byte elements"));
  EXPECT_TRUE(failsWith(read(npyFile(1, dict, 25)), Cause::BadFile, "25"));
}

/// Cut at every length, a file is refused, never misread.
TEST(FrontendNpy, RejectsEveryTruncation) {
  for (char major : {1, 2, 3}) {
    const std::string file =
        npyFile(major, dictOf("[('a', '<f4', (2,))]", "(2, 3)"), 48);
    Result<NpyHeader> whole = read(file);
    ASSERT_TRUE(whole) << whole.error().message;
    const size_t dataOffset = whole->dataOffset;
    for (size_t length = 0; length < file.size(); ++length) {
      // A view of a copy of that very length: reading past it is out of bounds.
      std::vector<char> copy(file.begin(), file.begin() + length);
      Result<NpyHeader> header =
          readNpyHeader({copy.data(), copy.size()}, "a.npy");
      EXPECT_TRUE(
          failsWith(header, Cause::BadFile,
                    length < dataOffset ? "is truncated" : "bytes of data"))
          << length;
    }
  }
}

/// Damaged, a file may still be one, but then the sizes fit together.
TEST(FrontendNpy, SurvivesDamage) {
  const std::string file =
      npyFile(2, dictOf("[('a', '<f4', (2,))]", "(2, 3)"), 48);
  for (size_t at = 0; at < file.size(); ++at)
    for (int damage = 0; damage < 256; ++damage) {
      std::string damaged = file;
      damaged[at] = static_cast<char>(damage);
      Result<NpyHeader> header = read(damaged);
      if (!header)
        continue;
      int64_t bytes = header->elementBytes;
      for (int64_t size : header->shape)
        bytes *= size;
      EXPECT_EQ(header->dataOffset + bytes, int64_t(file.size()));
    }
}

TEST(FrontendNpy, WritesWhatItReads) {
  for (const Dims &shape : {Dims{}, Dims{3}, Dims{2, 3}, Dims{0, 5}}) {
    std::string file = writeNpyHeader("<f4", shape);
    EXPECT_EQ(file.size() % 64, 0u);
    EXPECT_EQ(file[6], 1);
    EXPECT_EQ(file.back(), '\n');
    const size_t offset = file.size();
    int64_t bytes = 4;
    for (int64_t size : shape)
      bytes *= size;
    file.append(bytes, 'd');
    Result<NpyHeader> header = read(file);
    ASSERT_TRUE(header) << header.error().message;
    EXPECT_EQ(header->descr, "<f4");
    EXPECT_EQ(header->shape, shape);
    EXPECT_EQ(header->dataOffset, int64_t(offset));
  }
}

TEST(FrontendNpy, WritesTheBytesOfTheFormat) {
  std::string header = writeNpyHeader("|u1", {3});
  std::string dict =
      "{'descr': '|u1', 'fortran_order': False, 'shape': (3,), }";
  std::string expected = std::string("\x93NUMPY\x01\x00\x76\x00", 10) + dict +
                         std::string(128 - 10 - dict.size() - 1, ' ') + "\n";
  EXPECT_EQ(header, expected);
}

TEST(FrontendNpy, PadsEveryLengthTo64) {
  for (int64_t size = 1; size < INT64_MAX / 10; size *= 10)
    EXPECT_EQ(writeNpyHeader("|u1", {0, size, size}).size() % 64, 0u);
}

TEST(FrontendNpy, TakesALaterVersionWhereItMust) {
  std::string fields;
  for (int field = 0; field < 5000; ++field)
    fields += "('f" + std::to_string(field) + "', '|u1'), ";
  const std::string descr = "[" + fields + "]";
  std::string file = writeNpyHeader(descr, {});
  EXPECT_EQ(file[6], 2);
  EXPECT_EQ(file.size() % 64, 0u);
  Result<NpyHeader> header = read(file + std::string(5000, 'd'));
  ASSERT_TRUE(header) << header.error().message;
  EXPECT_EQ(header->elementBytes, 5000);

  file = writeNpyHeader("[('\xc3\xa9', '|u1')]", {});
  EXPECT_EQ(file[6], 3);
  EXPECT_TRUE(read(file + "d"));
}

TEST(FrontendNpy, DescrsOfOurTypes) {
  const std::pair<const char *, const char *> descrs[] = {
      {"u8", "|u1"},  {"i8", "|i1"},    {"u16", "<u2"},  {"i16", "<i2"},
      {"f16", "<f2"}, {"bf16", "|V2"},  {"u32", "<u4"},  {"i32", "<i4"},
      {"f32", "<f4"}, {"u64", "<u8"},   {"i64", "<i8"},  {"f64", "<f8"},
      {"c64", "<c8"}, {"c128", "<c16"}, {"bool", "|b1"}, {"bytes12", "|V12"}};
  for (auto [name, descr] : descrs) {
    Result<ElementType> type = parseElementType(name);
    ASSERT_TRUE(type);
    EXPECT_EQ(npyDescr(*type), descr);
    EXPECT_EQ(elementBytes("'" + npyDescr(*type) + "'", type->bytes),
              type->bytes);
  }
}

TEST(FrontendNpy, NamesElementsWhateverTheirByteOrder) {
  auto named = [](const char *descr, int64_t bytes) {
    NpyHeader header;
    header.descr = descr;
    header.elementBytes = bytes;
    return elementOf(header).name;
  };
  EXPECT_EQ(named("<f4", 4), "f32");
  EXPECT_EQ(named(">f4", 4), "f32");
  EXPECT_EQ(named("|b1", 1), "bool");
  EXPECT_EQ(named(">c16", 16), "c128");
  EXPECT_EQ(named("|S5", 5), "bytes5");
}
