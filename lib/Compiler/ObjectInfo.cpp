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

#include "Elf.h"

#include "permc-c/kernel.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/Magic.h"
#include "llvm/Object/Archive.h"
#include "llvm/Support/Endian.h"

using namespace permc;
using llvm::StringRef;
namespace object = llvm::object;

namespace {

constexpr StringRef infoSuffix = "_info";

/// The kernels of one object.
template <typename ElfType> class ObjectReader {
public:
  using File = object::ELFFile<ElfType>;

  explicit ObjectReader(const File &file) : file(file) {}

  Result<std::vector<Request>> read() {
    if (auto ok = findSymbols(); !ok)
      return ok.error();
    std::vector<Request> requests;
    for (const auto &symbol : symbols) {
      auto name = symbol.getName(names);
      if (!name)
        return notAnObject(name.takeError());
      if (symbol.getBinding() != llvm::ELF::STB_GLOBAL ||
          symbol.getType() != llvm::ELF::STT_OBJECT ||
          !name->ends_with(infoSuffix))
        continue;
      auto request = readInfo(symbol, name->drop_back(infoSuffix.size()).str());
      if (!request)
        return request.error();
      requests.push_back(std::move(*request));
    }
    if (requests.empty())
      return notAnObject("it has no NAME_info");
    return requests;
  }

private:
  Status findSymbols() {
    auto found = file.sections();
    if (!found)
      return notAnObject(found.takeError());
    sections = *found;
    for (const auto &section : sections) {
      if (section.sh_type != llvm::ELF::SHT_SYMTAB)
        continue;
      auto list = file.symbols(&section);
      auto table = file.getStringTableForSymtab(section);
      if (!list || !table)
        return notAnObject(
            llvm::joinErrors(list.takeError(), table.takeError()));
      symbols = *list;
      names = *table;
      return Done{};
    }
    return notAnObject("it has no symbols");
  }

  /// The bytes of the section that a symbol is in, or none.
  StringRef sectionOf(const typename ElfType::Sym &symbol) const {
    if (symbol.st_shndx >= sections.size())
      return {};
    auto contents = file.getSectionContents(sections[symbol.st_shndx]);
    if (!contents) {
      llvm::consumeError(contents.takeError());
      return {};
    }
    return llvm::toStringRef(*contents);
  }

  Result<Request> readInfo(const typename ElfType::Sym &symbol,
                           const std::string &name) {
    section = symbol.st_shndx;
    contents = sectionOf(symbol);
    at = symbol.st_value;
    failed = false;
    const uint64_t size = word();
    const uint64_t rank = word(), element = word();
    word(); // alignment
    wide(); // src_bytes
    wide(); // dst_bytes
    if (failed || rank > uint64_t(maxRank) || size > symbol.st_size)
      return notAnObject(name + "_info is too short, or has too many dims");
    Dims shape = list(rank), perm = list(rank), srcStrides = list(rank),
         dstStrides = list(rank);
    text(); // name
    const std::string type = text(), targetName = text();
    pointer(); // run
    pointer(); // run_part
    const uint64_t dynamicDims = word();
    const Dims places = list(std::min<uint64_t>(dynamicDims, 64));
    if (failed)
      return notAnObject(name + "_info points to what is not in the file");
    auto target = findTarget(targetName);
    if (!target)
      return Error{target.error().cause, name + ": " + target.error().message};
    auto explain = [&](const Error &error) {
      return Error{error.cause, name + "_info: " + error.message};
    };
    if (dynamicDims == 0) {
      auto problem =
          Problem::make(int64_t(element), shape, perm, srcStrides, dstStrides);
      if (!problem)
        return explain(problem.error());
      return Request{name, *problem, type, *target, ""};
    }
    if (places.size() != dynamicDims)
      return notAnObject(name + "_info has too many dynamic dims");
    auto problem = makeDynamic(
        int64_t(element), {&shape, &srcStrides, &dstStrides}, perm, places);
    if (!problem)
      return explain(problem.error());
    return makeRequest(name, *problem, type, *target);
  }

  /// Of lists in which `places` says what comes with a call, and which number
  /// it is there.
  static Result<DynamicProblem> makeDynamic(int64_t element,
                                            std::array<const Dims *, 3> lists,
                                            const Dims &perm,
                                            const Dims &places) {
    const size_t rank = perm.size();
    std::array<DynamicProblem::Sizes, 3> sizes;
    for (size_t i = 0; i < lists.size(); ++i)
      for (int64_t number : *lists[i]) {
        const bool isUnknown = i > 0 && number == PERMC_DYNAMIC_STRIDE;
        const int64_t unit = i == 0 || isUnknown ? 1 : element;
        DynamicSize &size = sizes[i].emplace_back();
        if (__builtin_mul_overflow(number, unit, &size.factor))
          return Error{Cause::BadFile,
                       "a stride of " + std::to_string(number) + " elements"};
      }
    for (size_t k = 0; k < places.size(); ++k) {
      const auto place = uint64_t(places[k]);
      if (place >= 3 * rank)
        return Error{Cause::BadFile, "dynamic dim " + std::to_string(k) +
                                         " is the place " +
                                         std::to_string(places[k])};
      sizes[place / rank][place % rank] = {place < rank ? 1 : element,
                                           uint64_t(1) << k};
    }
    // Of a dense side those strides that depend on sizes are not said.
    auto strides = [&](size_t i) -> std::optional<DynamicProblem::Sizes> {
      for (const DynamicSize &stride : sizes[i])
        if (stride.factor == PERMC_DYNAMIC_STRIDE && stride.isStatic())
          return std::nullopt;
      return sizes[i];
    };
    return DynamicProblem::make(element, sizes[0], perm,
                                unsigned(places.size()), strides(1),
                                strides(2));
  }

  template <typename Number> Number number() {
    at = llvm::alignTo(at, sizeof(Number));
    if (at > contents.size() || contents.size() - at < sizeof(Number)) {
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
    constexpr bool isWide = ElfType::Is64Bits;
    at = llvm::alignTo(at, isWide ? 8 : 4);
    const uint64_t place = at;
    const uint64_t inPlace = isWide ? wide() : word();
    for (const auto &list : sections) {
      if (list.sh_info != section)
        continue;
      if (list.sh_type == llvm::ELF::SHT_RELA) {
        for (const auto &each : takeRange(file.relas(list)))
          if (each.r_offset == place)
            return follow(each.getSymbol(false), uint64_t(each.r_addend));
      } else if (list.sh_type == llvm::ELF::SHT_REL) {
        // ARM keeps what is added where the pointer will be.
        for (const auto &each : takeRange(file.rels(list)))
          if (each.r_offset == place)
            return follow(each.getSymbol(false), inPlace);
      }
    }
    return {};
  }

  template <typename Range> static Range takeRange(llvm::Expected<Range> list) {
    if (list)
      return *list;
    llvm::consumeError(list.takeError());
    return {};
  }

  StringRef follow(uint32_t symbol, uint64_t addend) const {
    if (symbol >= symbols.size())
      return {};
    const StringRef bytes = sectionOf(symbols[symbol]);
    const uint64_t offset = symbols[symbol].st_value + addend;
    return offset <= bytes.size() ? bytes.substr(offset) : StringRef();
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

  const File &file;
  typename ElfType::ShdrRange sections;
  typename ElfType::SymRange symbols;
  StringRef names;
  // Of the description that is being read:
  uint32_t section = 0;
  StringRef contents;
  uint64_t at = 0;
  bool failed = false;
};

} // namespace

Result<std::vector<Request>> permc::readRequests(const std::string &bytes) {
  return visitElf<std::vector<Request>>(
      bytes, []<typename ElfType>(const object::ELFFile<ElfType> &file) {
        return ObjectReader<ElfType>(file).read();
      });
}

/// LLVM believes what a member's header says of its size.
static bool isWithin(StringRef member, StringRef library) {
  return member.begin() >= library.begin() && member.end() <= library.end();
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
    if (!(*archive)->isThin() && !isWithin(*contents, bytes)) {
      llvm::consumeError(std::move(error));
      return explain(
          llvm::createStringError("'" + *member + "' goes past its end"));
    }
    objects.push_back({name + "(" + member->str() + ")", contents->str()});
  }
  if (error)
    return explain(std::move(error));
  if (objects.empty())
    return Error{Cause::BadFile, "the library is empty"};
  return objects;
}
