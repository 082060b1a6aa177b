//===- EmitScalable.cpp - moves by vectors of unknown length --------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// SVE's registers have some multiple of 16 bytes, which only the machine that
// runs the kernel knows. So the innermost loop counts in registers: first some
// whole ones at a time, then single ones under a mask that ends with the tile,
// so that no element is moved twice.
//
// One side of a tile is a single stretch of memory, the other one or several
// streams. The first loop counts in addresses of the stretch; the addresses of
// the streams run along. Offsets by whole registers are products of `vscale`
// and a constant, made where they are used: the back end has an addressing mode
// for them, which it finds only there.
//
//===----------------------------------------------------------------------===//

#include "EmitScalable.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace permc;
using mlir::Value;
namespace arith = mlir::arith;
namespace LLVM = mlir::LLVM;
namespace scf = mlir::scf;

namespace {

/// Registers of each stream that one turn of the first loop moves: so many that
/// the loop costs little beside them, and few enough that the remainder does
/// too. Of long streams that is as far as the offsets of structure moves reach,
/// half of them back.
constexpr int64_t unrolledFew = 8, unrolledMany = 16, manyTurns = 4;

/// Registers of a stream that are moved one after the other.
constexpr int64_t registersInTurn = 2;

/// Addresses, as integers, on the two sides of a tile.
struct Addresses {
  Value stretch;
  llvm::SmallVector<Value> streams;
  /// Registers of each stream by which `stretch` is further on.
  int64_t ahead = 0;
};

/// What moves one register of each stream, or more.
using Body = llvm::function_ref<void(const Addresses &, int64_t first,
                                     int64_t registers, Value mask)>;

/// Moves between one stretch and some streams, counted off by one loop after
/// the other.
class ScalableLoops {
public:
  /// Through `count` elements of each stream.
  ScalableLoops(mlir::ImplicitLocOpBuilder &b, int64_t elementBytes,
                int64_t streams, int64_t count)
      : b(b), element(elementBytes), streams(streams), count(count),
        perLane(laneBytes / elementBytes),
        unrolled(streams > 1 && count >= manyTurns * unrolledMany * perLane
                     ? unrolledMany
                     : unrolledFew),
        vectorType(mlir::VectorType::get(
            {perLane}, b.getIntegerType(8 * elementBytes), {true})),
        maskType(
            mlir::VectorType::get({perLane}, b.getIntegerType(1), {true})) {}

  /// The address `offset` bytes past `place`.
  Value addressOf(const Place &place, int64_t offset = 0) {
    Value buffer =
        mlir::memref::ExtractAlignedPointerAsIndexOp::create(b, place.buffer);
    return add(add(buffer, place.offset), index(offset));
  }

  /// `body` moves some registers of each stream, the first of which is `first`
  /// registers past the addresses it gets. Without a mask they are whole.
  void emit(Addresses at, Body body) {
    Value rest = index(count);
    if (count >= unrolled * perLane) {
      Value step = timesRegister(unrolled * perLane);
      rest = arith::RemUIOp::create(b, index(count), step);
      emitWhole(arith::SubIOp::create(b, index(count), rest), at, body);
    }
    auto nest = scf::ForOp::create(b, index(0), rest, timesRegister(perLane));
    mlir::OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(nest.getBody());
    Value done = nest.getInductionVar();
    Value mask =
        LLVM::GetActiveLaneMaskOp::create(b, maskType, wide(done), wide(rest));
    at.stretch = add(at.stretch, times(done, element * streams));
    for (Value &stream : at.streams)
      stream = add(stream, times(done, element));
    body(at, 0, 1, mask);
  }

  Value load(Value address, int64_t number, Value mask) {
    Value from = pointer(address, number);
    if (!mask)
      return LLVM::LoadOp::create(b, vectorType, from, 1);
    Value nothing = LLVM::PoisonOp::create(b, vectorType);
    return LLVM::MaskedLoadOp::create(b, vectorType, from, mask, nothing, 1);
  }

  void store(Value value, Value address, int64_t number, Value mask) {
    Value to = pointer(address, number);
    if (mask)
      LLVM::MaskedStoreOp::create(b, value, to, mask, 1);
    else
      LLVM::StoreOp::create(b, value, to, 1);
  }

  /// One register of each stream.
  llvm::SmallVector<Value> loadStructure(Value address, int64_t number,
                                         Value mask) {
    llvm::SmallVector<mlir::Type> types(streams, vectorType);
    auto all = LLVM::LLVMStructType::getLiteral(b.getContext(), types);
    Value from = pointer(address, number * streams);
    Value loaded =
        LLVM::CallIntrinsicOp::create(b, all, intrinsic("ld", ".sret"),
                                      mlir::ValueRange{orAll(mask), from})
            .getResult(0);
    llvm::SmallVector<Value> values;
    for (int64_t i = 0; i < streams; ++i)
      values.push_back(LLVM::ExtractValueOp::create(b, loaded, i));
    return values;
  }

  void storeStructure(llvm::SmallVector<Value> values, Value address,
                      int64_t number, Value mask) {
    values.append({orAll(mask), pointer(address, number * streams)});
    LLVM::CallIntrinsicOp::create(b, intrinsic("st", ""), values);
  }

private:
  /// The first loop, through `whole` elements of each stream. Leaves `at` where
  /// they end.
  void emitWhole(Value whole, Addresses &at, Body body) {
    const int64_t ahead = unrolled == unrolledMany ? unrolled / 2 : 0;
    Value end = add(at.stretch, times(whole, element * streams));
    Value step = timesRegister(unrolled * streams * laneBytes);
    Value lead = timesRegister(ahead * streams * laneBytes);
    auto nest = scf::ForOp::create(b, add(at.stretch, lead), add(end, lead),
                                   step, at.streams);
    at = {end, llvm::SmallVector<Value>(nest.getResults())};
    mlir::OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(nest.getBody());
    Addresses here{nest.getInductionVar(),
                   llvm::SmallVector<Value>(nest.getRegionIterArgs()), ahead};
    for (int64_t i = 0; i < unrolled; i += registersInTurn)
      body(here, i, registersInTurn, {});
    for (Value &stream : here.streams)
      stream = add(stream, timesRegister(unrolled * laneBytes));
    scf::YieldOp::create(b, here.streams);
  }

  mlir::StringAttr intrinsic(const char *verb, const char *suffix) {
    std::string type =
        ".nxv" + std::to_string(perLane) + "i" + std::to_string(8 * element);
    return b.getStringAttr("llvm.aarch64.sve." + std::string(verb) +
                           std::to_string(streams) + suffix + type);
  }

  /// A mask, or one of all lanes.
  Value orAll(Value mask) {
    if (mask)
      return mask;
    constexpr int64_t patternAll = 31;
    Value pattern = LLVM::ConstantOp::create(b, b.getI32Type(),
                                             b.getI32IntegerAttr(patternAll));
    return LLVM::CallIntrinsicOp::create(
               b, maskType,
               b.getStringAttr("llvm.aarch64.sve.ptrue.nxv" +
                               std::to_string(perLane) + "i1"),
               mlir::ValueRange{pattern})
        .getResult(0);
  }

  /// `number` registers past an address.
  Value pointer(Value address, int64_t number) {
    Value base = LLVM::IntToPtrOp::create(
        b, LLVM::LLVMPointerType::get(b.getContext()), wide(address));
    if (number == 0)
      return base;
    Value bytes = wide(timesRegister(number * laneBytes));
    return LLVM::GEPOp::create(b, base.getType(), b.getI8Type(), base,
                               LLVM::GEPArg(bytes));
  }

  Value index(int64_t value) {
    return arith::ConstantIndexOp::create(b, value);
  }
  Value add(Value a, Value c) { return arith::AddIOp::create(b, a, c); }
  Value times(Value a, int64_t factor) {
    return arith::MulIOp::create(b, a, index(factor));
  }
  /// As the LLVM dialect counts.
  Value wide(Value value) {
    return arith::IndexCastOp::create(b, b.getI64Type(), value);
  }
  /// What a register has of something that 16 bytes have `count` of.
  Value timesRegister(int64_t count) {
    Value scale = LLVM::vscale::create(b, b.getI64Type());
    Value scaled = arith::MulIOp::create(
        b, scale, arith::ConstantIntOp::create(b, b.getI64Type(), count));
    return arith::IndexCastOp::create(b, b.getIndexType(), scaled);
  }

  mlir::ImplicitLocOpBuilder &b;
  int64_t element, streams, count, perLane, unrolled;
  mlir::VectorType vectorType, maskType;
};

} // namespace

static void emitCopy(mlir::ImplicitLocOpBuilder &b, const Place &src,
                     const Place &dst, int64_t bytes) {
  ScalableLoops loops(b, 1, /*streams=*/1, bytes);
  Addresses from{loops.addressOf(src), {loops.addressOf(dst)}};
  loops.emit(from, [&](const Addresses &at, int64_t first, int64_t registers,
                       Value mask) {
    llvm::SmallVector<Value> values;
    for (int64_t i = first; i < first + registers; ++i)
      values.push_back(loops.load(at.stretch, i, mask));
    for (auto [i, value] : llvm::enumerate(values))
      loops.store(value, at.streams[0], first + i, mask);
  });
}

static void emitSplit(ScalableLoops &loops, const Addresses &from) {
  loops.emit(from, [&](const Addresses &at, int64_t first, int64_t registers,
                       Value mask) {
    llvm::SmallVector<llvm::SmallVector<Value>> values;
    for (int64_t i = first; i < first + registers; ++i)
      values.push_back(loops.loadStructure(at.stretch, i - at.ahead, mask));
    for (auto [stream, address] : llvm::enumerate(at.streams))
      for (int64_t i = 0; i < registers; ++i)
        loops.store(values[i][stream], address, first + i, mask);
  });
}

static void emitJoin(ScalableLoops &loops, const Addresses &from) {
  loops.emit(from, [&](const Addresses &at, int64_t first, int64_t registers,
                       Value mask) {
    llvm::SmallVector<llvm::SmallVector<Value>> values(registers);
    for (Value address : at.streams)
      for (int64_t i = 0; i < registers; ++i)
        values[i].push_back(loops.load(address, first + i, mask));
    for (int64_t i = 0; i < registers; ++i)
      loops.storeStructure(values[i], at.stretch, first + i - at.ahead, mask);
  });
}

static void emitInterleave(mlir::ImplicitLocOpBuilder &b, const Place &src,
                           const Place &dst, const InterleaveTile &tile) {
  ScalableLoops loops(b, tile.elementBytes,
                      static_cast<int64_t>(tile.streams.size()), tile.elements);
  Addresses from{loops.addressOf(tile.splits ? src : dst), {}};
  for (int64_t offset : tile.streams)
    from.streams.push_back(loops.addressOf(tile.splits ? dst : src, offset));
  (tile.splits ? emitSplit : emitJoin)(loops, from);
}

namespace {
class ScalableTile : public OwnTile {
public:
  explicit ScalableTile(const TileSite &site)
      : b(site.b), problem(site.problem), schedule(site.schedule) {}

  void emit(Place src, Place dst) override {
    if (is<micro::Interleave>(schedule))
      return emitInterleave(b, src, dst, *interleaveTile(problem, schedule));
    int64_t bytes = problem.elementBytes();
    for (int64_t size : schedule.tile)
      bytes *= size;
    emitCopy(b, src, dst, bytes);
  }

private:
  mlir::ImplicitLocOpBuilder &b;
  const Problem &problem;
  const Schedule &schedule;
};
} // namespace

std::unique_ptr<OwnTile> permc::makeScalableTile(const TileSite &site) {
  return std::make_unique<ScalableTile>(site);
}
