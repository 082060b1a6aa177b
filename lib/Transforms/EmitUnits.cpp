//===- EmitUnits.cpp - how many units, and whose they are -----------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EmitUnits.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace permc;
using mlir::Value;
namespace arith = mlir::arith;

int64_t permc::knownDivisor(Value size) {
  if (auto known = mlir::getConstantIntValue(size))
    return *known;
  if (auto product = size.getDefiningOp<arith::MulIOp>())
    return mlir::getConstantIntValue(product.getRhs()).value_or(1);
  return 1;
}

Value permc::emitUnitsOfLoop(mlir::ImplicitLocOpBuilder &b,
                             MakeConstant constant, Value size, int64_t step) {
  if (auto known = mlir::getConstantIntValue(size))
    return constant(*known / step);
  if (step == 1)
    return size;
  Value units = arith::DivUIOp::create(b, size, constant(step));
  if (knownDivisor(size) % step == 0)
    return units;
  return arith::MaxUIOp::create(b, units, constant(1));
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

std::pair<Value, Value> permc::emitShare(mlir::ImplicitLocOpBuilder &b,
                                         MakeConstant constant, Value units,
                                         Value part, Value parts) {
  Value share = arith::DivUIOp::create(b, units, parts);
  Value rest = arith::RemUIOp::create(b, units, parts);
  auto firstOf = [&](Value number) -> Value {
    Value even = arith::MulIOp::create(b, number, share);
    Value less =
        arith::CmpIOp::create(b, arith::CmpIPredicate::ult, number, rest);
    Value extra = arith::SelectOp::create(b, less, number, rest);
    return arith::AddIOp::create(b, even, extra);
  };
  Value first = firstOf(part);
  Value next = arith::AddIOp::create(b, part, constant(1));
  return {first, firstOf(next)};
}
