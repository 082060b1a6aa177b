//===- HostCachesTest.cpp - cache topologies, made up and real ------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "permc/Threads/HostCaches.h"

#include "gtest/gtest.h"

#include <filesystem>
#include <fstream>
#include <map>
#include <unistd.h>

using namespace permc;

namespace {

class HostCachesTest : public testing::Test {
protected:
  void SetUp() override { std::filesystem::create_directories(folder); }
  void TearDown() override { std::filesystem::remove_all(folder); }

  void add(int index, const std::map<std::string, std::string> &files) {
    const std::filesystem::path path =
        std::filesystem::path(folder) / ("index" + std::to_string(index));
    std::filesystem::create_directories(path);
    for (const auto &[name, text] : files)
      std::ofstream(path / name) << text << "\n";
  }

  const std::string folder =
      testing::TempDir() + "/host-caches-" + std::to_string(getpid());
};

} // namespace

TEST_F(HostCachesTest, ReadsDataCaches) {
  add(0, {{"level", "1"},
          {"type", "Data"},
          {"size", "48K"},
          {"ways_of_associativity", "12"}});
  add(1, {{"level", "1"},
          {"type", "Instruction"},
          {"size", "64K"},
          {"ways_of_associativity", "8"}});
  add(2, {{"level", "2"},
          {"type", "Unified"},
          {"size", "2M"},
          {"ways_of_associativity", "16"}});
  add(3, {{"level", "3"}, {"type", "Unified"}, {"size", "32768K"}});
  const auto caches = readCaches(folder);
  EXPECT_EQ(caches[0].bytes, 48 << 10);
  EXPECT_EQ(caches[0].ways, 12);
  EXPECT_EQ(caches[1].bytes, 2 << 20);
  EXPECT_EQ(caches[1].ways, 16);
  EXPECT_EQ(caches[2].bytes, 32 << 20);
  EXPECT_EQ(caches[2].ways, 0);
}

TEST_F(HostCachesTest, TakesNothingElseForASize) {
  add(0, {{"level", "1"}, {"type", "Data"}, {"size", "many"}});
  add(1, {{"level", "2"}, {"type", "Unified"}, {"size", "12Q"}});
  add(2, {{"level", "3"}, {"type", "Unified"}, {"size", "99999999999999999K"}});
  add(3, {{"level", "77"}, {"type", "Unified"}, {"size", "1K"}});
  for (const HostCache &cache : readCaches(folder))
    EXPECT_EQ(cache.bytes, 0);
  for (const HostCache &cache : readCaches(folder + "/none"))
    EXPECT_EQ(cache.bytes, 0);
}
