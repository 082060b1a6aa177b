//===- Elf.h - objects of either word size ----------------------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM's ObjectFile ends the process where a file is damaged in some ways; what
// is below it returns an error. The files may be anyone's.
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_LIB_COMPILER_ELF_H
#define PERMC_LIB_COMPILER_ELF_H

#include "permc/Plan/Error.h"

#include "llvm/Object/ELF.h"

namespace permc {

inline Error notAnObject(const std::string &why) {
  return {Cause::BadFile, "not an object that permc made: " + why};
}
inline Error notAnObject(llvm::Error error) {
  return notAnObject(llvm::toString(std::move(error)));
}

/// What `visit(ELFFile)` returns for a relocatable little-endian ELF file.
template <typename Value, typename Visit>
Result<Value> visitElf(llvm::StringRef bytes, Visit visit) {
  auto read = [&](auto type) -> Result<Value> {
    using ElfFile = llvm::object::ELFFile<decltype(type)>;
    auto file = ElfFile::create(bytes);
    if (!file)
      return notAnObject(file.takeError());
    if (file->getHeader().e_type != llvm::ELF::ET_REL)
      return notAnObject("it is linked already");
    return visit(*file);
  };
  // The class and the byte order follow the magic number, and are no more than
  // that many bytes.
  if (bytes.size() < llvm::ELF::EI_NIDENT ||
      !bytes.starts_with(llvm::ELF::ElfMagic))
    return notAnObject("expected an ELF file");
  if (bytes[llvm::ELF::EI_DATA] != llvm::ELF::ELFDATA2LSB)
    return notAnObject("its byte order is none of permc's targets");
  return bytes[llvm::ELF::EI_CLASS] == llvm::ELF::ELFCLASS64
             ? read(llvm::object::ELF64LE())
             : read(llvm::object::ELF32LE());
}

} // namespace permc

#endif // PERMC_LIB_COMPILER_ELF_H
