//===- DiskCache.h - compiled objects that outlive the process --*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One file for each key, named by the key's hash. A file holds its key as well:
// what is read is used only if it is whole and was written for that very key.
// What is wrong with a file is never an error; the object is made again and
// the file replaced.
//
// The objects are run. So the folder must belong to the user and be writable by
// nobody else, and so must each file.
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_LIB_JIT_DISKCACHE_H
#define PERMC_LIB_JIT_DISKCACHE_H

#include "permc/Plan/Error.h"

#include <optional>
#include <string>

namespace permc {

/// Objects by key in one folder. Any number of processes may share it.
class DiskCache {
public:
  /// Makes the folder if it is not there. Fails if others could write to it.
  static Result<DiskCache> open(const std::string &directory);

  std::optional<std::string> read(const std::string &key) const;
  /// Does nothing if the disk is full or the folder gone.
  void write(const std::string &key, const std::string &object) const;

  /// Where the object of `key` is kept.
  std::string pathOf(const std::string &key) const;

private:
  explicit DiskCache(std::string directory) : directory(std::move(directory)) {}
  std::string directory;
};

} // namespace permc

#endif // PERMC_LIB_JIT_DISKCACHE_H
