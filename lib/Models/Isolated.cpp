//===- Isolated.cpp - other people's code on hostile input ----------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Isolated.h"

#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace permc;

// A sanitizer's own memory is beyond any limit.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define PERMC_IS_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define PERMC_IS_SANITIZED 1
#endif
#endif

static void writeAll(int file, const std::string &text) {
  for (size_t done = 0; done < text.size();) {
    const ssize_t written = write(file, text.data() + done, text.size() - done);
    if (written < 0 && errno == EINTR)
      continue;
    if (written < 0)
      _exit(1);
    done += static_cast<size_t>(written);
  }
}

static std::string readAll(int file) {
  std::string text;
  char buffer[1 << 16];
  for (;;) {
    const ssize_t count = read(file, buffer, sizeof(buffer));
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return text;
    text.append(buffer, static_cast<size_t>(count));
  }
}

[[noreturn]] static void runChild(const std::function<std::string()> &body,
                                  int result, size_t memoryBytes,
                                  unsigned cpuSeconds) {
  // Its death is nobody's business: no stack dump, no core file, no words.
  for (int signal : {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGXCPU})
    std::signal(signal, SIG_DFL);
  const rlimit noCore = {0, 0}, cpu = {cpuSeconds, cpuSeconds};
  [[maybe_unused]] const rlimit memory = {memoryBytes, memoryBytes};
  setrlimit(RLIMIT_CORE, &noCore);
  setrlimit(RLIMIT_CPU, &cpu);
#ifndef PERMC_IS_SANITIZED
  setrlimit(RLIMIT_DATA, &memory);
#endif
  if (const int silence = open("/dev/null", O_WRONLY); silence >= 0)
    for (int file : {STDOUT_FILENO, STDERR_FILENO})
      dup2(silence, file);
  try {
    writeAll(result, body());
  } catch (...) {
    _exit(1);
  }
  _exit(0);
}

std::optional<std::string>
permc::runIsolated(const std::function<std::string()> &body, size_t memoryBytes,
                   unsigned cpuSeconds) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    return std::nullopt;
  const pid_t child = fork();
  if (child == 0)
    runChild(body, ends[1], memoryBytes, cpuSeconds);
  close(ends[1]);
  std::string text = child > 0 ? readAll(ends[0]) : std::string();
  close(ends[0]);
  if (child < 0)
    return std::nullopt;
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR)
      return std::nullopt;
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    return std::nullopt;
  return text;
}
