//===- KernelEmitter.cpp - networks with run-time strides -----------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Straight to LLVM: there is no problem here that a permc.permute could name,
// only two loops and a network in the middle.
//
//===----------------------------------------------------------------------===//

#include "KernelEmitter.h"

#include "permc/Plan/StreamedLoops.h"

#include <algorithm>
#include <bit>
#include <set>

using namespace permc;
using llvm::Value;

/// Pointer-sized words of a KernelLoop, and where the fields behind both are.
static constexpr unsigned loopWords = 6;
static constexpr unsigned rowsWord = 2 * loopWords;
static constexpr unsigned columnsWord = rowsWord + 1;
static constexpr unsigned bytesWord = rowsWord + 2;
static constexpr unsigned aheadWord = rowsWord + 3;

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

KernelEmitter::Loop KernelEmitter::loadLoop(Value *call, unsigned number) {
  Value *fields[loopWords];
  for (unsigned i = 0; i < loopWords; ++i)
    fields[i] = loadField(call, number * loopWords + i, false);
  return {fields[0], fields[1], fields[2], fields[3], fields[4], fields[5]};
}

Value *KernelEmitter::advance(Value *pointer, Value *place, Value *stride) {
  return b.CreatePtrAdd(pointer, b.CreateMul(place, stride));
}

void KernelEmitter::emitLoop(const Loop &loop, KernelSides sides, Place at,
                             llvm::function_ref<void(Place)> body) {
  llvm::Function *function = b.GetInsertBlock()->getParent();
  llvm::BasicBlock *before = b.GetInsertBlock();
  auto *inside = llvm::BasicBlock::Create(b.getContext(), "loop", function);
  auto *after = llvm::BasicBlock::Create(b.getContext(), "after", function);
  Value *last = b.CreateSub(loop.size, loop.step);
  b.CreateBr(inside);

  b.SetInsertPoint(inside);
  llvm::PHINode *counter = b.CreatePHI(word, 2);
  counter->addIncoming(llvm::ConstantInt::get(word, 0), before);
  Value *isPast = b.CreateICmpSGT(counter, last);
  Value *place = b.CreateSelect(isPast, last, counter);
  body({advance(at.src, place, loop.src), advance(at.dst, place, loop.dst),
        sides.rows == Spacing::Table ? advance(at.rows, place, loop.rows)
                                     : at.rows,
        sides.columns == Spacing::Table
            ? advance(at.columns, place, loop.columns)
            : at.columns});
  Value *next = b.CreateAdd(counter, loop.step);
  counter->addIncoming(next, b.GetInsertBlock());
  b.CreateCondBr(b.CreateICmpSLT(next, loop.size), inside, after);
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
  b.SetInsertPoint(llvm::BasicBlock::Create(b.getContext(), "entry", function));
  Value *call = function->getArg(2);
  Loop outer = loadLoop(call, 0), inner = loadLoop(call, 1);
  Place start{function->getArg(0), function->getArg(1),
              loadSide(call, rowsWord, sides.rows),
              loadSide(call, columnsWord, sides.columns)};
  emitLoop(outer, sides, start,
           [&](Place at) { emitLoop(inner, sides, at, body); });
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
  if (spacing == Spacing::Table) {
    auto *found = b.CreateLoad(word, b.CreateConstGEP1_64(word, table, number));
    markInvariant(found);
    base = b.CreatePtrAdd(base, found);
  }
  if (spacing == Spacing::Even) {
    constexpr int64_t group = 8;
    if (number >= group)
      base = b.CreatePtrAdd(base, strideTimes(table, number / group * group));
    if (number % group != 0)
      base = b.CreatePtrAdd(base, strideTimes(table, number % group));
  }
  return b.CreateConstGEP1_64(b.getInt8Ty(), base, offset % tableStride);
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

void KernelEmitter::emitPrefetch(const Network &network, KernelSides sides,
                                 Place at, Network::StepKind moves,
                                 Value *ahead) {
  const bool stores = moves == Network::StepKind::Store;
  Value *next = b.CreatePtrAdd(stores ? at.dst : at.src, ahead);
  std::set<int64_t> asked;
  for (const Network::Step &step : network.steps) {
    if (step.kind != moves || !asked.insert(step.offset / lineBytes).second)
      continue;
    Value *to = stores ? address(next, at.columns, sides.columns, step.offset)
                       : address(next, at.rows, sides.rows, step.offset);
    prefetch(to, stores, /*locality=*/3);
  }
}

void KernelEmitter::prefetch(Value *at, bool write, int locality) {
  b.CreateIntrinsic(llvm::Intrinsic::prefetch, {b.getPtrTy()},
                    {at, b.getInt32(write), b.getInt32(locality),
                     /*data=*/b.getInt32(1)});
}

void KernelEmitter::emitPrefetchAhead(const Network &network, KernelSides sides,
                                      Place at, Network::StepKind moves) {
  llvm::Argument *call = b.GetInsertBlock()->getParent()->getArg(2);
  Value *ahead = loadField(call, aheadWord, false);
  llvm::BasicBlock *fetch = block("fetch"), *after = block("after");
  b.CreateCondBr(b.CreateICmpNE(ahead, constant(0)), fetch, after);
  b.SetInsertPoint(fetch);
  emitPrefetch(network, sides, at, moves, ahead);
  b.CreateBr(after);
  b.SetInsertPoint(after);
}

void KernelEmitter::emitNetwork(const std::string &name, const Network &network,
                                KernelSides sides, Stores stores, Asks asks) {
  emitKernel(name, sides, [&](Place at) {
    if (asks != Asks::Nothing)
      emitPrefetchAhead(network, sides, at,
                        asks == Asks::Src ? Network::StepKind::Load
                                          : Network::StepKind::Store);
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
                                  Value *end, int64_t lines, int64_t width,
                                  Value *ahead) {
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
    if (ahead)
      prefetch(b.CreatePtrAdd(b.CreatePtrAdd(from, ahead),
                              constant(line * lineBytes)),
               /*write=*/false, /*locality=*/2);
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
    // A short run asks for the line at hand.
    Value *isLong = b.CreateICmpUGE(bytes, constant(minFetchedRunBytes));
    Value *ahead =
        b.CreateSelect(isLong, constant(fetchedAheadBytes), constant(0));
    Value *most = streamLines(src, dst, constant(0), whole, 4, width, ahead);
    streamLines(src, dst, most, whole, 1, width, nullptr);
    copyShort(b.CreatePtrAdd(src, whole), b.CreatePtrAdd(dst, whole),
              b.CreateSub(rest, whole));
  });
}
