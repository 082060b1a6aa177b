//===- HostCaches.cpp - the caches of this machine ------------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "permc/Threads/HostCaches.h"

#include <algorithm>
#include <fstream>
#include <unistd.h>

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

std::array<HostCache, 3> permc::hostCaches() {
  auto caches = readCaches("/sys/devices/system/cpu/cpu0/cache");
#ifdef _SC_LEVEL1_DCACHE_SIZE
  // Without /sys, as in some containers, the C library asks the CPU. What it
  // tells of the third cache is of no use.
  auto ask = [](int64_t &value, int name) {
    const long told = value > 0 ? 0 : sysconf(name);
    value = told > 0 ? told : value;
  };
  ask(caches[0].bytes, _SC_LEVEL1_DCACHE_SIZE);
  ask(caches[0].ways, _SC_LEVEL1_DCACHE_ASSOC);
  ask(caches[1].bytes, _SC_LEVEL2_CACHE_SIZE);
  ask(caches[1].ways, _SC_LEVEL2_CACHE_ASSOC);
#endif
  return caches;
}

std::array<HostCache, 3> permc::readCaches(const std::string &folder) {
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

void permc::takeHostCaches(TargetFacts &facts) {
  const auto [first, second, third] = hostCaches();
  auto take = [](int64_t &fact, int64_t told) {
    fact = told > 0 ? told : fact;
  };
  take(facts.l1Bytes, first.bytes);
  take(facts.l2Bytes, second.bytes);
  // Others use it too, and of a large one more each.
  take(facts.l3Bytes, std::min<int64_t>(third.bytes / 2, 16 << 20));
  if (facts.l1Ways)
    take(facts.l1Ways, first.ways);
  if (facts.l2Ways)
    take(facts.l2Ways, second.ways);
}
