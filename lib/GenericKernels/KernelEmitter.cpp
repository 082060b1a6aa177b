//===- KernelEmitter.cpp - networks with run-time strides -----------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Straight to LLVM: there is no problem here that a permc.permute could name,
// only loops and a network in the middle.
//
//===----------------------------------------------------------------------===//

#include "KernelEmitter.h"

#include "permc/Plan/StreamedLoops.h"
#include "permc/Runtime/GenericKernel.h"

#include <algorithm>
#include <bit>
#include <set>

using namespace permc;
using llvm::Value;

/// Pointer-sized words of a KernelLoop, and where the fields behind them are.
static constexpr unsigned loopWords = 6;
static constexpr unsigned rowsWord = 3 * loopWords;
static constexpr unsigned columnsWord = rowsWord + 1;
static constexpr unsigned bytesWord = rowsWord + 2;
static constexpr unsigned aheadWord = rowsWord + 3;

static_assert(sizeof(KernelLoop) == loopWords * sizeof(intptr_t) &&
              offsetof(KernelCall, rows) == rowsWord * sizeof(intptr_t) &&
              offsetof(KernelCall, columns) == columnsWord * sizeof(intptr_t) &&
              offsetof(KernelCall, bytes) == bytesWord * sizeof(intptr_t) &&
              offsetof(KernelCall, ahead) == aheadWord * sizeof(intptr_t));

static constexpr int64_t lineBytes = 64;

KernelEmitter::KernelEmitter(llvm::Module &module)
    : module(module), b(module.getContext()),
      word(module.getDataLayout().getIntPtrType(module.getContext())) {}

void KernelEmitter::markInvariant(llvm::Instruction *instruction) {
  instruction->setMetadata(llvm::LLVMContext::MD_invariant_load,
                           llvm::MDNode::get(module.getContext(), {}));
}

Value *KernelEmitter::loadField(Value *call, unsigned number, bool pointer) {
  Value *at = b.CreateConstGEP1_32(word, call, number);
  auto *field = b.CreateLoad(pointer ? (llvm::Type *)b.getPtrTy() : word, at);
  markInvariant(field);
  return field;
}

KernelEmitter::Loop KernelEmitter::loadLoop(Value *call, unsigned number,
                                            KernelSides sides) {
  Value *fields[loopWords];
  for (unsigned i = 0; i < loopWords; ++i)
    fields[i] = loadField(call, number * loopWords + i, false);
  Loop loop = {fields[0], fields[1], fields[2], fields[3],
               fields[4], fields[5], {}};
  loop.stride = distance(loop, sides, loop.step);
  return loop;
}

KernelEmitter::Place KernelEmitter::moveOn(Place at, Place by) {
  auto add = [&](Value *pointer, Value *bytes) {
    return bytes ? b.CreatePtrAdd(pointer, bytes) : pointer;
  };
  return {add(at.src, by.src), add(at.dst, by.dst), add(at.rows, by.rows),
          add(at.columns, by.columns)};
}

KernelEmitter::Place KernelEmitter::distance(const Loop &loop,
                                             KernelSides sides, Value *units) {
  auto times = [&](Value *stride) { return b.CreateMul(units, stride); };
  return {times(loop.src), times(loop.dst),
          sides.rows == Spacing::Table ? times(loop.rows) : nullptr,
          sides.columns == Spacing::Table ? times(loop.columns) : nullptr};
}

KernelEmitter::Place KernelEmitter::merge(Place first, Place stride,
                                          llvm::BasicBlock *from) {
  auto phi = [&](Value *value, Value *moves) -> Value * {
    if (!moves)
      return value;
    llvm::PHINode *merged = b.CreatePHI(value->getType(), 3);
    merged->addIncoming(value, from);
    return merged;
  };
  return {phi(first.src, stride.src), phi(first.dst, stride.dst),
          phi(first.rows, stride.rows), phi(first.columns, stride.columns)};
}

void KernelEmitter::addIncoming(Place merged, Place stride, Place next,
                                llvm::BasicBlock *from) {
  auto add = [&](Value *phi, Value *moves, Value *value) {
    if (moves)
      llvm::cast<llvm::PHINode>(phi)->addIncoming(value, from);
  };
  add(merged.src, stride.src, next.src);
  add(merged.dst, stride.dst, next.dst);
  add(merged.rows, stride.rows, next.rows);
  add(merged.columns, stride.columns, next.columns);
}

// Addresses step from tile to tile. Only for a last one that is moved back are
// they counted from the start: tiles can be as small as a few moves.
void KernelEmitter::emitLoop(const Loop &loop, KernelSides sides, Place start,
                             llvm::function_ref<void(Place)> body) {
  llvm::BasicBlock *before = b.GetInsertBlock();
  llvm::BasicBlock *inside = block("loop"), *on = block("on"),
                   *end = block("end"), *back = block("back"),
                   *after = block("after");
  Value *last = b.CreateSub(loop.size, loop.step);
  b.CreateBr(inside);

  b.SetInsertPoint(inside);
  llvm::PHINode *counter = b.CreatePHI(word, 3);
  counter->addIncoming(constant(0), before);
  const Place at = merge(start, loop.stride, before);
  body(at);
  Value *next = b.CreateAdd(counter, loop.step);
  b.CreateCondBr(b.CreateICmpSLE(next, last), on, end);

  b.SetInsertPoint(on);
  addIncoming(at, loop.stride, moveOn(at, loop.stride), on);
  counter->addIncoming(next, on);
  b.CreateBr(inside);

  b.SetInsertPoint(end);
  b.CreateCondBr(b.CreateICmpSLT(next, loop.size), back, after);

  b.SetInsertPoint(back);
  addIncoming(at, loop.stride, moveOn(start, distance(loop, sides, last)),
              back);
  counter->addIncoming(last, back);
  b.CreateBr(inside);
  b.SetInsertPoint(after);
}

void KernelEmitter::emitBatch(Value *call, Place start,
                              llvm::function_ref<void(Place)> body) {
  auto field = [&](unsigned word) {
    return loadField(call, 2 * loopWords + word, false);
  };
  Value *size = field(0);
  const Place stride = {field(2), field(3), nullptr, nullptr};
  llvm::BasicBlock *before = b.GetInsertBlock();
  llvm::BasicBlock *inside = block("batch"), *after = block("after");
  b.CreateBr(inside);
  b.SetInsertPoint(inside);
  llvm::PHINode *left = b.CreatePHI(word, 2);
  left->addIncoming(size, before);
  const Place at = merge(start, stride, before);
  body(at);
  llvm::BasicBlock *end = b.GetInsertBlock();
  addIncoming(at, stride, moveOn(at, stride), end);
  Value *fewer = b.CreateSub(left, constant(1));
  left->addIncoming(fewer, end);
  b.CreateCondBr(b.CreateICmpSGT(fewer, constant(0)), inside, after);
  b.SetInsertPoint(after);
}

void KernelEmitter::emitKernel(const std::string &name, KernelSides sides,
                               llvm::function_ref<void(Place)> body) {
  llvm::Type *pointer = b.getPtrTy();
  auto *type = llvm::FunctionType::get(b.getVoidTy(),
                                       {pointer, pointer, pointer}, false);
  auto *function = llvm::Function::Create(
      type, llvm::GlobalValue::ExternalLinkage, name, module);
  function->setVisibility(llvm::GlobalValue::HiddenVisibility);
  function->setDoesNotThrow();
  // Hundreds of them: loops need not begin with lines of code.
  function->addFnAttr(llvm::Attribute::OptimizeForSize);
  b.SetInsertPoint(llvm::BasicBlock::Create(b.getContext(), "entry", function));
  Value *call = function->getArg(2);
  const Loop outer = loadLoop(call, 0, sides), inner = loadLoop(call, 1, sides);
  Place start{function->getArg(0), function->getArg(1),
              loadSide(call, rowsWord, sides.rows),
              loadSide(call, columnsWord, sides.columns)};
  emitBatch(call, start, [&](Place first) {
    emitLoop(outer, sides, first,
             [&](Place at) { emitLoop(inner, sides, at, body); });
  });
  b.CreateRetVoid();
}

Value *KernelEmitter::loadSide(Value *call, unsigned field, Spacing spacing) {
  if (spacing == Spacing::Constant)
    return nullptr;
  Value *table = loadField(call, field, true);
  return spacing == Spacing::Even ? loadField(table, 1, false) : table;
}

Value *KernelEmitter::strideTimes(Value *stride, int64_t number) {
  // An address is a register and a power of two times another: the odd
  // multiples up to 8 make do for all.
  const int shift = std::countr_zero(static_cast<uint64_t>(number));
  Value *odd = b.CreateMul(stride, constant(number >> shift));
  return b.CreateShl(odd, constant(shift));
}

Value *KernelEmitter::address(Value *base, Value *table, Spacing spacing,
                              int64_t offset) {
  const int64_t number = offset / tableStride;
  if (spacing == Spacing::Table)
    base = lookUp(base, table, number);
  if (spacing == Spacing::Even) {
    constexpr int64_t group = 8;
    if (number >= group)
      base = b.CreatePtrAdd(base, strideTimes(table, number / group * group));
    if (number % group != 0)
      base = b.CreatePtrAdd(base, strideTimes(table, number % group));
  }
  return b.CreateConstGEP1_64(b.getInt8Ty(), base, offset % tableStride);
}

Value *KernelEmitter::lookUp(Value *base, Value *table, int64_t number) {
  Value *&known = addresses[{base, number}];
  if (keepsAddresses && known)
    return known;
  auto *offset = b.CreateLoad(word, b.CreateConstGEP1_64(word, table, number));
  markInvariant(offset);
  return known = b.CreatePtrAdd(base, offset);
}

/// Rows and columns of a tile whose addresses all have a register.
static constexpr size_t maxKeptAddresses = 10;

/// Rows that are loaded from, or columns that are stored to.
static size_t countPlaces(const Network &network, Network::StepKind kind) {
  std::set<int64_t> numbers;
  for (const Network::Step &step : network.steps)
    if (step.kind == kind)
      numbers.insert(step.offset / tableStride);
  return numbers.size();
}

Value *KernelEmitter::load(Value *at, int64_t bytes, int64_t unitBytes) {
  auto *type = llvm::FixedVectorType::get(
      b.getIntNTy(static_cast<unsigned>(8 * unitBytes)),
      static_cast<unsigned>(bytes / unitBytes));
  return b.CreateAlignedLoad(type, at, llvm::Align(1));
}

void KernelEmitter::store(Value *value, Value *at, bool streaming) {
  uint64_t bytes = module.getDataLayout().getTypeStoreSize(value->getType());
  auto *stored =
      b.CreateAlignedStore(value, at, llvm::Align(streaming ? bytes : 1));
  if (streaming)
    stored->setMetadata(
        llvm::LLVMContext::MD_nontemporal,
        llvm::MDNode::get(b.getContext(),
                          llvm::ConstantAsMetadata::get(b.getInt32(1))));
}

Value *KernelEmitter::units(Value *value, int64_t unitBytes) {
  uint64_t bytes = module.getDataLayout().getTypeStoreSize(value->getType());
  return b.CreateBitCast(value,
                         llvm::FixedVectorType::get(
                             b.getIntNTy(static_cast<unsigned>(8 * unitBytes)),
                             static_cast<unsigned>(bytes / unitBytes)));
}

/// For each load the bytes of the units that it is shuffled by; 1 if that is
/// not one size.
static std::vector<int64_t> loadedUnits(const Network &network) {
  std::vector<int64_t> units(network.steps.size(), 0);
  for (const Network::Step &step : network.steps)
    if (step.kind == Network::StepKind::Shuffle)
      for (int operand : {step.a, step.b}) {
        int64_t &unit = units[static_cast<size_t>(operand)];
        unit = unit == 0 || unit == step.unitBytes ? step.unitBytes : 1;
      }
  std::replace(units.begin(), units.end(), 0, 1);
  return units;
}

Value *KernelEmitter::shuffle(Value *a, Value *b, std::vector<int> mask) {
  if (a != b)
    return this->b.CreateShuffleVector(a, b, mask);
  auto count = static_cast<int>(
      llvm::cast<llvm::FixedVectorType>(a->getType())->getNumElements());
  for (int &unit : mask)
    unit = unit < count ? unit : unit - count;
  return this->b.CreateShuffleVector(a, mask);
}

// The back end takes several registers that are shuffled as they are loaded, or
// stored as they are shuffled, for structure moves (NEON's ld3 and st3): if
// there is one operand, and no cast between. For one register it would only
// replace the last zip of a tile, and cost an address more.
Value *KernelEmitter::storable(Value *value) {
  uint64_t bytes = module.getDataLayout().getTypeStoreSize(value->getType());
  if (bytes > laneBytes)
    return value;
  return units(value, bytes == laneBytes ? laneBytes / 2 : 1);
}

Value *KernelEmitter::hideJoin(Value *value) {
  uint64_t bytes = module.getDataLayout().getTypeStoreSize(value->getType());
  auto *floats = llvm::FixedVectorType::get(b.getFloatTy(),
                                            static_cast<unsigned>(bytes / 4));
  Value *hidden =
      b.CreateArithmeticFence(b.CreateBitCast(value, floats), floats);
  return b.CreateBitCast(hidden, value->getType());
}

/// Whether a step puts whole lanes side by side.
static bool joinsLanes(const Network::Step &step) {
  return step.kind == Network::StepKind::Shuffle &&
         step.unitBytes == laneBytes && step.bytes > laneBytes;
}

void KernelEmitter::emitPrefetch(const Network &network, KernelSides sides,
                                 Place at, Value *ahead) {
  Value *next = b.CreatePtrAdd(at.src, ahead);
  std::set<int64_t> prefetched;
  for (const Network::Step &step : network.steps)
    if (step.kind == Network::StepKind::Load &&
        prefetched.insert(step.offset / lineBytes).second)
      b.CreateIntrinsic(llvm::Intrinsic::prefetch, {b.getPtrTy()},
                        {address(next, at.rows, sides.rows, step.offset),
                         /*write=*/b.getInt32(0), /*locality=*/b.getInt32(3),
                         /*data=*/b.getInt32(1)});
}

void KernelEmitter::emitPrefetchAhead(const Network &network, KernelSides sides,
                                      Place at) {
  llvm::Argument *call = b.GetInsertBlock()->getParent()->getArg(2);
  Value *ahead = loadField(call, aheadWord, false);
  llvm::BasicBlock *fetch = block("fetch"), *after = block("after");
  b.CreateCondBr(b.CreateICmpNE(ahead, constant(0)), fetch, after);
  b.SetInsertPoint(fetch);
  emitPrefetch(network, sides, at, ahead);
  b.CreateBr(after);
  b.SetInsertPoint(after);
}

void KernelEmitter::emitNetwork(const std::string &name, const Network &network,
                                KernelSides sides, Stores stores,
                                bool prefetches) {
  addresses.clear();
  keepsAddresses = countPlaces(network, Network::StepKind::Load) +
                       countPlaces(network, Network::StepKind::Store) <=
                   maxKeptAddresses;
  emitKernel(name, sides, [&](Place at) {
    if (prefetches)
      emitPrefetchAhead(network, sides, at);
    std::vector<Value *> values(network.steps.size());
    const std::vector<int64_t> loaded = loadedUnits(network);
    for (size_t i = 0; i < network.steps.size(); ++i) {
      const Network::Step &step = network.steps[i];
      switch (step.kind) {
      case Network::StepKind::Load:
        values[i] = load(address(at.src, at.rows, sides.rows, step.offset),
                         step.bytes, loaded[i]);
        break;
      case Network::StepKind::Shuffle:
        values[i] = shuffle(units(values[step.a], step.unitBytes),
                            units(values[step.b], step.unitBytes), step.mask);
        break;
      case Network::StepKind::Store:
        if (joinsLanes(network.steps[static_cast<size_t>(step.a)]))
          values[step.a] = hideJoin(values[step.a]);
        store(storable(values[step.a]),
              address(at.dst, at.columns, sides.columns, step.offset),
              stores == Stores::Streaming);
        break;
      }
    }
  });
}

void KernelEmitter::emitRun(const std::string &name, int64_t width,
                            int64_t pieces, bool streaming) {
  emitKernel(name, {}, [&](Place at) {
    llvm::Argument *call = b.GetInsertBlock()->getParent()->getArg(2);
    Value *bytes = loadField(call, bytesWord, false);
    Value *last = b.CreateSub(bytes, llvm::ConstantInt::get(word, width));
    std::vector<Value *> offsets, loaded;
    for (int64_t i = 0; i < pieces; ++i)
      offsets.push_back(i + 1 == pieces && i > 0 && !streaming
                            ? last
                            : llvm::ConstantInt::get(word, i * width));
    for (Value *offset : offsets)
      loaded.push_back(load(b.CreatePtrAdd(at.src, offset), width));
    for (size_t i = 0; i < offsets.size(); ++i)
      store(loaded[i], b.CreatePtrAdd(at.dst, offsets[i]), streaming);
  });
}

llvm::BasicBlock *KernelEmitter::block(const char *name) {
  return llvm::BasicBlock::Create(b.getContext(), name,
                                  b.GetInsertBlock()->getParent());
}

void KernelEmitter::copyShort(Value *src, Value *dst, Value *count) {
  llvm::BasicBlock *done = block("done");
  for (int64_t width = lineBytes / 2; width > 0; width /= 2) {
    llvm::BasicBlock *fits = block("fits"), *smaller = block("smaller");
    b.CreateCondBr(b.CreateICmpUGE(count, constant(width)), fits, smaller);
    b.SetInsertPoint(fits);
    Value *last = b.CreateSub(count, constant(width));
    Value *first = load(src, width);
    Value *second = load(b.CreatePtrAdd(src, last), width);
    store(first, dst, false);
    store(second, b.CreatePtrAdd(dst, last), false);
    b.CreateBr(done);
    b.SetInsertPoint(smaller);
  }
  b.CreateBr(done);
  b.SetInsertPoint(done);
}

Value *KernelEmitter::streamLines(Value *src, Value *dst, Value *first,
                                  Value *end, int64_t lines, int64_t width) {
  llvm::BasicBlock *before = b.GetInsertBlock();
  llvm::BasicBlock *test = block("test"), *inside = block("lines"),
                   *after = block("after");
  b.CreateBr(test);
  b.SetInsertPoint(test);
  llvm::PHINode *at = b.CreatePHI(word, 2);
  at->addIncoming(first, before);
  Value *next = b.CreateAdd(at, constant(lines * lineBytes));
  b.CreateCondBr(b.CreateICmpULE(next, end), inside, after);
  b.SetInsertPoint(inside);
  Value *from = b.CreatePtrAdd(src, at), *to = b.CreatePtrAdd(dst, at);
  for (int64_t line = 0; line < lines; ++line) {
    // All loads come first: a line must go out in one piece.
    std::vector<Value *> pieces;
    for (int64_t i = 0; i < lineBytes; i += width)
      pieces.push_back(
          load(b.CreatePtrAdd(from, constant(line * lineBytes + i)), width));
    for (size_t i = 0; i < pieces.size(); ++i)
      store(pieces[i],
            b.CreatePtrAdd(to, constant(line * lineBytes +
                                        static_cast<int64_t>(i) * width)),
            true);
  }
  at->addIncoming(next, inside);
  b.CreateBr(test);
  b.SetInsertPoint(after);
  return at;
}

void KernelEmitter::emitStream(const std::string &name, int64_t width) {
  emitKernel(name, {}, [&](Place at) {
    llvm::Argument *call = b.GetInsertBlock()->getParent()->getArg(2);
    Value *bytes = loadField(call, bytesWord, false);
    Value *address = b.CreatePtrToInt(at.dst, word);
    Value *head = b.CreateAnd(b.CreateNeg(address), constant(lineBytes - 1));
    copyShort(at.src, at.dst, head);
    Value *rest = b.CreateSub(bytes, head);
    Value *whole = b.CreateAnd(rest, constant(-lineBytes));
    Value *src = b.CreatePtrAdd(at.src, head);
    Value *dst = b.CreatePtrAdd(at.dst, head);
    Value *most = streamLines(src, dst, constant(0), whole, 4, width);
    streamLines(src, dst, most, whole, 1, width);
    copyShort(b.CreatePtrAdd(src, whole), b.CreatePtrAdd(dst, whole),
              b.CreateSub(rest, whole));
  });
}
