//===- LowerTransposes.cpp - transposes become calls of kernels -----------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The kernels come from the one pipeline, as text: they are made in a context
// of their own, for another pass may not load dialects or run pipelines in the
// user's. Buffers reach them as bare pointers to their first element.
//
//===----------------------------------------------------------------------===//

#include "permc/Compiler/Compiler.h"
#include "permc/Dialect/Permute/Permute.h"
#include "permc/Frontend/KernelName.h"
#include "permc/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

#include <map>

namespace permc {
#define GEN_PASS_DEF_LOWERTRANSPOSESPASS
#include "permc/Transforms/Passes.h.inc"
} // namespace permc

using namespace permc;
using mlir::MemRefType;
using mlir::ShapedType;
using mlir::Value;
namespace LLVM = mlir::LLVM;
namespace arith = mlir::arith;

namespace {

/// The address of the first element of a byte buffer.
Value pointerTo(mlir::ImplicitLocOpBuilder &b, Value buffer) {
  if (auto bytes = buffer.getDefiningOp<BytesOp>())
    buffer = bytes.getSource();
  const auto type = llvm::cast<MemRefType>(buffer.getType());
  Value address =
      mlir::memref::ExtractAlignedPointerAsIndexOp::create(b, buffer);
  llvm::SmallVector<int64_t> strides;
  int64_t offset = 0;
  if (mlir::failed(type.getStridesAndOffset(strides, offset)))
    offset = ShapedType::kDynamic;
  if (offset != 0) {
    const mlir::Type element = type.getElementType();
    int64_t bits = 0;
    if (auto complex = llvm::dyn_cast<mlir::ComplexType>(element))
      bits = 2 * complex.getElementType().getIntOrFloatBitWidth();
    else
      bits = element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
    const Value elements =
        ShapedType::isDynamic(offset)
            ? mlir::memref::ExtractStridedMetadataOp::create(b, buffer)
                  .getOffset()
            : Value(arith::ConstantIndexOp::create(b, offset));
    const Value bytes = arith::MulIOp::create(
        b, elements,
        arith::ConstantIndexOp::create(b, std::max<int64_t>(bits / 8, 1)));
    address = arith::AddIOp::create(b, address, bytes);
  }
  const Value integer = arith::IndexCastOp::create(b, b.getI64Type(), address);
  return LLVM::IntToPtrOp::create(b, LLVM::LLVMPointerType::get(b.getContext()),
                                  integer);
}

struct LowerTransposesPass
    : permc::impl::LowerTransposesPassBase<LowerTransposesPass> {
  using Base::Base;

  void runOnOperation() override {
    importTransposes(getOperation());
    auto found = findTarget(target.getValue());
    if (!found)
      return fail(found.error());
    machine = *found;
    if (machine.route != Target::Route::Object)
      return fail({Cause::Unsupported, "the target '" + machine.name +
                                           "' makes C source; expected one "
                                           "that makes objects"});
    getOperation().walk([&](mlir::Operation *op) {
      if (auto permute = llvm::dyn_cast<PermuteOp>(op))
        addStatic(permute);
      else if (auto dynamic = llvm::dyn_cast<DynamicPermuteOp>(op))
        addDynamic(dynamic);
    });
    if (requests.empty())
      return;
    if (Status ok = provideKernels(); !ok)
      return fail(ok.error());
    for (auto &[op, kernel] : calls)
      replaceByCall(op, requests[kernel].name);
    getOperation().walk([](BytesOp bytes) {
      if (bytes->use_empty())
        bytes->erase();
    });
  }

private:
  void fail(const Error &error) {
    getOperation().emitError(error.message);
    signalPassFailure();
  }

  /// An operation that is only part of a kernel stays as it is.
  void addStatic(PermuteOp op) {
    if (op.getBoxed() || !op.getDims().empty())
      return;
    const Problem &problem = op.getProblem().getValue();
    const std::string element = elementFor(problem.elementBytes());
    add(op,
        Request{deriveName(problem, element), problem, element, machine, ""});
  }

  void addDynamic(DynamicPermuteOp op) {
    const DynamicProblem &problem = op.getProblem().getValue();
    const std::string element = elementFor(problem.elementBytes());
    add(op,
        makeRequest(deriveName(problem, element), problem, element, machine));
  }

  static std::string elementFor(int64_t bytes) {
    return "bytes" + std::to_string(bytes);
  }

  void add(mlir::Operation *op, Request request) {
    auto [known, isNew] = kernelOf.try_emplace(request.name, requests.size());
    if (isNew)
      requests.push_back(std::move(request));
    calls.emplace_back(op, known->second);
  }

  Status provideKernels() {
    for (const Request &request : requests)
      if (getOperation().lookupSymbol(request.name))
        return Error{Cause::BadSyntax, "the module has a symbol @" +
                                           request.name +
                                           " already, which a kernel needs"};
    return library.empty() ? defineKernels() : declareKernels();
  }

  /// As functions of the module that nobody else sees.
  Status defineKernels() {
    Compiler compiler;
    mlir::SymbolTable symbols(getOperation());
    for (const Request &request : requests) {
      auto made = compiler.compile({request}, Emit::MLIR);
      if (!made)
        return made.error();
      auto parsed = mlir::parseSourceString<mlir::ModuleOp>(
          made->bytes, mlir::ParserConfig(&getContext()));
      if (!parsed)
        return Error{Cause::Internal,
                     "the kernel " + request.name + " could not be read"};
      for (mlir::Operation &op :
           llvm::make_early_inc_range(parsed->getBody()->getOperations())) {
        auto function = llvm::dyn_cast<LLVM::LLVMFuncOp>(op);
        if (function && function.isExternal() &&
            symbols.lookup(function.getSymName()))
          continue;
        op.remove();
        getOperation().getBody()->push_back(&op);
        if (function && !function.isExternal())
          function.setLinkage(LLVM::Linkage::Internal);
        if (llvm::isa<mlir::SymbolOpInterface>(op))
          symbols.insert(&op);
      }
    }
    return Done{};
  }

  /// In a library that the user links.
  Status declareKernels() {
    auto objects = compileObjects(requests);
    if (!objects)
      return objects.error();
    auto archive = makeLibrary(requests, *objects);
    if (!archive)
      return archive.error();
    if (auto error = llvm::writeToOutput(
            library, [&](llvm::raw_ostream &os) -> llvm::Error {
              os << *archive;
              return llvm::Error::success();
            }))
      return Error{Cause::BadFile, "cannot write '" + library + "': " +
                                       llvm::toString(std::move(error))};
    mlir::ImplicitLocOpBuilder b(getOperation().getLoc(), &getContext());
    b.setInsertionPointToStart(getOperation().getBody());
    const auto pointer = LLVM::LLVMPointerType::get(&getContext());
    for (const Request &request : requests) {
      llvm::SmallVector<mlir::Type> arguments(request.dynamic ? 3 : 2, pointer);
      LLVM::LLVMFuncOp::create(
          b, request.name,
          LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(&getContext()),
                                      arguments));
    }
    return Done{};
  }

  void replaceByCall(mlir::Operation *op, const std::string &kernel) {
    mlir::ImplicitLocOpBuilder b(op->getLoc(), op);
    llvm::SmallVector<Value> arguments;
    for (Value buffer : op->getOperands())
      arguments.push_back(pointerTo(b, buffer));
    LLVM::CallOp::create(b, mlir::TypeRange(), kernel, arguments);
    op->erase();
  }

  Target machine;
  std::vector<Request> requests;
  std::map<std::string, size_t> kernelOf; ///< by name
  std::vector<std::pair<mlir::Operation *, size_t>> calls;
};

} // namespace
