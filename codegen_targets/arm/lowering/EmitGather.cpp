//===- EmitGather.cpp - columns gathered from rows ------------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A gather has a base address and a vector of distances. The distances are
// those of the rows, the same for every column; the base is a column's start.
// Bytes come out in 16-bit lanes, and a store that narrows takes them back.
//
//===----------------------------------------------------------------------===//

#include "EmitGather.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace permc;
using mlir::Value;
namespace arith = mlir::arith;
namespace LLVM = mlir::LLVM;
namespace vector = mlir::vector;

namespace {

class GatherEmitter {
public:
  GatherEmitter(mlir::ImplicitLocOpBuilder &b, Constants &constant, Place src,
                Place dst, const GatherTile &tile)
      : b(b), constant(constant), src(src), dst(dst), tile(tile),
        laneType(mlir::VectorType::get(
            {tile.perGather}, b.getIntegerType(128 / tile.perGather))) {}

  void emit() {
    llvm::SmallVector<llvm::APInt> numbers;
    for (int64_t row = 0; row < tile.perGather; ++row)
      numbers.emplace_back(laneType.getElementTypeBitWidth(),
                           row * tile.rowStride);
    distances = LLVM::ConstantOp::create(
        b, laneType, mlir::DenseIntElementsAttr::get(laneType, numbers));
    start = arith::AddIOp::create(
        b, mlir::memref::ExtractAlignedPointerAsIndexOp::create(b, src.buffer),
        src.offset);
    for (const GatherTile::Column &column : tile.columns)
      for (int64_t at = 0; at < tile.rows; at += tile.perGather)
        move(column, std::min(at, tile.rows - tile.perGather));
  }

private:
  /// One vector of a column, from its row `row` on.
  void move(const GatherTile::Column &column, int64_t row) {
    Value address = arith::AddIOp::create(
        b, start, constant(column.src + row * tile.rowStride));
    Value number = arith::IndexCastOp::create(b, b.getI32Type(), address);
    Value pointer = LLVM::IntToPtrOp::create(
        b, LLVM::LLVMPointerType::get(b.getContext()), number);
    std::string lanes = "v" + std::to_string(tile.perGather) + "i" +
                        std::to_string(laneType.getElementTypeBitWidth());
    Value gathered =
        LLVM::CallIntrinsicOp::create(
            b, laneType,
            b.getStringAttr("llvm.arm.mve.vldr.gather.offset." + lanes +
                            ".p0." + lanes),
            mlir::ValueRange{pointer, distances, word(8 * tile.elementBytes),
                             word(0), word(1)})
            .getResult(0);
    Value to = arith::AddIOp::create(
        b, dst.offset, constant(column.dst + row * tile.elementBytes));
    vector::StoreOp::create(b, asBytes(gathered), dst.buffer, to);
  }

  Value asBytes(Value gathered) {
    mlir::VectorType bytes = mlir::VectorType::get(
        {tile.perGather * tile.elementBytes}, b.getI8Type());
    if (tile.elementBytes == 1)
      return LLVM::TruncOp::create(b, bytes, gathered);
    return vector::BitCastOp::create(b, bytes, gathered);
  }

  Value word(int64_t value) {
    return LLVM::ConstantOp::create(b, b.getI32Type(),
                                    b.getI32IntegerAttr(value));
  }

  mlir::ImplicitLocOpBuilder &b;
  Constants &constant;
  Place src, dst;
  const GatherTile &tile;
  mlir::VectorType laneType;
  Value distances, start;
};

class HeliumTile : public OwnTile {
public:
  explicit HeliumTile(const TileSite &site)
      : b(site.b), constant(site.constant),
        tile(*gatherTile(site.problem, site.schedule)) {}

  int64_t srcAlignment() const override { return tile.elementBytes; }

  void emit(Place src, Place dst) override {
    GatherEmitter(b, constant, std::move(src), std::move(dst), tile).emit();
  }

private:
  mlir::ImplicitLocOpBuilder &b;
  Constants &constant;
  const GatherTile tile;
};

} // namespace

std::unique_ptr<OwnTile> permc::makeGatherTile(const TileSite &site) {
  return std::make_unique<HeliumTile>(site);
}
