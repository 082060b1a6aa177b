//===- EmitStepping.h - tiles whose addresses step along --------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_LIB_TRANSFORMS_EMITSTEPPING_H
#define PERMC_LIB_TRANSFORMS_EMITSTEPPING_H

#include "permc/Plan/Network.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

#include <map>

namespace permc {

/// Carries out a network of moves of 16 bytes, and shuffles of elements, on one
/// tile after the other.
class SteppingTiles {
public:
  /// Made in front of the loops. From one tile to the next it is `next` bytes.
  /// `ownAddresses`: each store has one, and only that of src steps.
  SteppingTiles(mlir::ImplicitLocOpBuilder &b, const Network &network,
                int64_t elementBytes, int64_t srcNext, int64_t dstNext,
                bool ownAddresses);

  /// Addresses that run along with a loop: that of src, then those of dst.
  using Addresses = llvm::SmallVector<mlir::Value>;

  /// Those of the tile whose first bytes are at `src` and `dst`.
  Addresses startAt(mlir::Value src, mlir::Value dst);

  /// The tile at `at`. Returns where the next one is.
  Addresses emit(Addresses at);

private:
  /// Steps of the network that are one move, how far from the address it is and
  /// how far the address then steps on.
  struct Move {
    size_t first, count;
    int64_t offset, distance;
  };

  std::vector<Move> joined(Network::StepKind kind) const;
  std::map<size_t, Move> movesOf(Network::StepKind kind, int64_t next) const;
  int64_t placeOf(const Move &move) const {
    return network.steps[move.first].offset;
  }
  void makeDistance(int64_t bytes);
  void load(const Move &move, mlir::Value address);
  void store(const Move &move, mlir::Value address);
  void storePair(size_t first, mlir::Value address);
  mlir::Value stepOn(mlir::Value address, const Move &move);
  mlir::Value hide(mlir::Value value);
  mlir::Value pointer(mlir::Value address, int64_t offset = 0);
  mlir::StringAttr intrinsic(const char *verb, size_t count);

  mlir::ImplicitLocOpBuilder &b;
  const Network &network;
  const mlir::VectorType vectorType;
  const int64_t dstNext;
  const bool ownAddresses;
  std::map<size_t, Move> moves; ///< by their first step
  std::map<int64_t, mlir::Value> distances;
  std::vector<mlir::Value> values; ///< of the steps, in the tile at hand
};

} // namespace permc

#endif // PERMC_LIB_TRANSFORMS_EMITSTEPPING_H
