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

/// Moves one element at a time, in the order of the output's index.
inline void naivePermute(const Problem &problem, const unsigned char *src,
                         unsigned char *dst) {
  if (problem.isEmpty())
    return;
  unsigned rank = problem.rank();
  Dims index(rank, 0);
  while (true) {
    int64_t from = 0, to = 0;
    for (unsigned i = 0; i < rank; ++i) {
      from += index[i] * problem.srcByteStrides()[problem.perm()[i]];
      to += index[i] * problem.dstByteStrides()[i];
    }
    std::memcpy(dst + to, src + from, problem.elementBytes());
    unsigned i = rank;
    while (i > 0 && ++index[i - 1] == problem.shape()[problem.perm()[i - 1]])
      index[--i] = 0;
    if (i == 0)
      return;
  }
}

} // namespace permc

#endif // PERMC_TEST_UNIT_NAIVEPERMUTE_H
