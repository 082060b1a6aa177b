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
//                  apart into the positions of its loops, which step as below
//   a block loop   narrows the range of its dim
//   a tile loop    steps through the range of its dim and adds to the offsets
//
// A tile loop whose range its tile may not divide moves its last tile back so
// that it ends with the range: those elements are moved twice, to the same
// place. All other tile loops only add constants to the offsets.
//
// Where the op has dims, sizes and strides are values. Constants among them
// stay constants; of the others it is known at most what divides them.
//
// A panel is entered like a tile. Inside, its own smaller nest runs into the
// buffer, and a second nest streams the buffer's rows to dst.
//
//===----------------------------------------------------------------------===//

#include "EmitParts.h"

#include "permc/Dialect/Permute/Permute.h"
#include "permc/Lowering/EmitNetwork.h"
#include "permc/Plan/LastTiles.h"
#include "permc/Plan/Panel.h"
#include "permc/Plan/UnalignedSchedule.h"
#include "permc/Targets/PassTarget.h"
#include "permc/Targets/TargetFamily.h"
#include "permc/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

#include <memory>
#include <set>

namespace permc {
#define GEN_PASS_DEF_LOWERTOLOOPSPASS
#include "permc/Transforms/Passes.h.inc"
} // namespace permc

using namespace permc;
using mlir::Value;
namespace LLVM = mlir::LLVM;
namespace arith = mlir::arith;
namespace scf = mlir::scf;
namespace vector = mlir::vector;

namespace {

/// Byte offsets from the start of src and dst.
struct Offsets {
  Value src, dst;
};

/// What the nests of one permute have in common.
struct Emission {
  Emission(PermuteOp op, const TargetFamily *family)
      : b(op.getLoc(), op), constant(op), family(family) {}
  mlir::ImplicitLocOpBuilder b;
  Constants constant;
  const TargetFamily *family; ///< null: no target is named
};

/// The actual size and strides of a dim whose numbers are nominal.
struct ActualDim {
  Value size, srcStride, dstStride;
};

/// Whether an address is a multiple of a power of two.
Value emitIsMultiple(mlir::ImplicitLocOpBuilder &b, Constants &constant,
                     Value address, int64_t alignment) {
  Value past = arith::AndIOp::create(b, address, constant(alignment - 1));
  return arith::CmpIOp::create(b, arith::CmpIPredicate::eq, past, constant(0));
}

/// What is known of where dst begins.
enum class DstStart { Anywhere, Line, NoLine };

/// The nest of one schedule between two buffers.
class NestEmitter {
public:
  /// `actual` is empty where the problem is what it says.
  NestEmitter(Emission &emission, Value src, Value dst, const Problem &problem,
              const Schedule &schedule, std::vector<ActualDim> actual,
              DstStart dstStart = DstStart::Anywhere)
      : emission(emission), b(emission.b), constant(emission.constant),
        src(src), dst(dst), problem(problem), schedule(schedule),
        dims(problem.loopDims()), actual(std::move(actual)), dstStart(dstStart),
        tilesStreamed(dstStart != DstStart::NoLine &&
                      streamsTiles(problem, schedule)),
        tilesMoved(dstStart == DstStart::Anywhere && this->actual.empty() &&
                   movesToLines(problem, schedule)) {}

  /// `box` has a begin and an end for each of the dims `boxed`.
  mlir::LogicalResult emit(mlir::ValueRange box, llvm::ArrayRef<int64_t> boxed,
                           Offsets start) {
    if (mlir::failed(prepare()))
      return mlir::failure();
    Ranges ranges;
    for (size_t dim = 0; dim < dims.size(); ++dim)
      ranges.push_back({constant(0), sizeOf(dim), knownDivisor(sizeOf(dim))});
    for (auto [i, dim] : llvm::enumerate(boxed)) {
      int64_t tile = innermost(schedule)[dim];
      bool whole = !stage && ranges[dim].divisor % tile == 0;
      ranges[dim] = {box[2 * i], box[2 * i + 1], whole ? tile : 1};
    }
    auto emitNest = [&] {
      if (schedule.unitLoops > 0)
        emitUnits(ranges, start);
      else
        emitLoop(0, ranges, start);
    };
    if (tilesStreamed && dstStart == DstStart::Line) {
      isAligned = true;
      emitNest();
    } else if (tilesStreamed && hasLoop(rowDim()))
      emitMovedTiles(ranges, emitNest);
    else if (tilesStreamed && isMadeOnce()) {
      streamsIf = emitIsAligned(dstAddress, streamLineBytes);
      isAligned = true;
      emitNest();
    } else if (tilesStreamed)
      emitForBothAlignments(dstAddress, streamLineBytes, emitNest);
    else if (tilesMoved)
      emitMovedTiles(ranges, emitNest);
    else if (ownTile && ownTile->srcAlignment() > 1)
      emitForBothAlignments(addressOf(src), ownTile->srcAlignment(), emitNest);
    else if (const int64_t alignment = pairAlignment(schedule))
      emitForBothAlignments(
          arith::OrIOp::create(b, addressOf(src), addressOf(dst)), alignment,
          emitNest);
    else
      emitNest();
    return mlir::success(!failed);
  }

private:
  /// What is left of a dim, and what is known to divide its length.
  struct Range {
    Value begin, end;
    int64_t divisor;
  };
  using Ranges = std::vector<Range>;

  /// What of a panel's rows goes out: from which byte in the buffer, how much.
  /// All of it if nothing is said.
  struct RowPart {
    Value from, bytes;
    StreamEnds ends;
    bool mayBeShort = false; ///< less than two lines
  };
  using Values = llvm::SmallVector<Value>;

  /// Whether a streamed tile is one for aligned and other buffers. Only its
  /// stores differ: with two the back end does the rest twice, with one the
  /// machine branches before each group of stores.
  bool isMadeOnce() const {
    return network.isLarge() || (network.needsSeams() && network.storesLast());
  }

  /// Makes what stands in front of the loops.
  mlir::LogicalResult prepare() {
    if (schedule.streaming || tilesMoved)
      dstAddress = mlir::memref::ExtractAlignedPointerAsIndexOp::create(b, dst);
    if (schedule.panel) {
      stage = panelStage(problem, schedule);
      makePanel();
      return mlir::success();
    }
    if (schedule.streaming && !tilesStreamed)
      return mlir::success();
    if (isScalable(schedule))
      return makeOwn(ownTile, &TargetFamily::makeTile);
    Result<Network> made = tileNetwork(
        problem, schedule, actual.empty() ? Places::Exact : Places::Nominal);
    if (!made)
      return mlir::emitError(b.getLoc()) << made.error().message;
    network = std::move(*made);
    for (size_t dim = 0; dim < actual.size(); ++dim)
      if (schedule.tile[dim] > 1) {
        srcTile.push_back(
            {dims[dim].srcStride, actual[dim].srcStride, schedule.tile[dim]});
        dstTile.push_back(
            {dims[dim].dstStride, actual[dim].dstStride, schedule.tile[dim]});
      }
    const bool steps = stepsVectors() || stepsWords(schedule);
    if (needsOwnTile(schedule) && !steps &&
        mlir::failed(makeOwn(ownTile, &TargetFamily::makeTile)))
      return mlir::failure();
    if (is<micro::Interleave>(schedule))
      prepareStreams();
    if (pairAlignment(schedule))
      prepareWords();
    const auto &moves = fieldsOf<micro::FixedMoves>(schedule);
    if (moves.srcReach != Reach{} || moves.dstReach != Reach{}) {
      srcStreams = withinReach(Network::StepKind::Load, src, moves.srcReach);
      dstStreams = withinReach(Network::StepKind::Store, dst, moves.dstReach);
    }
    if (steps)
      return makeOwn(stepping, &TargetFamily::makeSteppingTile);
    return mlir::success();
  }

  /// Asks the target's family for code that no other target has.
  template <typename Tile>
  mlir::LogicalResult
  makeOwn(std::unique_ptr<Tile> &tile,
          std::unique_ptr<Tile> (TargetFamily::*make)(const TileSite &) const) {
    std::optional<TileSite::Step> next;
    if (!schedule.loops.empty()) {
      const Loop loop = schedule.loops.back();
      const LoopDim &dim = dims[static_cast<size_t>(loop.dim)];
      next = {loop.step * dim.srcStride, loop.step * dim.dstStride};
    }
    site.emplace(b, constant, problem, schedule, network, next);
    if (emission.family)
      tile = (emission.family->*make)(*site);
    if (tile)
      return mlir::success();
    return mlir::emitError(b.getLoc())
           << "a schedule that "
           << (emission.family ? "the target has no instructions for"
                               : "needs a target's own instructions; expected "
                                 "the module to name it by permc.target");
  }

  Value addressOf(Value buffer) {
    return mlir::memref::ExtractAlignedPointerAsIndexOp::create(b, buffer);
  }

  /// Places of the tile that lie within reach of one address are a stream. The
  /// offsets of pairs are multiples of a vector.
  TileStreams withinReach(Network::StepKind kind, Value buffer, Reach reach) {
    std::set<int64_t> offsets;
    for (const Network::Step &step :
         (stepsWords(schedule) ? words : network).steps)
      if (step.kind == kind)
        offsets.insert(step.offset);
    const int64_t unit = movesVectorPairs(schedule) ? schedule.vectorBytes : 1;
    TileStreams streams;
    for (int64_t offset : offsets)
      if (streams.empty() || offset - streams.back().origin > reach.ahead ||
          (offset - streams.back().origin) % unit != 0)
        streams.push_back({offset, offset});
      else if (offset - streams.back().start <= reach.back)
        streams.back().origin = offset;
    return emitStreams(b, constant, {buffer, constant(0)}, std::move(streams),
                       tileBytes());
  }

  /// Makes the second version of a kernel that moves pairs of words.
  void prepareWords() { words = *tileNetwork(problem, wordByWord(schedule)); }

  bool stepsVectors() const {
    return fieldsOf<micro::TileTranspose>(schedule).stepping > 0;
  }

  /// Whether the addresses of this version of the kernel step along.
  bool hasSteps() const { return stepping && !movesSingly(); }

  /// Whether this version of the kernel moves word by word what another moves
  /// in pairs.
  bool movesSingly() const { return pairAlignment(schedule) && !isAligned; }

  /// Whether this version of the kernel goes by streams, or steps. Of words
  /// that step along it is the other one that has streams.
  bool hasStreams() const {
    return hasSteps() ||
           (!dstStreams.empty() && (!movesSingly() || stepsWords(schedule)));
  }

  /// Whether code is so short that the last tile gets its own.
  bool lastIsApart() const {
    return is<micro::Interleave>(schedule) || pairAlignment(schedule) ||
           stepsVectors();
  }

  /// Streams can lie too far apart for the offsets of one address.
  void prepareStreams() {
    InterleaveTile tile = *interleaveTile(problem, schedule);
    TileStreams one{{0, 0}}, several;
    // Many have no registers for that, and those moved at once have one anyway.
    // Plan takes several batches only where all are near.
    constexpr size_t most = 4;
    const bool hasBatches = llvm::count_if(schedule.tile, [](int64_t size) {
                              return size > 1;
                            }) > 2;
    const bool apart = tile.streams.size() <= most && !tile.vectorsPerLoad &&
                       !tile.vectorsPerStore && !hasBatches;
    for (int64_t start : tile.streams)
      if (several.empty() || apart)
        several.push_back({start, start});
    srcStreams = emitStreams(b, constant, {src, constant(0), srcTile},
                             tile.splits ? one : several, tileBytes());
    dstStreams = emitStreams(b, constant, {dst, constant(0), dstTile},
                             tile.splits ? several : one, tileBytes());
  }

  Value sizeOf(size_t dim) {
    return actual.empty() ? constant(dims[dim].size) : actual[dim].size;
  }
  Value srcStrideOf(size_t dim) {
    return actual.empty() ? constant(dims[dim].srcStride)
                          : actual[dim].srcStride;
  }
  Value dstStrideOf(size_t dim) {
    return actual.empty() ? constant(dims[dim].dstStride)
                          : actual[dim].dstStride;
  }

  /// How far one step of `loop` goes. Made in front of the loop.
  Offsets stepOf(Loop loop) {
    return {multiply(srcStrideOf(loop.dim), loop.step),
            multiply(dstStrideOf(loop.dim), loop.step)};
  }

  static std::optional<int64_t> getConstant(Value value) {
    return mlir::getConstantIntValue(value);
  }

  Value emitIsAligned(Value address, int64_t alignment) {
    return emitIsMultiple(b, constant, address, alignment);
  }

  /// Lines can be streamed only to an aligned dst, elements gathered only from
  /// an aligned src, words moved in pairs only between aligned buffers.
  void emitForBothAlignments(Value address, int64_t alignment,
                             llvm::function_ref<void()> emitNest) {
    auto both = scf::IfOp::create(b, emitIsAligned(address, alignment),
                                  /*withElseRegion=*/true);
    mlir::OpBuilder::InsertionGuard guard(b);
    for (bool version : {true, false}) {
      b.setInsertionPointToStart(version ? both.thenBlock() : both.elseBlock());
      isAligned = version;
      emitNest();
    }
  }

  /// The dim along which streamed tiles follow one another in a row of dst: of
  /// those that make up the row of a tile the slowest.
  size_t rowDim() const {
    size_t row = 0;
    int64_t rowBytes = problem.elementBytes();
    for (bool found = true; found;) {
      found = false;
      for (size_t dim = 0; dim < dims.size(); ++dim)
        if (dims[dim].dstStride == rowBytes && schedule.tile[dim] > 1) {
          row = dim;
          rowBytes *= schedule.tile[dim];
          found = true;
        }
    }
    return row;
  }

  bool hasLoop(size_t dim) const {
    return llvm::any_of(schedule.loops, [&](const Loop &loop) {
      return loop.dim == static_cast<int64_t>(dim);
    });
  }

  /// Tiles are streamed where lines begin. If rows of dst begin elsewhere, but
  /// a number of steps in front of a line, the tiles are moved so far along the
  /// row; what is left of it at both ends takes ordinary stores. Rows of few
  /// tiles, and rows that never meet a line, take nothing else.
  ///
  ///   row     |  tile  |  tile  | ...                | tile  |  tile  |
  ///   stored  |11111111|                                     |44444444|
  ///              |22222222|                        |33333333|
  ///   streamed            |  tile  | ...  |  tile  |
  ///
  /// Each end is two tiles that overlap: what is streamed has lines of its own.
  struct MovedTiles {
    Range streamed;
    Range whole;
    int64_t tile;
    Value ahead;  ///< positions from the row's first to a line
    Value moves;  ///< whether some are streamed and some stored
    Value stored; ///< how many ranges are stored: none, all, or the ends
    Value first;  ///< the first turn: 0, or 1 if nothing is streamed
  };

  MovedTiles findMovedTiles(const Range &whole, size_t row) {
    constexpr int64_t ends = 4;
    const int64_t tile = schedule.tile[row];
    Value lead = arith::AndIOp::create(
        b, arith::SubIOp::create(b, constant(0), dstAddress),
        constant(streamLineBytes - 1));
    Value ahead = arith::DivUIOp::create(b, lead, dstStrideOf(row));
    Value meets =
        emitIs(arith::CmpIPredicate::eq,
               arith::MulIOp::create(b, ahead, dstStrideOf(row)), lead);
    Value isLonger =
        emitIs(arith::CmpIPredicate::uge,
               emitDifference(whole.end, whole.begin), constant(ends * tile));
    Value isAligned = emitIs(arith::CmpIPredicate::eq, lead, constant(0));
    // A range that is not whole tiles might be less than two.
    const bool isWhole = whole.divisor % tile == 0;
    Value moves = arith::AndIOp::create(b, meets, isLonger);
    if (!isWhole)
      moves = arith::ConstantIntOp::create(b, b.getI1Type(), 0);
    Value begin = arith::AddIOp::create(b, whole.begin, ahead);
    begin = arith::AddIOp::create(b, begin, constant(tile));
    Value end = arith::AddIOp::create(
        b, emitDifference(whole.end, constant(2 * tile)), ahead);
    begin = select(isAligned, whole.begin, begin);
    end = select(isAligned, whole.end, select(moves, end, begin));
    Value stored = select(isAligned, constant(0),
                          select(moves, constant(ends), constant(1)));
    Value any = arith::OrIOp::create(b, isAligned, moves);
    Value first = select(any, constant(0), constant(1));
    return {{begin, end, isWhole ? tile : 1},
            whole,
            tile,
            ahead,
            moves,
            stored,
            first};
  }

  /// The range that turn number `turn`, from 1 on, stores.
  Range storedRange(const MovedTiles &tiles, Value turn) {
    auto isTurn = [&](arith::CmpIPredicate predicate, int64_t number) {
      return emitIs(predicate, turn, constant(number));
    };
    Value last = emitDifference(tiles.whole.end, constant(tiles.tile));
    Value begin =
        select(isTurn(arith::CmpIPredicate::ule, 2), tiles.whole.begin,
               select(isTurn(arith::CmpIPredicate::eq, 3),
                      emitDifference(last, constant(tiles.tile)), last));
    // The two in the middle are at lines.
    Value isInner = arith::OrIOp::create(b, isTurn(arith::CmpIPredicate::eq, 2),
                                         isTurn(arith::CmpIPredicate::eq, 3));
    begin = arith::AddIOp::create(b, begin,
                                  select(isInner, tiles.ahead, constant(0)));
    Value next = arith::AddIOp::create(b, begin, constant(tiles.tile));
    return {begin, select(tiles.moves, next, tiles.whole.end),
            tiles.streamed.divisor};
  }

  /// Made once, turn 0 of the loop that stores is the one that streams.
  void emitMovedTiles(Ranges &ranges, llvm::function_ref<void()> emitNest) {
    Range &range = ranges[rowDim()];
    const MovedTiles tiles = findMovedTiles(range, rowDim());
    const Range streamed = tiles.streamed;
    isAligned = true;
    const bool once = tilesMoved || isMadeOnce();
    if (!once) {
      range = streamed;
      emitNest();
      isAligned = false;
    }
    auto turns = scf::ForOp::create(
        b, once ? tiles.first : constant(1),
        arith::AddIOp::create(b, tiles.stored, constant(1)), constant(1));
    mlir::OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(turns.getBody());
    Value turn = turns.getInductionVar();
    range = storedRange(tiles, turn);
    if (once) {
      Value isStreamed = emitIs(arith::CmpIPredicate::eq, turn, constant(0));
      range = {select(isStreamed, streamed.begin, range.begin),
               select(isStreamed, streamed.end, range.end), streamed.divisor};
      if (tilesStreamed)
        streamsIf = isStreamed;
    }
    emitNest();
  }

  Value emitIs(arith::CmpIPredicate predicate, Value a, Value than) {
    return arith::CmpIOp::create(b, predicate, a, than);
  }
  Value select(Value condition, Value then, Value otherwise) {
    return arith::SelectOp::create(b, condition, then, otherwise);
  }

  /// The buffer is the function's: a permute inside a loop must not take stack
  /// on every turn.
  void makePanel() {
    mlir::OpBuilder::InsertionGuard guard(b);
    mlir::Operation *function = dst.getParentRegion()->getParentOp();
    if (!llvm::isa<mlir::FunctionOpInterface>(function))
      function = function->getParentOfType<mlir::FunctionOpInterface>();
    b.setInsertionPointToStart(&function->getRegion(0).front());
    panel = mlir::memref::AllocaOp::create(
        b, mlir::MemRefType::get({stage->bufferBytes}, b.getI8Type()),
        b.getI64IntegerAttr(panelAlignment(stage->bufferBytes)));
  }

  void emitUnits(Ranges ranges, Offsets at) {
    std::vector<Value> counts;
    for (unsigned i = 0; i < schedule.unitLoops; ++i)
      counts.push_back(
          emitSteps(ranges[schedule.loops[i].dim], schedule.loops[i].step));
    Value units = emitProduct(b, constant, counts);
    // Dividing by a constant is a multiplication; by anything else it takes
    // longer than many a unit does. Of a static problem only the ranges of a
    // box, two at most, are not constants.
    bool divides =
        actual.empty() ||
        std::all_of(counts.begin() + 1, counts.end(),
                    [](Value count) { return getConstant(count).has_value(); });
    std::vector<Value> places;
    if (!divides)
      places.assign(counts.size(), constant(0));
    auto loop = scf::ForOp::create(b, constant(0), units, constant(1), places);
    mlir::OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    if (divides)
      places = divide(loop.getInductionVar(), counts);
    else
      places.assign(loop.getRegionIterArgs().begin(),
                    loop.getRegionIterArgs().end());
    for (unsigned i = schedule.unitLoops; i-- > 0;)
      enterUnit(schedule.loops[i], places[i], ranges, at);
    emitLoop(schedule.unitLoops, ranges, at);
    if (!divides)
      scf::YieldOp::create(b, nextPlaces(places, counts));
  }

  /// The place of a unit in each of the unit loops.
  std::vector<Value> divide(Value number, const std::vector<Value> &counts) {
    std::vector<Value> places(counts.size());
    for (size_t i = counts.size(); i-- > 0;) {
      places[i] = number;
      if (i > 0) {
        places[i] = arith::RemUIOp::create(b, number, counts[i]);
        number = arith::DivUIOp::create(b, number, counts[i]);
      }
    }
    return places;
  }

  /// Those of the next unit, as a counter of several digits goes on.
  std::vector<Value> nextPlaces(const std::vector<Value> &places,
                                const std::vector<Value> &counts) {
    std::vector<Value> next = places;
    Value carries; // always, as long as it is missing
    for (size_t i = places.size(); i-- > 0;) {
      Value more = arith::AddIOp::create(b, places[i], constant(1));
      Value ends =
          arith::CmpIOp::create(b, arith::CmpIPredicate::eq, more, counts[i]);
      Value step =
          i > 0 ? arith::SelectOp::create(b, ends, constant(0), more) : more;
      next[i] =
          carries ? arith::SelectOp::create(b, carries, step, places[i]) : step;
      carries = carries ? arith::AndIOp::create(b, carries, ends) : ends;
    }
    return next;
  }

  /// How many steps it takes through a range, the last one whole or not.
  Value emitSteps(const Range &range, int64_t step) {
    std::optional<int64_t> begin = getConstant(range.begin),
                           end = getConstant(range.end);
    if (begin && end)
      return constant((*end - *begin + step - 1) / step);
    Value length = begin == 0
                       ? range.end
                       : arith::SubIOp::create(b, range.end, range.begin);
    if (step == 1)
      return length;
    if (range.divisor % step != 0)
      length = arith::AddIOp::create(b, length, constant(step - 1));
    return arith::DivUIOp::create(b, length, constant(step));
  }

  /// Goes to the step `place` of a unit loop.
  void enterUnit(Loop loop, Value place, Ranges &ranges, Offsets &at) {
    Range &range = ranges[loop.dim];
    Value begin = multiply(place, loop.step);
    if (getConstant(range.begin) != 0)
      begin = arith::AddIOp::create(b, range.begin, begin);
    if (loop.step != innermost(schedule)[loop.dim])
      range = enterBlock(loop, range, begin);
    else if (isWhole(range, loop))
      at = {advance(at.src, begin, srcStrideOf(loop.dim)),
            advance(at.dst, begin, dstStrideOf(loop.dim))};
    else if (goesOnAlong(loop.dim))
      at = enterLastRows(loop, begin, emitLastPlace(range, loop), at);
    else
      at = enterTile(loop, begin, emitLastPlace(range, loop), at);
  }

  /// Whether rows that are streamed from one panel go on in the next one along
  /// a dim, or runs in the next run.
  bool goesOnAlong(int64_t dim) const {
    if (!schedule.streaming || tilesStreamed)
      return false;
    if (!stage)
      return dims[static_cast<size_t>(dim)].dstStride == problem.elementBytes();
    return !stage->open && stage->rowDim == static_cast<size_t>(dim);
  }

  /// The panel at `place`, moved back if that is past the last place, or the
  /// run. Of its rows only what is new goes out: the line that it begins in has
  /// been stored to, and those before it have been streamed.
  Offsets enterLastRows(Loop loop, Value place, Value last, Offsets at) {
    Value moved = arith::MinSIOp::create(b, place, last);
    Value from = arith::MulIOp::create(
        b, arith::SubIOp::create(b, place, moved), dstStrideOf(loop.dim));
    const int64_t all = stage ? stage->rowBytes : tileBytes();
    rowPart = {from,
               arith::SubIOp::create(b, constant(all), from),
               {},
               /*mayBeShort=*/true};
    return {advance(at.src, stage ? moved : place, srcStrideOf(loop.dim)),
            advance(at.dst, place, dstStrideOf(loop.dim))};
  }

  void emitLoop(unsigned level, const Ranges &ranges, Offsets at) {
    // The loops inside a panel belong to its own nest.
    while (stage && level < schedule.loops.size() && isInsidePanel(level))
      ++level;
    if (level == schedule.loops.size())
      return emitMoves(at);
    Loop loop = schedule.loops[level];
    if (loop.step != innermost(schedule)[loop.dim])
      emitBlockLoop(level, ranges, at);
    else if (stage && stage->open == static_cast<size_t>(loop.dim))
      emitRowLoop(level, ranges, at);
    else if (isWhole(ranges[loop.dim], loop))
      emitPlainTileLoop(level, ranges, at);
    else if (hasStreams() && lastIsApart() &&
             level + 1 == schedule.loops.size())
      emitStreamLoopAndLast(ranges[loop.dim], loop, at);
    else
      emitShiftedTileLoop(level, ranges, at);
  }

  bool isInsidePanel(unsigned level) const {
    Loop loop = schedule.loops[level];
    return loop.step < schedule.panel->extent[loop.dim];
  }

  void emitMoves(Offsets at) {
    if (stage)
      return emitPanel(at);
    emitTile(at);
  }

  void emitTile(Offsets at) {
    if (hasSteps()) {
      stepping->emit(stepping->startAt({src, at.src}, {dst, at.dst}));
      return;
    }
    if (!schedule.streaming || tilesStreamed) {
      Place from = {src, at.src, srcTile}, to = {dst, at.dst, dstTile};
      if (hasStreams()) {
        from.streams = srcStreams;
        to.streams = dstStreams;
      }
      if (schedule.prefetch.srcBytes)
        emitPrefetch(b, constant, network, Network::StepKind::Load, from,
                     schedule.prefetch.srcBytes,
                     schedule.prefetch.toL2 ? FetchTo::L2 : FetchTo::L1);
      if (schedule.prefetch.dstBytes)
        emitPrefetch(b, constant, network, Network::StepKind::Store, to,
                     schedule.prefetch.dstBytes);
      if (movesSingly())
        return NetworkEmitter(b, constant, words).emit(from, to);
      if (ownTile && (isAligned || ownTile->srcAlignment() == 1))
        return ownTile->emit(from, to);
      return NetworkEmitter(b, constant, network)
          .emit(from, to,
                {.streaming = isAligned && tilesStreamed, .onlyIf = streamsIf});
    }
    emitStreamCopy(b, constant, {src, at.src}, {dst, at.dst}, dstAddress,
                   rowPart.bytes ? rowPart.bytes : constant(tileBytes()),
                   {.vectorBytes = schedule.vectorBytes,
                    .prefetchBytes = schedule.prefetch.srcBytes,
                    .mayBeShort = rowPart.mayBeShort});
  }

  int64_t tileBytes() const {
    int64_t bytes = problem.elementBytes();
    for (int64_t size : schedule.tile)
      bytes *= size;
    return bytes;
  }

  void emitPanel(Offsets at) {
    NestEmitter tiles(emission, src, panel, stage->problem, stage->schedule,
                      actualPanel(), DstStart::Line);
    if (schedule.prefetch.dstBytes)
      emitRows([&](Value row) {
        Value to = dstOfRow(row, at.dst);
        for (int64_t ahead : {int64_t{0}, schedule.prefetch.dstBytes})
          emitPrefetchLine(b, constant, {dst, to}, ahead, /*isWrite=*/true);
      });
    failed |= mlir::failed(tiles.emit({}, {}, {at.src, constant(0)}));
    emitRows([&](Value row) {
      if (schedule.panel->prefetchBytes)
        emitPanelPrefetch(row, at.src);
      if (schedule.streaming)
        streamRow(row, at.dst);
      else
        copyRow(row, at.dst);
    });
  }

  int64_t panelRows() const { return stage->bufferBytes / stage->rowStride; }

  void emitRows(llvm::function_ref<void(Value)> body) {
    auto nest =
        scf::ForOp::create(b, constant(0), constant(panelRows()), constant(1));
    mlir::OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(nest.getBody());
    body(nest.getInductionVar());
  }

  void copyRow(Value row, Value panelDst) {
    const Network moves = copyNetwork(stage->rowBytes, schedule.vectorBytes);
    NetworkEmitter(b, constant, moves)
        .emit({panel, multiply(row, stage->rowStride)},
              {dst, dstOfRow(row, panelDst)});
  }

  void streamRow(Value row, Value panelDst) {
    Value from = multiply(row, stage->rowStride);
    Value bytes = constant(stage->rowBytes);
    if (rowPart.from) {
      from = arith::AddIOp::create(b, from, rowPart.from);
      bytes = rowPart.bytes;
    }
    emitStreamCopy(b, constant, {panel, from}, {dst, dstOfRow(row, panelDst)},
                   dstAddress, bytes,
                   {.vectorBytes = schedule.vectorBytes,
                    .mayBeShort = rowPart.mayBeShort,
                    .ends = rowPart.ends});
  }

  /// Rows lie in the buffer in the order of the dims that tell them apart, the
  /// last one fastest.
  Value dstOfRow(Value row, Value panelDst) {
    Value at = panelDst;
    for (size_t i = stage->columnDims.size(); i-- > 0;) {
      const size_t dim = stage->columnDims[i];
      Value size = constant(schedule.panel->extent[dim]);
      Value place = i > 0 ? arith::RemUIOp::create(b, row, size) : row;
      if (i > 0)
        row = arith::DivUIOp::create(b, row, size);
      at = advance(at, place, dstStrideOf(dim));
    }
    return at;
  }

  /// The panel's own sizes and strides in the buffer are as planned; only those
  /// in src are the tensor's.
  std::vector<ActualDim> actualPanel() {
    std::vector<ActualDim> panelDims;
    if (actual.empty())
      return panelDims;
    std::vector<LoopDim> planned = stage->problem.loopDims();
    for (size_t i = 0; i < planned.size(); ++i)
      panelDims.push_back({constant(planned[i].size),
                           srcStrideOf(stage->dims[i]),
                           constant(planned[i].dstStride)});
    return panelDims;
  }

  /// With a row comes its share of the stretches that the next panel is read
  /// from, into the second cache: the first holds this panel.
  void emitPanelPrefetch(Value row, Value panelSrc) {
    const int64_t piece = prefetchPiece(stage->stretchBytes),
                  pieces = llvm::divideCeil(stage->stretchBytes, piece);
    int64_t all = pieces;
    for (size_t dim : stage->stretchDims)
      all *= stage->extent[dim];
    const int64_t rows = panelRows();
    auto shareUpTo = [&](Value row) -> Value {
      return arith::DivUIOp::create(b, multiply(row, all), constant(rows));
    };
    Value next = arith::AddIOp::create(b, row, constant(1));
    auto share =
        scf::ForOp::create(b, shareUpTo(row), shareUpTo(next), constant(1));
    mlir::OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(share.getBody());
    Value at = arith::AddIOp::create(b, panelSrc,
                                     constant(schedule.panel->prefetchBytes));
    Value left = share.getInductionVar();
    auto takeFrom = [&](int64_t size, bool isSlowest, Value stride) {
      Value count = constant(size);
      Value place = isSlowest ? left : arith::RemUIOp::create(b, left, count);
      left = isSlowest ? left : arith::DivUIOp::create(b, left, count);
      at = advance(at, place, stride);
    };
    if (pieces > 1)
      takeFrom(pieces, stage->stretchDims.empty(), constant(piece));
    for (size_t dim : stage->stretchDims)
      takeFrom(stage->extent[dim], dim == stage->stretchDims.back(),
               srcStrideOf(dim));
    emitPrefetchRange(b, constant, {src, at}, piece);
  }

  /// Whether the steps of `loop` fill its range exactly.
  static bool isWhole(const Range &range, Loop loop) {
    return range.divisor % loop.step == 0;
  }

  void emitBlockLoop(unsigned level, Ranges ranges, Offsets at) {
    Loop loop = schedule.loops[level];
    Range &range = ranges[loop.dim];
    auto nest =
        scf::ForOp::create(b, range.begin, range.end, constant(loop.step));
    mlir::OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(nest.getBody());
    range = enterBlock(loop, range, nest.getInductionVar());
    emitLoop(level + 1, ranges, at);
  }

  /// The block of a range that begins at `begin`.
  Range enterBlock(Loop loop, const Range &range, Value begin) {
    Value end = arith::AddIOp::create(b, begin, constant(loop.step));
    if (isWhole(range, loop))
      return {begin, end, loop.step};
    return {begin, arith::MinSIOp::create(b, end, range.end),
            std::gcd(range.divisor, loop.step)};
  }

  /// Offsets run along with the loop.
  void emitPlainTileLoop(unsigned level, const Ranges &ranges, Offsets at) {
    Loop loop = schedule.loops[level];
    const Range &range = ranges[loop.dim];
    Value src = advance(at.src, range.begin, srcStrideOf(loop.dim));
    Value dst = advance(at.dst, range.begin, dstStrideOf(loop.dim));
    Offsets step = stepOf(loop);
    if (hasStreams() && level + 1 == schedule.loops.size())
      return emitStreamLoop(range, loop, {src, dst}, step);
    auto nest = scf::ForOp::create(b, range.begin, range.end,
                                   constant(loop.step), {src, dst});
    mlir::OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(nest.getBody());
    src = nest.getRegionIterArgs()[0];
    dst = nest.getRegionIterArgs()[1];
    emitLoop(level + 1, ranges, {src, dst});
    src = arith::AddIOp::create(b, src, step.src);
    dst = arith::AddIOp::create(b, dst, step.dst);
    scf::YieldOp::create(b, mlir::ValueRange{src, dst});
  }

  /// Each stream has an address of its own that runs along with the loop: then
  /// a move and its step can be one instruction. So can the step of the counter
  /// and its test: it goes up to zero, and is looked at when a turn ends.
  void emitStreamLoop(const Range &range, Loop loop, Offsets at, Offsets step) {
    mlir::OpBuilder::InsertionGuard guard(b);
    Value counter = emitDifference(range.begin, range.end);
    if (std::optional<int64_t> turns = getConstant(counter); !turns)
      enterIf(emitIsNegative(counter));
    else if (*turns >= 0)
      return;
    if (hasSteps()) {
      return emitUpToZero(counter, loop.step,
                          stepping->startAt({src, at.src}, {dst, at.dst}),
                          [&](Values &at) { at = stepping->emit(at); });
    }
    auto further = [&](Value view, Value offset) {
      return emitView(b, constant, view, offset, tileBytes());
    };
    Values views;
    forEachStream([&](TileStream &stream, bool isSrc) {
      views.push_back(further(stream.view, isSrc ? at.src : at.dst));
    });
    TileStreams src = srcStreams, dst = dstStreams;
    emitUpToZero(counter, loop.step, views, [&](Values &views) {
      size_t count = 0;
      forEachStream(
          [&](TileStream &stream, bool) { stream.view = views[count++]; });
      emitMoves({constant(0), constant(0)});
      views.clear();
      forEachStream([&](TileStream &stream, bool isSrc) {
        views.push_back(further(stream.view, isSrc ? step.src : step.dst));
      });
    });
    srcStreams = std::move(src);
    dstStreams = std::move(dst);
  }

  /// A loop from `counter`, which is negative, up to zero. `body` gets the
  /// values that are carried from turn to turn and leaves the next ones.
  void emitUpToZero(Value counter, int64_t step, Values carried,
                    llvm::function_ref<void(Values &)> body) {
    carried.insert(carried.begin(), counter);
    auto nest = scf::WhileOp::create(b, mlir::ValueRange(carried).getTypes(),
                                     carried, nullptr, nullptr);
    b.setInsertionPointToStart(nest.getBeforeBody());
    carried.assign(nest.getBeforeArguments().begin() + 1,
                   nest.getBeforeArguments().end());
    body(carried);
    counter = nest.getBeforeArguments().front();
    carried.insert(carried.begin(),
                   arith::AddIOp::create(b, counter, constant(step)));
    scf::ConditionOp::create(b, emitIsNegative(carried[0]), carried);
    b.setInsertionPointToStart(nest.getAfterBody());
    scf::YieldOp::create(b, nest.getAfterArguments());
  }

  void forEachStream(llvm::function_ref<void(TileStream &, bool isSrc)> body) {
    for (TileStream &stream : srcStreams)
      body(stream, true);
    for (TileStream &stream : dstStreams)
      body(stream, false);
  }

  Value emitIsNegative(Value value) {
    return arith::CmpIOp::create(b, arith::CmpIPredicate::slt, value,
                                 constant(0));
  }

  /// What follows is done only if `condition` holds.
  void enterIf(Value condition) {
    auto branch = scf::IfOp::create(b, condition, /*withElseRegion=*/false);
    b.setInsertionPointToStart(branch.thenBlock());
  }

  /// The last tile, moved back to end with the range, has code of its own.
  void emitStreamLoopAndLast(const Range &range, Loop loop, Offsets at) {
    Value step = constant(loop.step);
    Value srcStride = srcStrideOf(loop.dim), dstStride = dstStrideOf(loop.dim);
    Value rest = arith::RemUIOp::create(
        b, arith::SubIOp::create(b, range.end, range.begin), step);
    Value whole = arith::SubIOp::create(b, range.end, rest);
    emitStreamLoop({range.begin, whole, loop.step}, loop,
                   {advance(at.src, range.begin, srcStride),
                    advance(at.dst, range.begin, dstStride)},
                   stepOf(loop));
    Value isLeft =
        arith::CmpIOp::create(b, arith::CmpIPredicate::ne, rest, constant(0));
    mlir::OpBuilder::InsertionGuard guard(b);
    enterIf(isLeft);
    Value last = arith::SubIOp::create(b, range.end, step);
    emitMoves(
        {advance(at.src, last, srcStride), advance(at.dst, last, dstStride)});
  }

  void emitShiftedTileLoop(unsigned level, const Ranges &ranges, Offsets at) {
    Loop loop = schedule.loops[level];
    const Range &range = ranges[loop.dim];
    Value last = emitLastPlace(range, loop);
    auto nest =
        scf::ForOp::create(b, range.begin, range.end, constant(loop.step));
    mlir::OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(nest.getBody());
    Value place = nest.getInductionVar();
    emitLoop(level + 1, ranges,
             goesOnAlong(loop.dim) ? enterLastRows(loop, place, last, at)
                                   : enterTile(loop, place, last, at));
  }

  /// Along rows that go out in whole lines. The last panel takes with it what
  /// is left, if that is a line at most, and all panels lie within the dim.
  void emitRowLoop(unsigned level, const Ranges &ranges, Offsets at) {
    Loop loop = schedule.loops[level];
    const Range &range = ranges[loop.dim];
    Value lastEnd = emitDifference(range.end, constant(stage->lineUnits));
    auto nest = scf::ForOp::create(b, range.begin, emitRowEnd(range, lastEnd),
                                   constant(loop.step));
    mlir::OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(nest.getBody());
    Value place = nest.getInductionVar();
    Value next = arith::AddIOp::create(b, place, constant(loop.step));
    Value isFirst =
        arith::CmpIOp::create(b, arith::CmpIPredicate::eq, place, range.begin);
    Value isLast =
        arith::CmpIOp::create(b, arith::CmpIPredicate::sge, next, lastEnd);
    Value end = select(isLast, range.end, next);
    Value lastPlace =
        emitDifference(sizeOf(loop.dim), constant(stage->extent[loop.dim]));
    Value panelAt = arith::MinSIOp::create(b, place, lastPlace);
    Value dstStride = dstStrideOf(loop.dim);
    auto bytes = [&](Value from, Value to) -> Value {
      return arith::MulIOp::create(b, arith::SubIOp::create(b, to, from),
                                   dstStride);
    };
    rowPart = {bytes(panelAt, place), bytes(place, end), {isFirst, isLast}};
    emitLoop(level + 1, ranges,
             {advance(at.src, panelAt, srcStrideOf(loop.dim)),
              advance(at.dst, place, dstStride)});
  }

  /// Where panels end to begin: a line before the range does, but for the first
  /// one, and never in a range that is empty.
  Value emitRowEnd(const Range &range, Value lastEnd) {
    Value afterFirst = arith::AddIOp::create(b, range.begin, constant(1));
    Value end = arith::MaxSIOp::create(b, lastEnd, afterFirst);
    return arith::MinSIOp::create(b, end, range.end);
  }

  /// Where the last tile of a range must begin to end with it.
  Value emitLastPlace(const Range &range, Loop loop) {
    return arith::SubIOp::create(b, range.end, constant(loop.step));
  }

  /// The tile at `place`, moved back if that is past the last place.
  Offsets enterTile(Loop loop, Value place, Value last, Offsets at) {
    place = arith::MinSIOp::create(b, place, last);
    return {advance(at.src, place, srcStrideOf(loop.dim)),
            advance(at.dst, place, dstStrideOf(loop.dim))};
  }

  Value emitDifference(Value a, Value minus) {
    std::optional<int64_t> knownA = getConstant(a),
                           knownMinus = getConstant(minus);
    if (knownA && knownMinus)
      return constant(*knownA - *knownMinus);
    return arith::SubIOp::create(b, a, minus);
  }

  Value multiply(Value a, int64_t factor) {
    if (factor == 1)
      return a;
    if (std::optional<int64_t> known = getConstant(a))
      return constant(*known * factor);
    return arith::MulIOp::create(b, a, constant(factor));
  }
  Value advance(Value offset, Value place, Value stride) {
    if (getConstant(place) == 0)
      return offset;
    Value step = arith::MulIOp::create(b, place, stride);
    if (getConstant(offset) == 0)
      return step;
    return arith::AddIOp::create(b, offset, step);
  }

  Emission &emission;
  mlir::ImplicitLocOpBuilder &b;
  Constants &constant;
  Value src, dst;
  const Problem &problem;
  const Schedule &schedule;
  std::vector<LoopDim> dims;
  std::vector<ActualDim> actual; ///< of nominal dims
  DstStart dstStart;
  bool tilesStreamed;
  bool tilesMoved;                 ///< though not streamed
  Network network;                 ///< of a tile, unless it is a streamed run
  TileStrides srcTile, dstTile;    ///< of nominal dims
  std::optional<PanelStage> stage; ///< with panels
  RowPart rowPart;                 ///< in the loop along rows that are streamed
  std::optional<TileSite> site;    ///< of the tiles below, which refer to it
  std::unique_ptr<OwnTile> ownTile;       ///< of a target's instructions
  std::unique_ptr<SteppingTile> stepping; ///< ... whose addresses step along
  Network words;                      ///< instead, where pairs are not aligned
  TileStreams srcStreams, dstStreams; ///< of Interleave tiles and pairs
  Value panel, dstAddress;
  bool isAligned = false; ///< in the version for an aligned buffer
  Value streamsIf;        ///< in the one for both: whether dst is aligned
  bool failed = false;
};

struct LowerToLoopsPass : permc::impl::LowerToLoopsPassBase<LowerToLoopsPass> {
  using Base::Base;
  LowerToLoopsPass(const Target &target) : target(target) {}

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
    if (op.getProblem().getValue().dstOrigin() != 0)
      return op.emitOpError(
          "steps backwards through dst; run permc-flip first");
    if (!op.getProblem().getValue().isEmpty()) {
      auto found = target.find(op, [](Target &) {});
      if (mlir::failed(found))
        return mlir::failure();
      Emission emission(op, found->code);
      if (mlir::failed(emitNests(op, emission)))
        return mlir::failure();
      // Streamed lines are seen in order only after a fence: the strongest,
      // for x86 takes the weaker ones to say nothing of them.
      if (op.getSchedule()->getValue().streaming)
        mlir::LLVM::FenceOp::create(emission.b,
                                    mlir::LLVM::AtomicOrdering::seq_cst);
    }
    op.erase();
    return mlir::success();
  }

  /// The nest of the op's schedule, or one for each kind of dst.
  mlir::LogicalResult emitNests(PermuteOp op, Emission &emission) {
    if (!op.getUnaligned())
      return emitNest(op, emission, *op.getSchedule(),
                      op.getDstStartsLine() ? DstStart::Line
                                            : DstStart::Anywhere);
    mlir::ImplicitLocOpBuilder &b = emission.b;
    Value address =
        mlir::memref::ExtractAlignedPointerAsIndexOp::create(b, op.getDst());
    auto both = scf::IfOp::create(
        b, emitIsMultiple(b, emission.constant, address, streamLineBytes),
        /*withElseRegion=*/true);
    mlir::OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(both.thenBlock());
    if (mlir::failed(emitNest(op, emission, *op.getSchedule(), DstStart::Line)))
      return mlir::failure();
    b.setInsertionPointToStart(both.elseBlock());
    return emitNest(op, emission, *op.getUnaligned(), DstStart::NoLine);
  }

  mlir::LogicalResult emitNest(PermuteOp op, Emission &emission,
                               ScheduleAttr schedule, DstStart dstStart) {
    std::vector<ActualDim> actual;
    for (size_t i = 0; i < op.getDims().size(); i += 3)
      actual.push_back(
          {op.getDims()[i], op.getDims()[i + 1], op.getDims()[i + 2]});
    const llvm::ArrayRef<int64_t> boxed =
        op.getBoxed().value_or(llvm::ArrayRef<int64_t>());
    for (const TiledPiece &piece :
         piecesOf(op.getProblem().getValue(), schedule.getValue(), boxed)) {
      NestEmitter nest(emission, op.getSrc(), op.getDst(), piece.problem,
                       piece.schedule, actual, dstStart);
      Offsets start = startOf(op, emission, piece);
      if (mlir::failed(nest.emit(op.getBox(), boxed, start)))
        return mlir::failure();
    }
    return mlir::success();
  }

  /// Where the first element of a piece is. Nominal problems have one piece.
  static Offsets startOf(PermuteOp op, Emission &emission,
                         const TiledPiece &piece) {
    if (!op.getOrigins().empty())
      return {op.getOrigins()[0], op.getOrigins()[1]};
    const Problem &problem = op.getProblem().getValue();
    const int64_t origin = op.getDims().empty() ? problem.srcOrigin() : 0;
    return {emission.constant(origin + piece.offset(&LoopDim::srcStride)),
            emission.constant(piece.offset(&LoopDim::dstStride))};
  }

  const PassTarget target;
};

} // namespace

std::unique_ptr<mlir::Pass>
permc::createLowerToLoopsPass(const Target &target) {
  return std::make_unique<LowerToLoopsPass>(target);
}
