//===- StoreReplay.h - the stores that lowered loops make -------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Interprets a kernel as permc-lower-to-loops leaves it: addresses only, no
// data. Every store to dst is told to a listener, with its address, its width
// and whether it is non-temporal.
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_TEST_UNIT_STOREREPLAY_H
#define PERMC_TEST_UNIT_STOREREPLAY_H

#include "permc/Plan/Error.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace permc {

/// A kernel that is told what it stores.
class StoreReplay {
public:
  struct Listener {
    std::function<void(int64_t address, int64_t bytes, bool nonTemporal)> store;
    std::function<void()> endOfTurn; ///< of a loop
  };

  /// `module` is the text of one kernel, `k`, after permc-lower-to-loops.
  static Result<StoreReplay> create(const std::string &module);
  StoreReplay(StoreReplay &&) noexcept;
  ~StoreReplay();

  /// Runs part `part` of `parts` with dst at such an address. `sizes` are those
  /// of dynamic dims. What the interpreter does not know is an error.
  Status run(int64_t dst, const std::vector<int64_t> &sizes, uint32_t part,
             uint32_t parts, const Listener &listener);

private:
  struct State;
  explicit StoreReplay(std::unique_ptr<State> state);
  std::unique_ptr<State> state;
};

} // namespace permc

#endif // PERMC_TEST_UNIT_STOREREPLAY_H
