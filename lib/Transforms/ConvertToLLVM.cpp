//===- ConvertToLLVM.cpp - lowered kernels to the LLVM dialect ------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A byte buffer is a bare pointer here, not a memref descriptor: the signature
// becomes the C one, and there is nothing for a mid-end to clean up. So what
// touches buffers is converted by code of our own: moves in place
// (ConvertMoves.h), the rest by patterns; loops and arithmetic by upstream's.
//
//===----------------------------------------------------------------------===//

#include "permc/Lowering/ConvertMoves.h"
#include "permc/Targets/PassTarget.h"
#include "permc/Targets/TargetFamily.h"
#include "permc/Transforms/Passes.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace permc {
#define GEN_PASS_DEF_CONVERTTOLLVMPASS
#include "permc/Transforms/Passes.h.inc"
} // namespace permc

using namespace permc;
using mlir::Value;
namespace func = mlir::func;
namespace LLVM = mlir::LLVM;

namespace {

/// A dim that comes with the call.
struct DimPattern : mlir::ConvertOpToLLVMPattern<mlir::memref::LoadOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  mlir::LogicalResult
  matchAndRewrite(mlir::memref::LoadOp op, OpAdaptor adaptor,
                  mlir::ConversionPatternRewriter &b) const override {
    mlir::MemRefType type = op.getMemRefType();
    if (type.getRank() != 1 || !type.getElementType().isInteger(64) ||
        !type.getLayout().isIdentity())
      return b.notifyMatchFailure(op, "not a list of dims");
    Value at = LLVM::GEPOp::create(
        b, op.getLoc(), adaptor.getMemref().getType(), b.getI64Type(),
        adaptor.getMemref(), adaptor.getIndices()[0],
        LLVM::GEPNoWrapFlags::inbounds);
    b.replaceOpWithNewOp<LLVM::LoadOp>(op, b.getI64Type(), at,
                                       /*alignment=*/8);
    return mlir::success();
  }
};

struct AddressPattern : mlir::ConvertOpToLLVMPattern<
                            mlir::memref::ExtractAlignedPointerAsIndexOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  mlir::LogicalResult
  matchAndRewrite(mlir::memref::ExtractAlignedPointerAsIndexOp op,
                  OpAdaptor adaptor,
                  mlir::ConversionPatternRewriter &b) const override {
    b.replaceOpWithNewOp<LLVM::PtrToIntOp>(
        op, getTypeConverter()->convertType(op.getType()), adaptor.getSource());
    return mlir::success();
  }
};

/// A buffer from some byte on. The last step of a loop may lead past its end.
struct ViewPattern : mlir::ConvertOpToLLVMPattern<mlir::memref::ViewOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  mlir::LogicalResult
  matchAndRewrite(mlir::memref::ViewOp op, OpAdaptor adaptor,
                  mlir::ConversionPatternRewriter &b) const override {
    if (!isByteBuffer(op.getSource().getType()) || !isByteBuffer(op.getType()))
      return b.notifyMatchFailure(op, "not a byte buffer");
    Value base = adaptor.getSource();
    b.replaceOpWithNewOp<LLVM::GEPOp>(op, base.getType(), b.getI8Type(), base,
                                      LLVM::GEPArg(adaptor.getByteShift()));
    return mlir::success();
  }
};

/// A panel's buffer.
struct AllocaPattern : mlir::ConvertOpToLLVMPattern<mlir::memref::AllocaOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  mlir::LogicalResult
  matchAndRewrite(mlir::memref::AllocaOp op, OpAdaptor,
                  mlir::ConversionPatternRewriter &b) const override {
    mlir::Type index = getIndexType();
    Value bytes = LLVM::ConstantOp::create(
        b, op.getLoc(), index,
        b.getIntegerAttr(index, op.getType().getNumElements()));
    b.replaceOpWithNewOp<LLVM::AllocaOp>(
        op, LLVM::LLVMPointerType::get(op.getContext()), b.getI8Type(), bytes,
        op.getAlignment().value_or(1));
    return mlir::success();
  }
};

struct FunctionPattern : mlir::ConvertOpToLLVMPattern<func::FuncOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  mlir::LogicalResult
  matchAndRewrite(func::FuncOp op, OpAdaptor,
                  mlir::ConversionPatternRewriter &b) const override {
    // Kernels have bodies and give nothing back; other functions are not ours.
    if (op.isExternal() || op.getNumResults() != 0)
      return b.notifyMatchFailure(op, "not a kernel");
    mlir::TypeConverter::SignatureConversion signature(op.getNumArguments());
    const mlir::TypeConverter &types = *getTypeConverter();
    if (mlir::failed(
            types.convertSignatureArgs(op.getArgumentTypes(), signature)))
      return mlir::failure();
    auto type =
        LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(op.getContext()),
                                    signature.getConvertedTypes());
    auto function = LLVM::LLVMFuncOp::create(
        b, op.getLoc(), op.getName(), type,
        op.isPrivate() ? LLVM::Linkage::Internal : LLVM::Linkage::External,
        /*dsoLocal=*/true);
    function.setNoUnwind(true);
    setBufferAttributes(function, signature.getConvertedTypes());
    b.inlineRegionBefore(op.getBody(), function.getBody(), function.end());
    b.applySignatureConversion(&function.getBody().front(), signature, &types);
    b.eraseOp(op);
    return mlir::success();
  }

  /// The buffers of a permute do not overlap.
  static void setBufferAttributes(LLVM::LLVMFuncOp function,
                                  llvm::ArrayRef<mlir::Type> arguments) {
    mlir::UnitAttr unit = mlir::UnitAttr::get(function.getContext());
    for (auto [i, type] : llvm::enumerate(arguments))
      if (llvm::isa<LLVM::LLVMPointerType>(type))
        function.setArgAttr(i, LLVM::LLVMDialect::getNoAliasAttrName(), unit);
  }
};

struct ReturnPattern : mlir::ConvertOpToLLVMPattern<func::ReturnOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  mlir::LogicalResult
  matchAndRewrite(func::ReturnOp op, OpAdaptor,
                  mlir::ConversionPatternRewriter &b) const override {
    b.replaceOpWithNewOp<LLVM::ReturnOp>(op, mlir::ValueRange());
    return mlir::success();
  }
};

struct CallPattern : mlir::ConvertOpToLLVMPattern<func::CallOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  mlir::LogicalResult
  matchAndRewrite(func::CallOp op, OpAdaptor adaptor,
                  mlir::ConversionPatternRewriter &b) const override {
    b.replaceOpWithNewOp<LLVM::CallOp>(op, mlir::TypeRange(), op.getCallee(),
                                       adaptor.getOperands());
    return mlir::success();
  }
};

struct ConvertToLLVMPass
    : permc::impl::ConvertToLLVMPassBase<ConvertToLLVMPass> {
  using Base::Base;
  ConvertToLLVMPass(const Target &target) : target(target) {}

  mlir::LogicalResult initialize(mlir::MLIRContext *context) override {
    mlir::RewritePatternSet loops(context);
    mlir::populateSCFToControlFlowConversionPatterns(loops);
    loopPatterns = std::move(loops);
    return mlir::success();
  }

  /// Patterns are made once and then serve every module of a width.
  void makePatterns(unsigned indexBits) {
    if (types && types->getIndexTypeBitwidth() == indexBits)
      return;
    mlir::MLIRContext *context = &getContext();
    mlir::LowerToLLVMOptions options(context);
    options.overrideIndexBitwidth(indexBits);
    types = std::make_shared<mlir::LLVMTypeConverter>(context, options);
    types->addConversion([](mlir::MemRefType type) -> mlir::Type {
      return LLVM::LLVMPointerType::get(type.getContext());
    });
    // Upstream would make a descriptor for what the moves take as a pointer.
    types->addSourceMaterialization(
        [](mlir::OpBuilder &b, mlir::MemRefType type, mlir::ValueRange pointer,
           mlir::Location loc) -> Value {
          return mlir::UnrealizedConversionCastOp::create(b, loc, type, pointer)
              .getResult(0);
        });
    mlir::RewritePatternSet rest(context);
    mlir::arith::populateArithExpandOpsPatterns(rest);
    mlir::arith::populateArithToLLVMConversionPatterns(*types, rest);
    mlir::cf::populateControlFlowToLLVMConversionPatterns(*types, rest);
    rest.add<DimPattern, AddressPattern, ViewPattern, AllocaPattern,
             FunctionPattern, ReturnPattern, CallPattern>(*types);
    otherPatterns = std::move(rest);
  }

  void runOnOperation() override {
    bool isKnown = true;
    auto found = target.find(getOperation(), [&](Target &fromOptions) {
      fromOptions.facts.pointerBits = indexBits;
      isKnown = false;
    });
    if (mlir::failed(found))
      return signalPassFailure();
    const TargetFacts &facts = found->facts;
    makePatterns(facts.pointerBits);
    // Half a vector is two integers of a 32-bit machine.
    const int64_t widest = !isKnown            ? integerBits
                           : facts.halfVectors ? facts.pointerBits
                                               : 64;
    std::unique_ptr<MoveConverter> moves =
        found->code ? found->code->makeMoveConverter(&getContext(),
                                                     facts.pointerBits, widest)
                    : std::make_unique<MoveConverter>(
                          &getContext(), facts.pointerBits, widest);
    moves->convert(getOperation());
    eraseUnused(getOperation()); // sums whose constant went into an address
    if (mlir::failed(convertLoops()) || mlir::failed(convertRest()))
      return signalPassFailure();
  }

  /// scf to branches comes first: its blocks have index arguments, which the
  /// second step converts.
  mlir::LogicalResult convertLoops() {
    mlir::ConversionTarget target(getContext());
    target.addIllegalDialect<mlir::scf::SCFDialect>();
    target.markUnknownOpDynamicallyLegal(
        [](mlir::Operation *) { return true; });
    return mlir::applyPartialConversion(getOperation(), target, loopPatterns);
  }

  mlir::LogicalResult convertRest() {
    mlir::LLVMConversionTarget target(getContext());
    target.addLegalOp<mlir::ModuleOp, mlir::UnrealizedConversionCastOp>();
    if (mlir::failed(
            mlir::applyFullConversion(getOperation(), target, otherPatterns)))
      return mlir::failure();
    llvm::SmallVector<mlir::UnrealizedConversionCastOp> casts;
    getOperation().walk(
        [&](mlir::UnrealizedConversionCastOp cast) { casts.push_back(cast); });
    mlir::reconcileUnrealizedCasts(casts);
    return mlir::success();
  }

  mlir::FrozenRewritePatternSet loopPatterns, otherPatterns;
  std::shared_ptr<mlir::LLVMTypeConverter> types;
  const PassTarget target;
};

} // namespace

std::unique_ptr<mlir::Pass>
permc::createConvertToLLVMPass(const Target &target) {
  return std::make_unique<ConvertToLLVMPass>(target);
}
