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
// Offsets by whole registers are products of `vscale` and a constant, made
// where they are used: the back end has an addressing mode for them, which it
// finds only there.
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
/// the loop costs little beside them, so few that all fit the register file.
constexpr int64_t maxRegisters = 24, maxUnrolled = 8;

/// `count` elements, counted off by one loop after the other.
class ScalableLoops {
public:
  ScalableLoops(mlir::ImplicitLocOpBuilder &b, int64_t elementBytes,
                int64_t streams)
      : b(b), element(elementBytes), perLane(laneBytes / elementBytes),
        unrolled(std::min(maxRegisters / streams, maxUnrolled)),
        vectorType(mlir::VectorType::get(
            {perLane}, b.getIntegerType(8 * elementBytes), {true})),
        maskType(
            mlir::VectorType::get({perLane}, b.getIntegerType(1), {true})) {}

  /// `body` gets the first element of its turn, how many registers of each
  /// stream it moves, and their mask, which is empty for whole registers.
  void emit(int64_t count,
            llvm::function_ref<void(Value, int64_t, Value)> body) {
    Value end = index(count), whole = index(0);
    if (count >= unrolled * perLane) {
      Value step = timesRegister(unrolled * perLane);
      whole =
          arith::SubIOp::create(b, end, arith::RemUIOp::create(b, end, step));
      loop(index(0), whole, step, [&](Value at) { body(at, unrolled, {}); });
    }
    loop(whole, end, timesRegister(perLane), [&](Value at) {
      body(at, 1,
           LLVM::GetActiveLaneMaskOp::create(b, maskType, wide(at), wide(end)));
    });
  }

  /// The address of register `number` from element `at` on of a stream (or of
  /// several that lie interleaved) that starts `offset` bytes past `place`.
  Value address(Place place, int64_t offset, Value at, int64_t number,
                int64_t streams = 1) {
    Value from = arith::AddIOp::create(
        b, place.offset,
        arith::MulIOp::create(b, at, index(element * streams)));
    if (offset != 0)
      from = arith::AddIOp::create(b, from, index(offset));
    Value base = LLVM::IntToPtrOp::create(
        b, LLVM::LLVMPointerType::get(b.getContext()),
        wide(mlir::memref::ExtractAlignedPointerAsIndexOp::create(
            b, place.buffer)));
    Value to = step(base, wide(from));
    return number == 0
               ? to
               : step(to, wide(timesRegister(number * streams * laneBytes)));
  }

  Value load(Value from, Value mask) {
    if (!mask)
      return LLVM::LoadOp::create(b, vectorType, from, 1);
    Value nothing = LLVM::PoisonOp::create(b, vectorType);
    return LLVM::MaskedLoadOp::create(b, vectorType, from, mask, nothing, 1);
  }

  void store(Value value, Value to, Value mask) {
    if (mask)
      LLVM::MaskedStoreOp::create(b, value, to, mask, 1);
    else
      LLVM::StoreOp::create(b, value, to, 1);
  }

  /// One register of each stream.
  llvm::SmallVector<Value> loadStructure(Value from, Value mask,
                                         int64_t streams) {
    llvm::SmallVector<mlir::Type> types(streams, vectorType);
    auto all = LLVM::LLVMStructType::getLiteral(b.getContext(), types);
    Value loaded =
        LLVM::CallIntrinsicOp::create(b, all, intrinsic("ld", streams, ".sret"),
                                      mlir::ValueRange{orAll(mask), from})
            .getResult(0);
    llvm::SmallVector<Value> values;
    for (int64_t i = 0; i < streams; ++i)
      values.push_back(LLVM::ExtractValueOp::create(b, loaded, i));
    return values;
  }

  void storeStructure(llvm::SmallVector<Value> values, Value to, Value mask) {
    mlir::StringAttr name =
        intrinsic("st", static_cast<int64_t>(values.size()), "");
    values.append({orAll(mask), to});
    LLVM::CallIntrinsicOp::create(b, name, values);
  }

private:
  mlir::StringAttr intrinsic(const char *verb, int64_t streams,
                             const char *suffix) {
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

  void loop(Value begin, Value end, Value step,
            llvm::function_ref<void(Value)> body) {
    auto nest = scf::ForOp::create(b, begin, end, step);
    mlir::OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(nest.getBody());
    body(nest.getInductionVar());
  }

  Value index(int64_t value) {
    return arith::ConstantIndexOp::create(b, value);
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
  Value step(Value from, Value by) {
    return LLVM::GEPOp::create(b, from.getType(), b.getI8Type(), from,
                               LLVM::GEPArg(by));
  }

  mlir::ImplicitLocOpBuilder &b;
  int64_t element, perLane, unrolled;
  mlir::VectorType vectorType, maskType;
};

} // namespace

void permc::emitScalableCopy(mlir::ImplicitLocOpBuilder &b, Place src,
                             Place dst, int64_t bytes) {
  ScalableLoops loops(b, 1, /*streams=*/1);
  loops.emit(bytes, [&](Value at, int64_t registers, Value mask) {
    llvm::SmallVector<Value> values;
    for (int64_t i = 0; i < registers; ++i)
      values.push_back(loops.load(loops.address(src, 0, at, i), mask));
    for (int64_t i = 0; i < registers; ++i)
      loops.store(values[i], loops.address(dst, 0, at, i), mask);
  });
}

static void emitSplit(ScalableLoops &loops, Place src, Place dst,
                      const InterleaveTile &tile) {
  auto streams = static_cast<int64_t>(tile.streams.size());
  loops.emit(tile.elements, [&](Value at, int64_t registers, Value mask) {
    llvm::SmallVector<llvm::SmallVector<Value>> values;
    for (int64_t i = 0; i < registers; ++i)
      values.push_back(loops.loadStructure(
          loops.address(src, 0, at, i, streams), mask, streams));
    for (int64_t stream = 0; stream < streams; ++stream)
      for (int64_t i = 0; i < registers; ++i)
        loops.store(values[i][stream],
                    loops.address(dst, tile.streams[stream], at, i), mask);
  });
}

static void emitJoin(ScalableLoops &loops, Place src, Place dst,
                     const InterleaveTile &tile) {
  auto streams = static_cast<int64_t>(tile.streams.size());
  loops.emit(tile.elements, [&](Value at, int64_t registers, Value mask) {
    llvm::SmallVector<llvm::SmallVector<Value>> values(registers);
    for (int64_t offset : tile.streams)
      for (int64_t i = 0; i < registers; ++i)
        values[i].push_back(
            loops.load(loops.address(src, offset, at, i), mask));
    for (int64_t i = 0; i < registers; ++i)
      loops.storeStructure(values[i], loops.address(dst, 0, at, i, streams),
                           mask);
  });
}

void permc::emitScalableInterleave(mlir::ImplicitLocOpBuilder &b, Place src,
                                   Place dst, const InterleaveTile &tile) {
  ScalableLoops loops(b, tile.elementBytes,
                      static_cast<int64_t>(tile.streams.size()));
  (tile.splits ? emitSplit : emitJoin)(loops, src, dst, tile);
}
