//===- OpenVINOConstants.cpp - orders in a .bin file ----------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OpenVINOConstants.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Path.h"

using namespace permc;
using llvm::StringRef;
using llvm::Twine;

namespace {

/// What stands in for a file that git keeps elsewhere.
constexpr StringRef lfsPointer = "version https://git-lfs.github.com/";

/// What an integer of OpenVINO looks like in the .bin file.
struct IntegerType {
  unsigned bytes;
  bool isSigned;
};

std::optional<IntegerType> findIntegerType(StringRef name) {
  return llvm::StringSwitch<std::optional<IntegerType>>(name)
      .CaseLower("i8", IntegerType{1, true})
      .CaseLower("i16", IntegerType{2, true})
      .CaseLower("i32", IntegerType{4, true})
      .CaseLower("i64", IntegerType{8, true})
      .CaseLower("u8", IntegerType{1, false})
      .CaseLower("u16", IntegerType{2, false})
      .CaseLower("u32", IntegerType{4, false})
      .CaseLower("u64", IntegerType{8, false})
      .Default(std::nullopt);
}

Error fail(Cause cause, const Twine &message) { return {cause, message.str()}; }

Result<Dims> decode(IntegerType type, StringRef bytes, size_t count) {
  Dims values;
  for (size_t i = 0; i < count; ++i) {
    uint64_t value = 0;
    for (unsigned byte = 0; byte < type.bytes; ++byte)
      value |= uint64_t(uint8_t(bytes[i * type.bytes + byte])) << 8 * byte;
    if (type.isSigned)
      value = static_cast<uint64_t>(llvm::SignExtend64(value, 8 * type.bytes));
    else if (value > INT64_MAX)
      return fail(Cause::AxisOutOfRange,
                  "the axis " + Twine(value) + " in an order");
    values.push_back(static_cast<int64_t>(value));
  }
  return values;
}

} // namespace

OpenVINOConstants::OpenVINOConstants(const std::string &xmlPath) {
  llvm::SmallString<256> beside(xmlPath);
  llvm::sys::path::replace_extension(beside, "bin");
  path = beside.str().str();
}

/// The file's bytes, or the reason why it has none for us.
Result<StringRef> OpenVINOConstants::open(std::string &reason) {
  const std::string isIn = (atRunTime + " (the order is in " +
                            llvm::sys::path::filename(path) + ", ")
                               .str();
  if (!file) {
    auto opened = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                              /*RequiresNullTerminator=*/false);
    if (!opened && opened.getError() == std::errc::no_such_file_or_directory) {
      reason = isIn + "which is missing)";
      return StringRef();
    }
    if (!opened)
      return fail(Cause::BadFile,
                  "cannot read '" + path + "': " + opened.getError().message());
    file = std::move(*opened);
  }
  if (file->getBuffer().starts_with(lfsPointer))
    reason = isIn + "which is a Git LFS pointer: fetch it with 'git lfs pull')";
  return file->getBuffer();
}

Result<FoundOrder> OpenVINOConstants::readOrder(StringRef typeName,
                                                StringRef shape, int64_t offset,
                                                int64_t size) {
  const auto type = findIntegerType(typeName);
  if (!type)
    return fail(Cause::BadElement, "an order of the type '" + typeName +
                                       "'; expected an integer type");
  int64_t count = 0;
  if (shape.trim().getAsInteger(10, count) || count < 0)
    return fail(Cause::BadRank, "an order of the shape [" + shape +
                                    "]; expected a list of one dim");
  if (count > maxRank)
    return fail(Cause::BadRank, "an order of " + Twine(count) +
                                    " axes; expected " + Twine(maxRank) +
                                    " at most");
  if (size != count * type->bytes)
    return fail(Cause::BadSize, Twine(count) + " axes of the type " + typeName +
                                    " in " + Twine(size) + " bytes; expected " +
                                    Twine(count * type->bytes));
  if (count == 0)
    return FoundOrder{Dims{}};
  std::string reason;
  auto bytes = open(reason);
  if (!bytes)
    return bytes.error();
  if (!reason.empty())
    return FoundOrder{std::nullopt, reason};
  const auto available = static_cast<int64_t>(bytes->size());
  if (offset < 0 || offset > available || size > available - offset)
    return fail(Cause::BadFile,
                Twine(size) + " bytes at offset " + Twine(offset) +
                    " of the .bin file, which has " + Twine(available));
  auto axes = decode(
      *type,
      bytes->substr(static_cast<size_t>(offset), static_cast<size_t>(size)),
      static_cast<size_t>(count));
  if (!axes)
    return axes.error();
  return FoundOrder{std::move(*axes)};
}
