//===- EmitWordSteps.cpp - tiles of words that step along -----------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The back end makes an ldm of loads only where registers happen to be in
// order, and rather gives each of many moves an offset than lets one step. So
// it is told the instructions.
//
//===----------------------------------------------------------------------===//

#include "EmitWordSteps.h"

#include "../plan/WordSteps.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace permc;
using mlir::Value;
namespace LLVM = mlir::LLVM;

namespace {

/// Carries out the stepping moves of words on one tile after the other.
class SteppingWords : public SteppingTile {
public:
  SteppingWords(mlir::ImplicitLocOpBuilder &b, const Network &network,
                WordSteps plan)
      : b(b), network(network), plan(std::move(plan)) {}

  Addresses startAt(Place src, Place dst) override;
  Addresses emit(Addresses at) override;

private:
  using Words = llvm::SmallVector<Value, 4>;

  void load(const WordSteps::Move &move, Value &address);
  void store(const WordSteps::Move &move, Value &address);
  Words shuffled(const Network::Step &step) const;
  Value further(Value address, int64_t bytes);

  mlir::ImplicitLocOpBuilder &b;
  const Network &network;
  const WordSteps plan;
  std::vector<Words> values; ///< of the steps, in the tile at hand
  size_t loads = 0;          ///< so far
};

} // namespace

SteppingWords::Addresses SteppingWords::startAt(Place src, Place dst) {
  Value from = emitAddress(b, src, b.getI32Type());
  Value to = emitAddress(b, dst, b.getI32Type());
  Addresses at;
  for (size_t i = 0; i < WordSteps::addresses; ++i)
    at.push_back(
        further(i == WordSteps::dstAddress ? to : from, plan.starts[i]));
  return at;
}

SteppingWords::Addresses SteppingWords::emit(Addresses at) {
  values.assign(network.steps.size(), {});
  const auto *move = plan.moves.data();
  for (size_t i = 0; i < network.steps.size(); ++i) {
    const Network::Step &step = network.steps[i];
    if (step.kind == Network::StepKind::Shuffle) {
      values[i] = shuffled(step);
      continue;
    }
    assert(move->step == i && "every move is planned");
    Value &address = at[move->address];
    address = further(address, move->before);
    if (step.kind == Network::StepKind::Load)
      load(*move, address);
    else
      store(*move, address);
    ++move;
  }
  for (auto [address, distance] : llvm::zip_equal(at, plan.next))
    address = further(address, distance);
  return at;
}

static Value emitAssembly(mlir::ImplicitLocOpBuilder &b, mlir::Type type,
                          mlir::ValueRange operands, llvm::StringRef text,
                          llvm::StringRef constraints) {
  return LLVM::InlineAsmOp::create(b, type, operands, text, constraints,
                                   /*has_side_effects=*/true,
                                   /*is_align_stack=*/false,
                                   LLVM::TailCallKind::None,
                                   /*asm_dialect=*/{}, /*operand_attrs=*/{})
      .getRes();
}

/// Registers must be in order, so they are chosen here, those of the two rows
/// apart: not those of the function's arguments, nor r7, which might be a frame
/// pointer's.
void SteppingWords::load(const WordSteps::Move &move, Value &address) {
  static constexpr llvm::StringLiteral text[] = {
      "ldm.w $4!, {r2, r3, r4, r5}", "ldm.w $4!, {r6, r8, r9, r10}"};
  static constexpr llvm::StringLiteral constraints[] = {
      "={r2},={r3},={r4},={r5},=r,4,~{memory}",
      "={r6},={r8},={r9},={r10},=r,4,~{memory}"};
  const size_t row = loads++ % std::size(text);
  llvm::SmallVector<mlir::Type> types(steppedLoad / 4, b.getI32Type());
  types.push_back(address.getType());
  auto all = LLVM::LLVMStructType::getLiteral(b.getContext(), types);
  Value loaded = emitAssembly(b, all, address, text[row], constraints[row]);
  Words &words = values[move.step];
  for (int64_t i = 0; i < steppedLoad / 4; ++i)
    words.push_back(LLVM::ExtractValueOp::create(b, loaded, i));
  address = LLVM::ExtractValueOp::create(b, loaded, steppedLoad / 4);
}

void SteppingWords::store(const WordSteps::Move &move, Value &address) {
  const Words &words = values[network.steps[move.step].a];
  assert(words.size() == 2 && "a store is of two words");
  if (move.after == 0) {
    emitAssembly(b, {}, {words[0], words[1], address},
                 "strd $0, $1, [$2, #" + std::to_string(move.offset) + "]",
                 "r,r,r,~{memory}");
    return;
  }
  assert(move.offset == 0 && "a store that steps is at its address");
  address = emitAssembly(b, address.getType(), {words[0], words[1], address},
                         "strd $1, $2, [$0], #" + std::to_string(move.after),
                         "=r,r,r,0,~{memory}");
}

/// Which words a shuffle puts side by side: it takes none apart.
SteppingWords::Words SteppingWords::shuffled(const Network::Step &step) const {
  Words from = values[step.a], to;
  from.append(values[step.b]);
  const int64_t perWord = 4 / step.unitBytes;
  for (size_t i = 0; i < step.mask.size(); i += perWord)
    to.push_back(from[step.mask[i] / perWord]);
  return to;
}

Value SteppingWords::further(Value address, int64_t bytes) {
  if (bytes == 0)
    return address;
  Value distance = LLVM::ConstantOp::create(b, address.getType(),
                                            b.getI32IntegerAttr(bytes));
  return LLVM::AddOp::create(b, address, distance);
}

std::unique_ptr<SteppingTile> permc::makeSteppingWords(const TileSite &site) {
  std::optional<TileStep> next;
  if (site.next)
    next = {site.next->src, site.next->dst};
  const Reach reach = fieldsOf<micro::TileTranspose>(site.schedule).stepReach;
  return std::make_unique<SteppingWords>(site.b, site.network,
                                         wordSteps(site.network, reach, next));
}
