//===- ConvertMoves.h - moves to the LLVM dialect ---------------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_LOWERING_CONVERTMOVES_H
#define PERMC_LOWERING_CONVERTMOVES_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinOps.h"

#include <map>
#include <optional>

namespace permc {

/// Whether it is a flat buffer of bytes, the only kind a kernel has.
bool isByteBuffer(mlir::MemRefType type);

/// Drops operations that nothing needs.
void eraseUnused(mlir::ModuleOp module);

/// What a load or store of LLVM's has beside its address.
struct MoveForm {
  uint64_t alignment = 1;
  /// It must become one instruction, whatever the back end thinks of it.
  bool isVolatile = false;
};

/// Converts loads, shuffles, stores and prefetches of byte buffers in place.
/// Buffers and offsets become pointers and integers by casts
/// (`unrealized_conversion_cast`), one for each. What is no move of a kernel is
/// left as it is.
///
/// A family of targets that has other instructions for some of them derives
/// from it (TargetFamily::makeMoveConverter).
class MoveConverter {
public:
  /// Moves of up to `integerBits` are integers.
  MoveConverter(mlir::MLIRContext *context, unsigned indexBits,
                int64_t integerBits);
  virtual ~MoveConverter() = default;

  void convert(mlir::ModuleOp module);

protected:
  /// Moves of permc's own dialect: only a family knows what becomes of them.
  virtual void rewriteOwn(mlir::Operation *) {}
  virtual void rewrite(mlir::vector::LoadOp op);
  virtual void rewrite(mlir::vector::StoreOp op);
  virtual void rewrite(mlir::vector::ShuffleOp op);

  template <typename Load>
  void load(Load op, mlir::Value from, const MoveForm &form = {}) {
    mlir::Value value = mlir::LLVM::LoadOp::create(
        b, op.getLoc(), loadedType(op), from, form.alignment, form.isVolatile,
        op.getNontemporal());
    replace(op, castTo(op.getLoc(), op.getVectorType(), value));
  }
  template <typename Store>
  void store(Store op, mlir::Value value, mlir::Value to,
             const MoveForm &form = {}) {
    value = castTo(op.getLoc(), storedType(op.getVectorType(), value), value);
    mlir::LLVM::StoreOp::create(b, op.getLoc(), value, to, form.alignment,
                                form.isVolatile, op.getNontemporal());
    op.erase();
  }

  /// Puts `by` in the place of a result.
  static void replace(mlir::Operation *op, mlir::Value by);
  /// Looks through casts: shuffles of what was just loaded, and stores of what
  /// was just shuffled, are seen as structure moves only without a cast
  /// between.
  static mlir::Value withoutCasts(mlir::Value value);
  mlir::Value castTo(mlir::Location loc, mlir::Type type, mlir::Value value);
  mlir::Value number(mlir::Location loc, uint32_t value);
  /// A shuffle of words that are integers, if it is one.
  mlir::Value shuffledWord(mlir::vector::ShuffleOp op);
  /// Two words as one that is moved at once.
  mlir::Value bothWords(mlir::Location loc, mlir::Value low, mlir::Value high);

  /// What a load gives: units of the size that its only user wants.
  mlir::Type loadedType(mlir::Operation *op) const;
  /// How a value is stored as bytes of that type.
  mlir::Type storedType(mlir::VectorType type, mlir::Value value) const;

  using NoWrap = mlir::LLVM::GEPNoWrapFlags;
  /// The address at `offset`. A constant that was added to it last stays apart:
  /// then the back end sees at once that all moves of a tile share an address,
  /// which it would else take up to half of its time to find out.
  mlir::Value addressOf(mlir::Location loc, mlir::Value buffer,
                        mlir::Value offset, NoWrap flags = NoWrap::inbounds);
  /// That of `offset` without its last constant: one for all moves of a block.
  mlir::Value sharedAddress(mlir::Location loc, mlir::Value buffer,
                            mlir::Value offset, NoWrap flags);
  mlir::Value step(mlir::Location loc, mlir::Value from, mlir::LLVM::GEPArg by,
                   NoWrap flags);
  /// A value as the LLVM dialect has it, cast where it is made.
  mlir::Value converted(mlir::Value value, mlir::Type type);
  /// A constant that an address can have beside it.
  static std::optional<int32_t> constantStep(mlir::Value value);

  mlir::OpBuilder b;
  const unsigned indexBits;
  const int64_t integerBits;
  const mlir::Type pointerType, indexType;

private:
  void convert(mlir::Operation *op);
  void rewrite(mlir::vector::MaskedLoadOp op);
  void rewrite(mlir::vector::MaskedStoreOp op);
  void rewrite(mlir::vector::BitCastOp op);
  void rewrite(mlir::memref::PrefetchOp op);

  mlir::Type moveType(mlir::VectorType type) const;
  mlir::Value pieceOfWord(mlir::vector::ShuffleOp op, mlir::Value word);
  mlir::Value exchangedWord(mlir::vector::ShuffleOp op);
  mlir::Value tradedBytes(mlir::Location loc, mlir::Value odd,
                          mlir::Value even);
  mlir::Value masked(mlir::Location loc, mlir::Value word, uint32_t bits);
  mlir::Value shifted(mlir::Location loc, mlir::Value word, int bits);
  mlir::Value either(mlir::Location loc, mlir::Value a, mlir::Value other);
  mlir::Value unlike(mlir::Location loc, mlir::Value a, mlir::Value other);

  llvm::DenseMap<mlir::Value, mlir::Value> casts;
  std::map<std::pair<void *, void *>, mlir::Value> traded;
  using Address = std::tuple<mlir::Block *, void *, void *, NoWrap>;
  std::map<Address, mlir::Value> addresses;
};

} // namespace permc

#endif // PERMC_LOWERING_CONVERTMOVES_H
