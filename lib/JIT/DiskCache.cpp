//===- DiskCache.cpp - compiled objects that outlive the process ----------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A file is a line that says what it is, the SHA-256 of the rest, and the rest:
//
//   permc object 1\n  hash[32]  keyBytes[8]  objectBytes[8]  key  object
//
//===----------------------------------------------------------------------===//

#include "DiskCache.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SHA256.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <memory>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <vector>

using namespace permc;

namespace {

constexpr std::string_view magic = "permc object 1\n";
constexpr size_t hashBytes = 32;

/// Kernels are some kilobytes; a file beyond this is none of ours.
constexpr off_t maxFileBytes = 64 << 20;

std::string sha256(std::string_view text) {
  auto hash = llvm::SHA256::hash(llvm::arrayRefFromStringRef(text));
  return {reinterpret_cast<const char *>(hash.data()), hash.size()};
}

std::string spellLength(uint64_t length) {
  return {reinterpret_cast<const char *>(&length), sizeof length};
}

/// Closes a file at the end of a scope.
class File {
public:
  explicit File(int descriptor) : descriptor(descriptor) {}
  ~File() {
    if (descriptor >= 0)
      ::close(descriptor);
  }
  File(const File &) = delete;
  File &operator=(const File &) = delete;
  explicit operator bool() const { return descriptor >= 0; }
  int get() const { return descriptor; }

private:
  int descriptor;
};

/// Ours alone: nobody else may have put anything there.
bool isPrivate(const struct stat &status) {
  return status.st_uid == ::geteuid() &&
         (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

std::optional<std::string> readAll(const std::string &path) {
  // Of what is no file at all, a pipe would keep us waiting for a writer.
  File file(
      ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  struct stat status;
  if (!file || ::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode) ||
      !isPrivate(status) || status.st_size > maxFileBytes)
    return std::nullopt;
  std::string bytes(size_t(status.st_size), '\0');
  size_t got = 0;
  while (got < bytes.size()) {
    ssize_t n = ::read(file.get(), bytes.data() + got, bytes.size() - got);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return std::nullopt;
    got += size_t(n);
  }
  return bytes;
}

bool writeAll(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    ssize_t n = ::write(descriptor, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return false;
    bytes.remove_prefix(size_t(n));
  }
  return true;
}

/// The object in a file's bytes, if they are whole and for `key`.
std::optional<std::string> unpack(std::string_view file,
                                  const std::string &key) {
  if (!file.starts_with(magic))
    return std::nullopt;
  file.remove_prefix(magic.size());
  if (file.size() < hashBytes)
    return std::nullopt;
  std::string_view hash = file.substr(0, hashBytes);
  std::string_view rest = file.substr(hashBytes);
  if (sha256(rest) != hash)
    return std::nullopt;
  // The hash vouches for the lengths from here on, but not for the key.
  uint64_t keyBytes = 0, objectBytes = 0;
  const size_t lengths = sizeof keyBytes + sizeof objectBytes;
  if (rest.size() < lengths)
    return std::nullopt;
  std::memcpy(&keyBytes, rest.data(), sizeof keyBytes);
  std::memcpy(&objectBytes, rest.data() + sizeof keyBytes, sizeof objectBytes);
  rest.remove_prefix(lengths);
  if (keyBytes != key.size() || rest.substr(0, key.size()) != key ||
      rest.size() - key.size() != objectBytes)
    return std::nullopt;
  return std::string(rest.substr(key.size()));
}

std::string pack(const std::string &key, const std::string &object) {
  std::string rest =
      spellLength(key.size()) + spellLength(object.size()) + key + object;
  return std::string(magic) + sha256(rest) + rest;
}

Error unusable(const std::string &directory, const std::string &why) {
  return {Cause::BadFile,
          "the kernel cache '" + directory + "' cannot be used: " + why};
}

constexpr std::string_view ending = ".permc";
constexpr size_t nameBytes = 2 * hashBytes + ending.size();

/// A file of ours: NAME.permc, or NAME.permc.XXXXXX while it is written.
bool isOurs(std::string_view name, bool isWhole) {
  return name.size() == nameBytes + (isWhole ? 0 : 7) &&
         name.substr(2 * hashBytes, ending.size()) == ending;
}

struct CachedFile {
  std::string name;
  int64_t bytes;
  timespec used;
};

/// All files of ours in a folder. What a process that died was writing is
/// removed on the way.
std::vector<CachedFile> listFiles(DIR *folder) {
  constexpr time_t abandonedSeconds = 3600;
  const int descriptor = ::dirfd(folder);
  std::vector<CachedFile> files;
  while (const dirent *entry = ::readdir(folder)) {
    const std::string name = entry->d_name;
    struct stat status;
    if (!(isOurs(name, true) || isOurs(name, false)) ||
        ::fstatat(descriptor, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0)
      continue;
    if (isOurs(name, true))
      files.push_back({name, status.st_size, status.st_mtim});
    else if (::time(nullptr) - status.st_mtime > abandonedSeconds)
      ::unlinkat(descriptor, name.c_str(), 0);
  }
  return files;
}

/// mkdir -p, for the user alone.
void makeDirectories(const std::string &path) {
  for (size_t end = path.find('/', 1); end != std::string::npos;
       end = path.find('/', end + 1))
    ::mkdir(path.substr(0, end).c_str(), 0777);
  ::mkdir(path.c_str(), 0700);
}

} // namespace

Result<std::unique_ptr<DiskCache>> DiskCache::open(const std::string &directory,
                                                   int64_t capacityBytes) {
  makeDirectories(directory);
  // The folder that was checked is the one that is used, wherever the program
  // goes and whatever becomes of links on the way.
  std::unique_ptr<char, void (*)(void *)> path(
      ::realpath(directory.c_str(), nullptr), std::free);
  struct stat status;
  if (!path || ::stat(path.get(), &status) != 0)
    return unusable(directory, std::strerror(errno));
  if (!S_ISDIR(status.st_mode))
    return unusable(directory, "it is not a folder");
  if (!isPrivate(status))
    return unusable(directory, "expected a folder that belongs to this user "
                               "and that nobody else can write to");
  return std::unique_ptr<DiskCache>(new DiskCache(path.get(), capacityBytes));
}

std::string DiskCache::pathOf(const std::string &key) const {
  return directory + "/" +
         llvm::toHex(llvm::arrayRefFromStringRef(sha256(key)),
                     /*LowerCase=*/true) +
         std::string(ending);
}

std::optional<std::string> DiskCache::read(const std::string &key) const {
  const std::string path = pathOf(key);
  std::optional<std::string> file = readAll(path);
  if (!file)
    return std::nullopt;
  // Used now: one of the last to be removed.
  ::utimensat(AT_FDCWD, path.c_str(), nullptr, AT_SYMLINK_NOFOLLOW);
  return unpack(*file, key);
}

/// Several processes may do this at once; each file is removed once.
void DiskCache::makeRoom() const {
  std::unique_ptr<DIR, int (*)(DIR *)> folder(::opendir(directory.c_str()),
                                              ::closedir);
  if (!folder)
    return;
  std::vector<CachedFile> files = listFiles(folder.get());
  int64_t bytes = 0;
  for (const CachedFile &file : files)
    bytes += file.bytes;
  if (bytes <= capacity)
    return;
  std::sort(files.begin(), files.end(), [](const auto &a, const auto &b) {
    return std::pair(a.used.tv_sec, a.used.tv_nsec) <
           std::pair(b.used.tv_sec, b.used.tv_nsec);
  });
  // Some room for what comes next, so that not every write has to look.
  const int64_t wanted = capacity - capacity / 8;
  for (const CachedFile &file : files) {
    if (bytes <= wanted)
      return;
    ::unlinkat(::dirfd(folder.get()), file.name.c_str(), 0);
    bytes -= file.bytes;
  }
}

void DiskCache::write(const std::string &key, const std::string &object) {
  // Under a name of its own first: readers see whole files only, and the last
  // of several writers wins with the same bytes.
  const std::string path = pathOf(key);
  std::string temporary = path + ".XXXXXX";
  {
    File file(::mkostemp(temporary.data(), O_CLOEXEC)); // mode 0600
    if (!file)
      return;
    if (!writeAll(file.get(), pack(key, object))) {
      ::unlink(temporary.c_str());
      return;
    }
  }
  if (::rename(temporary.c_str(), path.c_str()) != 0)
    ::unlink(temporary.c_str());
  if ((untilLook -= int64_t(object.size())) > 0)
    return;
  untilLook = capacity / 8;
  makeRoom();
}
