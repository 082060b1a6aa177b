//===- DiskCacheTest.cpp - kernels that outlive the process ---------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NaivePermute.h"

#include "permc/JIT/Jit.h"

#include "gtest/gtest.h"

#include <csignal>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace permc;
namespace fs = std::filesystem;

namespace {

class JitDiskCache : public testing::Test {
protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "permc-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder = name;
  }
  void TearDown() override { fs::remove_all(folder); }

  Result<std::unique_ptr<Jit>> open() const {
    return Jit::create({.cacheBytes = 1 << 20,
                        .cacheDirectory = folder,
                        .cacheDirectoryBytes = capacity});
  }

  /// A new Jit, as of a new process, that must do the right thing.
  JitStatistics use(int64_t size = 24) const {
    auto jit = open();
    EXPECT_TRUE(jit);
    EXPECT_TRUE(works(**jit, size));
    return (*jit)->statistics();
  }

  static bool works(Jit &jit, int64_t size) {
    const Problem problem = *Problem::make(2, {size, 10}, {1, 0});
    auto kernel = jit.compile({"k", problem, "u16", *findTarget("native"), ""});
    if (!kernel)
      return false;
    std::vector<unsigned char> src(problem.srcSpan()), dst(src.size()),
        expected(src.size());
    std::iota(src.begin(), src.end(), 0);
    naivePermute(problem, src.data(), expected.data());
    (*kernel)(src.data(), dst.data());
    return dst == expected;
  }

  std::vector<fs::path> files() const {
    std::vector<fs::path> found;
    for (const auto &entry : fs::directory_iterator(folder))
      found.push_back(entry.path());
    return found;
  }

  /// What all files take.
  int64_t bytes() const {
    int64_t sum = 0;
    for (const fs::path &path : files())
      sum += int64_t(fs::file_size(path));
    return sum;
  }

  static std::string read(const fs::path &path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  static void write(const fs::path &path, const std::string &bytes) {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
  }

  /// As if the files had been used some seconds ago.
  static void age(const std::vector<fs::path> &paths, int seconds) {
    for (const fs::path &path : paths)
      fs::last_write_time(path, fs::file_time_type::clock::now() -
                                    std::chrono::seconds(seconds));
  }

  std::string folder;
  int64_t capacity = 1 << 20;
};

TEST_F(JitDiskCache, TheSecondProcessCompilesNothing) {
  JitStatistics first = use(), second = use();
  EXPECT_EQ(first.compiled, 1u);
  EXPECT_EQ(first.readFromDisk, 0u);
  EXPECT_EQ(second.compiled, 0u);
  EXPECT_EQ(second.readFromDisk, 1u);
  EXPECT_EQ(files().size(), 1u);
}

TEST_F(JitDiskCache, EveryDamagedByteIsNoticed) {
  use();
  const fs::path file = files().at(0);
  const std::string good = read(file);
  // All of the header and of the key, and a sample of the object.
  for (size_t i = 0; i < good.size(); i += i < 700 ? 7 : 301) {
    std::string bad = good;
    bad[i] = static_cast<char>(bad[i] ^ 0x20);
    write(file, bad);
    ASSERT_EQ(use().compiled, 1u) << "byte " << i;
    ASSERT_EQ(read(file), good) << "byte " << i; // repaired
  }
}

TEST_F(JitDiskCache, TruncatedAndForeignFilesAreRebuilt) {
  use();
  const fs::path file = files().at(0);
  const std::string good = read(file);
  for (const std::string &bad :
       {std::string(), std::string("permc object 1\n"), good.substr(0, 60),
        good.substr(0, good.size() - 1), good + "x", std::string(5000, 'x')}) {
    write(file, bad);
    EXPECT_EQ(use().compiled, 1u);
    EXPECT_EQ(use().readFromDisk, 1u);
  }
}

TEST_F(JitDiskCache, AnEntryOfAnotherKeyIsNotUsed) {
  use(24);
  const fs::path file = files().at(0);
  const std::string other = read(file);
  fs::remove(file);
  use(40);
  // A whole and valid file, but under the wrong name.
  write(files().at(0), other);
  EXPECT_EQ(use(40).compiled, 1u);
}

TEST_F(JitDiskCache, FilesThatOthersCouldWriteAreNotUsed) {
  use();
  for (mode_t mode : {0666, 0620, 0602}) {
    ASSERT_EQ(chmod(files().at(0).c_str(), mode), 0);
    EXPECT_EQ(use().compiled, 1u);
    // It was replaced by one of ours.
    EXPECT_EQ(use().readFromDisk, 1u);
  }
}

TEST_F(JitDiskCache, SymbolicLinksAreNotFollowed) {
  use();
  const fs::path file = files().at(0), aside = folder + "/aside";
  fs::rename(file, aside);
  fs::create_symlink(aside, file);
  EXPECT_EQ(use().compiled, 1u);
}

TEST_F(JitDiskCache, AnEntryThatIsAPipeIsReplaced) {
  use();
  const fs::path file = files().at(0);
  fs::remove(file);
  ASSERT_EQ(mkfifo(file.c_str(), 0600), 0);
  EXPECT_EQ(use().compiled, 1u); // and waits for nobody to write into it
  EXPECT_EQ(use().readFromDisk, 1u);
}

TEST_F(JitDiskCache, TheFolderStaysTheOneThatWasChecked) {
  const fs::path before = fs::current_path();
  fs::create_directory(folder + "/elsewhere");
  fs::current_path(folder);
  auto jit = Jit::create({.cacheBytes = 1 << 20, .cacheDirectory = "cache"});
  fs::current_path(folder + "/elsewhere");
  ASSERT_TRUE(jit);
  EXPECT_TRUE(works(**jit, 24));
  fs::current_path(before);
  EXPECT_FALSE(fs::is_empty(folder + "/cache"));
}

TEST_F(JitDiskCache, AFullDiskIsNoError) {
  auto jit = open();
  ASSERT_TRUE(jit);
  // Files may have no bytes any more.
  rlimit before;
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  auto handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit none = before;
  none.rlim_cur = 0;
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &none), 0);
  const bool ok = works(**jit, 24);
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, handler);
  EXPECT_TRUE(ok);
  EXPECT_TRUE(files().empty()); // nor half a file
  EXPECT_EQ(use().compiled, 1u);
}

TEST_F(JitDiskCache, AFolderThatOthersCouldWriteIsRefused) {
  for (mode_t mode : {0777, 0720, 0702}) {
    ASSERT_EQ(chmod(folder.c_str(), mode), 0);
    auto jit = open();
    ASSERT_FALSE(jit);
    EXPECT_EQ(jit.error().cause, Cause::BadFile);
    EXPECT_NE(jit.error().message.find(folder), std::string::npos);
  }
}

TEST_F(JitDiskCache, WhatIsSomeoneElsesIsNotUsed) {
  if (geteuid() != 0)
    GTEST_SKIP() << "only root can give files away";
  constexpr uid_t nobody = 65534;
  use();
  ASSERT_EQ(chown(files().at(0).c_str(), nobody, nobody), 0);
  EXPECT_EQ(use().compiled, 1u);
  ASSERT_EQ(chown(folder.c_str(), nobody, nobody), 0);
  EXPECT_FALSE(open());
}

TEST_F(JitDiskCache, AFileIsNoFolder) {
  const std::string file = folder + "/file";
  write(file, "");
  auto jit = Jit::create({.cacheBytes = 1 << 20, .cacheDirectory = file});
  ASSERT_FALSE(jit);
  EXPECT_EQ(jit.error().cause, Cause::BadFile);
}

TEST_F(JitDiskCache, FoldersAreMadeAsNeeded) {
  folder += "/a/b";
  use();
  EXPECT_EQ(use().readFromDisk, 1u);
  folder.resize(folder.size() - 4);
}

TEST_F(JitDiskCache, FilesUsedLongestAgoMakeRoom) {
  use(2);
  const fs::path first = files().at(0);
  for (int64_t size = 3; size < 10; ++size)
    use(size);
  ASSERT_EQ(files().size(), 8u);
  // The clock of a file system is coarse: say when each was used.
  age(files(), 10);
  EXPECT_EQ(use(2).readFromDisk, 1u); // the oldest, but used now
  capacity = bytes();
  for (int64_t size = 10; size < 14; ++size)
    use(size);
  EXPECT_LE(bytes(), capacity);
  EXPECT_GE(bytes(), capacity / 2);
  EXPECT_TRUE(fs::exists(first));
  EXPECT_EQ(use(13).readFromDisk, 1u);
}

TEST_F(JitDiskCache, WhatOthersKeepInTheFolderStays) {
  write(folder + "/notes.txt", std::string(100000, 'x'));
  const std::string abandoned =
      folder + "/" + std::string(64, 'a') + ".permc.Xy12zA";
  const std::string recent =
      folder + "/" + std::string(64, 'b') + ".permc.Xy12zA";
  write(abandoned, "half of a");
  write(recent, "half of a");
  age({abandoned}, 2 * 3600);
  capacity = 0;
  use();
  EXPECT_TRUE(fs::exists(folder + "/notes.txt"));
  EXPECT_TRUE(fs::exists(recent)); // somebody may be writing it
  EXPECT_FALSE(fs::exists(abandoned));
  EXPECT_EQ(files().size(), 2u); // room for no kernel at all
}

TEST_F(JitDiskCache, ManyProcessesAtOnce) {
  std::vector<pid_t> children;
  for (int i = 0; i < 4; ++i) {
    pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      bool ok = true;
      for (int64_t size = 2; size < 12; ++size) {
        auto jit = open();
        ok &= jit && works(**jit, size);
      }
      _exit(ok ? 0 : 1);
    }
    children.push_back(child);
  }
  for (pid_t child : children) {
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(files().size(), 10u); // and nothing temporary
  for (int64_t size = 2; size < 12; ++size)
    EXPECT_EQ(use(size).readFromDisk, 1u);
}

} // namespace
