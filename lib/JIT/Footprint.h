//===- Footprint.h - which bytes of a strided buffer count ------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A strided tensor may span many times the memory it fills. Its footprint is
// the part of the span that has to exist for a test: a few extents, each with
// elements in it and perhaps small gaps, that lie pages apart. Packed end to
// end the extents make an image of the buffer that fits memory.
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_LIB_JIT_FOOTPRINT_H
#define PERMC_LIB_JIT_FOOTPRINT_H

#include <cstdint>
#include <vector>

namespace permc {

/// The bytes [begin, end) of a buffer; they start at `packed` in its image.
struct Extent {
  int64_t begin, end;
  int64_t packed;

  int64_t size() const { return end - begin; }
};

/// One dim of a buffer.
struct StridedDim {
  int64_t size;
  int64_t stride; ///< bytes
};

class Footprint {
public:
  /// An empty tensor (`dims` with a size of 0) has no extents.
  Footprint(std::vector<StridedDim> dims, int64_t elementBytes);

  const std::vector<Extent> &extents() const { return list; }
  /// From the buffer's first byte to past its last element.
  int64_t span() const { return list.empty() ? 0 : list.back().end; }
  /// The size of the image.
  int64_t bytes() const;

  /// From an offset in the buffer to one in its image, and back. The byte must
  /// be in an extent.
  int64_t pack(int64_t offset) const;
  int64_t unpack(int64_t packed) const;

private:
  std::vector<Extent> list; ///< ascending, none empty
};

} // namespace permc

#endif // PERMC_LIB_JIT_FOOTPRINT_H
