//===- EmitMoves.h - the innermost code of a nest ---------------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_LOWERING_EMITMOVES_H
#define PERMC_LOWERING_EMITMOVES_H

#include "permc/Dialect/Permute/Permute.h"
#include "permc/Plan/Network.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace permc {

/// Index constants, each made once, at the start of the block: in front of the
/// nest, however much of that exists already.
class Constants {
public:
  explicit Constants(PermuteOp op)
      : block(op->getBlock()), b(op.getLoc(), op) {}
  mlir::Value operator()(int64_t value);

private:
  mlir::Block *block;
  mlir::ImplicitLocOpBuilder b;
  llvm::DenseMap<int64_t, mlir::Value> values;
};

/// A stride of a tile whose numbers are nominal, what it is at run time, and
/// how many positions the tile has along it.
struct TileStride {
  int64_t nominal;
  mlir::Value actual;
  int64_t size;
};
using TileStrides = std::vector<TileStride>;

/// What lies `start` bytes into a tile and further has a view of the buffer to
/// itself.
struct TileStream {
  int64_t start;
  int64_t origin; ///< where the view begins, `start` or further on
  mlir::Value view = {};
};
using TileStreams = std::vector<TileStream>;

/// A byte of a buffer, the first of a tile. `strides` (in any order) tell where
/// the others are if the tile's numbers are nominal. With `streams` (by their
/// start) the offset is one into each view.
struct Place {
  mlir::Value buffer;
  mlir::Value offset;
  TileStrides strides = {};
  TileStreams streams = {};
};

/// The address of a place, as an integer of that type.
mlir::Value emitAddress(mlir::ImplicitLocOpBuilder &b, const Place &place,
                        mlir::Type type);

/// The buffer from `offset` on. Only where it starts is of use; `bytes` are
/// what the next move takes of it.
mlir::Value emitView(mlir::ImplicitLocOpBuilder &b, Constants &constant,
                     mlir::Value buffer, mlir::Value offset, int64_t bytes);

/// Gives each of `streams` of the tile at `place` its view.
TileStreams emitStreams(mlir::ImplicitLocOpBuilder &b, Constants &constant,
                        Place place, TileStreams streams, int64_t bytes);

/// The same value, of which nothing is known. It is no instruction.
mlir::Value emitHidden(mlir::OpBuilder &b, mlir::Location loc,
                       mlir::Value value);

/// Which cache is asked to fetch: `memref.prefetch`'s hints.
enum class FetchTo : uint32_t { L1 = 3, L2 = 2 };

/// Prefetches the lines that the network's moves of one kind, loads or stores,
/// will want `ahead` bytes further on.
void emitPrefetch(mlir::ImplicitLocOpBuilder &b, Constants &constant,
                  const Network &network, Network::StepKind move, Place place,
                  int64_t ahead, FetchTo cache = FetchTo::L1);

/// Asks the second cache for the line that has the byte `ahead` of a place.
void emitPrefetchLine(mlir::ImplicitLocOpBuilder &b, Constants &constant,
                      Place place, int64_t ahead, bool isWrite);

/// Asks the second cache for all lines of `bytes` bytes of src.
void emitPrefetchRange(mlir::ImplicitLocOpBuilder &b, Constants &constant,
                       Place src, int64_t bytes);

/// Which ends of a streamed run are its own: of the line in which another one
/// starts nothing is stored, and the line in which another one ends is stored
/// whole. Null: always.
struct StreamEnds {
  mlir::Value first, last;
};

struct StreamOptions {
  int64_t vectorBytes;
  /// How far ahead in src lines are prefetched; 0: not at all.
  int64_t prefetchBytes = 0;
  /// There may be less than 128 bytes, which are stored to then.
  bool mayBeShort = false;
  StreamEnds ends = {};
};

/// Copies `bytes` (128 at least, if nothing else is said) past the cache: whole
/// aligned lines of dst by non-temporal stores, what is left of the first and
/// last line by ordinary ones. `dstAddress` is the address of dst's buffer.
void emitStreamCopy(mlir::ImplicitLocOpBuilder &b, Constants &constant,
                    Place src, Place dst, mlir::Value dstAddress,
                    mlir::Value bytes, StreamOptions options);

} // namespace permc

#endif // PERMC_LOWERING_EMITMOVES_H
