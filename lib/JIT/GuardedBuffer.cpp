//===- GuardedBuffer.cpp - a buffer that cannot be left unseen ------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GuardedBuffer.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

using namespace permc;

static int64_t roundDown(int64_t value, int64_t unit) {
  return value - ((value % unit) + unit) % unit;
}
static int64_t roundUp(int64_t value, int64_t unit) {
  return -roundDown(-value, unit);
}

Result<GuardedBuffer> GuardedBuffer::map(const Footprint &footprint,
                                         Placement place) {
  const int64_t page = sysconf(_SC_PAGESIZE);
  const int64_t span = footprint.span();
  const int64_t usable = roundUp(span + place.offset, page);

  GuardedBuffer buffer;
  buffer.extents = &footprint;
  buffer.reservedBytes = usable + 2 * page;
  void *memory = mmap(nullptr, buffer.reservedBytes, PROT_NONE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED)
    return Error{Cause::Unsupported, "no address space for a buffer of " +
                                         std::to_string(span) +
                                         " bytes: " + std::strerror(errno)};
  buffer.reserved = static_cast<uint8_t *>(memory);
  const int64_t lead = place.atEnd ? usable - span : place.offset;
  buffer.start = buffer.reserved + page + lead;
  buffer.choosePages(page, -lead, usable - lead);
  if (!buffer.protect(PROT_READ | PROT_WRITE))
    return Error{Cause::Unsupported, "no memory for a buffer of " +
                                         std::to_string(footprint.bytes()) +
                                         " bytes: " + std::strerror(errno)};
  return buffer;
}

GuardedBuffer::GuardedBuffer(GuardedBuffer &&other) noexcept
    : extents(other.extents), reserved(std::exchange(other.reserved, nullptr)),
      reservedBytes(other.reservedBytes), start(other.start),
      pages(std::move(other.pages)) {}

GuardedBuffer::~GuardedBuffer() {
  if (reserved)
    munmap(reserved, reservedBytes);
}

/// An extent's own pages and one more on each side that the buffer has: a
/// kernel may read (and must not write) the padding next to an element. `low`
/// and `high` bound what lies between the guard pages.
void GuardedBuffer::choosePages(int64_t pageBytes, int64_t low, int64_t high) {
  for (const Extent &extent : extents->extents()) {
    const int64_t begin =
        low + roundDown(extent.begin - pageBytes - low, pageBytes);
    const int64_t end = low + roundUp(extent.end + pageBytes - low, pageBytes);
    pages.push_back({std::max(begin, low), std::min(end, high)});
  }
}

bool GuardedBuffer::protect(int protection) {
  for (const Pages &range : pages)
    if (mprotect(start + range.begin, range.end - range.begin, protection) != 0)
      return false;
  return true;
}

bool GuardedBuffer::exists(int64_t offset) const {
  return std::any_of(pages.begin(), pages.end(), [&](const Pages &range) {
    return offset >= range.begin && offset < range.end;
  });
}

void GuardedBuffer::protectFromWrites(bool on) {
  protect(on ? PROT_READ : PROT_READ | PROT_WRITE);
}

void GuardedBuffer::fill(uint8_t byte) {
  for (const Pages &range : pages)
    std::memset(start + range.begin, byte, range.end - range.begin);
}

void GuardedBuffer::fill(std::span<const uint8_t> image, uint8_t outside) {
  fill(outside);
  for (const Extent &extent : extents->extents())
    std::memcpy(start + extent.begin, image.data() + extent.packed,
                extent.size());
}

/// The first byte of [begin, end) that is not `byte`.
static const uint8_t *findOther(const uint8_t *begin, const uint8_t *end,
                                uint8_t byte) {
  return std::find_if(begin, end, [=](uint8_t found) { return found != byte; });
}

std::optional<int64_t> GuardedBuffer::findChange(std::span<const uint8_t> image,
                                                 uint8_t outside) const {
  for (size_t i = 0; i < pages.size(); ++i) {
    const Extent &extent = extents->extents()[i];
    const uint8_t *first = start + extent.begin, *last = start + extent.end;

    const uint8_t *before = start + pages[i].begin;
    if (const uint8_t *at = findOther(before, first, outside); at != first)
      return at - start;

    const uint8_t *expected = image.data() + extent.packed;
    if (std::memcmp(first, expected, extent.size()) != 0)
      return std::mismatch(first, last, expected).first - start;

    const uint8_t *after = start + pages[i].end;
    if (const uint8_t *at = findOther(last, after, outside); at != after)
      return at - start;
  }
  return std::nullopt;
}
