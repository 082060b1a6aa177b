//===- RecognizePermute.cpp - permutations by other names -----------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "permc/Transforms/RecognizePermute.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "llvm/ADT/TypeSwitch.h"

#include <numeric>

using namespace permc;
namespace linalg = mlir::linalg;
using mlir::MemRefType;
using mlir::ShapedType;

static int64_t sizeOf(ShapedType type, int64_t dim) {
  return type.isDynamicDim(dim) ? dynamicDim : type.getDimSize(dim);
}

static Dims shapeOf(ShapedType type) {
  Dims shape;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    shape.push_back(sizeOf(type, dim));
  return shape;
}

/// The steps of a memref's dims in elements; nothing if some are not known.
static std::optional<Dims> stridesOf(MemRefType type) {
  llvm::SmallVector<int64_t> strides;
  int64_t offset;
  if (mlir::failed(type.getStridesAndOffset(strides, offset)) ||
      llvm::is_contained(strides, ShapedType::kDynamic))
    return std::nullopt;
  return Dims(strides.begin(), strides.end());
}

/// Adds strides where src or dst are memory with gaps. The dims of both sides
/// must be those of the view. If they are not known, that is in the way.
static void addStrides(RecognizedPermute &permute) {
  for (auto [type, strides] :
       {std::pair(permute.srcType, &permute.srcStrides),
        std::pair(permute.dstType, &permute.dstStrides)}) {
    auto memory = llvm::dyn_cast<MemRefType>(type);
    if (!memory || memory.getLayout().isIdentity())
      continue;
    *strides = stridesOf(memory);
    if (!*strides)
      permute.obstacle = "the strides of a memref are not static";
    else if (!memory.hasStaticShape())
      permute.obstacle = "a memref has both strides and dynamic dims; kernels "
                         "with dynamic dims are for dense ones";
  }
}

static std::optional<RecognizedPermute> recognizeAxes(mlir::Value src,
                                                      mlir::Value dst,
                                                      ShapedType dstType,
                                                      Dims order) {
  auto srcType = llvm::cast<ShapedType>(src.getType());
  if (!srcType.hasRank() || !dstType.hasRank() || srcType.getRank() > maxRank ||
      !checkPermutation(order, srcType.getRank()))
    return std::nullopt;
  RecognizedPermute permute{src,
                            llvm::isa<MemRefType>(dstType) ? dst
                                                           : mlir::Value(),
                            srcType,
                            dstType,
                            shapeOf(srcType),
                            std::move(order)};
  addStrides(permute);
  return permute;
}

static std::optional<RecognizedPermute> recognize(linalg::TransposeOp op) {
  const auto order = op.getPermutation();
  return recognizeAxes(op.getInput(), op.getInit(),
                       llvm::cast<ShapedType>(op.getInit().getType()),
                       Dims(order.begin(), order.end()));
}

static std::optional<RecognizedPermute> recognize(mlir::tosa::TransposeOp op) {
  const auto order = op.getPerms();
  return recognizeAxes(op.getInput1(), {},
                       llvm::cast<ShapedType>(op.getResult().getType()),
                       Dims(order.begin(), order.end()));
}

/// A generic that yields its one input, read and written by permutations of
/// its loops.
static std::optional<RecognizedPermute> recognize(linalg::GenericOp op) {
  if (op.getNumDpsInputs() != 1 || op.getNumDpsInits() != 1 ||
      op.getNumParallelLoops() != op.getNumLoops() || !op.getBody())
    return std::nullopt;
  mlir::Block &body = *op.getBody();
  auto yield = llvm::dyn_cast<linalg::YieldOp>(body.front());
  if (!yield || yield.getValues().front() != body.getArgument(0))
    return std::nullopt;
  mlir::OpOperand *input = op.getDpsInputOperand(0),
                  *output = op.getDpsInitOperand(0);
  const mlir::AffineMap from = op.getMatchingIndexingMap(input),
                        to = op.getMatchingIndexingMap(output);
  if (!from.isPermutation() || !to.isPermutation() ||
      !llvm::isa<ShapedType>(input->get().getType()))
    return std::nullopt;
  // Output dim i runs with the loop that input dim order[i] runs with.
  Dims order;
  for (unsigned dim = 0; dim < to.getNumResults(); ++dim)
    order.push_back(*from.getResultPosition(to.getResult(dim)));
  if (llvm::is_sorted(order)) // a copy
    return std::nullopt;
  return recognizeAxes(input->get(), output->get(),
                       llvm::cast<ShapedType>(output->get().getType()),
                       std::move(order));
}

/// What packing takes dims apart by: the size of each dim's tile, 1 where it
/// has none, dynamicDim where it comes at run time. Nothing if a dim has two.
static std::optional<Dims> tilesOf(llvm::ArrayRef<int64_t> positions,
                                   llvm::ArrayRef<int64_t> sizes,
                                   int64_t rank) {
  Dims tiles(static_cast<size_t>(rank), 1);
  for (auto [position, size] : llvm::zip_equal(positions, sizes)) {
    const bool isDynamic = ShapedType::isDynamic(size);
    if ((!isDynamic && size < 1) || tiles[position] != 1)
      return std::nullopt;
    tiles[position] = isDynamic ? dynamicDim : size;
  }
  return tiles;
}

static Dims outerOrder(llvm::ArrayRef<int64_t> given, int64_t rank) {
  Dims order(given.begin(), given.end());
  if (order.empty()) {
    order.resize(static_cast<size_t>(rank));
    std::iota(order.begin(), order.end(), 0);
  }
  return order;
}

/// The outer dims, then the tiles.
static std::optional<RecognizedPermute> recognize(linalg::PackOp op) {
  const auto src = llvm::cast<ShapedType>(op.getSource().getType());
  const int64_t rank = src.getRank();
  auto tiles = tilesOf(op.getInnerDimsPos(), op.getStaticInnerTiles(), rank);
  if (!tiles || op.getPaddingValue())
    return std::nullopt;
  RecognizedPermute permute{op.getSource(),
                            {},
                            src,
                            llvm::cast<ShapedType>(op.getResult().getType()),
                            {},
                            {}};
  permute.like = op.getDest();
  Dims outer, inner(static_cast<size_t>(rank));
  for (int64_t dim = 0; dim < rank; ++dim) {
    const int64_t size = sizeOf(src, dim), tile = (*tiles)[dim];
    const bool isStatic = size != dynamicDim && tile != dynamicDim;
    if (isStatic && size % tile != 0)
      return std::nullopt;
    outer.push_back(static_cast<int64_t>(permute.view.size()));
    permute.view.push_back(isStatic    ? size / tile
                           : tile == 1 ? size
                                       : dynamicDim);
    if (llvm::is_contained(op.getInnerDimsPos(), dim)) {
      inner[dim] = static_cast<int64_t>(permute.view.size());
      permute.view.push_back(tile);
    }
  }
  for (int64_t dim : outerOrder(op.getOuterDimsPerm(), rank))
    permute.order.push_back(outer[dim]);
  for (int64_t dim : op.getInnerDimsPos())
    permute.order.push_back(inner[dim]);
  return permute;
}

/// The opposite: each dim of dst is an outer dim and, if it has one, its tile.
static std::optional<RecognizedPermute> recognize(linalg::UnPackOp op) {
  const auto src = llvm::cast<ShapedType>(op.getSource().getType()),
             dst = llvm::cast<ShapedType>(op.getResult().getType());
  const int64_t rank = dst.getRank();
  auto tiles = tilesOf(op.getInnerDimsPos(), op.getStaticInnerTiles(), rank);
  if (!tiles)
    return std::nullopt;
  RecognizedPermute permute{op.getSource(), {}, src, dst, shapeOf(src), {}};
  if (!src.hasStaticShape() || !dst.hasStaticShape())
    permute.obstacle = "the last tiles may be cut, as dims are dynamic";
  const Dims outer = outerOrder(op.getOuterDimsPerm(), rank);
  for (int64_t dim = 0; dim < rank; ++dim) {
    const auto place =
        static_cast<int64_t>(llvm::find(outer, dim) - outer.begin());
    if (permute.obstacle.empty() &&
        src.getDimSize(place) * (*tiles)[dim] != dst.getDimSize(dim))
      return std::nullopt;
    permute.order.push_back(place);
    for (auto [tile, position] : llvm::enumerate(op.getInnerDimsPos()))
      if (position == dim)
        permute.order.push_back(rank + static_cast<int64_t>(tile));
  }
  return permute;
}

std::optional<RecognizedPermute> permc::recognizePermute(mlir::Operation *op) {
  return llvm::TypeSwitch<mlir::Operation *, std::optional<RecognizedPermute>>(
             op)
      .Case<linalg::TransposeOp, mlir::tosa::TransposeOp, linalg::GenericOp,
            linalg::PackOp, linalg::UnPackOp>(
          [](auto known) { return recognize(known); })
      .Default([](mlir::Operation *) { return std::nullopt; });
}

std::string permc::elementNameOf(mlir::Type type) {
  if (auto complex = llvm::dyn_cast<mlir::ComplexType>(type)) {
    if (complex.getElementType().isF32())
      return "c64";
    return complex.getElementType().isF64() ? "c128" : "";
  }
  if (type.isInteger(1))
    return "bool";
  if (type.isIndex())
    return "i64";
  if (!type.isIntOrFloat())
    return "";
  const unsigned bits = type.getIntOrFloatBitWidth();
  if (type.isBF16())
    return "bf16";
  // Others are padded in memory.
  if (bits != 8 && bits != 16 && bits != 32 && bits != 64 && bits != 128)
    return "";
  if (bits == 128 || (bits == 8 && !type.isInteger()))
    return "bytes" + std::to_string(bits / 8);
  return (type.isUnsignedInteger() ? "u"
          : type.isInteger()       ? "i"
                                   : "f") +
         std::to_string(bits);
}
