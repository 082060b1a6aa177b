//===- FuzzCache.cpp - files of the disk cache -------------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FuzzTarget.h"

#include "../../lib/JIT/DiskCache.h"

#include <filesystem>
#include <fstream>
#include <stdlib.h>
#include <sys/stat.h>

using namespace permc;
namespace fs = std::filesystem;

namespace {

/// A cache of this process alone.
struct Folder {
  Folder() : path((fs::temp_directory_path() / "permc-XXXXXX").string()) {
    require(mkdtemp(path.data()) != nullptr);
    cache = std::move(*DiskCache::open(path, 1 << 20));
  }
  ~Folder() { fs::remove_all(path); }

  std::string path;
  std::unique_ptr<DiskCache> cache;
};

} // namespace

/// Whatever is in a file: what is read from it was written for this key.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static Folder folder;
  const std::string key = "some key", object = "some object";
  const std::string bytes = Input(data, size).remainder();
  std::ofstream(folder.cache->pathOf(key), std::ios::binary | std::ios::trunc)
      << bytes;
  chmod(folder.cache->pathOf(key).c_str(), 0600);
  auto read = folder.cache->read(key);
  require(!read || *read == object);
  return 0;
}
