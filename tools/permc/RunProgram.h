//===- RunProgram.h - other programs that permc calls -----------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_TOOLS_PERMC_RUNPROGRAM_H
#define PERMC_TOOLS_PERMC_RUNPROGRAM_H

#include "permc/Plan/Error.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FileUtilities.h"

#include <memory>
#include <string>
#include <vector>

namespace permc {

/// A file that is gone when its scope ends.
class TemporaryFile {
public:
  static Result<TemporaryFile> create(llvm::StringRef suffix,
                                      llvm::StringRef contents);
  const std::string &path() const { return name; }

private:
  explicit TemporaryFile(llvm::StringRef path)
      : name(path.str()),
        remover(std::make_unique<llvm::FileRemover>(llvm::Twine(name))) {}

  std::string name;
  std::unique_ptr<llvm::FileRemover> remover;
};

/// The path of a program. `package` says where Debian has one that is missing,
/// `task` what cannot be done then.
Result<std::string> findProgram(llvm::StringRef name,
                                llvm::StringRef package = "",
                                llvm::StringRef task = "cannot verify");

/// Runs a program and returns what it printed, which is the error's text if it
/// fails.
Result<std::string> runProgram(llvm::StringRef name,
                               std::vector<std::string> arguments,
                               llvm::StringRef task = "cannot verify");

} // namespace permc

#endif // PERMC_TOOLS_PERMC_RUNPROGRAM_H
