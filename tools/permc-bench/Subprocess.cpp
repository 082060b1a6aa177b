//===- Subprocess.cpp - a process to talk to, line by line ----------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Subprocess.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace permc;
using namespace permc::bench;

extern char **environ;

Result<std::unique_ptr<Subprocess>>
Subprocess::start(const std::vector<std::string> &words) {
  // A process that dies shows as an error of write, not as a signal.
  std::signal(SIGPIPE, SIG_IGN);
  int input[2], output[2];
  if (pipe2(input, O_CLOEXEC) != 0)
    return Error{Cause::Unsupported,
                 std::string("no pipe: ") + std::strerror(errno)};
  if (pipe2(output, O_CLOEXEC) != 0) {
    const int why = errno;
    close(input[0]);
    close(input[1]);
    return Error{Cause::Unsupported,
                 std::string("no pipe: ") + std::strerror(why)};
  }
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, input[0], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output[1], STDOUT_FILENO);
  std::vector<char *> arguments;
  for (const std::string &word : words)
    arguments.push_back(const_cast<char *>(word.c_str()));
  arguments.push_back(nullptr);
  pid_t process = 0;
  const int failed = posix_spawn(&process, words.front().c_str(), &actions,
                                 nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(input[0]);
  close(output[1]);
  if (failed) {
    close(input[1]);
    close(output[0]);
    return Error{Cause::Unsupported, "cannot start " + words.front() + ": " +
                                         std::strerror(failed)};
  }
  return std::unique_ptr<Subprocess>(
      new Subprocess(process, fdopen(input[1], "w"), fdopen(output[0], "r")));
}

Subprocess::~Subprocess() {
  std::fclose(input);
  std::fclose(output);
  waitpid(process, nullptr, 0);
}

bool Subprocess::writeLine(const std::string &line) {
  return std::fputs((line + "\n").c_str(), input) >= 0 &&
         std::fflush(input) == 0;
}

std::optional<std::string> Subprocess::readLine() {
  std::string line;
  for (int c = std::fgetc(output); c != '\n'; c = std::fgetc(output)) {
    if (c == EOF)
      return std::nullopt;
    line += char(c);
  }
  return line;
}
