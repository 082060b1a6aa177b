//===- SplitParts.cpp - give each kernel its _part entry point ------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel is a function that is nothing but one scheduled permute of its two
// arguments, public or marked `permc.kernel`. Both entry points share the code
// of the body, which takes a box; a kernel that cannot be split keeps its own.
//
//===----------------------------------------------------------------------===//

#include "EmitParts.h"

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
        split(chooseSplit(
            permute.getProblem().getValue(), permute.getSchedule()->getValue(),
            permute.getUnaligned() ? &permute.getUnaligned()->getValue()
                                   : nullptr)) {}

  void run() {
    if (split.mostParts > 1)
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

  /// Moves the permute to a private function over a box.
  void outlineBody() {
    llvm::SmallVector<int64_t> dims;
    if (split.outer)
      dims.push_back(static_cast<int64_t>(*split.outer));
    dims.push_back(static_cast<int64_t>(split.dim));
    body = makeBox(".box", dims, permute.getScheduleAttr(),
                   permute.getUnalignedAttr());
    if (split.isRagged())
      addFringe();
    b.setInsertionPoint(permute);
    call(body, kernel, wholeBox());
    permute.erase();
  }

  /// A private function that moves a box along `dims`.
  func::FuncOp makeBox(const llvm::Twine &suffix, llvm::ArrayRef<int64_t> dims,
                       ScheduleAttr schedule, ScheduleAttr unaligned) {
    llvm::SmallVector<mlir::Type> bounds(2 * dims.size(), b.getIndexType());
    func::FuncOp function = makeFunction(suffix, bounds);
    function.setPrivate();
    PermuteOp::create(b, function.getArgument(0), function.getArgument(1),
                      /*box=*/function.getArguments().drop_front(2),
                      /*dims=*/mlir::ValueRange(),
                      /*origins=*/mlir::ValueRange(),
                      b.getDenseI64ArrayAttr(dims), permute.getProblemAttr(),
                      schedule, unaligned, permute.getDstStartsLine());
    func::ReturnOp::create(b);
    return function;
  }

  void addFringe() {
    llvm::SmallVector<int64_t> dims;
    for (const auto *list : {&split.slower, &split.fringe})
      for (const Split::RaggedDim &each : *list)
        dims.push_back(static_cast<int64_t>(each.dim));
    Schedule schedule = fringeSchedule(permute.getProblem().getValue(),
                                       permute.getSchedule()->getValue());
    fringe = makeBox(".fringe", dims,
                     ScheduleAttr::get(kernel.getContext(), schedule),
                     /*unaligned=*/nullptr);
  }

  llvm::SmallVector<Value> wholeBox() {
    llvm::SmallVector<Value> box;
    if (split.outer)
      box.append({constant(0), constant(split.outerSize)});
    box.append({constant(0), constant(split.size)});
    return box;
  }

  void call(func::FuncOp function, func::FuncOp caller, mlir::ValueRange box) {
    llvm::SmallVector<Value> arguments = {caller.getArgument(0),
                                          caller.getArgument(1)};
    llvm::append_range(arguments, box);
    func::CallOp::create(b, function, arguments);
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
      callBoxes(entry, part, parts);
    else
      callWhole(entry, part);
  }

  void callBoxes(func::FuncOp entry, Value part, Value parts) {
    auto makeConstant = [this](int64_t value) { return constant(value); };
    auto makeSplit = [&] { return SplitValues(split, makeConstant); };
    emitParts(b, makeConstant, makeSplit, wholeBox(), part, parts,
              [&](mlir::ValueRange box) {
                if (split.isRagged())
                  callRagged(entry, box, parts);
                else
                  call(body, entry, box);
              });
  }

  /// As Plan's visitFringes. Only a part that is everything has none. The nest
  /// is called in one place, or its code would be there several times.
  void callRagged(func::FuncOp entry, mlir::ValueRange box, Value parts) {
    Value one = arith::ConstantOp::create(b, b.getI32IntegerAttr(1));
    Value all = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, parts, one);
    Value begin = box[0], end = box[1];
    callNests(entry, all, begin, end);
    // After the last part comes the first.
    Value size = constant(split.outer ? split.outerSize : split.size);
    Value isLast =
        arith::CmpIOp::create(b, arith::CmpIPredicate::eq, end, size);
    Value next = arith::SelectOp::create(b, isLast, constant(0), end);
    int64_t positions = 1;
    for (const Split::RaggedDim &slower : split.slower)
      positions *= slower.size;
    Value count =
        arith::SelectOp::create(b, all, constant(0), constant(positions));
    auto loop = scf::ForOp::create(b, constant(0), count, constant(1));
    mlir::OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    callFringes(entry, loop.getInductionVar(), begin, next);
  }

  /// What is left for the nest of a range of the dim, or of the outer one: the
  /// first positions of that one but for the margin, and the others, if any.
  void callNests(func::FuncOp entry, Value all, Value begin, Value end) {
    auto unlessAll = [&](Value value) -> Value {
      return arith::SelectOp::create(b, all, constant(0), value);
    };
    Value margin = unlessAll(constant(split.margin));
    if (!split.outer)
      return call(body, entry, {arith::AddIOp::create(b, begin, margin), end});
    Value size = constant(split.size);
    Value piece = constant(split.fringe.front().size);
    Value second = arith::AddIOp::create(b, begin, unlessAll(piece));
    Value hasMore =
        arith::CmpIOp::create(b, arith::CmpIPredicate::ult, second, end);
    Value count = arith::SelectOp::create(b, hasMore, constant(2), constant(1));
    Value from = arith::SelectOp::create(b, all, constant(1), constant(0));
    auto loop = scf::ForOp::create(b, from, count, constant(1));
    mlir::OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value isFirst = arith::CmpIOp::create(b, arith::CmpIPredicate::eq,
                                          loop.getInductionVar(), constant(0));
    auto choose = [&](Value first, Value other) -> Value {
      return arith::SelectOp::create(b, isFirst, first, other);
    };
    call(body, entry,
         {choose(begin, second), choose(second, end),
          choose(margin, constant(0)), size});
  }

  /// The fringes at one position of the slower dims.
  void callFringes(func::FuncOp entry, Value position, Value begin,
                   Value next) {
    llvm::SmallVector<Value> slower(2 * split.slower.size());
    Value offset = constant(0);
    for (size_t i = split.slower.size(); i-- > 0;) {
      Value size = constant(split.slower[i].size);
      Value place = arith::RemUIOp::create(b, position, size);
      position = arith::DivUIOp::create(b, position, size);
      offset = addProduct(offset, place, split.slower[i].dstStride);
      slower[2 * i] = place;
      slower[2 * i + 1] = arith::AddIOp::create(b, place, constant(1));
    }
    callFringe(entry, slower, offset, begin, FringeSide::FromLine);
    callFringe(entry, slower, offset, next, FringeSide::BeforeLine);
  }

  /// As Plan's visitFringe. Pieces that are always empty are left out.
  void callFringe(func::FuncOp entry, llvm::SmallVector<Value> ranges,
                  Value offset, Value at, FringeSide side) {
    const size_t first = ranges.size(), count = split.fringe.size();
    ranges.append({at, add(at, split.fringe.front().size)});
    for (size_t i = 1; i < count; ++i)
      ranges.append({constant(0), constant(split.fringe[i].size)});
    Value bytes =
        emitBytesToLine(addProduct(offset, at, split.fringe.front().dstStride));
    for (size_t i = 0; i < count; ++i) {
      const auto &[dim, size, stride] = split.fringe[i];
      const bool hasDigit = stride < split.lineReach(), isLast = i + 1 == count;
      Value &begin = ranges[first + 2 * i], &end = ranges[first + 2 * i + 1];
      Value digit = begin;
      if (hasDigit) {
        Value divisor = constant(stride);
        digit = arith::AddIOp::create(
            b, begin, arith::DivUIOp::create(b, bytes, divisor));
        bytes = arith::RemUIOp::create(b, bytes, divisor);
      }
      Value after = add(digit, 1);
      if (side == FringeSide::BeforeLine)
        end = digit;
      else
        begin = isLast ? digit : after;
      if (hasDigit || (side == FringeSide::FromLine && (isLast || size > 1)))
        call(fringe, entry, ranges);
      begin = digit;
      end = after;
    }
  }

  Value add(Value value, int64_t number) {
    return arith::AddIOp::create(b, value, constant(number));
  }

  Value addProduct(Value offset, Value place, int64_t stride) {
    return arith::AddIOp::create(
        b, offset, arith::MulIOp::create(b, place, constant(stride)));
  }

  /// Split::bytesToLine.
  Value emitBytesToLine(Value offset) {
    Value missing = arith::SubIOp::create(b, constant(0), offset);
    missing = arith::AndIOp::create(b, missing, constant(streamLineBytes - 1));
    missing = arith::DivUIOp::create(b, missing, constant(split.lineUnit()));
    missing = arith::MulIOp::create(b, missing, constant(split.lineInverse()));
    missing =
        arith::AndIOp::create(b, missing, constant(split.lineElements() - 1));
    return arith::MulIOp::create(b, missing, constant(split.element));
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

  func::FuncOp kernel, body, fringe;
  PermuteOp permute;
  mlir::ImplicitLocOpBuilder b;
  Split split;
};

/// The permute that `function` consists of, if it is a kernel.
PermuteOp kernelBody(func::FuncOp function) {
  PermcDialect::KernelAttrHelper kernel(function.getContext());
  bool meant = function.isPublic() || kernel.isAttrPresent(function);
  if (!meant || !function.getBody().hasOneBlock() ||
      function.getNumArguments() != 2)
    return {};
  mlir::Block &block = function.getBody().front();
  auto permute = llvm::dyn_cast<PermuteOp>(block.front());
  bool whole = permute && permute.getSchedule() && permute.getBox().empty() &&
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
