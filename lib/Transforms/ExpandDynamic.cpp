//===- ExpandDynamic.cpp - give dynamic kernels their variants ------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All code is in NAME_part:
//
//   if part < parts
//     if dims are those of a static kernel, call its _part, else
//     if all sizes are positive
//       sizes, strides and where the first elements are, from the dims
//       if the guards of the first variant hold, its share, else
//       if the guards of the next ...
//
//===----------------------------------------------------------------------===//

#include "EmitParts.h"
#include "permc/Targets/PassTarget.h"

#include "permc/Dialect/Permute/Permute.h"
#include "permc/Plan/DynamicSplit.h"
#include "permc/Plan/Variants.h"
#include "permc/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

#include <bit>
#include <map>

namespace permc {
#define GEN_PASS_DEF_EXPANDDYNAMICPASS
#include "permc/Transforms/Passes.h.inc"
} // namespace permc

using namespace permc;
using mlir::Value;
namespace arith = mlir::arith;
namespace func = mlir::func;
namespace memref = mlir::memref;
namespace scf = mlir::scf;

namespace {

class Expander {
public:
  Expander(func::FuncOp kernel, DynamicPermuteOp permute,
           std::vector<Variant> variants)
      : kernel(kernel), permute(permute),
        problem(permute.getProblem().getValue()), variants(std::move(variants)),
        b(kernel.getLoc(), kernel.getContext()) {
    for (const DynamicSize &size : problem.shape())
      areSizes |= size.dims;
  }

  void run() {
    func::FuncOp entry = addPartEntry();
    b.setInsertionPoint(permute);
    llvm::SmallVector<Value> arguments(kernel.getArguments());
    for (int32_t number : {0, 1})
      arguments.push_back(
          arith::ConstantOp::create(b, b.getI32IntegerAttr(number)));
    func::CallOp::create(b, entry, arguments);
    permute.erase();
  }

private:
  func::FuncOp addPartEntry() {
    llvm::SmallVector<mlir::Type> types(kernel.getArgumentTypes());
    types.append(2, b.getI32Type());
    b.setInsertionPointAfter(kernel);
    auto entry = func::FuncOp::create(b, (kernel.getName() + "_part").str(),
                                      b.getFunctionType(types, {}));
    b.setInsertionPointToStart(entry.addEntryBlock());
    src = entry.getArgument(0);
    dst = entry.getArgument(1);
    part = entry.getArgument(3);
    parts = entry.getArgument(4);
    // A share that does not exist moves nothing; so no division by zero parts.
    auto exists =
        arith::CmpIOp::create(b, arith::CmpIPredicate::ult, part, parts);
    auto guard = scf::IfOp::create(b, exists, /*withElseRegion=*/false);
    func::ReturnOp::create(b);
    b.setInsertionPointToStart(guard.thenBlock());
    readDims(entry.getArgument(2));
    emitSpecialized();
    emitVariants();
    return entry;
  }

  void readDims(Value list) {
    for (unsigned dim = 0; dim < problem.dynamicDims(); ++dim) {
      Value size = memref::LoadOp::create(b, list, constant(dim));
      given.push_back(size);
      dims.push_back(arith::IndexCastOp::create(b, b.getIndexType(), size));
    }
  }

  /// Goes on where `condition` does not hold; what it holds for is to be put
  /// into the block that is returned.
  mlir::Block *branch(Value condition) {
    auto choice = scf::IfOp::create(b, condition, /*withElseRegion=*/true);
    b.setInsertionPointToStart(choice.elseBlock());
    return choice.thenBlock();
  }

  void emitSpecialized() {
    mlir::DictionaryAttr kernels = permute.getSpecializedAttr();
    for (mlir::NamedAttribute special :
         kernels ? kernels.getValue()
                 : mlir::ArrayRef<mlir::NamedAttribute>()) {
      auto sizes = llvm::cast<mlir::DenseI64ArrayAttr>(special.getValue());
      Value same;
      for (auto [dim, size] : llvm::zip_equal(dims, sizes.asArrayRef()))
        same = both(same, compare(arith::CmpIPredicate::eq, dim, size));
      mlir::Block *then = branch(same);
      mlir::OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(then);
      func::CallOp::create(b, (special.getName().strref() + "_part").str(),
                           mlir::TypeRange(),
                           mlir::ValueRange{src, dst, part, parts});
    }
  }

  void emitVariants() {
    if (variants.empty())
      return;
    // As given: what an index of 32 bits makes of a negative size may be none.
    Value movesAny;
    Value none = arith::ConstantOp::create(b, b.getI64IntegerAttr(0));
    for (auto [k, number] : llvm::enumerate(given))
      if (areSizes >> k & 1)
        movesAny =
            both(movesAny, arith::CmpIOp::create(b, arith::CmpIPredicate::sgt,
                                                 number, none));
    if (movesAny) {
      auto guard = scf::IfOp::create(b, movesAny, /*withElseRegion=*/false);
      b.setInsertionPointToStart(guard.thenBlock());
    }
    emitLoopDims();
    for (const Variant &variant : variants) {
      Value holds;
      for (const Guard &guard : variant.guards)
        holds = both(holds, emitGuard(guard));
      if (variant.dstStartsLine)
        holds = both(holds, emitStartsLine());
      if (!holds)
        return emitVariant(variant);
      mlir::Block *then = branch(holds);
      mlir::OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(then);
      emitVariant(variant);
    }
  }

  /// For each dim in output order its size and its strides, as a permute wants
  /// them.
  void emitLoopDims() {
    DynamicProblem::Sizes srcStrides = problem.srcByteStrides(),
                          dstStrides = problem.dstByteStrides(),
                          sizes = problem.outShape();
    for (unsigned i = 0; i < problem.rank(); ++i) {
      loopDims.push_back(emitSize(sizes[i]));
      loopDims.push_back(emitSize(srcStrides[problem.perm()[i]]));
      loopDims.push_back(emitSize(dstStrides[i]));
    }
    emitSize(problem.bytesMoved());
    Value srcOrigin = emitOrigin(1, [&](unsigned i) {
      return srcStrides[static_cast<size_t>(problem.perm()[i])];
    });
    Value dstOrigin = emitOrigin(2, [&](unsigned i) { return dstStrides[i]; });
    if (srcOrigin || dstOrigin)
      for (Value origin : {srcOrigin, dstOrigin})
        origins.push_back(origin ? origin : constant(0));
  }

  /// How far the first element of a side is behind its lowest byte, or nothing
  /// if no stride can be negative. `operand` is a stride's place in loopDims.
  Value emitOrigin(size_t operand,
                   llvm::function_ref<DynamicSize(unsigned)> strideOf) {
    Value origin;
    for (unsigned i = 0; i < problem.rank(); ++i) {
      const DynamicSize stride = strideOf(i);
      const bool isKnown = (stride.dims & ~areSizes) == 0;
      if (isKnown && stride.factor >= 0)
        continue;
      Value back =
          arith::SubIOp::create(b, constant(0), loopDims[3 * i + operand]);
      if (!isKnown)
        back = arith::MaxSIOp::create(b, back, constant(0));
      Value last = arith::SubIOp::create(b, sizeOf(i), constant(1));
      Value span = arith::MulIOp::create(b, last, back);
      origin = origin ? Value(arith::AddIOp::create(b, origin, span)) : span;
    }
    return origin;
  }

  Value emitSize(const DynamicSize &size) {
    Value &made = sizes[{size.factor, size.dims}];
    if (made)
      return made;
    std::vector<Value> factors = {constant(size.factor)};
    for (uint64_t rest = size.dims; rest != 0; rest &= rest - 1)
      factors.push_back(dims[std::countr_zero(rest)]);
    return made = emitProduct(b, makeConstant, factors);
  }

  Value emitStartsLine() {
    Value address = memref::ExtractAlignedPointerAsIndexOp::create(b, dst);
    Value past =
        arith::AndIOp::create(b, address, constant(streamLineBytes - 1));
    return compare(arith::CmpIPredicate::eq, past, 0);
  }

  Value emitGuard(const Guard &guard) {
    Value size = emitSize(guard.size);
    if (guard.kind == Guard::Kind::AtLeast)
      return compare(arith::CmpIPredicate::uge, size, guard.bound);
    Value rest = arith::RemUIOp::create(b, size, constant(guard.bound));
    return compare(arith::CmpIPredicate::eq, rest, 0);
  }

  void emitVariant(const Variant &variant) {
    const DynamicSplit known = splitDynamic(problem, variant.schedule);
    llvm::SmallVector<Value> all;
    for (int64_t dim : known.dims)
      all.append({constant(0), sizeOf(dim)});
    auto emitBox = [&](mlir::ValueRange box) {
      PermuteOp::create(b, src, dst, box, loopDims, origins,
                        box.empty() ? nullptr
                                    : b.getDenseI64ArrayAttr(known.dims),
                        ProblemAttr::get(b.getContext(), variant.nominal),
                        ScheduleAttr::get(b.getContext(), variant.schedule),
                        /*unaligned=*/nullptr, variant.dstStartsLine);
    };
    if (known.kind != DynamicSplit::Kind::None)
      return emitParts(
          b, makeConstant, [&] { return emitSplit(known); }, all, part, parts,
          emitBox);
    auto guard = scf::IfOp::create(b, isFirstPart(), /*withElseRegion=*/false);
    mlir::OpBuilder::InsertionGuard insertion(b);
    b.setInsertionPointToStart(guard.thenBlock());
    emitBox({});
  }

  Value sizeOf(int64_t dim) { return loopDims[3 * dim]; }
  Value dstStrideOf(int64_t dim) { return loopDims[3 * dim + 2]; }

  Value isFirstPart() {
    Value zero = arith::ConstantOp::create(b, b.getI32IntegerAttr(0));
    return arith::CmpIOp::create(b, arith::CmpIPredicate::eq, part, zero);
  }

  /// Plan's chooseSplit, for sizes and strides that are known only now.
  SplitValues emitSplit(const DynamicSplit &known) {
    const int64_t outer = known.dims.front(), dim = known.dims.back();
    SplitValues split;
    split.hasOuter = known.dims.size() == 2;
    split.piece = known.piece;
    split.size = split.pitch = sizeOf(dim);
    split.outerSize = split.hasOuter ? sizeOf(outer) : constant(1);
    split.grain = emitGrain(dstStrideOf(dim), split.piece);
    if (known.kind == DynamicSplit::Kind::Range)
      countShares(split);
    else if (known.kind == DynamicSplit::Kind::Row)
      countRow(split, known);
    else
      countGrains(split, outer, dim);
    // Where there is no loop through what is slower it must be whole lines.
    split.mostParts =
        select(hasWholeLines(outer), split.mostParts, constant(1));
    return split;
  }

  void countShares(SplitValues &split) {
    Value rows = emitProduct(b, makeConstant, {split.outerSize, split.pitch});
    split.shares = atLeastOne(arith::DivUIOp::create(b, rows, split.grain));
    split.mostParts = split.shares;
  }

  /// dst is dense: two dims that follow one another are one long row. Where
  /// there is no room for pieces parts take whole positions of the outer one.
  void countRow(SplitValues &split, const DynamicSplit &known) {
    split.needsRoom = !known.tilesFillRows;
    if (known.tilesFillRows)
      return countShares(split);
    Value least = arith::AddIOp::create(b, split.grain,
                                        constant(known.leastRow(/*grain=*/0)));
    Value hasRoom =
        arith::CmpIOp::create(b, arith::CmpIPredicate::uge, split.size, least);
    Value wholeRows = arith::MulIOp::create(b, split.grain, split.size);
    split.grain = select(hasRoom, split.grain, wholeRows);
    countShares(split);
    Value fewer = arith::DivUIOp::create(b, split.shares,
                                         constant(DynamicSplit::grainsPerPart));
    split.mostParts = atLeastOne(select(hasRoom, fewer, split.shares));
  }

  /// Tiles have all of the dims between the two: grains of the inner one at
  /// each position of the outer one if all that is slower is whole lines, else
  /// whole positions of the outer one.
  void countGrains(SplitValues &split, int64_t outer, int64_t dim) {
    Value grains =
        atLeastOne(arith::DivUIOp::create(b, split.size, split.grain));
    Value fits = arith::CmpIOp::create(b, arith::CmpIPredicate::uge, split.size,
                                       split.grain);
    Value counts = arith::AndIOp::create(b, hasWholeLines(dim), fits);
    split.pitch = arith::MulIOp::create(b, grains, split.grain);
    Value positions = emitGrain(dstStrideOf(outer), 1);
    Value wholeRows = arith::MulIOp::create(b, positions, split.pitch);
    split.grain = select(counts, split.grain, wholeRows);
    countShares(split);
  }

  /// Whether the strides of all dims slower than `dim` are whole lines.
  Value hasWholeLines(int64_t dim) {
    Value strides = constant(0);
    for (int64_t slower = 0; slower < dim; ++slower)
      strides = arith::OrIOp::create(b, strides, dstStrideOf(slower));
    Value past =
        arith::AndIOp::create(b, strides, constant(streamLineBytes - 1));
    return compare(arith::CmpIPredicate::eq, past, 0);
  }

  Value select(Value condition, Value then, Value otherwise) {
    return arith::SelectOp::create(b, condition, then, otherwise);
  }

  Value atLeastOne(Value number) {
    return arith::MaxUIOp::create(b, number, constant(1));
  }

  /// Positions with this stride after which a line begins again, in whole
  /// pieces: the least common multiple of a power of two and a constant.
  Value emitGrain(Value stride, int64_t piece) {
    Value negative = arith::SubIOp::create(b, constant(0), stride);
    Value power = arith::AndIOp::create(b, stride, negative);
    power = arith::MinUIOp::create(b, power, constant(streamLineBytes));
    Value lines = arith::DivUIOp::create(b, constant(streamLineBytes), power);
    int64_t even = piece & -piece;
    lines = arith::MaxUIOp::create(b, lines, constant(even));
    return emitProduct(b, makeConstant, {lines, constant(piece / even)});
  }

  Value compare(arith::CmpIPredicate predicate, Value a, int64_t number) {
    return arith::CmpIOp::create(b, predicate, a, constant(number));
  }
  /// `a` may be missing.
  Value both(Value a, Value other) {
    return a ? Value(arith::AndIOp::create(b, a, other)) : other;
  }
  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(b, value);
  }

  func::FuncOp kernel;
  DynamicPermuteOp permute;
  const DynamicProblem &problem;
  std::vector<Variant> variants;
  mlir::ImplicitLocOpBuilder b;
  Value src, dst, part, parts;
  uint64_t areSizes = 0; ///< a bit for each number that is one
  std::vector<Value> given, dims, loopDims; ///< given: of 64 bits
  llvm::SmallVector<Value> origins;         ///< none: both are 0
  std::map<std::pair<int64_t, uint64_t>, Value> sizes;
  std::function<Value(int64_t)> makeConstant = [this](int64_t value) {
    return constant(value);
  };
};

struct ExpandDynamicPass
    : permc::impl::ExpandDynamicPassBase<ExpandDynamicPass> {
  using Base::Base;
  ExpandDynamicPass(const Target &target) : target(target) {}

  void runOnOperation() override {
    auto found = target.find(getOperation(), [&](Target &fromOptions) {
      fromOptions.facts.vectorBytes = vectorBytes;
      fromOptions.facts.streamingStores = streamingStores;
    });
    if (mlir::failed(found))
      return signalPassFailure();
    llvm::SmallVector<DynamicPermuteOp> permutes;
    getOperation().walk([&](DynamicPermuteOp op) { permutes.push_back(op); });
    for (DynamicPermuteOp op : permutes)
      if (mlir::failed(expand(op, found->facts)))
        return signalPassFailure();
  }

  mlir::LogicalResult expand(DynamicPermuteOp op, const TargetFacts &facts) {
    auto kernel = llvm::dyn_cast<func::FuncOp>(op->getParentOp());
    bool whole = kernel && kernel.getNumArguments() == 3 &&
                 kernel.getBody().hasOneBlock() &&
                 llvm::equal(op->getOperands(), kernel.getArguments()) &&
                 op->getPrevNode() == nullptr &&
                 op->getNextNode() == op->getBlock()->getTerminator();
    if (!whole)
      return op.emitOpError("is not all of a function of its three operands");
    auto variants = chooseVariants(op.getProblem().getValue(), facts);
    if (!variants)
      return op.emitOpError() << variants.error().message;
    Expander(kernel, op, std::move(*variants)).run();
    return mlir::success();
  }

  const PassTarget target;
};

} // namespace

std::unique_ptr<mlir::Pass>
permc::createExpandDynamicPass(const Target &target) {
  return std::make_unique<ExpandDynamicPass>(target);
}
