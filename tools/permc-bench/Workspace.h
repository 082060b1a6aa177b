//===- Workspace.h - the buffers all competitors share ----------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_BENCH_WORKSPACE_H
#define PERMC_BENCH_WORKSPACE_H

#include "Buffer.h"
#include "CaseFile.h"

#include <cstring>

namespace permc::bench {

/// The same memory for all cases and all competitors of a run, so that none is
/// lucky with its pages.
class Workspace {
public:
  /// Room for the largest of `cases`.
  static Result<Workspace> create(const std::vector<Case> &cases);

  const char *src() const { return from.data(); }
  char *dst() const { return to.data(); }
  /// The right result of the current case.
  const char *want() const { return right.data(); }

  /// Keeps what `permute` writes to dst as the right result of `one`.
  template <typename Permute>
  void begin(const Case &one, const Permute &permute) {
    bytes = one.problem.bytesMoved();
    permute();
    std::memcpy(right.data(), to.data(), size_t(bytes));
  }

  /// Runs `permute` into a dst of other bytes and compares every one.
  template <typename Permute>
  Status verify(const std::string &name, const Permute &permute) {
    spoil();
    permute();
    return compare(name);
  }

private:
  Workspace(Buffer from, Buffer to, Buffer right)
      : from(std::move(from)), to(std::move(to)), right(std::move(right)) {}
  void spoil();
  Status compare(const std::string &name) const;

  Buffer from, to, right;
  int64_t bytes = 0;
};

} // namespace permc::bench

#endif // PERMC_BENCH_WORKSPACE_H
