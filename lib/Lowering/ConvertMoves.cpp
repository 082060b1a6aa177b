//===- ConvertMoves.cpp - moves to the LLVM dialect -----------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Nearly all operations of a kernel are moves, and each becomes one or two of
// the LLVM dialect whatever surrounds it. So they are rewritten on the spot, in
// the order of the code: a dialect conversion, which keeps a record of every
// step to take it back, needs several times as long.
//
//===----------------------------------------------------------------------===//

#include "permc/Lowering/ConvertMoves.h"

#include "permc/Dialect/Permute/Permute.h"
#include "permc/Plan/Network.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace permc;
using mlir::Value;
namespace LLVM = mlir::LLVM;
namespace memref = mlir::memref;
namespace vector = mlir::vector;

bool permc::isByteBuffer(mlir::MemRefType type) {
  return type.getRank() == 1 && type.getElementType().isInteger(8) &&
         type.getLayout().isIdentity();
}

void permc::eraseUnused(mlir::ModuleOp module) {
  module.walk([](mlir::Block *block) {
    for (mlir::Operation &op :
         llvm::make_early_inc_range(llvm::reverse(*block)))
      if (mlir::isOpTriviallyDead(&op))
        op.erase();
  });
}

MoveConverter::MoveConverter(mlir::MLIRContext *context, unsigned indexBits,
                             int64_t integerBits)
    : b(context), indexBits(indexBits), integerBits(integerBits),
      pointerType(LLVM::LLVMPointerType::get(context)),
      indexType(mlir::IntegerType::get(context, indexBits)) {}

void MoveConverter::convert(mlir::ModuleOp module) {
  module.walk([&](mlir::Operation *op) { convert(op); });
}

static bool isFlat(mlir::Type type) {
  return llvm::cast<mlir::VectorType>(type).getRank() == 1;
}

void MoveConverter::convert(mlir::Operation *op) {
  b.setInsertionPoint(op);
  llvm::TypeSwitch<mlir::Operation *>(op)
      .Case<vector::LoadOp, vector::StoreOp, vector::MaskedLoadOp,
            vector::MaskedStoreOp, memref::PrefetchOp>([&](auto move) {
        if (isByteBuffer(move.getMemRefType()))
          rewrite(move);
      })
      .Case<vector::ShuffleOp, vector::BitCastOp>([&](auto change) {
        if (change.getResultVectorType().getRank() == 1 &&
            isFlat(change->getOperand(0).getType()))
          rewrite(change);
      })
      .Case<LoadOp, StoreOp, CopyOp, VectorsOp>([&](auto) { rewriteOwn(op); });
}

void MoveConverter::rewrite(vector::LoadOp op) {
  Value from = addressOf(op.getLoc(), op.getBase(), op.getIndices()[0]);
  load(op, from, {.alignment = op.getAlignment().value_or(1)});
}

void MoveConverter::rewrite(vector::StoreOp op) {
  Value to = addressOf(op.getLoc(), op.getBase(), op.getIndices()[0]);
  store(op, withoutCasts(op.getValueToStore()), to,
        {.alignment = op.getAlignment().value_or(1)});
}

// What is left out may lie in front of the buffer, or behind it.

void MoveConverter::rewrite(vector::MaskedLoadOp op) {
  Value from =
      addressOf(op.getLoc(), op.getBase(), op.getIndices()[0], NoWrap::none);
  replace(op, LLVM::MaskedLoadOp::create(b, op.getLoc(), op.getVectorType(),
                                         from, op.getMask(), op.getPassThru(),
                                         /*alignment=*/1));
}

void MoveConverter::rewrite(vector::MaskedStoreOp op) {
  Value to =
      addressOf(op.getLoc(), op.getBase(), op.getIndices()[0], NoWrap::none);
  LLVM::MaskedStoreOp::create(b, op.getLoc(), op.getValueToStore(), to,
                              op.getMask(), /*alignment=*/1);
  op.erase();
}

void MoveConverter::rewrite(vector::ShuffleOp op) {
  if (Value word = shuffledWord(op))
    return replace(op, word);
  Value first = op.getV1(), second = op.getV2();
  llvm::SmallVector<int32_t> mask(op.getMask());
  if (first == second) {
    // One input is what it is, and how structure loads are recognised.
    auto units = static_cast<int32_t>(op.getV1VectorType().getNumElements());
    for (int32_t &unit : mask)
      unit = unit < units ? unit : unit - units;
    second = LLVM::PoisonOp::create(b, op.getLoc(), first.getType());
  }
  replace(op,
          LLVM::ShuffleVectorOp::create(b, op.getLoc(), first, second, mask));
}

void MoveConverter::rewrite(vector::BitCastOp op) {
  replace(op, castTo(op.getLoc(), op.getResultVectorType(),
                     withoutCasts(op.getSource())));
}

void MoveConverter::rewrite(memref::PrefetchOp op) {
  // May prefetch what lies behind the buffer.
  Value at =
      addressOf(op.getLoc(), op.getMemref(), op.getIndices()[0], NoWrap::none);
  LLVM::Prefetch::create(b, op.getLoc(), at, op.getIsWrite() ? 1 : 0,
                         op.getLocalityHint(), op.getIsDataCache() ? 1 : 0);
  op.erase();
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

void MoveConverter::replace(mlir::Operation *op, Value by) {
  op->getResult(0).replaceAllUsesWith(by);
  op->erase();
}

Value MoveConverter::withoutCasts(Value value) {
  while (auto cast = value.getDefiningOp<LLVM::BitcastOp>())
    value = cast.getArg();
  return value;
}

Value MoveConverter::castTo(mlir::Location loc, mlir::Type type, Value value) {
  if (value.getType() == type)
    return value;
  return LLVM::BitcastOp::create(b, loc, type, value);
}

/// Small moves are integers: LLVM would take small vectors apart.
mlir::Type MoveConverter::moveType(mlir::VectorType type) const {
  int64_t bits = type.getNumElements() * type.getElementTypeBitWidth();
  if (bits <= integerBits && !type.isScalable())
    return mlir::IntegerType::get(type.getContext(), bits);
  return type;
}

mlir::Type MoveConverter::loadedType(mlir::Operation *op) const {
  mlir::Type type =
      moveType(llvm::cast<mlir::VectorType>(op->getResult(0).getType()));
  if (llvm::isa<mlir::VectorType>(type) && op->hasOneUse())
    if (auto cast = llvm::dyn_cast<vector::BitCastOp>(*op->user_begin()))
      return cast.getResultVectorType();
  return type;
}

/// The back end takes a store of what was just shuffled for a structure store
/// (NEON's st3), unless there is a cast between. That is wanted for several
/// registers at once; for one it would only replace the last zip of a
/// transposed tile, and cost an address more.
mlir::Type MoveConverter::storedType(mlir::VectorType type, Value value) const {
  // What was narrowed is narrowed by the store itself.
  if (value.getDefiningOp<LLVM::TruncOp>() &&
      llvm::isa<mlir::VectorType>(value.getType()))
    return value.getType();
  mlir::Type moved = moveType(type);
  if (!llvm::isa<mlir::VectorType>(moved))
    return moved;
  if (type.getNumElements() == laneBytes &&
      value.getDefiningOp<LLVM::ShuffleVectorOp>())
    return mlir::VectorType::get({laneBytes / 8},
                                 mlir::IntegerType::get(type.getContext(), 64));
  return value.getType();
}

//===----------------------------------------------------------------------===//
// Words
//===----------------------------------------------------------------------===//

Value MoveConverter::shuffledWord(vector::ShuffleOp op) {
  if (Value piece = pieceOfWord(op, withoutCasts(op.getV1())))
    return piece;
  return exchangedWord(op);
}

/// Neighbouring bytes of a word that was loaded as an integer: a shift.
Value MoveConverter::pieceOfWord(vector::ShuffleOp op, Value word) {
  auto type = llvm::dyn_cast<mlir::IntegerType>(word.getType());
  mlir::VectorType piece = op.getResultVectorType();
  unsigned bits = piece.getNumElements() * piece.getElementTypeBitWidth();
  llvm::ArrayRef<int64_t> mask = op.getMask();
  if (!type || bits >= type.getWidth() || op.getV1() != op.getV2())
    return {};
  for (size_t i = 0; i < mask.size(); ++i)
    if (mask[0] < 0 || mask[i] != mask[0] + static_cast<int64_t>(i))
      return {};
  mlir::Location loc = op.getLoc();
  int64_t shift = mask[0] * piece.getElementTypeBitWidth();
  if (shift != 0)
    word = LLVM::LShrOp::create(
        b, loc, word,
        LLVM::ConstantOp::create(b, loc, type, b.getIntegerAttr(type, shift)));
  word = LLVM::TruncOp::create(b, loc, b.getIntegerType(bits), word);
  return LLVM::BitcastOp::create(b, loc, piece, word);
}

Value MoveConverter::bothWords(mlir::Location loc, Value low, Value high) {
  const mlir::Type both = b.getI64Type();
  Value shifted = LLVM::ShlOp::create(
      b, loc, LLVM::ZExtOp::create(b, loc, both, high),
      LLVM::ConstantOp::create(b, loc, both, b.getI64IntegerAttr(32)));
  return either(loc, LLVM::ZExtOp::create(b, loc, both, low), shifted);
}

/// Every second byte, or one half each, or all of two words that are integers.
/// Back ends have one or two instructions for it, and none for the shuffle.
Value MoveConverter::exchangedWord(vector::ShuffleOp op) {
  Value first = withoutCasts(op.getV1()), second = withoutCasts(op.getV2());
  if (!first.getType().isInteger(32) || !second.getType().isInteger(32))
    return {};
  using Places = llvm::SmallVector<int64_t, 4>;
  Places bytes;
  const int64_t unit = op.getResultVectorType().getElementTypeBitWidth() / 8;
  for (int64_t place : op.getMask())
    for (int64_t i = 0; i < unit; ++i)
      bytes.push_back(place * unit + i);
  const mlir::Location loc = op.getLoc();
  Value word;
  if (bytes == Places{0, 1, 4, 5})
    word = either(loc, masked(loc, first, 0xffff), shifted(loc, second, 16));
  else if (bytes == Places{2, 3, 6, 7})
    word =
        either(loc, shifted(loc, first, -16), masked(loc, second, 0xffff0000));
  else if (bytes == Places{0, 1, 2, 3, 4, 5, 6, 7})
    word = bothWords(loc, first, second);
  else if (bytes == Places{0, 4, 2, 6})
    word = unlike(loc, first, shifted(loc, tradedBytes(loc, first, second), 8));
  else if (bytes == Places{1, 5, 3, 7})
    word = unlike(loc, second, tradedBytes(loc, first, second));
  else
    return {};
  return castTo(loc, op.getResultVectorType(), word);
}

/// In what the odd bytes of one word and the even ones of another differ: made
/// once for both words that trade them.
Value MoveConverter::tradedBytes(mlir::Location loc, Value odd, Value even) {
  Value &made = traded[{odd.getAsOpaquePointer(), even.getAsOpaquePointer()}];
  if (!made)
    made = masked(loc, unlike(loc, shifted(loc, odd, -8), even), 0x00ff00ff);
  return made;
}

Value MoveConverter::number(mlir::Location loc, uint32_t value) {
  return LLVM::ConstantOp::create(
      b, loc, b.getI32Type(), b.getI32IntegerAttr(static_cast<int32_t>(value)));
}
Value MoveConverter::masked(mlir::Location loc, Value word, uint32_t bits) {
  return LLVM::AndOp::create(b, loc, word, number(loc, bits));
}
/// By so many bits up, or down.
Value MoveConverter::shifted(mlir::Location loc, Value word, int bits) {
  if (bits < 0)
    return LLVM::LShrOp::create(b, loc, word, number(loc, -bits));
  return LLVM::ShlOp::create(b, loc, word, number(loc, bits));
}
Value MoveConverter::either(mlir::Location loc, Value a, Value other) {
  return LLVM::OrOp::create(b, loc, a, other);
}
Value MoveConverter::unlike(mlir::Location loc, Value a, Value other) {
  return LLVM::XOrOp::create(b, loc, a, other);
}

//===----------------------------------------------------------------------===//
// Addresses
//===----------------------------------------------------------------------===//

Value MoveConverter::addressOf(mlir::Location loc, Value buffer, Value offset,
                               NoWrap flags) {
  if (std::optional<int32_t> bytes = constantStep(offset))
    return step(loc, converted(buffer, pointerType), *bytes, flags);
  if (auto add = offset.getDefiningOp<mlir::arith::AddIOp>())
    if (std::optional<int32_t> bytes = constantStep(add.getRhs()))
      return step(loc, sharedAddress(loc, buffer, add.getLhs(), flags), *bytes,
                  flags);
  return sharedAddress(loc, buffer, offset, flags);
}

std::optional<int32_t> MoveConverter::constantStep(Value value) {
  std::optional<int64_t> bytes = mlir::getConstantIntValue(value);
  if (!bytes || !llvm::isInt<LLVM::kGEPConstantBitWidth>(*bytes))
    return std::nullopt;
  return static_cast<int32_t>(*bytes);
}

Value MoveConverter::step(mlir::Location loc, Value from, LLVM::GEPArg by,
                          NoWrap flags) {
  return LLVM::GEPOp::create(b, loc, pointerType, b.getI8Type(), from, by,
                             flags);
}

Value MoveConverter::sharedAddress(mlir::Location loc, Value buffer,
                                   Value offset, NoWrap flags) {
  Value &made = addresses[{b.getInsertionBlock(), buffer.getAsOpaquePointer(),
                           offset.getAsOpaquePointer(), flags}];
  if (!made)
    made = step(loc, converted(buffer, pointerType),
                converted(offset, indexType), flags);
  return made;
}

Value MoveConverter::converted(Value value, mlir::Type type) {
  Value &made = casts[value];
  if (!made) {
    mlir::OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointAfterValue(value);
    made =
        mlir::UnrealizedConversionCastOp::create(b, value.getLoc(), type, value)
            .getResult(0);
  }
  return made;
}
