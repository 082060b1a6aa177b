//===- EmitParts.cpp - what belongs to a part -----------------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EmitParts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace permc;
using mlir::Value;
namespace arith = mlir::arith;
namespace scf = mlir::scf;

int64_t permc::knownDivisor(Value size) {
  if (auto known = mlir::getConstantIntValue(size))
    return *known;
  if (auto product = size.getDefiningOp<arith::MulIOp>())
    return mlir::getConstantIntValue(product.getRhs()).value_or(1);
  return 1;
}

Value permc::emitProduct(mlir::ImplicitLocOpBuilder &b, MakeConstant constant,
                         const std::vector<Value> &factors) {
  int64_t known = 1;
  Value product;
  for (Value factor : factors) {
    if (auto number = mlir::getConstantIntValue(factor))
      known *= *number;
    else
      product = product ? arith::MulIOp::create(b, product, factor) : factor;
  }
  if (!product)
    return constant(known);
  // The constant comes last: there knownDivisor finds it.
  return known == 1 ? product
                    : arith::MulIOp::create(b, product, constant(known));
}

SplitValues::SplitValues(const Split &split, MakeConstant constant)
    : hasOuter(split.outer.has_value()), needsRoom(split.needsRoom),
      piece(split.piece), size(constant(split.size)),
      outerSize(constant(split.outerSize)), pitch(constant(split.pitch)),
      grain(constant(split.grain)), shares(constant(split.shares)),
      mostParts(constant(split.mostParts)) {}

namespace {

using Predicate = arith::CmpIPredicate;

class PartEmitter {
public:
  PartEmitter(mlir::ImplicitLocOpBuilder &b, MakeConstant constant)
      : b(b), constant(constant) {}

  /// The two places, as two or four numbers, between which the part lies.
  void emitPlaces(const SplitValues &split, Value part, Value parts) {
    parts = arith::MinUIOp::create(b, index(parts), split.mostParts);
    part = index(part);
    llvm::SmallVector<mlir::Type> types(split.hasOuter ? 4 : 2,
                                        b.getIndexType());
    auto choice =
        scf::IfOp::create(b, types, compare(Predicate::ult, part, parts),
                          /*withElseRegion=*/true);
    {
      mlir::OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(choice.elseBlock());
      yield(llvm::SmallVector<Value>(types.size(), constant(0)));
      b.setInsertionPointToStart(choice.thenBlock());
      Value share = arith::DivUIOp::create(b, split.shares, parts);
      Value rest = arith::RemUIOp::create(b, split.shares, parts);
      auto firstOf = [&](Value number) -> Value {
        Value even = arith::MulIOp::create(b, number, share);
        Value extra = arith::MinUIOp::create(b, number, rest);
        return arith::AddIOp::create(b, even, extra);
      };
      Value next = arith::AddIOp::create(b, part, constant(1));
      llvm::SmallVector<Value> places = emitPlace(split, firstOf(part));
      places.append(emitPlace(split, firstOf(next)));
      yield(places);
    }
    yield(choice.getResults());
  }

  /// Goes from the first place to the last: what is left of a row, all rows up
  /// to the last, a piece of that.
  void emitBoxes(mlir::ValueRange places, Value size,
                 llvm::function_ref<void(mlir::ValueRange)> emitBox) {
    Value lastOuter = places[2], last = places[3];
    auto loop = scf::WhileOp::create(
        b, mlir::TypeRange{b.getIndexType(), b.getIndexType()},
        places.take_front(2), nullptr, nullptr);
    mlir::OpBuilder::InsertionGuard guard(b);
    {
      mlir::Block *before = &loop.getBefore().front();
      b.setInsertionPointToStart(before);
      Value more = arith::OrIOp::create(
          b, compare(Predicate::ult, before->getArgument(0), lastOuter),
          compare(Predicate::ult, before->getArgument(1), last));
      scf::ConditionOp::create(b, more, before->getArguments());
    }
    mlir::Block *body = &loop.getAfter().front();
    b.setInsertionPointToStart(body);
    Value outer = body->getArgument(0), at = body->getArgument(1);
    Value ends = compare(Predicate::eq, outer, lastOuter);
    Value next = arith::AddIOp::create(b, outer, constant(1));
    // Nothing is left of a row that begins here: from here on rows are whole.
    Value whole = arith::CmpIOp::create(b, Predicate::eq, at, constant(0));
    next = select(ends, next, select(whole, lastOuter, next));
    emitBox({outer, next, at, select(ends, last, size)});
    yield({select(ends, outer, next), select(ends, last, constant(0))});
  }

  void yield(mlir::ValueRange values) { scf::YieldOp::create(b, values); }

private:
  /// As Split::placeOf; of a split without an outer dim only the position.
  llvm::SmallVector<Value> emitPlace(const SplitValues &split, Value share) {
    Value row = arith::MulIOp::create(b, share, split.grain);
    Value isEnd = compare(Predicate::uge, share, split.shares);
    if (!split.hasOuter)
      return {select(isEnd, split.size, row)};
    Value rows = arith::MulIOp::create(b, split.outerSize, split.pitch);
    row = select(isEnd, rows, row);
    if (split.needsRoom)
      row = arith::MinUIOp::create(b, findRoom(split, row), rows);
    return {arith::DivUIOp::create(b, row, split.pitch),
            arith::RemUIOp::create(b, row, split.pitch)};
  }

  Value findRoom(const SplitValues &split, Value row) {
    Value piece = constant(split.piece);
    Value past = arith::RemUIOp::create(b, row, split.pitch);
    // Zero is before all others here: it needs no room.
    Value before = arith::SubIOp::create(b, past, constant(1));
    Value isEarly = compare(Predicate::ult, before, constant(split.piece - 1));
    Value isLate = compare(Predicate::ugt, past,
                           arith::SubIOp::create(b, split.size, piece));
    Value missing = arith::SubIOp::create(b, piece, past);
    Value missingInNext = arith::AddIOp::create(b, split.pitch, missing);
    missing =
        select(isLate, missingInNext, select(isEarly, missing, constant(0)));
    Value most = arith::SubIOp::create(b, split.grain, constant(1));
    Value grains = arith::DivUIOp::create(
        b, arith::AddIOp::create(b, missing, most), split.grain);
    return arith::AddIOp::create(b, row,
                                 arith::MulIOp::create(b, grains, split.grain));
  }

  Value index(Value number) {
    return arith::IndexCastUIOp::create(b, b.getIndexType(), number);
  }
  Value compare(Predicate predicate, Value a, Value other) {
    return arith::CmpIOp::create(b, predicate, a, other);
  }
  Value select(Value condition, Value then, Value otherwise) {
    return arith::SelectOp::create(b, condition, then, otherwise);
  }

  mlir::ImplicitLocOpBuilder &b;
  MakeConstant constant;
};

} // namespace

void permc::emitParts(mlir::ImplicitLocOpBuilder &b, MakeConstant constant,
                      llvm::function_ref<SplitValues()> makeSplit,
                      mlir::ValueRange all, Value part, Value parts,
                      llvm::function_ref<void(mlir::ValueRange)> emitBox) {
  PartEmitter emitter(b, constant);
  bool hasOuter = all.size() == 4;
  Value one = arith::ConstantOp::create(b, b.getI32IntegerAttr(1));
  Value single = arith::CmpIOp::create(b, Predicate::eq, parts, one);
  auto choice = scf::IfOp::create(b, all.getTypes(), single,
                                  /*withElseRegion=*/true);
  {
    mlir::OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(choice.thenBlock());
    if (hasOuter) // up to the end of the last row
      emitter.yield({all[0], all[2], all[1], constant(0)});
    else
      emitter.yield(all);
    b.setInsertionPointToStart(choice.elseBlock());
    emitter.emitPlaces(makeSplit(), part, parts);
  }
  if (hasOuter)
    return emitter.emitBoxes(choice.getResults(), all[3], emitBox);
  auto some = scf::IfOp::create(b,
                                arith::CmpIOp::create(b, Predicate::ult,
                                                      choice.getResult(0),
                                                      choice.getResult(1)),
                                /*withElseRegion=*/false);
  mlir::OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(some.thenBlock());
  emitBox(choice.getResults());
}
