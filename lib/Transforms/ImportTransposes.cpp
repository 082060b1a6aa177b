//===- ImportTransposes.cpp - other dialects' transposes ------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Memory is permuted where it is. A tensor has no place yet: it is asked for
// its buffer, and the result is new memory that becomes a tensor again, as
// bufferization does it.
//
//===----------------------------------------------------------------------===//

#include "permc/Dialect/Permute/Permute.h"
#include "permc/Frontend/Tensor.h"
#include "permc/Transforms/Passes.h"
#include "permc/Transforms/RecognizePermute.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace permc {
#define GEN_PASS_DEF_IMPORTTRANSPOSESPASS
#include "permc/Transforms/Passes.h.inc"
} // namespace permc

using namespace permc;
using mlir::MemRefType;
using mlir::ShapedType;
using mlir::Value;

namespace {

/// Imports one operation.
class Importer {
public:
  Importer(mlir::Operation *op, RecognizedPermute permute, int64_t bytes)
      : op(op), permute(std::move(permute)), elementBytes(bytes),
        b(op->getLoc(), op) {}

  /// An operation that stays as it is gets a remark that says why.
  void run() {
    const Status done =
        !permute.obstacle.empty() ? Error{Cause::Unsupported, permute.obstacle}
        : llvm::is_contained(permute.view, dynamicDim) ? runDynamic()
                                                       : runStatic();
    if (!done)
      op->emitRemark("permc does not import it: ") << done.error().message;
  }

private:
  Status runStatic() {
    auto problem = Problem::make(elementBytes, permute.view, permute.order,
                                 permute.srcStrides, permute.dstStrides);
    if (!problem)
      return problem.error();
    const Value src = sourceMemory(), dst = targetMemory(src);
    PermuteOp::create(b, bytesOf(src, problem->srcSpan()),
                      bytesOf(dst, problem->dstSpan()),
                      ProblemAttr::get(b.getContext(), *problem));
    finish(dst);
    return Done{};
  }

  Status runDynamic() {
    auto problem =
        DynamicProblem::make(elementBytes, permute.view, permute.order);
    if (!problem)
      return problem.error();
    const Value src = sourceMemory(), dst = targetMemory(src),
                dims = listDims(src);
    DynamicPermuteOp::create(b, bytesOf(src, ShapedType::kDynamic),
                             bytesOf(dst, ShapedType::kDynamic), dims,
                             DynamicProblemAttr::get(b.getContext(), *problem));
    finish(dst);
    return Done{};
  }

  Value sourceMemory() {
    if (llvm::isa<MemRefType>(permute.srcType))
      return permute.src;
    return mlir::bufferization::ToBufferOp::create(
        b,
        MemRefType::get(permute.srcType.getShape(),
                        permute.srcType.getElementType()),
        permute.src, /*read_only=*/true);
  }

  Value targetMemory(Value src) {
    if (permute.dst)
      return permute.dst;
    llvm::SmallVector<Value> sizes;
    for (int64_t dim = 0; dim < permute.dstType.getRank(); ++dim)
      if (permute.dstType.isDynamicDim(dim))
        sizes.push_back(sizeOf(src, permute.order[dim]));
    return mlir::memref::AllocOp::create(
        b,
        MemRefType::get(permute.dstType.getShape(),
                        permute.dstType.getElementType()),
        sizes);
  }

  /// Of a dim of the view: src has it, or where dims are taken apart only what
  /// has the output's shape.
  Value sizeOf(Value src, int64_t dim) {
    if (!permute.like)
      return mlir::memref::DimOp::create(
          b, src, mlir::arith::ConstantIndexOp::create(b, dim));
    const auto place = llvm::find(permute.order, dim) - permute.order.begin();
    return mlir::tensor::DimOp::create(
        b, permute.like, mlir::arith::ConstantIndexOp::create(b, place));
  }

  /// The dims that the kernel takes, in memory of the function that is there
  /// once however often the operation runs.
  Value listDims(Value src) {
    llvm::SmallVector<int64_t> dynamic;
    for (size_t dim = 0; dim < permute.view.size(); ++dim)
      if (permute.view[dim] == dynamicDim)
        dynamic.push_back(static_cast<int64_t>(dim));
    const auto type =
        MemRefType::get({static_cast<int64_t>(dynamic.size())}, b.getI64Type());
    Value list;
    {
      mlir::OpBuilder::InsertionGuard guard(b);
      if (auto function = op->getParentOfType<mlir::FunctionOpInterface>())
        b.setInsertionPointToStart(&function.getFunctionBody().front());
      list = mlir::memref::AllocaOp::create(b, type);
    }
    for (auto [place, dim] : llvm::enumerate(dynamic)) {
      const Value size =
          mlir::arith::IndexCastOp::create(b, b.getI64Type(), sizeOf(src, dim));
      const Value at =
          mlir::arith::ConstantIndexOp::create(b, static_cast<int64_t>(place));
      mlir::memref::StoreOp::create(b, size, list, at);
    }
    return list;
  }

  Value bytesOf(Value memory, int64_t span) {
    return BytesOp::create(b, MemRefType::get({span}, b.getI8Type()), memory);
  }

  void finish(Value dst) {
    if (op->getNumResults() == 1) {
      const Value result = mlir::bufferization::ToTensorOp::create(
          b, op->getResult(0).getType(), dst, /*restrict=*/true,
          /*writable=*/true);
      op->getResult(0).replaceAllUsesWith(result);
    }
    op->erase();
  }

  mlir::Operation *op;
  RecognizedPermute permute;
  int64_t elementBytes;
  mlir::ImplicitLocOpBuilder b;
};

struct ImportTransposesPass
    : permc::impl::ImportTransposesPassBase<ImportTransposesPass> {
  using Base::Base;
  void runOnOperation() override { importTransposes(getOperation()); }
};

} // namespace

void permc::importTransposes(mlir::Operation *root) {
  llvm::SmallVector<mlir::Operation *> found;
  root->walk([&](mlir::Operation *op) {
    if (recognizePermute(op))
      found.push_back(op);
  });
  for (mlir::Operation *op : found) {
    RecognizedPermute permute = *recognizePermute(op);
    const std::string name = elementNameOf(permute.srcType.getElementType());
    if (name.empty()) {
      op->emitRemark("permc does not import it: elements of type ")
          << permute.srcType.getElementType() << " are no whole bytes";
      continue;
    }
    Importer(op, std::move(permute), parseElementType(name)->bytes).run();
  }
}
