//===- EmitMoves.cpp - the innermost code of a nest -----------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "permc/Lowering/EmitMoves.h"

#include "permc/Lowering/EmitNetwork.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <set>

using namespace permc;
using mlir::Value;
namespace arith = mlir::arith;
namespace LLVM = mlir::LLVM;
namespace scf = mlir::scf;
namespace vector = mlir::vector;

Value Constants::operator()(int64_t value) {
  Value &made = values[value];
  if (!made) {
    b.setInsertionPointToStart(block);
    made = arith::ConstantIndexOp::create(b, value);
  }
  return made;
}

Value permc::emitAddress(mlir::ImplicitLocOpBuilder &b, const Place &place,
                         mlir::Type type) {
  Value buffer =
      mlir::memref::ExtractAlignedPointerAsIndexOp::create(b, place.buffer);
  Value sum = arith::AddIOp::create(b, buffer, place.offset);
  return arith::IndexCastOp::create(b, type, sum);
}

Value permc::emitView(mlir::ImplicitLocOpBuilder &b, Constants &constant,
                      Value buffer, Value offset, int64_t bytes) {
  auto type =
      mlir::MemRefType::get({mlir::ShapedType::kDynamic}, b.getI8Type());
  return mlir::memref::ViewOp::create(b, type, buffer, offset, constant(bytes));
}

Value permc::emitHidden(mlir::OpBuilder &b, mlir::Location loc, Value value) {
  return LLVM::InlineAsmOp::create(
             b, loc, value.getType(), value, /*asm_string=*/"",
             /*constraints=*/"=r,0", /*has_side_effects=*/false,
             /*is_align_stack=*/false, LLVM::TailCallKind::None,
             /*asm_dialect=*/{}, /*operand_attrs=*/{})
      .getRes();
}

TileStreams permc::emitStreams(mlir::ImplicitLocOpBuilder &b,
                               Constants &constant, Place place,
                               TileStreams streams, int64_t bytes) {
  TilePlaces places(b, constant, place);
  for (TileStream &stream : streams)
    stream.view =
        emitView(b, constant, place.buffer, places.at(stream.origin), bytes);
  return streams;
}

void permc::emitPrefetch(mlir::ImplicitLocOpBuilder &b, Constants &constant,
                         const Network &network, Network::StepKind move,
                         Place place, int64_t ahead, FetchTo cache) {
  constexpr int64_t line = streamLineBytes;
  TilePlaces places(b, constant, std::move(place));
  std::set<int64_t> asked;
  for (const Network::Step &step : network.steps) {
    if (step.kind != move || !asked.insert(step.offset / line).second)
      continue;
    mlir::memref::PrefetchOp::create(
        b, places.bufferAt(step.offset), places.at(step.offset, ahead),
        move == Network::StepKind::Store, static_cast<uint32_t>(cache),
        /*isDataCache=*/true);
  }
}

void permc::emitPrefetchLine(mlir::ImplicitLocOpBuilder &b, Constants &constant,
                             Place place, int64_t ahead, bool isWrite) {
  Value at = arith::AddIOp::create(b, place.offset, constant(ahead));
  mlir::memref::PrefetchOp::create(b, place.buffer, mlir::ValueRange{at},
                                   isWrite, static_cast<uint32_t>(FetchTo::L2),
                                   /*isDataCache=*/true);
}

void permc::emitPrefetchRange(mlir::ImplicitLocOpBuilder &b,
                              Constants &constant, Place src, int64_t bytes) {
  constexpr int64_t line = streamLineBytes;
  // The last byte may lie in one line more than the first steps reach.
  for (int64_t at = 0; at < bytes + line - 1; at += line) {
    Value place = arith::AddIOp::create(b, src.offset, constant(at));
    mlir::memref::PrefetchOp::create(b, src.buffer, mlir::ValueRange{place},
                                     /*isWrite=*/false,
                                     static_cast<uint32_t>(FetchTo::L2),
                                     /*isDataCache=*/true);
  }
}

//===----------------------------------------------------------------------===//
// Streaming
//===----------------------------------------------------------------------===//

namespace {

class StreamEmitter {
public:
  StreamEmitter(mlir::ImplicitLocOpBuilder &b, Constants &constant, Place src,
                Place dst, StreamOptions options)
      : b(b), constant(constant), src(src), dst(dst), ends(options.ends),
        vectorBytes(options.vectorBytes), prefetchBytes(options.prefetchBytes) {
  }

  /// The same for any length.
  void emitAnyLength(Value dstAddress, Value bytes) {
    auto isLong = arith::CmpIOp::create(b, arith::CmpIPredicate::uge, bytes,
                                        constant(2 * line));
    auto branch = scf::IfOp::create(b, isLong, /*withElseRegion=*/true);
    mlir::OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    emit(dstAddress, bytes);
    b.setInsertionPointToStart(branch.elseBlock());
    copyShort(constant(0), bytes, line);
  }

  void emit(Value dstAddress, Value bytes) {
    Value address = arith::AddIOp::create(b, dstAddress, dst.offset);
    Value negated = arith::SubIOp::create(b, constant(0), address);
    Value head = arith::AndIOp::create(b, negated, constant(line - 1));
    onlyIf(ends.first, [&] { copyHead(head); });

    Value rest = arith::SubIOp::create(b, bytes, head);
    if (ends.last) {
      Value more = arith::SelectOp::create(b, ends.last, constant(0),
                                           constant(line - 1));
      rest = arith::AddIOp::create(b, rest, more);
    }
    Value whole = arith::AndIOp::create(b, rest, constant(-line));
    Value end = arith::AddIOp::create(b, head, whole);
    auto lines = scf::ForOp::create(b, head, end, constant(line));
    {
      mlir::OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(lines.getBody());
      streamLine(lines.getInductionVar());
    }
    onlyIf(ends.last,
           [&] { copyTail(end, arith::SubIOp::create(b, bytes, end)); });
  }

private:
  static constexpr int64_t line = streamLineBytes;

  void onlyIf(Value condition, llvm::function_ref<void()> body) {
    mlir::OpBuilder::InsertionGuard guard(b);
    if (condition) {
      auto branch = scf::IfOp::create(b, condition, /*withElseRegion=*/false);
      b.setInsertionPointToStart(branch.thenBlock());
    }
    body();
  }

  // Ends are less than a line, and not a byte of the next is stored to: a line
  // that is both stored to and streamed would go to memory twice. Machines
  // whose registers are lines can leave bytes out of a move; it must not lie
  // across two lines all the same.

  void copyHead(Value count) {
    if (vectorBytes != line)
      return copyShort(constant(0), count, line / 2);
    Value all = arith::ConstantIntOp::create(b, b.getI64Type(), -1);
    Value others = arith::ShRUIOp::create(b, all, integer(count));
    copyMasked(arith::SubIOp::create(b, count, constant(line)), count,
               arith::XOrIOp::create(b, others, all));
  }

  void copyTail(Value at, Value count) {
    if (vectorBytes != line)
      return copyShort(at, count, line / 2);
    Value one = arith::ConstantIntOp::create(b, b.getI64Type(), 1);
    Value next = arith::ShLIOp::create(b, one, integer(count));
    copyMasked(at, count, arith::SubIOp::create(b, next, one));
  }

  Value integer(Value index) {
    return arith::IndexCastOp::create(b, b.getI64Type(), index);
  }

  /// Copies the bytes of a line whose bits are set, if there are any: a store
  /// of none still takes a line that is streamed away from the others. Rows of
  /// 19 whole lines are twice as fast on Zen 4 without.
  void copyMasked(Value at, Value count, Value bits) {
    auto isAny =
        arith::CmpIOp::create(b, arith::CmpIPredicate::ne, count, constant(0));
    auto branch = scf::IfOp::create(b, isAny, /*withElseRegion=*/false);
    mlir::OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    auto type = mlir::VectorType::get({line}, b.getI8Type());
    Value mask = LLVM::BitcastOp::create(
        b, mlir::VectorType::get({line}, b.getI1Type()), bits);
    Value none = LLVM::ZeroOp::create(b, type);
    Value from = arith::AddIOp::create(b, src.offset, at);
    Value to = arith::AddIOp::create(b, dst.offset, at);
    Value piece =
        vector::MaskedLoadOp::create(b, type, src.buffer, from, mask, none);
    vector::MaskedStoreOp::create(b, dst.buffer, to, mask, piece);
  }

  /// Two moves that overlap, of the largest width that fits.
  void copyShort(Value at, Value count, int64_t width) {
    auto fits = arith::CmpIOp::create(b, arith::CmpIPredicate::uge, count,
                                      constant(width));
    auto branch = scf::IfOp::create(b, fits, /*withElseRegion=*/width > 1);
    mlir::OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    move(at, width);
    Value last = arith::SubIOp::create(b, count, constant(width));
    move(arith::AddIOp::create(b, at, last), width);
    if (width == 1)
      return;
    b.setInsertionPointToStart(branch.elseBlock());
    copyShort(at, count, width / 2);
  }

  void move(Value at, int64_t width) {
    auto type = mlir::VectorType::get({width}, b.getI8Type());
    Value from = arith::AddIOp::create(b, src.offset, at);
    Value to = arith::AddIOp::create(b, dst.offset, at);
    Value piece = vector::LoadOp::create(b, type, src.buffer, from);
    vector::StoreOp::create(b, piece, dst.buffer, to);
  }

  /// All loads come first: a line must go out in one piece.
  void streamLine(Value at) {
    auto type = mlir::VectorType::get({vectorBytes}, b.getI8Type());
    Value from = arith::AddIOp::create(b, src.offset, at);
    Value to = arith::AddIOp::create(b, dst.offset, at);
    if (prefetchBytes)
      emitPrefetchLine(b, constant, {src.buffer, from}, prefetchBytes, false);
    llvm::SmallVector<Value> pieces;
    for (int64_t i = 0; i < line; i += vectorBytes)
      pieces.push_back(
          vector::LoadOp::create(b, type, src.buffer, shifted(from, i)));
    for (auto [i, piece] : llvm::enumerate(pieces)) {
      auto store = vector::StoreOp::create(b, piece, dst.buffer,
                                           shifted(to, i * vectorBytes));
      store.setNontemporal(true);
      store.setAlignment(vectorBytes);
    }
  }

  Value shifted(Value base, int64_t bytes) {
    if (bytes == 0)
      return base;
    return arith::AddIOp::create(b, base, constant(bytes));
  }

  mlir::ImplicitLocOpBuilder &b;
  Constants &constant;
  Place src, dst;
  StreamEnds ends;
  int64_t vectorBytes, prefetchBytes;
};

} // namespace

void permc::emitStreamCopy(mlir::ImplicitLocOpBuilder &b, Constants &constant,
                           Place src, Place dst, Value dstAddress, Value bytes,
                           StreamOptions options) {
  StreamEmitter stream(b, constant, src, dst, options);
  if (options.mayBeShort)
    stream.emitAnyLength(dstAddress, bytes);
  else
    stream.emit(dstAddress, bytes);
}
