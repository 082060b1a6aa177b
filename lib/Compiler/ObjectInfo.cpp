//===- ObjectInfo.cpp - what is in an object that permc made --------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads `NAME_info` (permc-c/kernel.h) as KernelInfo.cpp wrote it. Its pointers
// are relocations against constants of the same file. Whatever the file says is
// bounded by what is there: it may be anyone's.
//
//===----------------------------------------------------------------------===//

#include "permc/Compiler/ObjectInfo.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Object/Archive.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/Endian.h"

using namespace permc;
using llvm::StringRef;
namespace object = llvm::object;

namespace {

constexpr StringRef infoSuffix = "_info";

Error malformed(const std::string &what) {
  return {Cause::BadFile, "an object that permc did not make: " + what};
}

/// Reads the fields of one description in their order.
class InfoReader {
public:
  InfoReader(const object::ELFObjectFileBase &file,
             const object::ELFSymbolRef &symbol, std::string name)
      : file(file), symbol(symbol), name(std::move(name)),
        pointerBytes(file.getBytesInAddress()) {}

  Result<Request> read() {
    if (!findSection())
      return malformed(name + infoSuffix.str() + " is in no section");
    const uint64_t size = word();
    const uint64_t rank = word(), element = word();
    word(); // alignment
    wide(); // src_bytes
    wide(); // dst_bytes
    if (failed || rank > uint64_t(maxRank) || size > symbol.getSize())
      return malformed(name + infoSuffix.str() + " is too short, or has " +
                       std::to_string(rank) + " dims");
    Dims shape = list(rank), perm = list(rank), srcStrides = list(rank),
         dstStrides = list(rank);
    text(); // name
    const std::string type = text(), targetName = text();
    pointer(); // run
    pointer(); // run_part
    const uint64_t dynamicDims = word();
    if (failed)
      return malformed(name + infoSuffix.str() +
                       " points to what is not in the file");
    auto target = findTarget(targetName);
    if (!target)
      return Error{target.error().cause, name + ": " + target.error().message};
    return makeRequestOf(int64_t(element), shape, perm, srcStrides, dstStrides,
                         type, *target, dynamicDims);
  }

private:
  Result<Request> makeRequestOf(int64_t element, Dims shape, const Dims &perm,
                                const Dims &srcStrides, const Dims &dstStrides,
                                const std::string &type, const Target &target,
                                uint64_t dynamicDims) const {
    auto explain = [&](const Error &error) {
      return Error{error.cause, name + infoSuffix.str() + ": " + error.message};
    };
    if (dynamicDims == 0) {
      auto problem =
          Problem::make(element, shape, perm, srcStrides, dstStrides);
      if (!problem)
        return explain(problem.error());
      return Request{name, *problem, type, target, ""};
    }
    constexpr int64_t dynamic = -1; // PERMC_DYNAMIC
    for (int64_t &size : shape)
      size = size == dynamic ? dynamicDim : size;
    auto problem = DynamicProblem::make(element, shape, perm);
    if (!problem)
      return explain(problem.error());
    return makeRequest(name, *problem, type, target);
  }

  bool findSection() {
    auto found = symbol.getSection();
    auto address = symbol.getAddress();
    if (!found || !address || *found == file.section_end()) {
      llvm::consumeError(found.takeError());
      llvm::consumeError(address.takeError());
      return false;
    }
    section = **found;
    at = *address;
    auto bytes = section.getContents();
    if (!bytes) {
      llvm::consumeError(bytes.takeError());
      return false;
    }
    contents = *bytes;
    return true;
  }

  template <typename Number> Number number() {
    at = llvm::alignTo(at, sizeof(Number));
    if (at + sizeof(Number) > contents.size()) {
      failed = true;
      return 0;
    }
    auto value = llvm::support::endian::read<Number>(contents.data() + at,
                                                     llvm::endianness::little);
    at += sizeof(Number);
    return value;
  }
  uint64_t word() { return number<uint32_t>(); }
  uint64_t wide() { return number<uint64_t>(); }

  /// What a pointer points to, to the end of its section.
  StringRef pointer() {
    at = llvm::alignTo(at, pointerBytes);
    const uint64_t place = at;
    const uint64_t inPlace = pointerBytes == 8 ? wide() : word();
    for (const object::SectionRef &list : file.sections()) {
      auto relocated = list.getRelocatedSection();
      if (!relocated) {
        llvm::consumeError(relocated.takeError());
        continue;
      }
      if (*relocated == file.section_end() || **relocated != section)
        continue;
      for (const object::RelocationRef &relocation : list.relocations())
        if (relocation.getOffset() == place)
          return follow(relocation, inPlace);
    }
    return {};
  }

  static StringRef follow(const object::ELFRelocationRef &relocation,
                          uint64_t inPlace) {
    // ARM keeps what is added where the pointer will be.
    auto added = relocation.getAddend();
    const uint64_t addend = added ? uint64_t(*added) : inPlace;
    if (!added)
      llvm::consumeError(added.takeError());
    auto target = relocation.getSymbol();
    auto section = target->getSection();
    auto address = target->getAddress();
    if (!section || !address) {
      llvm::consumeError(section.takeError());
      llvm::consumeError(address.takeError());
      return {};
    }
    auto bytes = (*section)->getContents();
    if (!bytes) {
      llvm::consumeError(bytes.takeError());
      return {};
    }
    const uint64_t offset = *address + addend;
    return offset <= bytes->size() ? bytes->substr(offset) : StringRef();
  }

  Dims list(uint64_t count) {
    const StringRef bytes = pointer();
    Dims values;
    if (bytes.size() < count * sizeof(int64_t)) {
      failed = true;
      return values;
    }
    for (uint64_t i = 0; i < count; ++i)
      values.push_back(llvm::support::endian::read<int64_t>(
          bytes.data() + i * sizeof(int64_t), llvm::endianness::little));
    return values;
  }

  std::string text() {
    const StringRef bytes = pointer();
    const size_t end = bytes.find('\0');
    failed |= end == StringRef::npos;
    return bytes.substr(0, end).str();
  }

  const object::ELFObjectFileBase &file;
  const object::ELFSymbolRef symbol;
  const std::string name;
  const uint64_t pointerBytes;
  object::SectionRef section;
  StringRef contents;
  uint64_t at = 0;
  bool failed = false;
};

} // namespace

Result<std::vector<Request>> permc::readRequests(const std::string &bytes) {
  auto file = object::ObjectFile::createObjectFile(
      llvm::MemoryBufferRef(bytes, "object"));
  if (!file)
    return Error{Cause::BadFile,
                 "not an object: " + llvm::toString(file.takeError())};
  const auto *elf = llvm::dyn_cast<object::ELFObjectFileBase>(file->get());
  if (!elf || !elf->isRelocatableObject())
    return malformed("expected a relocatable ELF file");
  std::vector<Request> requests;
  for (const object::ELFSymbolRef symbol : elf->symbols()) {
    auto name = symbol.getName();
    if (!name) {
      llvm::consumeError(name.takeError());
      continue;
    }
    if (symbol.getBinding() != llvm::ELF::STB_GLOBAL ||
        symbol.getELFType() != llvm::ELF::STT_OBJECT ||
        !name->ends_with(infoSuffix))
      continue;
    auto request =
        InfoReader(*elf, symbol, name->drop_back(infoSuffix.size()).str())
            .read();
    if (!request)
      return request.error();
    requests.push_back(std::move(*request));
  }
  if (requests.empty())
    return malformed("it has no NAME_info");
  return requests;
}

Result<std::vector<NamedObject>> permc::readObjects(const std::string &bytes,
                                                    const std::string &name) {
  const llvm::MemoryBufferRef buffer(bytes, name);
  if (llvm::identify_magic(bytes) != llvm::file_magic::archive)
    return std::vector<NamedObject>{{name, bytes}};
  auto explain = [&](llvm::Error error) {
    return Error{Cause::BadFile, "the library cannot be read: " +
                                     llvm::toString(std::move(error))};
  };
  auto archive = object::Archive::create(buffer);
  if (!archive)
    return explain(archive.takeError());
  std::vector<NamedObject> objects;
  llvm::Error error = llvm::Error::success();
  for (const object::Archive::Child &child : (*archive)->children(error)) {
    auto member = child.getName();
    auto contents = child.getBuffer();
    if (!member || !contents) {
      auto why = llvm::joinErrors(member.takeError(), contents.takeError());
      llvm::consumeError(std::move(error));
      return explain(std::move(why));
    }
    objects.push_back({name + "(" + member->str() + ")", contents->str()});
  }
  if (error)
    return explain(std::move(error));
  if (objects.empty())
    return Error{Cause::BadFile, "the library is empty"};
  return objects;
}
