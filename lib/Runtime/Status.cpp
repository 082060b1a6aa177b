//===- Status.cpp - versions and errors of the shim -----------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Boundary.h"

#include "permc-rt/permc_rt.h"

#include <algorithm>
#include <cstring>

using namespace permc;

static_assert(PERMC_RT_VERSION == PERMC_PROJECT_VERSION_NUMBER,
              "the header's version is not the project's");

namespace {

/// A thread's last message. Plain memory: it is there for as long as the thread
/// is, and takes no allocation that could fail.
constexpr size_t messageBytes = 1024;
thread_local char lastMessage[messageBytes];

} // namespace

permc_status permc::fail(const Error &error) noexcept {
  const size_t length = std::min(error.message.size(), messageBytes - 1);
  std::memcpy(lastMessage, error.message.data(), length);
  lastMessage[length] = '\0';
  return static_cast<permc_status>(error.cause);
}

uint32_t permc_rt_version(void) { return PERMC_PROJECT_VERSION_NUMBER; }
const char *permc_rt_version_string(void) { return PERMC_PROJECT_VERSION; }

const char *permc_rt_status_name(permc_status status) {
  if (status == PERMC_OK)
    return "Ok";
  if (status < PERMC_BAD_RANK || status > PERMC_INTERNAL)
    return "Unknown";
  // The names are literals, so they end with a zero.
  return causeName(static_cast<Cause>(status)).data();
}

const char *permc_rt_last_error(void) { return lastMessage; }
