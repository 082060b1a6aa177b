//===- Machine.cpp - where and when a run was made ------------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine.h"

#include "permc/Threads/HostCaches.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/TargetParser/Host.h"

#include <ctime>
#include <gnu/libc-version.h>
#include <sys/utsname.h>
#include <thread>

using namespace permc::bench;
using llvm::StringRef;

namespace {

std::string cpuName() {
  // Not a plain file: its size is not known before it is read.
  auto info = llvm::MemoryBuffer::getFileAsStream("/proc/cpuinfo");
  if (info) {
    StringRef text = (*info)->getBuffer();
    const size_t at = text.find("model name");
    if (at != StringRef::npos)
      return text.substr(at).split(':').second.split('\n').first.trim().str();
  }
  return llvm::sys::getHostCPUName().str();
}

std::string cacheSizes() {
  const auto caches = permc::hostCaches();
  std::string text;
  for (size_t i = 0; i < caches.size(); ++i) {
    const int64_t bytes = caches[i].bytes;
    if (bytes <= 0)
      continue;
    const bool inMebibytes = bytes >= 1 << 20;
    text += (text.empty() ? "" : ", ") +
            std::to_string(bytes >> (inMebibytes ? 20 : 10)) +
            (inMebibytes ? " MiB L" : " KiB L") + std::to_string(i + 1) +
            (i == 0 ? "d" : "");
  }
  return text;
}

std::string systemName() {
  utsname name{};
  uname(&name);
  // Without what a distribution adds to the version.
  const StringRef version = StringRef(name.release).split('-').first;
  return std::string(name.sysname) + " " + version.str() + ", glibc " +
         gnu_get_libc_version();
}

std::string dateNow() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  char text[32];
  std::strftime(text, sizeof(text), "%Y-%m-%d %H:%M UTC", &utc);
  return text;
}

} // namespace

Machine permc::bench::describeMachine() {
  return {cpuName(), std::thread::hardware_concurrency(), cacheSizes(),
          systemName(), dateNow()};
}
