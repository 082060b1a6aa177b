//===- EmitNeonMoves.cpp - tiles by NEON's own moves ----------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A network of vectors, some of whose steps are instructions that have no like
// elsewhere: pairs of vectors (ldp), lookups in four registers (tbl), several
// registers in one move (vld1, ld1, st1), structure moves that step their
// address on, and one element of some registers (st3 of a lane). They are moves
// of permc's dialect, for which ConvertArmMoves.cpp has the instructions.
//
//===----------------------------------------------------------------------===//

#include "EmitNeonMoves.h"

#include "permc/Lowering/EmitNetwork.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <map>
#include <numeric>

using namespace permc;
using mlir::Value;
namespace LLVM = mlir::LLVM;
namespace vector = mlir::vector;

/// What tables are looked up by, as values of 16 bytes: which byte of the table
/// each byte of the result is.
using Lookups = std::map<std::vector<int8_t>, Value>;

/// Whether a register is made of four that were put side by side.
static bool isLookup(const Network &network, const Network::Step &step) {
  return step.kind == Network::StepKind::Shuffle && step.bytes == laneBytes &&
         network.steps[step.a].bytes == 2 * laneBytes &&
         network.steps[step.b].bytes == 2 * laneBytes && step.a != step.b;
}

/// Which byte of the four each of its bytes is.
static std::vector<int8_t> lookedUp(const Network::Step &step) {
  std::vector<int8_t> places;
  for (int unit : step.mask)
    for (int64_t byte = 0; byte < step.unitBytes; ++byte)
      places.push_back(static_cast<int8_t>(unit * step.unitBytes + byte));
  return places;
}

/// What the tables of a network are looked up by, loaded at once if that is
/// wanted.
static Lookups emitLookups(mlir::ImplicitLocOpBuilder &b,
                           const Network &network, bool atOnce) {
  constexpr size_t mostAtOnce = 4;
  Lookups lookups;
  for (const Network::Step &step : network.steps)
    if (isLookup(network, step))
      lookups[lookedUp(step)];
  auto bytes = [&](llvm::ArrayRef<int8_t> places) {
    auto type = mlir::VectorType::get({static_cast<int64_t>(places.size())},
                                      b.getI8Type());
    return mlir::DenseElementsAttr::get(type, places);
  };
  if (!atOnce || lookups.size() < 2 || lookups.size() > mostAtOnce) {
    for (auto &[places, value] : lookups)
      value = LLVM::ConstantOp::create(b, bytes(places));
    return lookups;
  }
  // One by one each would take an instruction for its address.
  std::vector<int8_t> all;
  for (const auto &[places, value] : lookups)
    all.insert(all.end(), places.begin(), places.end());
  const mlir::DenseElementsAttr table = bytes(all);
  Value loaded = VectorsOp::create(b, table.getType(), table);
  int64_t start = 0;
  for (auto &[places, value] : lookups) {
    llvm::SmallVector<int64_t> mask(laneBytes);
    std::iota(mask.begin(), mask.end(), start);
    value = vector::ShuffleOp::create(b, loaded, loaded, mask);
    start += laneBytes;
  }
  return lookups;
}

namespace {

class NeonEmitter : public NetworkEmitter {
public:
  NeonEmitter(const TileSite &site, const Lookups &lookups)
      : NetworkEmitter(site.b, site.constant, site.network),
        streams(fieldsOf<micro::Interleave>(site.schedule)), lookups(lookups),
        pairBytes(movesVectorPairs(site.schedule)
                      ? 2 * site.schedule.vectorBytes
                      : 0),
        lanesBytes(streams.lastLane ? elementOfEach(site) : 0) {}

private:
  /// Bytes of one element of each stream.
  static int64_t elementOfEach(const TileSite &site) {
    const InterleaveTile tile = *interleaveTile(site.problem, site.schedule);
    return static_cast<int64_t>(tile.streams.size()) * tile.elementBytes;
  }

  bool isPair(const Network::Step &step) const {
    return step.bytes == pairBytes;
  }

  Value load(const Network::Step &step, Value buffer, Value place) override {
    const LoadForm form = formOf(step);
    const mlir::VectorType type = vectorType(step.bytes, 1);
    if (!form.isPlain())
      return LoadOp::create(b, type, buffer, place, form.follows, form.near,
                            form.registers, isPair(step));
    auto load = vector::LoadOp::create(b, type, buffer, place);
    load.setNontemporal(isPair(step));
    return load;
  }

  /// What a load is beside one of some bytes: see `permc.load`.
  struct LoadForm {
    bool follows = false;
    mlir::IntegerAttr near = {}, registers = {};
    bool isPlain() const { return !follows && !near && !registers; }
  };

  LoadForm formOf(const Network::Step &step) {
    LoadForm form;
    if (streams.tables && isPair(step))
      form.near = b.getI64IntegerAttr(middleOfPairs());
    else if (streams.tables || streams.vectorsPerLoad || streams.structuresStep)
      form.follows = follows(step, loadedEnd, step.bytes > laneBytes);
    if (streams.vectorsPerLoad)
      form.registers = b.getI64IntegerAttr(nextRegisters());
    return form;
  }

  void store(const Network::Step &step, Value value, Value buffer,
             Value place) override {
    const bool isLane = step.bytes == lanesBytes,
               atOnce = streams.vectorsPerStore > 0;
    const bool isNext =
        (streams.tables || streams.structuresStep) &&
        follows(step, storedEnd, step.bytes > laneBytes || isLane);
    if (isNext || isLane || atOnce) {
      StoreOp::create(b, value, buffer, place, isNext, atOnce, isLane,
                      isPair(step));
      return;
    }
    auto store = vector::StoreOp::create(b, value, buffer, place);
    if (isPair(step))
      store.setNontemporal(true);
  }

  /// What is within reach of all pairs that are loaded: their offsets go as far
  /// back as ahead. The back end takes those that are not a multiple of a pair
  /// for longer than they can be.
  int64_t middleOfPairs() const {
    int64_t last = 0;
    for (const Network::Step &step : network.steps)
      if (step.kind == Network::StepKind::Load && isPair(step))
        last = std::max(last, step.offset);
    return last / 2 / pairBytes * pairBytes;
  }

  /// Whether a move begins where the one before it ended. Only structure moves
  /// gain: of others two can be one.
  static bool follows(const Network::Step &step, int64_t &end,
                      bool isStructure) {
    const bool next = isStructure && step.offset == end;
    end = step.offset + step.bytes;
    return next;
  }

  /// Four of NEON's 16 registers that are not taken yet. Those that a function
  /// has to save come last.
  int64_t nextRegisters() {
    constexpr int64_t groups[] = {0, 8, 12, 4};
    assert(loads < std::size(groups));
    return groups[loads++];
  }

  Value shuffle(const Network::Step &step) override {
    if (streams.tables && isLookup(network, step))
      return lookUp(step);
    return NetworkEmitter::shuffle(step);
  }

  /// The back end sees at most two registers behind a shuffle.
  Value lookUp(const Network::Step &step) {
    llvm::SmallVector<Value> operands;
    for (int pair : {step.a, step.b})
      for (int one : {network.steps[pair].a, network.steps[pair].b})
        operands.push_back(units(one, 1));
    operands.push_back(lookups.at(lookedUp(step)));
    return LLVM::CallIntrinsicOp::create(
               b, vectorType(laneBytes, 1),
               b.getStringAttr("llvm.aarch64.neon.tbl4.v16i8"), operands)
        .getResult(0);
  }

  const micro::Interleave &streams;
  const Lookups &lookups;
  const int64_t pairBytes;  ///< of moves that are pairs of vectors; 0: none
  const int64_t lanesBytes; ///< of stores of one element each; 0: none
  int64_t loadedEnd = -1, storedEnd = -1; ///< of the last move
  size_t loads = 0;                       ///< of several registers
};

class NeonTile : public OwnTile {
public:
  explicit NeonTile(const TileSite &site) : site(site) {
    const auto &streams = fieldsOf<micro::Interleave>(site.schedule);
    if (streams.tables)
      lookups = emitLookups(site.b, site.network, streams.lookupsAtOnce);
  }

  void emit(Place src, Place dst) override {
    NeonEmitter(site, lookups).emit(std::move(src), std::move(dst));
  }

private:
  const TileSite &site;
  Lookups lookups;
};

} // namespace

std::unique_ptr<OwnTile> permc::makeNeonTile(const TileSite &site) {
  return std::make_unique<NeonTile>(site);
}
