//===- EmitNetwork.h - a tile's loads, shuffles and stores ------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_LOWERING_EMITNETWORK_H
#define PERMC_LOWERING_EMITNETWORK_H

#include "permc/Lowering/EmitMoves.h"

#include <map>

namespace permc {

/// Finds the places of a tile. Where strides are known at run time only, an
/// offset is taken apart into steps along them, and each place is one step from
/// another that was found before: an addition each, and few registers.
class TilePlaces {
public:
  TilePlaces(mlir::ImplicitLocOpBuilder &b, Constants &constant, Place tile);

  /// What has the byte at an offset of the network.
  mlir::Value bufferAt(int64_t offset) const;

  /// The place in it, and `bytes` further.
  mlir::Value at(int64_t offset, int64_t bytes = 0);

private:
  using Steps = std::vector<int64_t>; ///< along each stride

  const TileStream *streamAt(int64_t offset) const;
  mlir::Value find(const Steps &taken);

  mlir::ImplicitLocOpBuilder &b;
  Constants &constant;
  Place tile;
  int64_t lowest = 0; ///< byte of the tile, from its first element
  std::map<Steps, mlir::Value> steps;
};

/// How the stores of a network are made.
struct StoreOptions {
  /// By non-temporal stores, for which each of them must be aligned to its own
  /// size.
  bool streaming = false;
  /// If it is given, says at run time whether they are.
  mlir::Value onlyIf = {};
};

/// Carries out a network on one tile. A family of targets that has other
/// instructions for some of its steps derives from it.
class NetworkEmitter {
public:
  NetworkEmitter(mlir::ImplicitLocOpBuilder &b, Constants &constant,
                 const Network &network)
      : b(b), network(network), constant(constant),
        values(network.steps.size()),
        seams(network.needsSeams() ? network.seams()
                                   : std::vector<bool>(values.size())) {}
  virtual ~NetworkEmitter() = default;

  /// On the tile that starts at `src` and `dst`. Once only.
  void emit(Place src, Place dst, const StoreOptions &options = {});

protected:
  virtual mlir::Value load(const Network::Step &step, mlir::Value buffer,
                           mlir::Value place);
  virtual mlir::Value shuffle(const Network::Step &step);
  virtual void store(const Network::Step &step, mlir::Value value,
                     mlir::Value buffer, mlir::Value place);

  mlir::VectorType vectorType(int64_t bytes, int64_t unitBytes);
  /// The value of a step, seen as units of so many bytes.
  mlir::Value units(int step, int64_t unitBytes);

  mlir::ImplicitLocOpBuilder &b;
  const Network &network;

private:
  struct PendingStore {
    const Network::Step *step;
    mlir::Value value, buffer, place;
  };

  void emitStores(const StoreOptions &options);
  void storeEach(bool streaming);
  void stream(const PendingStore &pending);
  bool hidesItself(const Network::Step &step) const;
  mlir::Value seam(mlir::Value value, const Network::Step &step);

  Constants &constant;
  std::vector<mlir::Value> values;
  const std::vector<bool> seams;
  std::vector<PendingStore> stores;
  std::map<std::pair<int, int64_t>, mlir::Value> casts;
};

} // namespace permc

#endif // PERMC_LOWERING_EMITNETWORK_H
