//===- Boundary.cpp - nothing but a status leaves -------------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Part of libpermc and of libpermc_rt. Where both are linked into one program
// as archives, they have it, and a thread's last message, in common.
//
//===----------------------------------------------------------------------===//

#include "Boundary.h"

#include <algorithm>
#include <cstring>

using namespace permc;

// The two lists are one.
static_assert(PERMC_BAD_RANK == int(Cause::BadRank));
static_assert(PERMC_DUPLICATE_AXIS == int(Cause::DuplicateAxis));
static_assert(PERMC_AXIS_OUT_OF_RANGE == int(Cause::AxisOutOfRange));
static_assert(PERMC_BAD_SIZE == int(Cause::BadSize));
static_assert(PERMC_SIZE_OVERFLOW == int(Cause::SizeOverflow));
static_assert(PERMC_BAD_ELEMENT == int(Cause::BadElement));
static_assert(PERMC_BAD_STRIDE == int(Cause::BadStride));
static_assert(PERMC_BAD_SYNTAX == int(Cause::BadSyntax));
static_assert(PERMC_OVERLAPPING_BUFFERS == int(Cause::OverlappingBuffers));
static_assert(PERMC_NULL_POINTER == int(Cause::NullPointer));
static_assert(PERMC_BAD_SCHEDULE == int(Cause::BadSchedule));
static_assert(PERMC_UNKNOWN_TARGET == int(Cause::UnknownTarget));
static_assert(PERMC_UNSUPPORTED == int(Cause::Unsupported));
static_assert(PERMC_BAD_FILE == int(Cause::BadFile));
static_assert(PERMC_VERIFY_FAILED == int(Cause::VerifyFailed));
static_assert(PERMC_INTERNAL == int(Cause::Internal));

namespace {

/// A thread's last message. Plain memory: it is there for as long as the thread
/// is, whatever has been destroyed, and takes no allocation that could fail.
constexpr size_t messageBytes = 1024;
thread_local char lastMessage[messageBytes];

} // namespace

permc_status permc::fail(const Error &error) noexcept {
  const size_t length = std::min(error.message.size(), messageBytes - 1);
  std::memcpy(lastMessage, error.message.data(), length);
  lastMessage[length] = '\0';
  return static_cast<permc_status>(error.cause);
}

const char *permc::lastError() noexcept { return lastMessage; }

const char *permc::statusName(permc_status status) noexcept {
  if (status == PERMC_OK)
    return "Ok";
  if (status < PERMC_BAD_RANK || status > PERMC_INTERNAL)
    return "Unknown";
  // The names are literals, so they end with a zero.
  return causeName(static_cast<Cause>(status)).data();
}
