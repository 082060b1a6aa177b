//===- EmitStepping.cpp - tiles whose addresses step along ----------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   ld1 {v0.16b, v1.16b, v2.16b}, [x0], x3    a row, and on to the next
//   ...
//   ld1 {v6.16b, v7.16b, v8.16b}, [x0], x4    the last, and on to the next tile
//
// However far apart rows and columns are, each side has one address, and none
// is ever added to beside the moves. The back end makes such a move of a load
// and an addition if it does not know what is added: so it is not told.
//
// Registers of an st1 must follow one another. Where there are none to spare
// for that, columns are stored by stp, which steps by small constants only:
// each has an address of its own.
//
//===----------------------------------------------------------------------===//

#include "EmitStepping.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

#include <map>
#include <numeric>

using namespace permc;
using mlir::Value;
namespace LLVM = mlir::LLVM;

namespace {

/// Carries out a network of moves of 16 bytes, and shuffles of elements, on one
/// tile after the other.
class SteppingTiles : public SteppingTile {
public:
  /// Made in front of the loops. From one tile to the next it is `next` bytes.
  /// `ownAddresses`: each store has one, and only that of src steps.
  SteppingTiles(mlir::ImplicitLocOpBuilder &b, const Network &network,
                int64_t elementBytes, int64_t srcNext, int64_t dstNext,
                bool ownAddresses);

  /// That of src, then those of dst.
  Addresses startAt(Place src, Place dst) override;
  Addresses emit(Addresses at) override;

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
  void load(const Move &move, Value address);
  void store(const Move &move, Value address);
  void storePair(size_t first, Value address);
  Value stepOn(Value address, const Move &move);
  Value hide(Value value);
  Value pointer(Value address, int64_t offset = 0);
  mlir::StringAttr intrinsic(const char *verb, size_t count);

  mlir::ImplicitLocOpBuilder &b;
  const Network &network;
  const mlir::VectorType vectorType;
  const int64_t dstNext;
  const bool ownAddresses;
  std::map<size_t, Move> moves; ///< by their first step
  std::map<int64_t, Value> distances;
  std::vector<Value> values; ///< of the steps, in the tile at hand
};

} // namespace

/// Vectors of one move, and of a store by stp.
static constexpr size_t maxVectors = 4, maxPair = 2;

/// Single vectors that have one address: loads, stores.
static constexpr size_t maxLoadsAtOnce = 4, maxStoresAtOnce = 2;

/// What the offset of a single vector can be without a register.
static bool isImmediate(int64_t offset) {
  constexpr int64_t most = 4095 * laneBytes;
  return offset >= 0 && offset <= most && offset % laneBytes == 0;
}

SteppingTiles::SteppingTiles(mlir::ImplicitLocOpBuilder &b,
                             const Network &network, int64_t elementBytes,
                             int64_t srcNext, int64_t dstNext,
                             bool ownAddresses)
    : b(b), network(network),
      vectorType(mlir::VectorType::get({laneBytes / elementBytes},
                                       b.getIntegerType(8 * elementBytes))),
      dstNext(dstNext), ownAddresses(ownAddresses),
      moves(movesOf(Network::StepKind::Load, srcNext)) {
  moves.merge(movesOf(Network::StepKind::Store, dstNext));
  for (const auto &[first, move] : moves) {
    if (move.distance != 0)
      makeDistance(move.distance);
    if (!isImmediate(move.offset))
      makeDistance(move.offset);
  }
}

void SteppingTiles::makeDistance(int64_t bytes) {
  Value &distance = distances[bytes];
  if (!distance)
    distance = hide(LLVM::ConstantOp::create(b, b.getI64Type(),
                                             b.getI64IntegerAttr(bytes)));
}

/// Moves of neighbouring bytes that follow one another are one.
std::vector<SteppingTiles::Move>
SteppingTiles::joined(Network::StepKind kind) const {
  const size_t most =
      ownAddresses && kind == Network::StepKind::Store ? maxPair : maxVectors;
  std::vector<Move> moves;
  for (size_t i = 0; i < network.steps.size(); ++i) {
    if (network.steps[i].kind != kind)
      continue;
    if (!moves.empty()) {
      Move &last = moves.back();
      const int64_t end =
          placeOf(last) + static_cast<int64_t>(last.count) * laneBytes;
      if (i == last.first + last.count && last.count < most &&
          network.steps[i].offset == end) {
        ++last.count;
        continue;
      }
    }
    moves.push_back({i, 1, 0, 0});
  }
  return moves;
}

/// Some loads of single vectors have one address, and an offset each, and so
/// have two stores of neighbours. The last of them steps on.
std::map<size_t, SteppingTiles::Move>
SteppingTiles::movesOf(Network::StepKind kind, int64_t next) const {
  const bool loads = kind == Network::StepKind::Load;
  const size_t mostAtOnce = loads ? maxLoadsAtOnce : maxStoresAtOnce;
  std::vector<Move> moves = joined(kind);
  int64_t base = 0; ///< the place of the address
  for (size_t i = 0, atOnce = 0; i < moves.size(); ++i) {
    const int64_t place = placeOf(moves[i]);
    const bool isSingle = moves[i].count == 1;
    const bool shares = isSingle && atOnce > 0 && atOnce < mostAtOnce &&
                        (loads || place - base == laneBytes);
    atOnce = shares ? atOnce + 1 : isSingle;
    if (shares) {
      moves[i].offset = place - base;
      continue;
    }
    if (i > 0)
      moves[i - 1].distance = place - base;
    base = place;
  }
  if (!moves.empty())
    moves.back().distance = next - base;
  std::map<size_t, Move> byFirst;
  for (const Move &move : moves)
    byFirst[move.first] = move;
  return byFirst;
}

SteppingTiles::Addresses SteppingTiles::startAt(Place src, Place dst) {
  Addresses at{emitAddress(b, src, b.getI64Type()),
               emitAddress(b, dst, b.getI64Type())};
  for (const auto &[first, move] : moves)
    if (ownAddresses && network.steps[first].kind == Network::StepKind::Store)
      at.push_back(stepOn(at.back(), move));
  if (ownAddresses)
    at.pop_back(); // past the last one
  return at;
}

SteppingTiles::Addresses SteppingTiles::emit(Addresses at) {
  // What runs along with the loop is not told either: the back end would rather
  // have many addresses with offsets it knows.
  for (Value &address : at)
    address = hide(address);
  Value &src = at[0];
  auto dst = at.begin() + 1;
  values.assign(network.steps.size(), {});
  for (size_t i = 0; i < network.steps.size(); ++i) {
    const Network::Step &step = network.steps[i];
    auto move = moves.find(i);
    switch (step.kind) {
    case Network::StepKind::Load:
      if (move == moves.end())
        break;
      load(move->second, src);
      src = stepOn(src, move->second);
      break;
    case Network::StepKind::Shuffle:
      values[i] = LLVM::ShuffleVectorOp::create(
          b, values[step.a], values[step.b],
          llvm::SmallVector<int32_t>(step.mask.begin(), step.mask.end()));
      break;
    case Network::StepKind::Store:
      if (move == moves.end())
        break;
      if (ownAddresses) {
        storePair(i, *dst);
        Value step = LLVM::ConstantOp::create(b, b.getI64Type(),
                                              b.getI64IntegerAttr(dstNext));
        *dst = LLVM::AddOp::create(b, *dst, step);
        ++dst;
        break;
      }
      store(move->second, *dst);
      *dst = stepOn(*dst, move->second);
      break;
    }
  }
  return at;
}

void SteppingTiles::load(const Move &move, Value address) {
  const auto [first, count, offset, distance] = move;
  Value from = pointer(address, offset);
  if (count == 1) {
    values[first] = LLVM::LoadOp::create(b, vectorType, from, 1);
    return;
  }
  llvm::SmallVector<mlir::Type> types(count, vectorType);
  auto all = LLVM::LLVMStructType::getLiteral(b.getContext(), types);
  Value loaded =
      LLVM::CallIntrinsicOp::create(b, all, intrinsic("ld", count), from)
          .getResult(0);
  for (size_t i = 0; i < count; ++i)
    values[first + i] =
        LLVM::ExtractValueOp::create(b, loaded, static_cast<int64_t>(i));
}

void SteppingTiles::store(const Move &move, Value address) {
  const auto [first, count, offset, distance] = move;
  llvm::SmallVector<Value> operands;
  for (size_t i = first; i < first + count; ++i)
    operands.push_back(values[network.steps[i].a]);
  Value to = pointer(address, offset);
  if (count == 1) {
    LLVM::StoreOp::create(b, operands[0], to, 1);
    return;
  }
  operands.push_back(to);
  LLVM::CallIntrinsicOp::create(b, intrinsic("st", count), operands);
}

/// Two registers by stp: a non-temporal store of both is one instruction from
/// the start, and loses the hint later (VectorPairs.h).
void SteppingTiles::storePair(size_t first, Value address) {
  llvm::SmallVector<int32_t> both(2 * vectorType.getNumElements());
  std::iota(both.begin(), both.end(), 0);
  Value pair =
      LLVM::ShuffleVectorOp::create(b, values[network.steps[first].a],
                                    values[network.steps[first + 1].a], both);
  LLVM::StoreOp::create(b, pair, pointer(address), 1, /*isVolatile=*/false,
                        /*isNonTemporal=*/true);
}

Value SteppingTiles::stepOn(Value address, const Move &move) {
  if (move.distance == 0)
    return address;
  return LLVM::AddOp::create(b, address, distances.at(move.distance));
}

Value SteppingTiles::hide(Value value) {
  return emitHidden(b, b.getLoc(), value);
}

Value SteppingTiles::pointer(Value address, int64_t offset) {
  auto type = LLVM::LLVMPointerType::get(b.getContext());
  if (!isImmediate(offset)) {
    address = LLVM::AddOp::create(b, address, distances.at(offset));
    offset = 0;
  }
  Value base = LLVM::IntToPtrOp::create(b, type, address);
  if (offset == 0)
    return base;
  return LLVM::GEPOp::create(b, type, b.getI8Type(), base,
                             LLVM::GEPArg(static_cast<int32_t>(offset)));
}

mlir::StringAttr SteppingTiles::intrinsic(const char *verb, size_t count) {
  std::string type = ".v" + std::to_string(vectorType.getNumElements()) + "i" +
                     std::to_string(vectorType.getElementTypeBitWidth());
  return b.getStringAttr("llvm.aarch64.neon." + std::string(verb) + "1x" +
                         std::to_string(count) + type + ".p0");
}

std::unique_ptr<SteppingTile> permc::makeSteppingVectors(const TileSite &site) {
  const TileSite::Step next = site.next.value_or(TileSite::Step{0, 0});
  return std::make_unique<SteppingTiles>(
      site.b, site.network, site.problem.elementBytes(), next.src, next.dst,
      movesVectorPairs(site.schedule));
}
