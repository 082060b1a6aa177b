//===- Workspace.cpp - the buffers all competitors share ------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Workspace.h"

#include "Stopwatch.h"

#include <algorithm>
#include <cstring>
#include <unistd.h>

using namespace permc;
using namespace permc::bench;

namespace {

constexpr int64_t bufferCount = 3;

/// What fits beside everything else: memory that swaps measures the disk.
int64_t maxCaseBytes() {
  const int64_t pages = sysconf(_SC_AVPHYS_PAGES);
  return pages * sysconf(_SC_PAGESIZE) / bufferCount / 10 * 9;
}

} // namespace

Result<Workspace> Workspace::create(const std::vector<Case> &cases,
                                    unsigned dstOffset) {
  const int64_t limit = maxCaseBytes();
  int64_t bytes = 0;
  for (const Case &one : cases) {
    if (one.problem.bytesMoved() > limit)
      return Error{Cause::Unsupported,
                   "case " + one.fullName() + " moves " +
                       std::to_string(one.problem.bytesMoved()) +
                       " bytes; the free memory is enough for " +
                       std::to_string(limit)};
    bytes = std::max(bytes, one.problem.bytesMoved());
  }
  auto from = Buffer::allocate(bytes), to = Buffer::allocate(bytes + dstOffset),
       right = Buffer::allocate(bytes);
  for (const auto *buffer : {&from, &to, &right})
    if (!*buffer)
      return buffer->error();
  from->fillWithPattern();
  return Workspace(std::move(*from), std::move(*to), std::move(*right),
                   dstOffset);
}

void Workspace::begin(const Case &one, Competitor &trusted) {
  bytes = one.problem.bytesMoved();
  trusted.firstCall = timeByGoogleBenchmark(trusted, 1, Clock::Thread);
  std::memcpy(right.data(), dst(), size_t(bytes));
}

Status Workspace::verify(Competitor &competitor) {
  char *got = dst();
  for (int64_t i = 0; i < bytes; ++i)
    got[i] = char(~right.data()[i]);
  competitor.firstCall = timeByGoogleBenchmark(competitor, 1, Clock::Thread);
  if (std::memcmp(got, want(), size_t(bytes)) == 0)
    return Done{};
  const char *wrong = std::mismatch(got, got + bytes, right.data()).first;
  return Error{Cause::VerifyFailed, competitor.name + " is wrong at byte " +
                                        std::to_string(wrong - got) + " of " +
                                        std::to_string(bytes)};
}
