//===- EmitMoves.cpp - the innermost code of a nest -----------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "permc/Lowering/EmitMoves.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <map>
#include <numeric>
#include <set>

using namespace permc;
using mlir::Value;
namespace arith = mlir::arith;
namespace LLVM = mlir::LLVM;
namespace scf = mlir::scf;
namespace vector = mlir::vector;

Value Constants::operator()(int64_t value) {
  Value &made = values[value];
  if (!made) {
    b.setInsertionPointToStart(block);
    made = arith::ConstantIndexOp::create(b, value);
  }
  return made;
}

//===----------------------------------------------------------------------===//
// Networks
//===----------------------------------------------------------------------===//

namespace {

/// Finds the places of a tile. Where strides are known at run time only, an
/// offset is taken apart into steps along them, and each place is one step from
/// another that was found before: an addition each, and few registers.
class TilePlaces {
public:
  TilePlaces(mlir::ImplicitLocOpBuilder &b, Constants &constant, Place tile)
      : b(b), constant(constant), tile(std::move(tile)) {
    llvm::sort(this->tile.strides, [](const auto &a, const auto &b) {
      return a.nominal > b.nominal;
    });
    steps[Steps(this->tile.strides.size())] = this->tile.offset;
  }

  /// What has the byte at an offset of the network.
  Value bufferAt(int64_t offset) const {
    const TileStream *stream = streamAt(offset);
    return stream ? stream->view : tile.buffer;
  }

  /// The place in it, and `bytes` further.
  Value at(int64_t offset, int64_t bytes = 0) {
    if (const TileStream *stream = streamAt(offset))
      offset -= stream->origin;
    Steps taken;
    for (const TileStride &stride : tile.strides) {
      int64_t count = offset / stride.nominal;
      offset %= stride.nominal;
      std::optional<int64_t> known = mlir::getConstantIntValue(stride.actual);
      taken.push_back(known ? 0 : count);
      bytes += known ? count * *known : 0;
    }
    bytes += offset;
    Value base = find(taken);
    return bytes == 0 ? base : arith::AddIOp::create(b, base, constant(bytes));
  }

private:
  using Steps = std::vector<int64_t>; ///< along each stride

  const TileStream *streamAt(int64_t offset) const {
    const TileStream *last = nullptr;
    for (const TileStream &stream : tile.streams)
      if (stream.start <= offset)
        last = &stream;
    return last;
  }

  Value find(const Steps &taken) {
    if (auto found = steps.find(taken); found != steps.end())
      return found->second;
    Steps before = taken;
    size_t last = taken.size();
    while (before[--last] == 0)
      ;
    --before[last];
    return steps[taken] = arith::AddIOp::create(b, find(before),
                                                tile.strides[last].actual);
  }

  mlir::ImplicitLocOpBuilder &b;
  Constants &constant;
  Place tile;
  std::map<Steps, Value> steps;
};

/// Whether a register is made of four that were put side by side.
bool isLookup(const Network &network, const Network::Step &step) {
  return step.kind == Network::StepKind::Shuffle && step.bytes == laneBytes &&
         network.steps[step.a].bytes == 2 * laneBytes &&
         network.steps[step.b].bytes == 2 * laneBytes && step.a != step.b;
}

/// Which byte of the four each of its bytes is.
std::vector<int8_t> lookedUp(const Network::Step &step) {
  std::vector<int8_t> places;
  for (int unit : step.mask)
    for (int64_t byte = 0; byte < step.unitBytes; ++byte)
      places.push_back(static_cast<int8_t>(unit * step.unitBytes + byte));
  return places;
}

class NetworkEmitter {
public:
  NetworkEmitter(mlir::ImplicitLocOpBuilder &b, const Network &network)
      : b(b), network(network), values(network.steps.size()) {}

  void emit(TilePlaces src, TilePlaces dst, MoveOptions options) {
    assert(options.streaming || !options.onlyIf);
    const std::vector<bool> seams = network.needsSeams()
                                        ? network.seams()
                                        : std::vector<bool>(values.size());
    auto align = [&](auto move, int64_t offset) {
      if (options.alignment > 1 && offset % options.alignment == 0)
        move.setAlignment(options.alignment);
    };
    for (size_t i = 0; i < network.steps.size(); ++i) {
      const Network::Step &step = network.steps[i];
      switch (step.kind) {
      case Network::StepKind::Load: {
        const mlir::VectorType type = vectorType(step.bytes, 1);
        Value buffer = src.bufferAt(step.offset), at = src.at(step.offset);
        const LoadForm form = formOf(step, options);
        if (form.isPlain()) {
          auto load = vector::LoadOp::create(b, type, buffer, at);
          align(load, step.offset);
          load.setNontemporal(step.bytes == options.pairBytes);
          values[i] = load;
        } else {
          assert(options.alignment == 1 && "vectors may be anywhere");
          values[i] =
              LoadOp::create(b, type, buffer, at, form.follows, form.near,
                             form.registers, step.bytes == options.pairBytes);
        }
        break;
      }
      case Network::StepKind::Shuffle:
        if (options.tables && isLookup(network, step)) {
          values[i] = lookUp(step, *options.tables);
          break;
        }
        values[i] = shuffle(step);
        if (seams[i] || joinsLanes(i))
          values[i] = seam(values[i], step);
        break;
      case Network::StepKind::Store:
        stores.push_back({&step, units(step.a, 1), dst.bufferAt(step.offset),
                          dst.at(step.offset)});
        if (!options.onlyIf || i + 1 == network.steps.size() ||
            network.steps[i + 1].kind != Network::StepKind::Store)
          emitStores(options, align);
        break;
      }
    }
  }

private:
  /// What a load is beside one of some bytes: see `permc.load`.
  struct LoadForm {
    bool follows = false;
    mlir::IntegerAttr near = {}, registers = {};
    bool isPlain() const { return !follows && !near && !registers; }
  };

  LoadForm formOf(const Network::Step &step, const MoveOptions &options) {
    LoadForm form;
    if (options.tables && step.bytes == options.pairBytes)
      form.near = b.getI64IntegerAttr(middleOfPairs(options));
    else if (options.tables || options.inRegisters || options.structuresStep)
      form.follows = follows(step, loadedEnd, step.bytes > laneBytes);
    if (options.inRegisters)
      form.registers = b.getI64IntegerAttr(nextRegisters());
    return form;
  }

  struct PendingStore {
    const Network::Step *step;
    Value value, buffer, place;
  };
  using Align = llvm::function_ref<void(vector::StoreOp, int64_t offset)>;

  /// What is pending: one store, or those that follow one another if the
  /// machine has to find out how to do them.
  void emitStores(const MoveOptions &options, Align align) {
    if (options.onlyIf) {
      auto both = scf::IfOp::create(b, options.onlyIf, /*withElseRegion=*/true);
      mlir::OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(both.elseBlock());
      storeEach(false, options, align);
      b.setInsertionPointToStart(both.thenBlock());
      storeEach(true, options, align);
    } else {
      storeEach(options.streaming, options, align);
    }
    stores.clear();
  }

  void storeEach(bool streaming, const MoveOptions &options, Align align) {
    for (const PendingStore &pending : stores) {
      const Network::Step &step = *pending.step;
      const bool isLane = step.bytes == options.lanesBytes;
      const bool isNext =
          (options.tables || options.structuresStep) &&
          follows(step, storedEnd, step.bytes > laneBytes || isLane);
      if (isNext || isLane || options.storesAtOnce) {
        assert(!streaming && options.alignment == 1 &&
               "vectors may be anywhere");
        StoreOp::create(b, pending.value, pending.buffer, pending.place, isNext,
                        options.storesAtOnce, isLane,
                        step.bytes == options.pairBytes);
        continue;
      }
      auto store = vector::StoreOp::create(b, pending.value, pending.buffer,
                                           pending.place);
      align(store, step.offset);
      // Pieces that overlap one another lie between the alignments.
      if (step.bytes == options.pairBytes)
        store.setNontemporal(true);
      if (streaming && step.offset % step.bytes == 0) {
        store.setNontemporal(true);
        store.setAlignment(step.bytes);
      }
    }
  }

  /// What is within reach of all pairs that are loaded: their offsets go as far
  /// back as ahead. The back end takes those that are not a multiple of a pair
  /// for longer than they can be.
  int64_t middleOfPairs(const MoveOptions &options) const {
    int64_t last = 0;
    for (const Network::Step &step : network.steps)
      if (step.kind == Network::StepKind::Load &&
          step.bytes == options.pairBytes)
        last = std::max(last, step.offset);
    return last / 2 / options.pairBytes * options.pairBytes;
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

  /// Whole lanes are taken for two units each: no back end knows larger ones.
  Value shuffle(const Network::Step &step) {
    const int64_t unit = std::min(step.unitBytes, laneBytes / 2),
                  parts = step.unitBytes / unit;
    llvm::SmallVector<int64_t> mask;
    for (int from : step.mask)
      for (int64_t part = 0; part < parts; ++part)
        mask.push_back(from < 0 ? -1 : from * parts + part);
    return vector::ShuffleOp::create(b, units(step.a, unit),
                                     units(step.b, unit), mask);
  }

  /// Whether a step puts whole lanes side by side for a store: a back end that
  /// saw it would store each by itself.
  bool joinsLanes(size_t i) const {
    return network.steps[i].unitBytes == laneBytes &&
           llvm::any_of(network.steps, [&](const Network::Step &step) {
             return step.kind == Network::StepKind::Store &&
                    step.a == static_cast<int>(i);
           });
  }

  /// The back end sees at most two registers behind a shuffle.
  Value lookUp(const Network::Step &step, const Lookups &lookups) {
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

  /// Hides how a value was made. The fence is no instruction; it exists for
  /// floats only. Of another size than the units, or these would be shuffled as
  /// floats too, for which machines have fewer instructions and units.
  Value seam(Value value, const Network::Step &step) {
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

  mlir::VectorType vectorType(int64_t bytes, int64_t unitBytes) {
    return mlir::VectorType::get({bytes / unitBytes},
                                 b.getIntegerType(8 * unitBytes));
  }

  /// The value of a step, seen as units of so many bytes.
  Value units(int step, int64_t unitBytes) {
    mlir::VectorType type = vectorType(network.steps[step].bytes, unitBytes);
    if (values[step].getType() == type)
      return values[step];
    Value &cast = casts[{step, unitBytes}];
    if (!cast)
      cast = vector::BitCastOp::create(b, type, values[step]);
    return cast;
  }

  mlir::ImplicitLocOpBuilder &b;
  const Network &network;
  std::vector<Value> values;
  std::vector<PendingStore> stores;
  int64_t loadedEnd = -1, storedEnd = -1; ///< of the last move
  size_t loads = 0;                       ///< of several registers
  std::map<std::pair<int, int64_t>, Value> casts;
};

} // namespace

Lookups permc::emitLookups(mlir::ImplicitLocOpBuilder &b,
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

Value permc::emitAddress(mlir::ImplicitLocOpBuilder &b, const Place &place,
                         mlir::Type type) {
  Value buffer =
      mlir::memref::ExtractAlignedPointerAsIndexOp::create(b, place.buffer);
  Value sum = arith::AddIOp::create(b, buffer, place.offset);
  return arith::IndexCastOp::create(b, type, sum);
}

Value permc::emitView(mlir::ImplicitLocOpBuilder &b, Constants &constant,
                      Value buffer, Value offset, int64_t bytes) {
  auto type =
      mlir::MemRefType::get({mlir::ShapedType::kDynamic}, b.getI8Type());
  return mlir::memref::ViewOp::create(b, type, buffer, offset, constant(bytes));
}

Value permc::emitHidden(mlir::OpBuilder &b, mlir::Location loc, Value value) {
  return LLVM::InlineAsmOp::create(
             b, loc, value.getType(), value, /*asm_string=*/"",
             /*constraints=*/"=r,0", /*has_side_effects=*/false,
             /*is_align_stack=*/false, LLVM::TailCallKind::None,
             /*asm_dialect=*/{}, /*operand_attrs=*/{})
      .getRes();
}

TileStreams permc::emitStreams(mlir::ImplicitLocOpBuilder &b,
                               Constants &constant, Place place,
                               TileStreams streams, int64_t bytes) {
  TilePlaces places(b, constant, place);
  for (TileStream &stream : streams)
    stream.view =
        emitView(b, constant, place.buffer, places.at(stream.origin), bytes);
  return streams;
}

void permc::emitNetwork(mlir::ImplicitLocOpBuilder &b, Constants &constant,
                        const Network &network, Place src, Place dst,
                        MoveOptions options) {
  NetworkEmitter(b, network)
      .emit(TilePlaces(b, constant, std::move(src)),
            TilePlaces(b, constant, std::move(dst)), options);
}

/// Bytes that are contiguous in src and in dst.
struct Stretch {
  int64_t src, dst, bytes;
};

static std::vector<Stretch> stretchesOf(const Network &network) {
  std::vector<Stretch> stretches;
  for (const Network::Step &step : network.steps) {
    if (step.kind != Network::StepKind::Store)
      continue;
    int64_t from = network.steps[step.a].offset;
    Stretch *last = stretches.empty() ? nullptr : &stretches.back();
    if (last && from == last->src + last->bytes &&
        step.offset == last->dst + last->bytes)
      last->bytes += step.bytes;
    else
      stretches.push_back({from, step.offset, step.bytes});
  }
  return stretches;
}

bool permc::canCopy(const Network &network, int64_t alignment) {
  // Words at least: anything less the back end leaves to the library. Of two
  // pairs it would make moves of odd lengths, with addresses of their own.
  constexpr int64_t leastAlignment = 4, few = 16;
  return alignment >= leastAlignment &&
         llvm::all_of(stretchesOf(network), [&](const Stretch &stretch) {
           return stretch.bytes > few && stretch.src % alignment == 0 &&
                  stretch.dst % alignment == 0;
         });
}

void permc::emitCopies(mlir::ImplicitLocOpBuilder &b, Constants &constant,
                       const Network &network, Place src, Place dst,
                       int64_t alignment) {
  constexpr int64_t most = 64; // 32-bit ARM's, before it calls memcpy
  TilePlaces from(b, constant, std::move(src)), to(b, constant, std::move(dst));
  auto view = [&](TilePlaces &places, int64_t offset, int64_t bytes) {
    auto type = mlir::MemRefType::get({bytes}, b.getI8Type());
    return mlir::memref::ViewOp::create(b, type, places.bufferAt(offset),
                                        places.at(offset), mlir::ValueRange());
  };
  for (const Stretch &stretch : stretchesOf(network))
    for (int64_t at = 0; at < stretch.bytes; at += most) {
      int64_t bytes = std::min(most, stretch.bytes - at);
      CopyOp::create(b, view(from, stretch.src + at, bytes),
                     view(to, stretch.dst + at, bytes), alignment);
    }
}

void permc::emitPrefetch(mlir::ImplicitLocOpBuilder &b, Constants &constant,
                         const Network &network, Network::StepKind move,
                         Place place, int64_t ahead, FetchTo cache) {
  constexpr int64_t line = streamLineBytes;
  TilePlaces places(b, constant, std::move(place));
  std::set<int64_t> asked;
  for (const Network::Step &step : network.steps) {
    if (step.kind != move || !asked.insert(step.offset / line).second)
      continue;
    mlir::memref::PrefetchOp::create(
        b, places.bufferAt(step.offset), places.at(step.offset, ahead),
        move == Network::StepKind::Store, static_cast<uint32_t>(cache),
        /*isDataCache=*/true);
  }
}

void permc::emitPrefetchLine(mlir::ImplicitLocOpBuilder &b, Constants &constant,
                             Place place, int64_t ahead, bool isWrite) {
  Value at = arith::AddIOp::create(b, place.offset, constant(ahead));
  mlir::memref::PrefetchOp::create(b, place.buffer, mlir::ValueRange{at},
                                   isWrite, static_cast<uint32_t>(FetchTo::L2),
                                   /*isDataCache=*/true);
}

void permc::emitPrefetchRange(mlir::ImplicitLocOpBuilder &b,
                              Constants &constant, Place src, int64_t bytes) {
  constexpr int64_t line = streamLineBytes;
  // The last byte may lie in one line more than the first steps reach.
  for (int64_t at = 0; at < bytes + line - 1; at += line) {
    Value place = arith::AddIOp::create(b, src.offset, constant(at));
    mlir::memref::PrefetchOp::create(b, src.buffer, mlir::ValueRange{place},
                                     /*isWrite=*/false,
                                     static_cast<uint32_t>(FetchTo::L2),
                                     /*isDataCache=*/true);
  }
}

//===----------------------------------------------------------------------===//
// Streaming
//===----------------------------------------------------------------------===//

namespace {

class StreamEmitter {
public:
  StreamEmitter(mlir::ImplicitLocOpBuilder &b, Constants &constant, Place src,
                Place dst, StreamOptions options)
      : b(b), constant(constant), src(src), dst(dst), ends(options.ends),
        vectorBytes(options.vectorBytes), prefetchBytes(options.prefetchBytes) {
  }

  /// The same for any length.
  void emitAnyLength(Value dstAddress, Value bytes) {
    auto isLong = arith::CmpIOp::create(b, arith::CmpIPredicate::uge, bytes,
                                        constant(2 * line));
    auto branch = scf::IfOp::create(b, isLong, /*withElseRegion=*/true);
    mlir::OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    emit(dstAddress, bytes);
    b.setInsertionPointToStart(branch.elseBlock());
    copyShort(constant(0), bytes, line);
  }

  void emit(Value dstAddress, Value bytes) {
    Value address = arith::AddIOp::create(b, dstAddress, dst.offset);
    Value negated = arith::SubIOp::create(b, constant(0), address);
    Value head = arith::AndIOp::create(b, negated, constant(line - 1));
    onlyIf(ends.first, [&] { copyHead(head); });

    Value rest = arith::SubIOp::create(b, bytes, head);
    if (ends.last) {
      Value more = arith::SelectOp::create(b, ends.last, constant(0),
                                           constant(line - 1));
      rest = arith::AddIOp::create(b, rest, more);
    }
    Value whole = arith::AndIOp::create(b, rest, constant(-line));
    Value end = arith::AddIOp::create(b, head, whole);
    auto lines = scf::ForOp::create(b, head, end, constant(line));
    {
      mlir::OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(lines.getBody());
      streamLine(lines.getInductionVar());
    }
    onlyIf(ends.last,
           [&] { copyTail(end, arith::SubIOp::create(b, bytes, end)); });
  }

private:
  static constexpr int64_t line = streamLineBytes;

  void onlyIf(Value condition, llvm::function_ref<void()> body) {
    mlir::OpBuilder::InsertionGuard guard(b);
    if (condition) {
      auto branch = scf::IfOp::create(b, condition, /*withElseRegion=*/false);
      b.setInsertionPointToStart(branch.thenBlock());
    }
    body();
  }

  // Ends are less than a line, and not a byte of the next is stored to: a line
  // that is both stored to and streamed would go to memory twice. Machines
  // whose registers are lines can leave bytes out of a move; it must not lie
  // across two lines all the same.

  void copyHead(Value count) {
    if (vectorBytes != line)
      return copyShort(constant(0), count, line / 2);
    Value all = arith::ConstantIntOp::create(b, b.getI64Type(), -1);
    Value others = arith::ShRUIOp::create(b, all, integer(count));
    copyMasked(arith::SubIOp::create(b, count, constant(line)),
               arith::XOrIOp::create(b, others, all));
  }

  void copyTail(Value at, Value count) {
    if (vectorBytes != line)
      return copyShort(at, count, line / 2);
    Value one = arith::ConstantIntOp::create(b, b.getI64Type(), 1);
    Value next = arith::ShLIOp::create(b, one, integer(count));
    copyMasked(at, arith::SubIOp::create(b, next, one));
  }

  Value integer(Value index) {
    return arith::IndexCastOp::create(b, b.getI64Type(), index);
  }

  /// Copies the bytes of a line whose bits are set.
  void copyMasked(Value at, Value bits) {
    auto type = mlir::VectorType::get({line}, b.getI8Type());
    Value mask = LLVM::BitcastOp::create(
        b, mlir::VectorType::get({line}, b.getI1Type()), bits);
    Value none = LLVM::ZeroOp::create(b, type);
    Value from = arith::AddIOp::create(b, src.offset, at);
    Value to = arith::AddIOp::create(b, dst.offset, at);
    Value piece =
        vector::MaskedLoadOp::create(b, type, src.buffer, from, mask, none);
    vector::MaskedStoreOp::create(b, dst.buffer, to, mask, piece);
  }

  /// Two moves that overlap, of the largest width that fits.
  void copyShort(Value at, Value count, int64_t width) {
    auto fits = arith::CmpIOp::create(b, arith::CmpIPredicate::uge, count,
                                      constant(width));
    auto branch = scf::IfOp::create(b, fits, /*withElseRegion=*/width > 1);
    mlir::OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    move(at, width);
    Value last = arith::SubIOp::create(b, count, constant(width));
    move(arith::AddIOp::create(b, at, last), width);
    if (width == 1)
      return;
    b.setInsertionPointToStart(branch.elseBlock());
    copyShort(at, count, width / 2);
  }

  void move(Value at, int64_t width) {
    auto type = mlir::VectorType::get({width}, b.getI8Type());
    Value from = arith::AddIOp::create(b, src.offset, at);
    Value to = arith::AddIOp::create(b, dst.offset, at);
    Value piece = vector::LoadOp::create(b, type, src.buffer, from);
    vector::StoreOp::create(b, piece, dst.buffer, to);
  }

  /// All loads come first: a line must go out in one piece.
  void streamLine(Value at) {
    auto type = mlir::VectorType::get({vectorBytes}, b.getI8Type());
    Value from = arith::AddIOp::create(b, src.offset, at);
    Value to = arith::AddIOp::create(b, dst.offset, at);
    if (prefetchBytes)
      emitPrefetchLine(b, constant, {src.buffer, from}, prefetchBytes, false);
    llvm::SmallVector<Value> pieces;
    for (int64_t i = 0; i < line; i += vectorBytes)
      pieces.push_back(
          vector::LoadOp::create(b, type, src.buffer, shifted(from, i)));
    for (auto [i, piece] : llvm::enumerate(pieces)) {
      auto store = vector::StoreOp::create(b, piece, dst.buffer,
                                           shifted(to, i * vectorBytes));
      store.setNontemporal(true);
      store.setAlignment(vectorBytes);
    }
  }

  Value shifted(Value base, int64_t bytes) {
    if (bytes == 0)
      return base;
    return arith::AddIOp::create(b, base, constant(bytes));
  }

  mlir::ImplicitLocOpBuilder &b;
  Constants &constant;
  Place src, dst;
  StreamEnds ends;
  int64_t vectorBytes, prefetchBytes;
};

} // namespace

void permc::emitStreamCopy(mlir::ImplicitLocOpBuilder &b, Constants &constant,
                           Place src, Place dst, Value dstAddress, Value bytes,
                           StreamOptions options) {
  StreamEmitter stream(b, constant, src, dst, options);
  if (options.mayBeShort)
    stream.emitAnyLength(dstAddress, bytes);
  else
    stream.emit(dstAddress, bytes);
}
