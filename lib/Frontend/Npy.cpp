//===- Npy.cpp - numpy's .npy files ---------------------------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A .npy file is a magic string, a version, the length of the header, the
// header, and the array's bytes. Version 1.0 counts the header in two bytes,
// 2.0 and 3.0 in four; 3.0 is UTF-8 where the others are Latin-1.
//
//===----------------------------------------------------------------------===//

#include "permc/Frontend/Npy.h"

#include "NpyDict.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/JSON.h"

#include <optional>

using namespace permc;
using llvm::StringRef;
using llvm::Twine;

static constexpr StringRef magic = "\x93NUMPY";
static constexpr size_t versionBytes = 2;
/// numpy starts the data at a multiple of this.
static constexpr size_t dataAlignment = 64;

/// How many bytes hold the header's length, or 0 for an unknown version.
static size_t lengthBytes(unsigned major, unsigned minor) {
  if (minor != 0)
    return 0;
  return major == 1 ? 2 : major == 2 || major == 3 ? 4 : 0;
}

/// The bytes of all elements, or nothing if they do not fit 63 bits. A size of
/// 0 does not excuse the others, as in Problem::make.
static std::optional<int64_t> dataBytes(const NpyDict &dict) {
  int64_t bytes = dict.elementBytes;
  bool isEmpty = false;
  for (int64_t size : dict.shape) {
    isEmpty |= size == 0;
    if (size != 0 && __builtin_mul_overflow(bytes, size, &bytes))
      return std::nullopt;
  }
  return isEmpty ? 0 : bytes;
}

namespace {

/// Reads one file; all its errors name the file.
class NpyReader {
public:
  NpyReader(StringRef file, const std::string &path) : file(file), path(path) {}

  Result<NpyHeader> read() const {
    if (!file.starts_with(magic))
      return magic.starts_with(file)
                 ? truncated("in its magic string")
                 : fail(Cause::BadFile,
                        "is not a .npy file: it begins with 0x" +
                            llvm::toHex(file.take_front(magic.size())) +
                            "; expected the magic string 0x" +
                            llvm::toHex(magic));
    const size_t versionEnd = magic.size() + versionBytes;
    if (file.size() < versionEnd)
      return truncated("in its version");
    const unsigned major = uint8_t(file[magic.size()]);
    const unsigned minor = uint8_t(file[magic.size() + 1]);
    const size_t lengthEnd = versionEnd + lengthBytes(major, minor);
    if (lengthEnd == versionEnd)
      return fail(Cause::Unsupported, "has the .npy version " + Twine(major) +
                                          "." + Twine(minor) +
                                          "; expected 1.0, 2.0 or 3.0");
    if (file.size() < lengthEnd)
      return truncated("in the length of its header");
    const char *length = file.data() + versionEnd;
    const size_t headerBytes = major == 1
                                   ? llvm::support::endian::read16le(length)
                                   : llvm::support::endian::read32le(length);
    if (file.size() - lengthEnd < headerBytes)
      return truncated("in its header of " + Twine(headerBytes) + " bytes");
    return readHeader(file.substr(lengthEnd, headerBytes),
                      lengthEnd + headerBytes);
  }

private:
  Result<NpyHeader> readHeader(StringRef text, size_t dataOffset) const {
    Result<NpyDict> dict = parseNpyDict(text);
    if (!dict)
      return fail(dict.error().cause,
                  "cannot be read: " + dict.error().message);
    if (dict->shape.size() > size_t(maxRank))
      return fail(Cause::BadRank, "holds an array of rank " +
                                      Twine(dict->shape.size()) +
                                      "; expected at most " + Twine(maxRank));
    const std::optional<int64_t> expected = dataBytes(*dict);
    if (!expected)
      return fail(Cause::SizeOverflow,
                  "holds an array " + spellShape(dict->shape) + " of " +
                      Twine(dict->elementBytes) +
                      "-byte elements, whose bytes do not fit 63 bits");
    const size_t found = file.size() - dataOffset;
    if (found != static_cast<size_t>(*expected))
      return fail(Cause::BadFile,
                  "has " + Twine(found) + " bytes of data; expected " +
                      Twine(*expected) + " for the shape " +
                      spellShape(dict->shape) + " of " +
                      Twine(dict->elementBytes) + "-byte elements");
    return NpyHeader{std::move(dict->descr), dict->elementBytes,
                     std::move(dict->shape), dict->fortranOrder,
                     static_cast<int64_t>(dataOffset)};
  }

  Error truncated(const Twine &where) const {
    return fail(Cause::BadFile, "is truncated: its " + Twine(file.size()) +
                                    " bytes end " + where);
  }

  Error fail(Cause cause, const Twine &what) const {
    return {cause, ("'" + path + "' " + what).str()};
  }

  const StringRef file;
  const std::string &path;
};

} // namespace

Result<NpyHeader> permc::readNpyHeader(std::string_view file,
                                       const std::string &path) {
  return NpyReader(file, path).read();
}

/// Python's spelling of a tuple: "()", "(3,)", "(3, 4)".
static std::string spellTuple(const Dims &shape) {
  std::string text;
  for (int64_t size : shape)
    text += (text.empty() ? "" : ", ") + std::to_string(size);
  return "(" + text + (shape.size() == 1 ? ",)" : ")");
}

std::string permc::writeNpyHeader(std::string_view descr, const Dims &shape) {
  StringRef type = descr;
  std::string dict =
      ("{'descr': " +
       (type.starts_with("[") ? type.str() : "'" + type.str() + "'") +
       ", 'fortran_order': False, 'shape': " + spellTuple(shape) + ", }");

  // Version 1.0 wherever it can say it, as numpy does.
  const bool needsUtf8 = !llvm::isASCII(type) && llvm::json::isUTF8(type);
  const bool isLong = dict.size() + dataAlignment > UINT16_MAX;
  const char major = needsUtf8 ? 3 : isLong ? 2 : 1;
  const size_t start = magic.size() + versionBytes + lengthBytes(major, 0);
  const size_t end = llvm::alignTo(start + dict.size() + 1, dataAlignment);
  dict.append(end - start - dict.size() - 1, ' ');
  dict += '\n';

  std::string header = magic.str() + major + '\0';
  for (size_t byte = 0; byte < lengthBytes(major, 0); ++byte)
    header += static_cast<char>(dict.size() >> (8 * byte));
  return header + dict;
}

/// How numpy spells the types that it has.
static constexpr struct {
  llvm::StringLiteral name, descr;
} npyTypes[] = {
    {"bool", "|b1"}, {"u8", "|u1"},    {"i8", "|i1"},  {"u16", "<u2"},
    {"i16", "<i2"},  {"f16", "<f2"},   {"u32", "<u4"}, {"i32", "<i4"},
    {"f32", "<f4"},  {"u64", "<u8"},   {"i64", "<i8"}, {"f64", "<f8"},
    {"c64", "<c8"},  {"c128", "<c16"},
};

ElementType permc::elementOf(const NpyHeader &header) {
  // Whatever the order of the bytes: they are moved, not looked at.
  for (const auto &type : npyTypes)
    if (type.descr.drop_front() == llvm::StringRef(header.descr).drop_front())
      return {type.name.str(), header.elementBytes};
  return {"bytes" + std::to_string(header.elementBytes), header.elementBytes};
}

std::string permc::npyDescr(const ElementType &type) {
  for (const auto &known : npyTypes)
    if (known.name == type.name)
      return known.descr.str();
  // numpy has no bf16; its extensions write their types as opaque bytes too.
  return "|V" + std::to_string(type.bytes);
}
