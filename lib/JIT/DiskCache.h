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
// The folder is bounded: whoever has written some looks whether the files take
// too much together and removes those that were used longest ago. A process
// that is reading one of them reads on; one that comes later makes it again.
//
// The objects are run. So the folder must belong to the user and be writable by
// nobody else, and so must each file.
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_LIB_JIT_DISKCACHE_H
#define PERMC_LIB_JIT_DISKCACHE_H

#include "permc/Plan/Error.h"

#include <atomic>
#include <memory>
#include <optional>
#include <string>

namespace permc {

/// Objects by key in one folder. Any number of processes and threads may share
/// it.
class DiskCache {
public:
  /// Makes the folder if it is not there. Fails if others could write to it.
  /// `capacityBytes` is what all its files may take; each process that writes
  /// may exceed it by an eighth for a while.
  static Result<std::unique_ptr<DiskCache>> open(const std::string &directory,
                                                 int64_t capacityBytes);

  std::optional<std::string> read(const std::string &key) const;
  /// Does nothing if the disk is full or the folder gone.
  void write(const std::string &key, const std::string &object);

  /// Where the object of `key` is kept.
  std::string pathOf(const std::string &key) const;

private:
  DiskCache(std::string directory, int64_t capacityBytes)
      : directory(std::move(directory)), capacity(capacityBytes) {}
  void makeRoom() const;

  const std::string directory;
  const int64_t capacity;
  /// Bytes that may still be written before the next look at the folder; the
  /// first write looks.
  std::atomic<int64_t> untilLook = 0;
};

} // namespace permc

#endif // PERMC_LIB_JIT_DISKCACHE_H
