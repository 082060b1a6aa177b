//===- FrontendTesting.h - what the Frontend tests share ------ -*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_TEST_UNIT_FRONTENDTESTING_H
#define PERMC_TEST_UNIT_FRONTENDTESTING_H

#include "permc/Plan/Problem.h"

#include "gtest/gtest.h"

#include <string>

namespace permc {

/// Succeeds if `result` failed for `cause` with `text` in its message.
template <typename T>
testing::AssertionResult failsWith(const Result<T> &result, Cause cause,
                                   std::string_view text) {
  if (result)
    return testing::AssertionFailure() << "there is a value, not an error";
  const Error &error = result.error();
  if (error.cause != cause || error.message.find(text) == std::string::npos)
    return testing::AssertionFailure()
           << causeName(error.cause) << ": " << error.message << "\n  expected "
           << causeName(cause) << " with: " << text;
  return testing::AssertionSuccess();
}

/// Where one element goes.
struct ElementMove {
  int64_t srcIndex;  ///< row-major index of the element in the input's shape
  int64_t srcOffset; ///< bytes
  int64_t dstOffset; ///< bytes
};

/// The moves that `problem` asks for, in row-major order of the output. Written
/// from the definition alone: output dim i is input dim perm[i].
inline std::vector<ElementMove> naiveMoves(const Problem &problem) {
  const Dims &shape = problem.shape();
  const Dims &perm = problem.perm();
  std::vector<ElementMove> moves;
  for (int64_t out = 0, count = problem.elements(); out < count; ++out) {
    Dims input(shape.size());
    int64_t left = out, dstOffset = 0;
    for (size_t i = perm.size(); i-- > 0;) {
      const int64_t index = left % shape[perm[i]];
      left /= shape[perm[i]];
      input[perm[i]] = index;
      dstOffset += index * problem.dstByteStrides()[i];
    }
    ElementMove move{0, 0, dstOffset};
    for (size_t dim = 0; dim < shape.size(); ++dim) {
      move.srcIndex = move.srcIndex * shape[dim] + input[dim];
      move.srcOffset += input[dim] * problem.srcByteStrides()[dim];
    }
    moves.push_back(move);
  }
  return moves;
}

} // namespace permc

#endif // PERMC_TEST_UNIT_FRONTENDTESTING_H
