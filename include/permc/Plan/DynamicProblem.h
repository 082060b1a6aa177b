//===- DynamicProblem.h - a permutation of some unknown dims ----*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rank, order and element are known when a kernel is made, but some dims come
// with the call. Everything that holds whatever they turn out to be is decided
// beforehand: dims are dropped, merged and folded as in a static problem, and a
// merged dim has a size like 224 x ?. A tensor is dense, or has strides, which
// are known or come with the call as well.
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_PLAN_DYNAMICPROBLEM_H
#define PERMC_PLAN_DYNAMICPROBLEM_H

#include "permc/Plan/Simplify.h"

namespace permc {

/// A product of a constant and some of the dims that come with the call.
struct DynamicSize {
  int64_t factor = 1;
  uint64_t dims = 0; ///< a bit for each dynamic dim that is a factor

  bool isStatic() const { return dims == 0; }
  /// INT64_MAX if it is more than that.
  int64_t at(const Dims &values) const;

  bool operator==(const DynamicSize &) const = default;
};
DynamicSize operator*(DynamicSize a, DynamicSize b);

/// "224", "?0", "224*?0*?2": the number after `?` counts the dynamic dims.
std::string spellSize(const DynamicSize &size);

/// A permutation of a tensor some dims or strides of which are dynamic. Output
/// dim i is input dim perm[i].
class DynamicProblem {
public:
  using Sizes = std::vector<DynamicSize>;

  /// `dynamicDims` is how many numbers come with a call. What is static must be
  /// a valid problem by itself. Strides are in bytes, by input and by output
  /// dim; none: the side is dense and row-major. As in a Problem those of src
  /// may be zero or negative and those of dst negative, whether they are known
  /// or come with a call.
  static Result<DynamicProblem> make(int64_t elementBytes, Sizes shape,
                                     Dims perm, unsigned dynamicDims,
                                     std::optional<Sizes> srcStrides = {},
                                     std::optional<Sizes> dstStrides = {});

  /// The same from a shape with `dynamicDim` in the place of each dynamic dim.
  static Result<DynamicProblem> make(int64_t elementBytes, const Dims &shape,
                                     Dims perm);

  int64_t elementBytes() const { return element; }
  unsigned rank() const { return static_cast<unsigned>(sizes.size()); }
  const Sizes &shape() const { return sizes; }
  const Dims &perm() const { return order; }
  unsigned dynamicDims() const { return count; }

  /// Strides in bytes, by input and by output dim.
  const Sizes &srcByteStrides() const { return srcStrides; }
  const Sizes &dstByteStrides() const { return dstStrides; }
  bool isSrcDense() const;
  bool isDstDense() const;
  bool isDense() const { return isSrcDense() && isDstDense(); }
  Sizes outShape() const;
  /// What a number of a call is: the size of an input dim, or, counted on from
  /// there, the stride of an input dim, then that of an output dim.
  unsigned placeOf(unsigned number) const;
  DynamicSize bytesMoved() const;
  bool isEmpty() const; ///< some static dim is 0

  /// The shape with `dynamicDim` wherever it is not static.
  Dims staticShape() const;

  /// The problem of one call, with these numbers.
  Result<Problem> at(const Dims &values) const;

  /// A dense problem in which all dynamic dims are 1.
  Problem withOnes() const;

  bool operator==(const DynamicProblem &) const = default;

private:
  DynamicProblem(int64_t element, Sizes sizes, Dims order, unsigned count)
      : element(element), sizes(std::move(sizes)), order(std::move(order)),
        count(count) {}

  Status checkStrides() const;

  int64_t element;
  Sizes sizes;
  Dims order;
  unsigned count;
  Sizes srcStrides, dstStrides;
};

/// "?0x50176x3", or "scalar".
std::string spellShape(const DynamicProblem::Sizes &shape);

//===----------------------------------------------------------------------===//
// Simplification: what Simplify.h does, for all sizes of the dynamic dims
//===----------------------------------------------------------------------===//

DynamicProblem flip(const DynamicProblem &problem);
DynamicProblem squeeze(const DynamicProblem &problem);
DynamicProblem merge(const DynamicProblem &problem);
DynamicProblem fold(const DynamicProblem &problem, int64_t limitBytes);
DynamicProblem unfold(const DynamicProblem &problem, int64_t limitBytes);

struct DynamicStep {
  std::string_view name; ///< "squeeze", "merge", "fold"
  DynamicProblem after;
};
DynamicProblem canonicalize(const DynamicProblem &problem,
                            int64_t foldLimitBytes,
                            std::vector<DynamicStep> *steps = nullptr);

/// What the permutation does whatever the dynamic dims are.
MoveClass classify(const DynamicProblem &problem);

} // namespace permc

#endif // PERMC_PLAN_DYNAMICPROBLEM_H
