//===- LowerToLoops.cpp - carry out schedules as loops --------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The nest is built from the outside in. What travels inwards is the byte
// offset reached in each buffer and, for each dim, the range that the loops so
// far have left of it:
//
//   units          one loop over a flat counter; each unit takes the counter
//                  apart into the positions of its loops
//   a block loop   narrows the range of its dim
//   a tile loop    steps through the range of its dim and adds to the offsets
//
// A tile loop whose range its tile may not divide moves its last tile back so
// that it ends with the range: those elements are moved twice, to the same
// place. All other tile loops only add constants to the offsets.
//
//===----------------------------------------------------------------------===//

#include "permc/Dialect/Permute/Permute.h"
#include "permc/Plan/Network.h"
#include "permc/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace permc {
#define GEN_PASS_DEF_LOWERTOLOOPSPASS
#include "permc/Transforms/Passes.h.inc"
} // namespace permc

using namespace permc;
using mlir::Value;
namespace arith = mlir::arith;
namespace scf = mlir::scf;
namespace vector = mlir::vector;

namespace {

/// Byte offsets from the start of src and dst.
struct Offsets {
  Value src, dst;
};

/// Index constants, each made once, in front of the nest.
class Constants {
public:
  explicit Constants(PermuteOp op) : b(op.getLoc(), op) {}
  Value operator()(int64_t value) {
    Value &made = values[value];
    if (!made)
      made = arith::ConstantIndexOp::create(b, value);
    return made;
  }

private:
  mlir::ImplicitLocOpBuilder b;
  llvm::DenseMap<int64_t, Value> values;
};

/// Carries out a network at one place of the nest.
class NetworkEmitter {
public:
  NetworkEmitter(mlir::ImplicitLocOpBuilder &b, Constants &constant,
                 PermuteOp op, const Network &network)
      : b(b), constant(constant), op(op), network(network),
        values(network.steps.size()) {}

  void emit(Offsets at) {
    for (size_t i = 0; i < network.steps.size(); ++i) {
      const Network::Step &step = network.steps[i];
      switch (step.kind) {
      case Network::StepKind::Load:
        values[i] =
            vector::LoadOp::create(b, bytesType(step.bytes, 1), op.getSrc(),
                                   shifted(at.src, step.offset));
        break;
      case Network::StepKind::Shuffle:
        values[i] = vector::ShuffleOp::create(
            b, lanes(step.a, step.unitBytes), lanes(step.b, step.unitBytes),
            llvm::SmallVector<int64_t>(step.mask.begin(), step.mask.end()));
        break;
      case Network::StepKind::Store:
        vector::StoreOp::create(b, lanes(step.a, 1), op.getDst(),
                                shifted(at.dst, step.offset));
        break;
      }
    }
  }

private:
  mlir::VectorType bytesType(int64_t bytes, int64_t unitBytes) {
    return mlir::VectorType::get({bytes / unitBytes},
                                 b.getIntegerType(8 * unitBytes));
  }

  /// The value of a step, seen as lanes of so many bytes.
  Value lanes(int step, int64_t unitBytes) {
    mlir::VectorType type = bytesType(network.steps[step].bytes, unitBytes);
    if (values[step].getType() == type)
      return values[step];
    return vector::BitCastOp::create(b, type, values[step]);
  }

  mlir::ValueRange shifted(Value base, int64_t bytes) {
    if (bytes != 0)
      base = arith::AddIOp::create(b, base, constant(bytes));
    index = base;
    return mlir::ValueRange(index);
  }

  mlir::ImplicitLocOpBuilder &b;
  Constants &constant;
  PermuteOp op;
  const Network &network;
  std::vector<Value> values;
  Value index;
};

class NestEmitter {
public:
  NestEmitter(PermuteOp op, const Network &network)
      : op(op), problem(op.getProblem().getValue()),
        schedule(op.getSchedule()->getValue()), network(network),
        dims(problem.loopDims()), constant(op), b(op.getLoc(), op) {}

  void emit() {
    Ranges ranges;
    for (const LoopDim &dim : dims)
      ranges.push_back({constant(0), constant(dim.size), dim.size});
    Offsets start{constant(0), constant(0)};
    if (schedule.unitLoops > 0 || !op.getUnits().empty())
      emitUnits(ranges, start);
    else
      emitLoop(0, ranges, start);
  }

private:
  /// What is left of a dim. `size` is 0 where it is not known here.
  struct Range {
    Value begin, end;
    int64_t size;
  };
  using Ranges = std::vector<Range>;

  void emitUnits(Ranges ranges, Offsets at) {
    bool all = op.getUnits().empty();
    Value first = all ? constant(0) : op.getUnits()[0];
    Value end = all ? constant(unitCount(problem, schedule)) : op.getUnits()[1];
    auto loop = scf::ForOp::create(b, first, end, constant(1));
    mlir::OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value number = loop.getInductionVar();
    for (unsigned i = schedule.unitLoops; i-- > 0;) {
      int64_t units = unitsOfLoop(problem, schedule, i);
      Value place = i == 0 ? number : remainder(number, units);
      if (i > 0)
        number = arith::DivUIOp::create(b, number, constant(units));
      enterUnit(schedule.loops[i], place, units, ranges, at);
    }
    emitLoop(schedule.unitLoops, ranges, at);
  }

  /// Narrows a unit loop's dim to the unit at `place`.
  void enterUnit(Loop loop, Value place, int64_t units, Ranges &ranges,
                 Offsets &at) {
    const LoopDim &dim = dims[loop.dim];
    if (loop.step == schedule.tile[loop.dim]) {
      at.src = advance(at.src, place, loop.step * dim.srcStride);
      at.dst = advance(at.dst, place, loop.step * dim.dstStride);
      return;
    }
    Value begin = multiply(place, loop.step);
    Value end = arith::AddIOp::create(b, begin, constant(loop.step));
    bool divides = dim.size % loop.step == 0;
    if (!divides) {
      // The last unit takes the remainder of its dim as well.
      Value isLast = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, place,
                                           constant(units - 1));
      end = arith::SelectOp::create(b, isLast, constant(dim.size), end);
    }
    ranges[loop.dim] = {begin, end, divides ? loop.step : 0};
  }

  void emitLoop(unsigned level, const Ranges &ranges, Offsets at) {
    if (level == schedule.loops.size())
      return NetworkEmitter(b, constant, op, network).emit(at);
    Loop loop = schedule.loops[level];
    if (loop.step != schedule.tile[loop.dim])
      emitBlockLoop(level, ranges, at);
    else if (isWhole(ranges[loop.dim], loop))
      emitPlainTileLoop(level, ranges, at);
    else
      emitShiftedTileLoop(level, ranges, at);
  }

  /// Whether the steps of `loop` fill its range exactly. Ranges of unknown size
  /// end where the dim ends or after a whole block.
  bool isWhole(const Range &range, Loop loop) const {
    int64_t size = range.size ? range.size : dims[loop.dim].size;
    return size % loop.step == 0;
  }

  void emitBlockLoop(unsigned level, Ranges ranges, Offsets at) {
    Loop loop = schedule.loops[level];
    Range &range = ranges[loop.dim];
    auto nest =
        scf::ForOp::create(b, range.begin, range.end, constant(loop.step));
    mlir::OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(nest.getBody());
    Value begin = nest.getInductionVar();
    Value end = arith::AddIOp::create(b, begin, constant(loop.step));
    bool whole = isWhole(range, loop);
    if (!whole)
      end = arith::MinSIOp::create(b, end, range.end);
    range = {begin, end, whole ? loop.step : 0};
    emitLoop(level + 1, ranges, at);
  }

  /// Offsets run along with the loop.
  void emitPlainTileLoop(unsigned level, const Ranges &ranges, Offsets at) {
    Loop loop = schedule.loops[level];
    const LoopDim &dim = dims[loop.dim];
    const Range &range = ranges[loop.dim];
    Value src = advance(at.src, range.begin, dim.srcStride);
    Value dst = advance(at.dst, range.begin, dim.dstStride);
    auto nest = scf::ForOp::create(b, range.begin, range.end,
                                   constant(loop.step), {src, dst});
    mlir::OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(nest.getBody());
    src = nest.getRegionIterArgs()[0];
    dst = nest.getRegionIterArgs()[1];
    emitLoop(level + 1, ranges, {src, dst});
    src = arith::AddIOp::create(b, src, constant(loop.step * dim.srcStride));
    dst = arith::AddIOp::create(b, dst, constant(loop.step * dim.dstStride));
    scf::YieldOp::create(b, mlir::ValueRange{src, dst});
  }

  /// The last tile is moved back to end with the range.
  void emitShiftedTileLoop(unsigned level, const Ranges &ranges, Offsets at) {
    Loop loop = schedule.loops[level];
    const LoopDim &dim = dims[loop.dim];
    const Range &range = ranges[loop.dim];
    Value last = arith::SubIOp::create(b, range.end, constant(loop.step));
    auto nest =
        scf::ForOp::create(b, range.begin, range.end, constant(loop.step));
    mlir::OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(nest.getBody());
    Value place = arith::MinSIOp::create(b, nest.getInductionVar(), last);
    emitLoop(level + 1, ranges,
             {advance(at.src, place, dim.srcStride),
              advance(at.dst, place, dim.dstStride)});
  }

  Value multiply(Value a, int64_t factor) {
    if (mlir::getConstantIntValue(a) == 0)
      return a;
    return arith::MulIOp::create(b, a, constant(factor));
  }
  Value advance(Value offset, Value place, int64_t stride) {
    Value step = multiply(place, stride);
    if (mlir::getConstantIntValue(step) == 0)
      return offset;
    if (mlir::getConstantIntValue(offset) == 0)
      return step;
    return arith::AddIOp::create(b, offset, step);
  }
  Value remainder(Value a, int64_t divisor) {
    return arith::RemUIOp::create(b, a, constant(divisor));
  }

  PermuteOp op;
  const Problem &problem;
  const Schedule &schedule;
  const Network &network;
  std::vector<LoopDim> dims;
  Constants constant;
  mlir::ImplicitLocOpBuilder b;
};

struct LowerToLoopsPass : permc::impl::LowerToLoopsPassBase<LowerToLoopsPass> {
  void runOnOperation() override {
    auto result = getOperation()->walk([&](PermuteOp op) {
      return mlir::failed(lower(op)) ? mlir::WalkResult::interrupt()
                                     : mlir::WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }

  mlir::LogicalResult lower(PermuteOp op) {
    if (!op.getSchedule())
      return op.emitOpError("has no schedule; run permc-schedule first");
    const Problem &problem = op.getProblem().getValue();
    if (!problem.isEmpty()) {
      Result<Network> network =
          tileNetwork(problem, op.getSchedule()->getValue());
      if (!network)
        return op.emitOpError() << network.error().message;
      NestEmitter(op, *network).emit();
    }
    op.erase();
    return mlir::success();
  }
};

} // namespace
