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
#include "Sampler.h"

namespace permc::bench {

/// The same memory for all cases and all competitors of a run, so that none is
/// lucky with its pages.
class Workspace {
public:
  /// Room for the largest of `cases`. Dst begins so many bytes behind a page.
  static Result<Workspace> create(const std::vector<Case> &cases,
                                  unsigned dstOffset);

  const char *src() const { return from.data(); }
  char *dst() const { return to.data() + offset; }
  unsigned dstOffset() const { return offset; }
  /// The right result of the current case.
  const char *want() const { return right.data(); }

  /// Keeps what `trusted` writes to dst as the right result of `one`.
  void begin(const Case &one, Competitor &trusted);
  /// Runs a competitor into a dst of other bytes and compares every one. Both
  /// note how long the call took.
  Status verify(Competitor &competitor);

private:
  Workspace(Buffer from, Buffer to, Buffer right, unsigned offset)
      : from(std::move(from)), to(std::move(to)), right(std::move(right)),
        offset(offset) {}

  Buffer from, to, right;
  unsigned offset; ///< of dst in its buffer
  int64_t bytes = 0;
};

} // namespace permc::bench

#endif // PERMC_BENCH_WORKSPACE_H
