//===- Replay.cpp - a fuzz target without its engine -------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   fuzz-NAME CHANGES FILE...
//
// Tries each file, and CHANGES changes of them in all, the same ones each time:
// a corpus that grows takes no longer.
//
//===----------------------------------------------------------------------===//

#include "FuzzTarget.h"

#include <cstdio>
#include <fstream>
#include <iterator>
#include <random>
#include <vector>

static std::string change(std::string bytes, std::mt19937_64 &random) {
  for (auto count = 1 + random() % 4; count > 0; --count) {
    const size_t at = bytes.empty() ? 0 : random() % bytes.size();
    switch (random() % 5) {
    case 0:
      bytes.insert(at, 1, static_cast<char>(random()));
      break;
    case 1:
      bytes.erase(at, random() % 8);
      break;
    case 2: // a piece of it, again
      bytes.insert(at, bytes.substr(random() % (bytes.size() + 1), 12));
      break;
    case 3:
      bytes.insert(at, std::to_string(random() >> random() % 64));
      break;
    default:
      if (!bytes.empty())
        bytes[at] = static_cast<char>(bytes[at] ^ (1 << random() % 8));
    }
  }
  return bytes;
}

static void run(const std::string &bytes) {
  LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t *>(bytes.data()),
                         bytes.size());
}

int main(int argc, char **argv) {
  std::mt19937_64 random(1);
  const long changes = argc > 1 ? std::atol(argv[1]) : 0, files = argc - 2;
  long changed = 0;
  for (long i = 1; i <= files; ++i) {
    std::ifstream file(argv[i + 1], std::ios::binary);
    const std::string bytes(std::istreambuf_iterator<char>(file), {});
    run(bytes);
    for (; changed < changes * i / files; ++changed)
      run(change(bytes, random));
  }
  std::printf("%ld files and %ld changes of them\n", files, changed);
  return files > 0 ? 0 : 1;
}
