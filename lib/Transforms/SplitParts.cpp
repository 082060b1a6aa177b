//===- SplitParts.cpp - give each kernel its _part entry point ------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel is a function that is nothing but one scheduled permute of its two
// arguments, public or marked `permc.kernel`. Both entry points share the code
// of the body; a kernel so small that it has one unit only is not worth a call.
//
//===----------------------------------------------------------------------===//

#include "EmitUnits.h"

#include "permc/Dialect/Permute/Permute.h"
#include "permc/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace permc {
#define GEN_PASS_DEF_SPLITPARTSPASS
#include "permc/Transforms/Passes.h.inc"
} // namespace permc

using namespace permc;
using mlir::Value;
namespace arith = mlir::arith;
namespace func = mlir::func;
namespace scf = mlir::scf;

namespace {

class PartSplitter {
public:
  PartSplitter(func::FuncOp kernel, PermuteOp permute)
      : kernel(kernel), permute(permute),
        b(kernel.getLoc(), kernel.getContext()),
        units(unitCount(permute.getProblem().getValue(),
                        permute.getSchedule()->getValue())) {}

  void run() {
    if (units > 1)
      outlineBody();
    addPartEntry();
  }

private:
  func::FuncOp makeFunction(const llvm::Twine &suffix,
                            llvm::ArrayRef<mlir::Type> extraArguments) {
    llvm::SmallVector<mlir::Type> types(kernel.getArgumentTypes());
    llvm::append_range(types, extraArguments);
    b.setInsertionPointAfter(kernel);
    auto function = func::FuncOp::create(b, (kernel.getName() + suffix).str(),
                                         b.getFunctionType(types, {}));
    function.setVisibility(kernel.getVisibility());
    b.setInsertionPointToStart(function.addEntryBlock());
    return function;
  }

  /// Moves the permute to a private function over a range of units.
  void outlineBody() {
    body = makeFunction(".units", {b.getIndexType(), b.getIndexType()});
    body.setPrivate();
    PermuteOp::create(b, body.getArgument(0), body.getArgument(1),
                      body.getArguments().drop_front(2),
                      permute.getProblemAttr(), permute.getScheduleAttr());
    func::ReturnOp::create(b);

    b.setInsertionPoint(permute);
    func::CallOp::create(
        b, body,
        {permute.getSrc(), permute.getDst(), constant(0), constant(units)});
    permute.erase();
  }

  void addPartEntry() {
    func::FuncOp entry =
        makeFunction("_part", {b.getI32Type(), b.getI32Type()});
    Value part = entry.getArgument(2), parts = entry.getArgument(3);
    // A share that does not exist moves nothing; so no division by zero parts.
    auto exists =
        arith::CmpIOp::create(b, arith::CmpIPredicate::ult, part, parts);
    auto guard = scf::IfOp::create(b, exists, /*withElseRegion=*/false);
    func::ReturnOp::create(b);
    b.setInsertionPointToStart(guard.thenBlock());
    if (body)
      callShare(entry, part, parts);
    else
      callWhole(entry, part);
  }

  void callShare(func::FuncOp entry, Value part, Value parts) {
    part = arith::IndexCastUIOp::create(b, b.getIndexType(), part);
    parts = arith::IndexCastUIOp::create(b, b.getIndexType(), parts);
    auto makeConstant = [this](int64_t value) { return constant(value); };
    auto [first, end] =
        emitShare(b, makeConstant, constant(units), part, parts);
    func::CallOp::create(
        b, body, {entry.getArgument(0), entry.getArgument(1), first, end});
  }

  void callWhole(func::FuncOp entry, Value part) {
    Value zero = arith::ConstantOp::create(b, b.getI32IntegerAttr(0));
    auto first = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, part, zero);
    auto guard = scf::IfOp::create(b, first, /*withElseRegion=*/false);
    b.setInsertionPointToStart(guard.thenBlock());
    func::CallOp::create(b, kernel,
                         {entry.getArgument(0), entry.getArgument(1)});
  }

  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(b, value);
  }

  func::FuncOp kernel, body;
  PermuteOp permute;
  mlir::ImplicitLocOpBuilder b;
  int64_t units;
};

/// The permute that `function` consists of, if it is a kernel.
PermuteOp kernelBody(func::FuncOp function) {
  bool meant = function.isPublic() || function->hasAttr("permc.kernel");
  if (!meant || !function.getBody().hasOneBlock() ||
      function.getNumArguments() != 2)
    return {};
  mlir::Block &block = function.getBody().front();
  auto permute = llvm::dyn_cast<PermuteOp>(block.front());
  bool whole = permute && permute.getSchedule() && permute.getUnits().empty() &&
               permute.getSrc() == function.getArgument(0) &&
               permute.getDst() == function.getArgument(1) &&
               permute->getNextNode() == block.getTerminator();
  return whole ? permute : PermuteOp();
}

struct SplitPartsPass : permc::impl::SplitPartsPassBase<SplitPartsPass> {
  void runOnOperation() override {
    llvm::SmallVector<func::FuncOp> functions(
        getOperation().getOps<func::FuncOp>());
    for (func::FuncOp function : functions)
      if (PermuteOp permute = kernelBody(function)) {
        if (mlir::failed(checkNameIsFree(function)))
          return signalPassFailure();
        PartSplitter(function, permute).run();
      }
  }

  mlir::LogicalResult checkNameIsFree(func::FuncOp kernel) {
    std::string name = (kernel.getName() + "_part").str();
    mlir::Operation *taken = getOperation().lookupSymbol(name);
    if (!taken)
      return mlir::success();
    mlir::InFlightDiagnostic error =
        kernel.emitOpError("is a kernel, whose parts would be called '")
        << name << "'; expected that name to be free";
    error.attachNote(taken->getLoc()) << "it is taken here";
    return error;
  }
};

} // namespace
