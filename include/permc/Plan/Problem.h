//===- Problem.h - a tensor permutation, fully described --------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_PLAN_PROBLEM_H
#define PERMC_PLAN_PROBLEM_H

#include "permc/Plan/Error.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

namespace permc {

using Dims = std::vector<int64_t>;

/// No tensor anyone has needs more; the bound keeps tables and messages finite.
inline constexpr int64_t maxRank = 64;

/// Stands in a shape for a size that comes with the call. No Problem has one.
inline constexpr int64_t dynamicDim = INT64_MIN;

/// One dim as a loop sees it: its size and how far one step moves in each
/// buffer.
struct LoopDim {
  int64_t size;
  int64_t srcStride; ///< bytes
  int64_t dstStride; ///< bytes

  bool operator==(const LoopDim &) const = default;
};

/// How near loops along a dim belong to the inside of a nest whose stores stay
/// in the cache: they follow dst, so that its lines fill up, but where
/// neighbours lie much nearer in src they follow that.
inline int64_t cachedDistance(const LoopDim &dim) {
  constexpr int64_t muchNearer = 8;
  return std::min(dim.srcStride, dim.dstStride / muchNearer);
}

/// How far into its buffer the first element of a dim lies: a dim that is
/// stepped through backwards begins at its far end.
inline int64_t originOf(int64_t size, int64_t stride) {
  return stride < 0 && size > 1 ? (1 - size) * stride : 0;
}

/// A permutation of a strided tensor: output dim i is input dim perm[i].
///
/// Strides are given in elements by people and kept in bytes here, so that
/// folding a dim into the element never has to divide one. Those of src may be
/// zero (the dim repeats) or negative (it is reversed), those of dst negative.
/// A buffer begins with its lowest byte whatever the signs are, so that a dim
/// can be turned round on both sides without another word.
///
/// Every Problem that exists is valid: sizes and offsets fit 63 bits, perm is a
/// permutation, and no two elements of dst share a byte.
class Problem {
public:
  /// Strides are in elements, `srcStrides` by input dim, `dstStrides` by output
  /// dim; without them a side is dense and row-major. Those of dims of size 1,
  /// and all of an empty tensor, mean nothing and become a dense tensor's.
  static Result<Problem> make(int64_t elementBytes, Dims shape, Dims perm,
                              const std::optional<Dims> &srcStrides = {},
                              const std::optional<Dims> &dstStrides = {});

  /// The same with strides in bytes.
  static Result<Problem> makeWithByteStrides(int64_t elementBytes, Dims shape,
                                             Dims perm, Dims srcStrides,
                                             Dims dstStrides);

  int64_t elementBytes() const { return element; }
  unsigned rank() const { return static_cast<unsigned>(sizes.size()); }
  const Dims &shape() const { return sizes; }
  const Dims &perm() const { return order; }
  const Dims &srcByteStrides() const { return srcBytes; } ///< by input dim
  const Dims &dstByteStrides() const { return dstBytes; } ///< by output dim
  /// In elements, as people give them. A problem that was simplified may have
  /// strides that are no multiple of its element.
  Dims srcStrides() const;
  Dims dstStrides() const;

  Dims outShape() const;
  /// The dims in output order.
  std::vector<LoopDim> loopDims() const;

  bool isEmpty() const; ///< some dim is 0: nothing moves
  bool isDense() const; ///< both sides dense and row-major
  int64_t elements() const;
  int64_t bytesMoved() const { return elements() * element; }
  /// Bytes from the first byte of a buffer to past its last.
  int64_t srcSpan() const;
  int64_t dstSpan() const;
  /// Where in its buffer the first element lies, the one whose indices are 0.
  int64_t srcOrigin() const;
  int64_t dstOrigin() const;
  /// Whether src repeats or reverses a dim.
  bool hasView() const;

  bool operator==(const Problem &) const = default;

private:
  Problem(int64_t element, Dims sizes, Dims order, Dims srcBytes, Dims dstBytes)
      : element(element), sizes(std::move(sizes)), order(std::move(order)),
        srcBytes(std::move(srcBytes)), dstBytes(std::move(dstBytes)) {}

  int64_t element;
  Dims sizes, order, srcBytes, dstBytes;
};

/// `perm` must be a permutation of 0..n-1; `rank` names what it must match.
Status checkPermutation(const Dims &perm, int64_t rank);

/// The permutation that undoes `perm`.
Dims invertPermutation(const Dims &perm);

/// Row-major strides in elements, size-0 dims counted as 1.
Dims denseStrides(const Dims &shape);

/// "2x3x4", or "scalar"; "?" for a dynamic dim, also below.
std::string spellShape(const Dims &shape);
/// "[2, 0, 1]".
std::string spellList(const Dims &list);

} // namespace permc

#endif // PERMC_PLAN_PROBLEM_H
