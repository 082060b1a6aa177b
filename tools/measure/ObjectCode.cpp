//===- ObjectCode.cpp - what of an object is executed ---------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ObjectCode.h"

#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/raw_ostream.h"

using namespace permc;
namespace object = llvm::object;

/// Writes what a relocation refers to: a place in a section, or another
/// object's symbol. Names of what is in the object say nothing.
static llvm::Error writeSymbol(llvm::raw_ostream &out,
                               const object::SymbolRef &symbol,
                               const object::ObjectFile &file) {
  auto section = symbol.getSection();
  if (!section)
    return section.takeError();
  auto name =
      *section == file.section_end() ? symbol.getName() : (*section)->getName();
  if (!name)
    return name.takeError();
  auto place = symbol.getValue();
  if (!place)
    return place.takeError();
  out << ' ' << *name << '+' << *place;
  return llvm::Error::success();
}

/// Writes the instructions and constants of a section, each with its name.
static llvm::Error writeContents(llvm::raw_ostream &out,
                                 const object::SectionRef &section) {
  auto name = section.getName();
  if (!name)
    return name.takeError();
  // Strings are what describes a kernel: the type of an element, for example.
  const bool isConstants =
      name->starts_with(".rodata") && !name->starts_with(".rodata.str");
  if (!section.isText() && !isConstants)
    return llvm::Error::success();
  auto contents = section.getContents();
  if (!contents)
    return contents.takeError();
  out << *name << ' ' << contents->size() << '\n' << *contents;
  return llvm::Error::success();
}

/// Writes the relocations of instructions that a section holds.
static llvm::Error writeRelocations(llvm::raw_ostream &out,
                                    const object::SectionRef &section,
                                    const object::ObjectFile &file) {
  auto relocated = section.getRelocatedSection();
  if (!relocated)
    return relocated.takeError();
  if (*relocated == file.section_end() || !(*relocated)->isText())
    return llvm::Error::success();
  for (const object::RelocationRef &relocation : section.relocations()) {
    out << relocation.getOffset() << ' ' << relocation.getType();
    if (auto symbol = relocation.getSymbol(); symbol != file.symbol_end())
      if (llvm::Error error = writeSymbol(out, *symbol, file))
        return error;
    // Some machines keep what is added in the instruction.
    if (auto addend = object::ELFRelocationRef(relocation).getAddend())
      out << ' ' << *addend;
    else
      llvm::consumeError(addend.takeError());
    out << '\n';
  }
  return llvm::Error::success();
}

Result<std::string> permc::codeOf(const std::string &bytes) {
  auto notAnObject = [](llvm::Error error) {
    return Error{Cause::BadFile,
                 "not an object: " + llvm::toString(std::move(error))};
  };
  auto file = object::ObjectFile::createELFObjectFile(
      llvm::MemoryBufferRef(bytes, "object"));
  if (!file)
    return notAnObject(file.takeError());
  std::string code;
  llvm::raw_string_ostream out(code);
  for (const object::SectionRef &section : (*file)->sections()) {
    if (llvm::Error error = writeContents(out, section))
      return notAnObject(std::move(error));
    if (llvm::Error error = writeRelocations(out, section, **file))
      return notAnObject(std::move(error));
  }
  return code;
}
