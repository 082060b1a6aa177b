//===- EmitWordSteps.h - tiles of words that step along ---------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_LIB_TRANSFORMS_EMITWORDSTEPS_H
#define PERMC_LIB_TRANSFORMS_EMITWORDSTEPS_H

#include "permc/Plan/WordSteps.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace permc {

/// Carries out the stepping moves of words on one tile after the other.
class SteppingWords {
public:
  SteppingWords(mlir::ImplicitLocOpBuilder &b, const Network &network,
                WordSteps plan)
      : b(b), network(network), plan(std::move(plan)) {}

  /// Addresses that run along with a loop.
  using Addresses = llvm::SmallVector<mlir::Value>;

  /// Those of the tile whose first bytes are at `src` and `dst`.
  Addresses startAt(mlir::Value src, mlir::Value dst);

  /// The tile at `at`. Returns where the next one is.
  Addresses emit(Addresses at);

private:
  using Words = llvm::SmallVector<mlir::Value, 4>;

  void load(const WordSteps::Move &move, mlir::Value &address);
  void store(const WordSteps::Move &move, mlir::Value &address);
  Words shuffled(const Network::Step &step) const;
  mlir::Value further(mlir::Value address, int64_t bytes);

  mlir::ImplicitLocOpBuilder &b;
  const Network &network;
  const WordSteps plan;
  std::vector<Words> values; ///< of the steps, in the tile at hand
  size_t loads = 0;          ///< so far
};

} // namespace permc

#endif // PERMC_LIB_TRANSFORMS_EMITWORDSTEPS_H
