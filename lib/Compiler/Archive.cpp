//===- Archive.cpp - static libraries -------------------------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Codegen.h"

#include "llvm/Object/ArchiveWriter.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace permc;

Result<std::string> permc::archive(
    const std::vector<std::pair<std::string, std::string>> &members) {
  std::vector<llvm::NewArchiveMember> files;
  for (const auto &[name, object] : members)
    files.emplace_back(llvm::MemoryBufferRef(object, name));
  auto buffer = llvm::writeArchiveToBuffer(
      files, llvm::SymtabWritingMode::NormalSymtab,
      llvm::object::Archive::K_GNU, /*Deterministic=*/true, /*Thin=*/false);
  if (!buffer)
    return Error{Cause::Internal, "the static library could not be made: " +
                                      llvm::toString(buffer.takeError())};
  return (*buffer)->getBuffer().str();
}
