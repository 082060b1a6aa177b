//===- GuardedBuffer.h - a buffer that cannot be left unseen ----*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_LIB_JIT_GUARDEDBUFFER_H
#define PERMC_LIB_JIT_GUARDEDBUFFER_H

#include "Footprint.h"
#include "permc/Plan/Error.h"

#include <optional>
#include <span>

namespace permc {

/// Where a buffer lies between its guard pages.
struct Placement {
  /// The buffer's last byte touches the guard page after it. Otherwise the
  /// buffer starts `offset` bytes behind the guard page before it.
  bool atEnd = false;
  int64_t offset = 0;
};

/// Memory for a buffer between two guard pages. Only the pages round the
/// footprint's extents exist; touching any other, or a guard page, faults.
class GuardedBuffer {
public:
  /// The footprint must outlive the buffer.
  static Result<GuardedBuffer> map(const Footprint &footprint, Placement place);
  GuardedBuffer(GuardedBuffer &&other) noexcept;
  GuardedBuffer &operator=(GuardedBuffer &&) = delete;
  ~GuardedBuffer();

  uint8_t *data() const { return start; }
  /// Whether the byte can be read. It may lie outside the buffer.
  bool exists(int64_t offset) const;

  /// Puts the image (packed) into the extents and `outside` into every byte
  /// near them.
  void fill(std::span<const uint8_t> image, uint8_t outside);
  /// Puts `byte` everywhere.
  void fill(uint8_t byte);

  /// The offset of the first byte that differs from such a fill; it may lie
  /// outside the buffer.
  std::optional<int64_t> findChange(std::span<const uint8_t> image,
                                    uint8_t outside) const;

  void protectFromWrites(bool on);

private:
  /// Bytes that exist, as offsets from `start`: whole pages.
  struct Pages {
    int64_t begin, end;
  };
  GuardedBuffer() = default;
  void choosePages(int64_t pageBytes, int64_t low, int64_t high);
  bool protect(int protection);

  const Footprint *extents = nullptr;
  uint8_t *reserved = nullptr;
  int64_t reservedBytes = 0;
  uint8_t *start = nullptr;
  std::vector<Pages> pages;
};

} // namespace permc

#endif // PERMC_LIB_JIT_GUARDEDBUFFER_H
