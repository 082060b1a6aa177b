//===- Workers.cpp - processes that may fail ------------------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Workers.h"

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <thread>
#include <time.h>
#include <unistd.h>

using namespace permc;
using namespace permc::fuzz;

static constexpr int exitWrong = 3;

/// How much longer than it may compute a case may take in all: other programs
/// want the machine too.
static constexpr double patience = 15;

static double secondsNow() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(now).count();
}

void Progress::begin(const Case &one) {
  std::string text;
  for (const std::string &word : spellOptions(one))
    text += word + "\n";
  std::snprintf(current, room, "%s", text.c_str());
  ++begun;
}

void Progress::fail(const std::string &what) {
  std::snprintf(message, room, "%s", what.c_str());
  std::_Exit(exitWrong);
}

Worker::Worker(const std::function<void(Progress &)> &body)
    : since(secondsNow()) {
  void *memory = mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    std::perror("permc-fuzz: no memory to share");
    std::exit(2);
  }
  shared = new (memory) Progress;
  std::fflush(nullptr);
  process = fork();
  if (process < 0) {
    std::perror("permc-fuzz: no process");
    std::exit(2);
  }
  if (process != 0)
    return;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  // What ends the process is told by its parent, in one line.
  for (int each : {SIGSEGV, SIGBUS, SIGILL, SIGABRT, SIGFPE, SIGINT, SIGTERM})
    std::signal(each, SIG_DFL);
  body(*shared);
  std::_Exit(0);
}

Worker::~Worker() {
  if (!ended) {
    kill(process, SIGKILL);
    waitpid(process, nullptr, 0);
  }
  munmap(shared, sizeof(Progress));
}

double Worker::usedSeconds() const {
  clockid_t clock;
  timespec time = {};
  if (clock_getcpuclockid(process, &clock) == 0)
    clock_gettime(clock, &time);
  return double(time.tv_sec) + double(time.tv_nsec) * 1e-9;
}

void Worker::setFailure(const std::string &what) {
  ended = true;
  found = Failure{what, std::nullopt};
  std::vector<std::string> words;
  const std::string text = shared->current;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = text.find('\n', begin);
    words.push_back(text.substr(begin, end - begin));
    begin = end == std::string::npos ? text.size() : end + 1;
  }
  std::string why;
  if (!words.empty())
    found->one = parseOptions(words, why);
}

bool Worker::hasEnded(double secondsPerCase) {
  if (ended)
    return true;
  int status = 0;
  if (waitpid(process, &status, WNOHANG) == process) {
    if (WIFSIGNALED(status))
      setFailure(std::string("ended by: ") + strsignal(WTERMSIG(status)));
    else if (WEXITSTATUS(status) == exitWrong)
      setFailure(shared->message);
    else if (WEXITSTATUS(status) != 0)
      setFailure("exit code " + std::to_string(WEXITSTATUS(status)));
    return ended = true;
  }
  if (shared->begun != seen) {
    seen = shared->begun;
    since = secondsNow();
    usedBefore = usedSeconds();
  } else if (usedSeconds() - usedBefore > secondsPerCase ||
             secondsNow() - since > patience * secondsPerCase) {
    kill(process, SIGKILL);
    waitpid(process, nullptr, 0);
    setFailure("no end within " + std::to_string(int(secondsPerCase)) + " s");
  }
  return ended;
}

void Worker::waitUntilEnded(double secondsPerCase) {
  while (!hasEnded(secondsPerCase))
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
}
