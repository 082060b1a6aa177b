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

/// Addresses of a tile's first byte on both sides.
struct TileAddresses {
  mlir::Value src, dst;
};

/// Carries out a network of moves of 16 bytes, and shuffles of elements, on one
/// tile after the other.
class SteppingTiles {
public:
  /// Made in front of the loops. From one tile to the next it is `next` bytes.
  SteppingTiles(mlir::ImplicitLocOpBuilder &b, const Network &network,
                int64_t elementBytes, int64_t srcNext, int64_t dstNext);

  /// The tile at `at`. Returns where the next one is.
  TileAddresses emit(TileAddresses at);

private:
  /// Steps of the network that are one move, and how far it is to the next on
  /// the same side.
  struct Move {
    size_t first, count;
    int64_t distance;
  };

  std::map<size_t, Move> movesOf(Network::StepKind kind, int64_t next) const;
  void load(size_t first, size_t count, mlir::Value address);
  void store(size_t first, size_t count, mlir::Value address);
  mlir::Value stepOn(mlir::Value address, const Move &move);
  mlir::Value hide(mlir::Value value);
  mlir::Value pointer(mlir::Value address);
  mlir::StringAttr intrinsic(const char *verb, size_t count);

  mlir::ImplicitLocOpBuilder &b;
  const Network &network;
  const mlir::VectorType vectorType;
  std::map<size_t, Move> moves; ///< by their first step
  std::map<int64_t, mlir::Value> distances;
  std::vector<mlir::Value> values; ///< of the steps, in the tile at hand
};

} // namespace permc

#endif // PERMC_LIB_TRANSFORMS_EMITSTEPPING_H
