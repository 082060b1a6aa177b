//===- OutputFile.h - files that appear whole or not at all -----*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_TOOLS_PERMC_OUTPUTFILE_H
#define PERMC_TOOLS_PERMC_OUTPUTFILE_H

#include "permc/Plan/Error.h"

#include "llvm/Support/FileSystem.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace permc {

/// A file of a known size, filled in memory. It lies beside its place under a
/// temporary name until commit() and is removed if that is never called, even
/// when the process is interrupted. "-" is the standard output.
class OutputFile {
public:
  static Result<OutputFile> create(const std::string &path, size_t size);
  static Result<OutputFile> create(const std::string &path,
                                   std::string_view contents);
  OutputFile(OutputFile &&) = default;
  ~OutputFile();

  /// The contents, zero at first.
  uint8_t *data();
  Status commit();

private:
  explicit OutputFile(std::string path) : path(std::move(path)) {}
  Error fail(const std::string &why) const;
  Status mapTemporary(size_t size);
  Status writeDirectly();

  std::string path;
  /// Either a mapped temporary file, or memory for what cannot be replaced by
  /// a rename: the standard output, a device, a pipe.
  std::optional<llvm::sys::fs::TempFile> temporary;
  llvm::sys::fs::mapped_file_region mapping;
  std::vector<uint8_t> memory;
};

/// Whether two paths name one file, however they are spelled, and whether it
/// exists yet or not.
bool isSameFile(const std::string &a, const std::string &b);

/// An option, empty for the output itself, and the file that it names.
using NamedFile = std::pair<llvm::StringRef, std::string>;
/// No file may be written twice.
Status checkFilesDiffer(const std::vector<NamedFile> &files);

} // namespace permc

#endif // PERMC_TOOLS_PERMC_OUTPUTFILE_H
