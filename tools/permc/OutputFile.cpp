//===- OutputFile.cpp - files that appear whole or not at all -------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OutputFile.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

#include <cstring>
#include <fcntl.h>
#include <filesystem>

using namespace permc;
namespace fs = llvm::sys::fs;

Error OutputFile::fail(const std::string &why) const {
  return {Cause::BadFile, "cannot write '" + path + "': " + why};
}

Result<OutputFile> OutputFile::create(const std::string &path, size_t size) {
  OutputFile file(path);
  // What does not exist yet is no error.
  fs::file_status status;
  std::error_code unseen;
  if (path != "-")
    unseen = fs::status(path, status);
  if (!unseen && status.type() == fs::file_type::directory_file)
    return file.fail("it is a directory");
  if (path == "-" || (fs::exists(status) && !fs::is_regular_file(status))) {
    file.memory.resize(size);
    return file;
  }
  // The file a link points to is meant, not the link.
  llvm::SmallString<256> real;
  if (fs::exists(status) && !fs::real_path(path, real))
    file.path = real.str().str();
  if (Status ok = file.mapTemporary(size); !ok)
    return ok.error();
  return file;
}

Result<OutputFile> OutputFile::create(const std::string &path,
                                      std::string_view contents) {
  auto file = create(path, contents.size());
  if (file && !contents.empty())
    std::memcpy(file->data(), contents.data(), contents.size());
  return file;
}

Status OutputFile::mapTemporary(size_t size) {
  auto created = fs::TempFile::create(path + ".tmp%%%%%%");
  if (!created)
    return fail(llvm::toString(created.takeError()));
  temporary.emplace(std::move(*created));
  if (size == 0)
    return Done{};
  // With room on the disk for all of it: writing to a mapping without any ends
  // the process.
  if (const int code = posix_fallocate(temporary->FD, 0, off_t(size)))
    return fail(std::generic_category().message(code));
  std::error_code error;
  mapping = fs::mapped_file_region(fs::convertFDToNativeFile(temporary->FD),
                                   fs::mapped_file_region::readwrite, size,
                                   /*offset=*/0, error);
  if (error)
    return fail(error.message());
  return Done{};
}

OutputFile::~OutputFile() {
  mapping.unmap();
  if (temporary)
    llvm::consumeError(temporary->discard());
}

uint8_t *OutputFile::data() {
  return temporary ? reinterpret_cast<uint8_t *>(mapping.data())
                   : memory.data();
}

Status OutputFile::commit() {
  if (!temporary)
    return writeDirectly();
  mapping.unmap();
  fs::TempFile file = std::move(*temporary);
  temporary.reset();
  if (llvm::Error error = file.keep(path))
    return fail(llvm::toString(std::move(error)));
  return Done{};
}

Status OutputFile::writeDirectly() {
  std::error_code error;
  llvm::raw_fd_ostream os(path, error);
  if (!error) {
    os.write(reinterpret_cast<const char *>(memory.data()), memory.size());
    os.flush();
    error = os.error();
    os.clear_error();
  }
  if (error)
    return fail(error.message());
  return Done{};
}

bool permc::isSameFile(const std::string &a, const std::string &b) {
  std::error_code unknown;
  auto real = [&](const std::string &path) {
    const auto absolute = std::filesystem::absolute(path, unknown);
    return std::filesystem::weakly_canonical(absolute, unknown);
  };
  return real(a) == real(b) && !unknown;
}

Status permc::checkFilesDiffer(const std::vector<NamedFile> &files) {
  auto spell = [](const NamedFile &file) {
    return (file.first + (file.first.empty() ? "'" : " '") + file.second + "'")
        .str();
  };
  for (size_t i = 0; i < files.size(); ++i)
    for (size_t j = 0; j < i; ++j)
      if (isSameFile(files[j].second, files[i].second))
        return Error{Cause::BadSyntax, spell(files[j]) + " and " +
                                           spell(files[i]) +
                                           " are the same file; expected two"};
  return Done{};
}
