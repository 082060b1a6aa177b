//===- NaivePermute.h - the loop everything is checked against --*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_TEST_UNIT_NAIVEPERMUTE_H
#define PERMC_TEST_UNIT_NAIVEPERMUTE_H

#include "permc/Plan/Problem.h"

#include <cstring>

namespace permc {

/// Calls `visit(src offset, dst offset)` for each element, in the order of the
/// output's index.
template <typename Visit>
void visitElements(const Problem &problem, Visit visit) {
  if (problem.isEmpty())
    return;
  unsigned rank = problem.rank();
  Dims index(rank, 0);
  while (true) {
    int64_t from = problem.srcOrigin(), to = problem.dstOrigin();
    for (unsigned i = 0; i < rank; ++i) {
      from += index[i] * problem.srcByteStrides()[problem.perm()[i]];
      to += index[i] * problem.dstByteStrides()[i];
    }
    visit(from, to);
    unsigned i = rank;
    while (i > 0 && ++index[i - 1] == problem.shape()[problem.perm()[i - 1]])
      index[--i] = 0;
    if (i == 0)
      return;
  }
}

/// Moves one element at a time.
inline void naivePermute(const Problem &problem, const unsigned char *src,
                         unsigned char *dst) {
  visitElements(problem, [&](int64_t from, int64_t to) {
    std::memcpy(dst + to, src + from, problem.elementBytes());
  });
}

/// For each byte of dst the byte of src that lands there, or -1: all that
/// distinguishes one problem from another to a caller.
inline std::vector<int64_t> movedBytes(const Problem &problem) {
  std::vector<int64_t> sources(problem.dstSpan(), -1);
  visitElements(problem, [&](int64_t from, int64_t to) {
    for (int64_t byte = 0; byte < problem.elementBytes(); ++byte)
      sources[to + byte] = from + byte;
  });
  return sources;
}

} // namespace permc

#endif // PERMC_TEST_UNIT_NAIVEPERMUTE_H
