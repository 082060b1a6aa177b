//===- ConvertToLLVM.cpp - lowered kernels to the LLVM dialect ------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A byte buffer is a bare pointer here, not a memref descriptor: the signature
// becomes the C one, and there is nothing for a mid-end to clean up. So the few
// operations that touch buffers are converted by patterns of our own; loops and
// arithmetic by upstream's.
//
//===----------------------------------------------------------------------===//

#include "EmitMoves.h"

#include "permc/Plan/Network.h"
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
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace permc {
#define GEN_PASS_DEF_CONVERTTOLLVMPASS
#include "permc/Transforms/Passes.h.inc"
} // namespace permc

using namespace permc;
using mlir::Value;
namespace func = mlir::func;
namespace LLVM = mlir::LLVM;
namespace vector = mlir::vector;

namespace {

/// Moves of up to `integerBits` are integers: LLVM would take small vectors
/// apart.
mlir::Type moveType(mlir::VectorType type, int64_t integerBits) {
  int64_t bits = type.getNumElements() * type.getElementTypeBitWidth();
  if (bits <= integerBits)
    return mlir::IntegerType::get(type.getContext(), bits);
  return type;
}

/// Whether a move is of a pair of words of a 32-bit machine. Only if it is
/// volatile can it be relied on to become one instruction (ldrd, strd).
bool isPair(mlir::Type type, std::optional<uint64_t> alignment,
            unsigned indexBits) {
  return type.isInteger(64) && indexBits == 32 && alignment.value_or(1) >= 4;
}

/// The address at `offset` (an operand as it was before conversion). A constant
/// that was added to it last stays apart: then the back end sees at once that
/// all moves of a tile share an address, which it would else take up to half of
/// its time to find out.
Value addressOf(mlir::ConversionPatternRewriter &b, mlir::Location loc,
                Value base, Value offset,
                LLVM::GEPNoWrapFlags flags = LLVM::GEPNoWrapFlags::inbounds) {
  auto step = [&](Value from, LLVM::GEPArg by) -> Value {
    return LLVM::GEPOp::create(b, loc, base.getType(), b.getI8Type(), from, by,
                               flags);
  };
  if (auto add = offset.getDefiningOp<mlir::arith::AddIOp>()) {
    std::optional<int64_t> bytes = mlir::getConstantIntValue(add.getRhs());
    if (bytes && llvm::isInt<LLVM::kGEPConstantBitWidth>(*bytes))
      return step(step(base, b.getRemappedValue(add.getLhs())),
                  static_cast<int32_t>(*bytes));
  }
  return step(base, b.getRemappedValue(offset));
}

/// A flat buffer of bytes, the only kind a kernel has.
bool isByteBuffer(mlir::MemRefType type) {
  return type.getRank() == 1 && type.getElementType().isInteger(8) &&
         type.getLayout().isIdentity();
}

/// What a load gives: units of the size that its only user wants.
mlir::Type loadedType(vector::LoadOp op, int64_t integerBits) {
  mlir::Type type = moveType(op.getVectorType(), integerBits);
  if (llvm::isa<mlir::VectorType>(type) && op->hasOneUse())
    if (auto cast = llvm::dyn_cast<vector::BitCastOp>(*op->user_begin()))
      return cast.getResultVectorType();
  return type;
}

struct LoadPattern : mlir::ConvertOpToLLVMPattern<vector::LoadOp> {
  LoadPattern(const mlir::LLVMTypeConverter &types, int64_t integerBits)
      : ConvertOpToLLVMPattern(types), integerBits(integerBits) {}
  mlir::LogicalResult
  matchAndRewrite(vector::LoadOp op, OpAdaptor adaptor,
                  mlir::ConversionPatternRewriter &b) const override {
    if (!isByteBuffer(op.getMemRefType()))
      return b.notifyMatchFailure(op, "not a byte buffer");
    mlir::Location loc = op.getLoc();
    mlir::VectorType type = op.getVectorType();
    Value from = addressOf(b, loc, adaptor.getBase(), op.getIndices()[0]);
    mlir::Type loaded = loadedType(op, integerBits);
    Value value = LLVM::LoadOp::create(
        b, loc, loaded, from, op.getAlignment().value_or(1),
        isPair(loaded, op.getAlignment(),
               getTypeConverter()->getIndexTypeBitwidth()),
        op.getNontemporal());
    if (value.getType() != type)
      value = LLVM::BitcastOp::create(b, loc, type, value);
    b.replaceOp(op, value);
    return mlir::success();
  }

  int64_t integerBits;
};

/// Looks through casts: shuffles of what was just loaded, and stores of what
/// was just shuffled, are seen as structure moves only without a cast between.
Value withoutCasts(Value value) {
  while (auto cast = value.getDefiningOp<LLVM::BitcastOp>())
    value = cast.getArg();
  return value;
}

/// How a value is stored. The back end takes a store of what was just shuffled
/// for a structure store (NEON's st3), unless there is a cast between. That is
/// wanted for several registers at once; for one it would only replace the last
/// zip of a transposed tile, and cost an address more.
mlir::Type storedType(mlir::VectorType type, Value value, int64_t integerBits) {
  // What was narrowed is narrowed by the store itself.
  if (value.getDefiningOp<LLVM::TruncOp>() &&
      llvm::isa<mlir::VectorType>(value.getType()))
    return value.getType();
  mlir::Type moved = moveType(type, integerBits);
  if (!llvm::isa<mlir::VectorType>(moved))
    return moved;
  if (type.getNumElements() == laneBytes &&
      value.getDefiningOp<LLVM::ShuffleVectorOp>())
    return mlir::VectorType::get({laneBytes / 8},
                                 mlir::IntegerType::get(type.getContext(), 64));
  return value.getType();
}

struct StorePattern : mlir::ConvertOpToLLVMPattern<vector::StoreOp> {
  StorePattern(const mlir::LLVMTypeConverter &types, int64_t integerBits)
      : ConvertOpToLLVMPattern(types), integerBits(integerBits) {}
  mlir::LogicalResult
  matchAndRewrite(vector::StoreOp op, OpAdaptor adaptor,
                  mlir::ConversionPatternRewriter &b) const override {
    if (!isByteBuffer(op.getMemRefType()))
      return b.notifyMatchFailure(op, "not a byte buffer");
    mlir::Location loc = op.getLoc();
    Value value = withoutCasts(adaptor.getValueToStore());
    mlir::Type type = storedType(op.getVectorType(), value, integerBits);
    if (value.getType() != type)
      value = LLVM::BitcastOp::create(b, loc, type, value);
    Value to = addressOf(b, loc, adaptor.getBase(), op.getIndices()[0]);
    b.replaceOpWithNewOp<LLVM::StoreOp>(
        op, value, to, op.getAlignment().value_or(1),
        isPair(type, op.getAlignment(),
               getTypeConverter()->getIndexTypeBitwidth()),
        op.getNontemporal());
    return mlir::success();
  }

  int64_t integerBits;
};

struct ShufflePattern : mlir::ConvertOpToLLVMPattern<vector::ShuffleOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  /// Neighbouring bytes of a word that was loaded as an integer: a shift.
  static Value pieceOfWord(mlir::ConversionPatternRewriter &b,
                           vector::ShuffleOp op, Value word) {
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
          LLVM::ConstantOp::create(b, loc, type,
                                   b.getIntegerAttr(type, shift)));
    word = LLVM::TruncOp::create(b, loc, b.getIntegerType(bits), word);
    return LLVM::BitcastOp::create(b, loc, piece, word);
  }

  mlir::LogicalResult
  matchAndRewrite(vector::ShuffleOp op, OpAdaptor adaptor,
                  mlir::ConversionPatternRewriter &b) const override {
    llvm::SmallVector<int32_t> mask(op.getMask());
    Value first = adaptor.getV1(), second = adaptor.getV2();
    if (Value piece = pieceOfWord(b, op, withoutCasts(first))) {
      b.replaceOp(op, piece);
      return mlir::success();
    }
    if (first == second) {
      // One input is what it is, and how structure loads are recognised.
      auto units = static_cast<int32_t>(op.getV1VectorType().getNumElements());
      for (int32_t &unit : mask)
        unit = unit < units ? unit : unit - units;
      second = LLVM::PoisonOp::create(b, op.getLoc(), first.getType());
    }
    b.replaceOpWithNewOp<LLVM::ShuffleVectorOp>(op, first, second, mask);
    return mlir::success();
  }
};

struct BitCastPattern : mlir::ConvertOpToLLVMPattern<vector::BitCastOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  mlir::LogicalResult
  matchAndRewrite(vector::BitCastOp op, OpAdaptor adaptor,
                  mlir::ConversionPatternRewriter &b) const override {
    Value value = withoutCasts(adaptor.getSource());
    if (value.getType() != op.getResultVectorType())
      value = LLVM::BitcastOp::create(b, op.getLoc(), op.getResultVectorType(),
                                      value);
    b.replaceOp(op, value);
    return mlir::success();
  }
};

struct PrefetchPattern
    : mlir::ConvertOpToLLVMPattern<mlir::memref::PrefetchOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  mlir::LogicalResult
  matchAndRewrite(mlir::memref::PrefetchOp op, OpAdaptor adaptor,
                  mlir::ConversionPatternRewriter &b) const override {
    // May ask for what lies behind the buffer.
    Value at = addressOf(b, op.getLoc(), adaptor.getMemref(),
                         op.getIndices()[0], LLVM::GEPNoWrapFlags::none);
    b.replaceOpWithNewOp<LLVM::Prefetch>(op, at, op.getIsWrite() ? 1 : 0,
                                         op.getLocalityHint(),
                                         op.getIsDataCache() ? 1 : 0);
    return mlir::success();
  }
};

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

/// A copy of some bytes, which the back end does in place.
struct CopyPattern : mlir::ConvertOpToLLVMPattern<mlir::memref::CopyOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  mlir::LogicalResult
  matchAndRewrite(mlir::memref::CopyOp op, OpAdaptor adaptor,
                  mlir::ConversionPatternRewriter &b) const override {
    auto type = llvm::dyn_cast<mlir::MemRefType>(op.getSource().getType());
    auto alignment = op->getAttrOfType<mlir::IntegerAttr>(copyAlignmentName);
    if (!type || !isByteBuffer(type) || !type.hasStaticShape() || !alignment)
      return b.notifyMatchFailure(op, "not a copy of some aligned bytes");
    mlir::Type index = getIndexType();
    Value bytes = LLVM::ConstantOp::create(
        b, op.getLoc(), index, b.getIntegerAttr(index, type.getNumElements()));
    auto copy = LLVM::MemcpyOp::create(b, op.getLoc(), adaptor.getTarget(),
                                       adaptor.getSource(), bytes,
                                       /*isVolatile=*/false);
    mlir::DictionaryAttr aligned = b.getDictionaryAttr(
        b.getNamedAttr(LLVM::LLVMDialect::getAlignAttrName(), alignment));
    mlir::DictionaryAttr none = b.getDictionaryAttr({});
    copy.setArgAttrsAttr(b.getArrayAttr({aligned, aligned, none}));
    b.eraseOp(op);
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

  /// Patterns are made once and then serve every module.
  mlir::LogicalResult initialize(mlir::MLIRContext *context) override {
    mlir::RewritePatternSet loops(context);
    mlir::populateSCFToControlFlowConversionPatterns(loops);
    loopPatterns = std::move(loops);

    mlir::LowerToLLVMOptions options(context);
    options.overrideIndexBitwidth(indexBits);
    types = std::make_shared<mlir::LLVMTypeConverter>(context, options);
    types->addConversion([](mlir::MemRefType type) -> mlir::Type {
      return LLVM::LLVMPointerType::get(type.getContext());
    });
    mlir::RewritePatternSet rest(context);
    mlir::arith::populateArithExpandOpsPatterns(rest);
    mlir::arith::populateArithToLLVMConversionPatterns(*types, rest);
    mlir::cf::populateControlFlowToLLVMConversionPatterns(*types, rest);
    rest.add<LoadPattern, StorePattern>(*types, integerBits);
    rest.add<ShufflePattern, BitCastPattern, PrefetchPattern, DimPattern,
             AddressPattern, ViewPattern, CopyPattern, AllocaPattern,
             FunctionPattern, ReturnPattern, CallPattern>(*types);
    otherPatterns = std::move(rest);
    return mlir::success();
  }

  void runOnOperation() override {
    if (mlir::failed(convertLoops()) || mlir::failed(convertRest()))
      return signalPassFailure();
    eraseUnused();
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
    target.addLegalOp<mlir::ModuleOp>();
    return mlir::applyFullConversion(getOperation(), target, otherPatterns);
  }

  /// Sums whose constant went into an address.
  void eraseUnused() {
    getOperation().walk([](mlir::Block *block) {
      for (mlir::Operation &op :
           llvm::make_early_inc_range(llvm::reverse(*block)))
        if (mlir::isOpTriviallyDead(&op))
          op.erase();
    });
  }

  mlir::FrozenRewritePatternSet loopPatterns, otherPatterns;
  std::shared_ptr<mlir::LLVMTypeConverter> types;
};

} // namespace
