//===- FaultTrap.cpp - run code that may touch what it must not -----------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FaultTrap.h"

#include <array>
#include <csetjmp>
#include <csignal>

using namespace permc;

namespace {

/// Where the handler jumps to; only threads inside trapFaults have one.
thread_local sigjmp_buf *escape = nullptr;
thread_local Fault lastFault;

constexpr std::array signals = {SIGSEGV, SIGBUS, SIGILL};

void onFault(int signal, siginfo_t *info, void *) {
  if (!escape) {
    // Somebody else's fault: let it happen again without us.
    std::signal(signal, SIG_DFL);
    return;
  }
  lastFault = {signal == SIGILL, reinterpret_cast<uintptr_t>(info->si_addr)};
  siglongjmp(*escape, 1);
}

/// Our handlers for as long as it lives, then those from before.
class Handlers {
public:
  Handlers() {
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
  std::array<struct sigaction, signals.size()> before;
};

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
