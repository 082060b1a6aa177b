//===- FaultTrap.cpp - run code that may touch what it must not -----------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FaultTrap.h"

#include <algorithm>
#include <array>
#include <csetjmp>
#include <csignal>
#include <mutex>

using namespace permc;

namespace {

/// Where the handler jumps to; only threads inside trapFaults have one.
thread_local sigjmp_buf *escape = nullptr;
thread_local Fault lastFault;

constexpr std::array signals = {SIGSEGV, SIGBUS, SIGILL};

/// The program's own handlers, while ours are installed.
std::array<struct sigaction, signals.size()> before;

/// Somebody else's fault: what would have happened without us.
void passOn(int signal, siginfo_t *info, void *context) {
  const size_t place =
      std::find(signals.begin(), signals.end(), signal) - signals.begin();
  const struct sigaction &handler = before[place];
  if (handler.sa_flags & SA_SIGINFO)
    handler.sa_sigaction(signal, info, context);
  else if (handler.sa_handler != SIG_DFL && handler.sa_handler != SIG_IGN)
    handler.sa_handler(signal);
  else
    sigaction(signal, &handler, nullptr); // it happens again, without us
}

void onFault(int signal, siginfo_t *info, void *context) {
  if (!escape)
    return passOn(signal, info, context);
  lastFault = {signal == SIGILL, reinterpret_cast<uintptr_t>(info->si_addr)};
  siglongjmp(*escape, 1);
}

/// Our handlers for as long as it lives, then those from before. One at a time:
/// handlers are the process's, and must be put back in the order they came.
class Handlers {
public:
  Handlers() : lock(mutex) {
    struct sigaction action = {};
    action.sa_sigaction = onFault;
    action.sa_flags = SA_SIGINFO;
    for (size_t i = 0; i < signals.size(); ++i)
      sigaction(signals[i], &action, &before[i]);
  }
  ~Handlers() {
    for (size_t i = 0; i < signals.size(); ++i)
      sigaction(signals[i], &before[i], nullptr);
  }

private:
  static std::mutex mutex;
  std::lock_guard<std::mutex> lock;
};

std::mutex Handlers::mutex;

} // namespace

std::optional<Fault> permc::trapFaults(llvm::function_ref<void()> body) {
  Handlers handlers;
  sigjmp_buf here;
  // The mask is saved: the signal is blocked while its handler runs.
  if (sigsetjmp(here, /*savemask=*/1)) {
    escape = nullptr;
    return lastFault;
  }
  escape = &here;
  body();
  escape = nullptr;
  return std::nullopt;
}
