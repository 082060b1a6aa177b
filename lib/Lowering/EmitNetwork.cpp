//===- EmitNetwork.cpp - a tile's loads, shuffles and stores --------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "permc/Lowering/EmitNetwork.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace permc;
using mlir::Value;
namespace arith = mlir::arith;
namespace LLVM = mlir::LLVM;
namespace scf = mlir::scf;
namespace vector = mlir::vector;

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

TilePlaces::TilePlaces(mlir::ImplicitLocOpBuilder &b, Constants &constant,
                       Place tile)
    : b(b), constant(constant), tile(std::move(tile)) {
  TileStrides &strides = this->tile.strides;
  // No step is taken along a dim that is repeated.
  llvm::erase_if(strides,
                 [](const TileStride &each) { return each.nominal == 0; });
  llvm::sort(strides, [](const auto &a, const auto &b) {
    return std::abs(a.nominal) > std::abs(b.nominal);
  });
  steps[Steps(strides.size())] = this->tile.offset;
  for (const TileStride &stride : strides)
    lowest -= originOf(stride.size, stride.nominal);
}

Value TilePlaces::bufferAt(int64_t offset) const {
  const TileStream *stream = streamAt(offset);
  return stream ? stream->view : tile.buffer;
}

Value TilePlaces::at(int64_t offset, int64_t bytes) {
  if (const TileStream *stream = streamAt(offset))
    offset -= stream->origin;
  Steps taken;
  int64_t low = lowest;
  for (const TileStride &stride : tile.strides) {
    // What is faster lies at `low` and less than a stride further.
    low += originOf(stride.size, stride.nominal);
    const int64_t distance = std::abs(stride.nominal);
    const int64_t along = llvm::divideFloorSigned(offset - low, distance);
    const int64_t count = stride.nominal < 0 ? -along : along;
    offset -= along * distance;
    std::optional<int64_t> known = mlir::getConstantIntValue(stride.actual);
    taken.push_back(known ? 0 : count);
    bytes += known ? count * *known : 0;
  }
  bytes += offset;
  Value base = find(taken);
  return bytes == 0 ? base : arith::AddIOp::create(b, base, constant(bytes));
}

const TileStream *TilePlaces::streamAt(int64_t offset) const {
  const TileStream *last = nullptr;
  for (const TileStream &stream : tile.streams)
    if (stream.start <= offset)
      last = &stream;
  return last;
}

Value TilePlaces::find(const Steps &taken) {
  if (auto found = steps.find(taken); found != steps.end())
    return found->second;
  Steps before = taken;
  size_t last = taken.size();
  while (before[--last] == 0)
    ;
  --before[last];
  return steps[taken] =
             arith::AddIOp::create(b, find(before), tile.strides[last].actual);
}

//===----------------------------------------------------------------------===//
// Networks
//===----------------------------------------------------------------------===//

void NetworkEmitter::emit(Place from, Place to, const StoreOptions &options) {
  assert(options.streaming || !options.onlyIf);
  TilePlaces src(b, constant, std::move(from)), dst(b, constant, std::move(to));
  for (size_t i = 0; i < network.steps.size(); ++i) {
    const Network::Step &step = network.steps[i];
    switch (step.kind) {
    case Network::StepKind::Load: {
      Value buffer = src.bufferAt(step.offset);
      values[i] = load(step, buffer, src.at(step.offset));
      break;
    }
    case Network::StepKind::Shuffle:
      values[i] = shuffle(step);
      break;
    case Network::StepKind::Store: {
      Value value = units(step.a, 1), buffer = dst.bufferAt(step.offset);
      stores.push_back({&step, value, buffer, dst.at(step.offset)});
      if (!options.onlyIf || i + 1 == network.steps.size() ||
          network.steps[i + 1].kind != Network::StepKind::Store)
        emitStores(options);
      break;
    }
    }
  }
}

/// What is pending: one store, or those that follow one another if the machine
/// has to find out how to do them.
void NetworkEmitter::emitStores(const StoreOptions &options) {
  if (options.onlyIf) {
    auto both = scf::IfOp::create(b, options.onlyIf, /*withElseRegion=*/true);
    mlir::OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(both.elseBlock());
    storeEach(false);
    b.setInsertionPointToStart(both.thenBlock());
    storeEach(true);
  } else {
    storeEach(options.streaming);
  }
  stores.clear();
}

void NetworkEmitter::storeEach(bool streaming) {
  for (const PendingStore &pending : stores) {
    // Pieces that overlap one another lie between the alignments.
    if (streaming && pending.step->offset % pending.step->bytes == 0)
      stream(pending);
    else
      store(*pending.step, pending.value, pending.buffer, pending.place);
  }
}

void NetworkEmitter::stream(const PendingStore &pending) {
  auto store =
      vector::StoreOp::create(b, pending.value, pending.buffer, pending.place);
  store.setNontemporal(true);
  store.setAlignment(pending.step->bytes);
}

Value NetworkEmitter::load(const Network::Step &step, Value buffer,
                           Value place) {
  return vector::LoadOp::create(b, vectorType(step.bytes, 1), buffer, place);
}

void NetworkEmitter::store(const Network::Step &, Value value, Value buffer,
                           Value place) {
  vector::StoreOp::create(b, value, buffer, place);
}

/// Whole lanes are taken for two units each: no back end knows larger ones.
Value NetworkEmitter::shuffle(const Network::Step &step) {
  const int64_t unit = std::min(step.unitBytes, laneBytes / 2),
                parts = step.unitBytes / unit;
  llvm::SmallVector<int64_t> mask;
  for (int from : step.mask)
    for (int64_t part = 0; part < parts; ++part)
      mask.push_back(from < 0 ? -1 : from * parts + part);
  Value shuffled = vector::ShuffleOp::create(b, units(step.a, unit),
                                             units(step.b, unit), mask);
  return hidesItself(step) ? seam(shuffled, step) : shuffled;
}

/// Whether a back end must not see through a shuffle: at a seam of the network,
/// and where whole lanes are put side by side for a store, of which it would
/// store each by itself.
bool NetworkEmitter::hidesItself(const Network::Step &shuffle) const {
  const auto index = static_cast<int>(&shuffle - network.steps.data());
  if (seams[index] || shuffle.unitBytes != laneBytes)
    return seams[index];
  return llvm::any_of(network.steps, [&](const Network::Step &step) {
    return step.kind == Network::StepKind::Store && step.a == index;
  });
}

/// Hides how a value was made. The fence is no instruction; it exists for
/// floats only. Of another size than the units, or these would be shuffled as
/// floats too, for which machines have fewer instructions and units.
Value NetworkEmitter::seam(Value value, const Network::Step &step) {
  const int64_t bytes = step.unitBytes == 4 ? 8 : 4;
  const auto type = bytes == 8 ? b.getF64Type() : b.getF32Type();
  auto floats = mlir::VectorType::get({step.bytes / bytes}, type);
  Value cast = LLVM::BitcastOp::create(b, floats, value);
  Value hidden = LLVM::CallIntrinsicOp::create(
                     b, floats, b.getStringAttr("llvm.arithmetic.fence"),
                     mlir::ValueRange(cast))
                     .getResult(0);
  return LLVM::BitcastOp::create(b, value.getType(), hidden);
}

mlir::VectorType NetworkEmitter::vectorType(int64_t bytes, int64_t unitBytes) {
  return mlir::VectorType::get({bytes / unitBytes},
                               b.getIntegerType(8 * unitBytes));
}

Value NetworkEmitter::units(int step, int64_t unitBytes) {
  mlir::VectorType type = vectorType(network.steps[step].bytes, unitBytes);
  if (values[step].getType() == type)
    return values[step];
  Value &cast = casts[{step, unitBytes}];
  if (!cast)
    cast = vector::BitCastOp::create(b, type, values[step]);
  return cast;
}
