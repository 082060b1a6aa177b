//===- HostCaches.cpp - the caches of this machine ------------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "permc/Threads/HostCaches.h"

#include <fstream>

using namespace permc;

namespace {

/// Folders of one CPU: two first caches, a second, a third, rarely more.
constexpr int maxFolders = 8;

std::string readWord(const std::string &path) {
  std::ifstream file(path);
  std::string word;
  file >> word;
  return word;
}

/// "32768K", "32M", "16"; 0 for anything else.
int64_t readSize(const std::string &word) {
  int64_t number = 0;
  size_t at = 0;
  for (; at < word.size() && word[at] >= '0' && word[at] <= '9'; ++at) {
    constexpr int64_t most = int64_t{1} << 40;
    if (number > most)
      return 0;
    number = 10 * number + (word[at] - '0');
  }
  const std::string unit = word.substr(at);
  if (unit.empty())
    return number;
  return unit == "K" ? number << 10 : unit == "M" ? number << 20 : 0;
}

} // namespace

std::array<HostCache, 3> permc::hostCaches(const std::string &folder) {
  std::array<HostCache, 3> caches;
  for (int i = 0; i < maxFolders; ++i) {
    const std::string index = folder + "/index" + std::to_string(i) + "/";
    const int64_t level = readSize(readWord(index + "level"));
    if (level < 1 || level > 3 || readWord(index + "type") == "Instruction")
      continue;
    caches[size_t(level - 1)] = {
        readSize(readWord(index + "size")),
        readSize(readWord(index + "ways_of_associativity"))};
  }
  return caches;
}
