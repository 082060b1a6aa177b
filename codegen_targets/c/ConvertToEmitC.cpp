//===- ConvertToEmitC.cpp - scheduled kernels to C in the EmitC dialect ---===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each kernel becomes one static function, or two if its fast path asks for
// something: NAME_words and NAME_elements. Loops carry pointers, not indices,
// and step them by constants, so that nothing is multiplied inside a loop and
// the innermost loop is one that compilers turn into a zero-overhead loop.
//
//   const uint8_t *s1 = src;
//   for (uint32_t i = 0; i < 16; i += 1) {
//     const uint8_t *s = s1;
//     uint32_t w = permc_load32(s, 3 * NAME_SRC_STRIDE_1);
//     ...
//     s1 = s + 16 * NAME_SRC_STRIDE_1;
//   }
//
// A dim that its step does not divide gets a second, smaller tile behind its
// loop. A tile whose columns lie far apart in dst gets a pointer for each, for
// an offset that does not fit an instruction would cost one more.
//
// EmitC numbers its values. The names that a reader wants are left in verbatim
// comments, "/* name v3 src */", for the printer of the file to apply.
//
//===----------------------------------------------------------------------===//

#include "FastPath.h"

#include "permc/Dialect/Permute/Permute.h"
#include "permc/Targets/PassTarget.h"
#include "permc/Transforms/Passes.h"

#include "mlir/Dialect/EmitC/IR/EmitC.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

#include <map>

namespace permc {
#define GEN_PASS_DEF_CONVERTTOEMITCPASS
#include "permc/Transforms/Passes.h.inc"
} // namespace permc

using namespace permc;
using mlir::Value;
namespace emitc = mlir::emitc;

namespace {

/// A byte access whose offset from its pointer is larger costs an instruction
/// of its own on most small machines.
constexpr int64_t offsetReach = 255;

/// What has been made of a loaded word, by the byte that is the lowest.
using Registers = std::map<int64_t, Value>;

/// Where the nest has got to: a pointer into src, and one into dst for each
/// column that has its own.
struct Cursor {
  Value src;
  llvm::SmallVector<Value> dst;
};

class KernelEmitter {
public:
  KernelEmitter(mlir::ImplicitLocOpBuilder &b, llvm::StringRef name,
                const Problem &problem, const Schedule &schedule,
                const WordAccess &access)
      : b(b), name(name), problem(problem), schedule(schedule), access(access),
        dims(problem.loopDims()) {
    auto pointerTo = [&](llvm::StringRef type) {
      return emitc::PointerType::get(
          emitc::OpaqueType::get(b.getContext(), type));
    };
    srcType = pointerTo("const uint8_t");
    dstType = pointerTo("uint8_t");
    wordType = b.getIntegerType(32, /*isSigned=*/false);
    pairType = b.getIntegerType(64, /*isSigned=*/false);
  }

  mlir::LogicalResult emit(llvm::StringRef suffix) {
    bool units = schedule.unitLoops > 0;
    llvm::SmallVector<mlir::Type> types = {
        emitc::OpaqueType::get(b.getContext(), "const uint8_t *restrict"),
        emitc::OpaqueType::get(b.getContext(), "uint8_t *restrict")};
    if (units)
      types.append({wordType, wordType});
    auto function = emitc::FuncOp::create(b, (name + suffix).str(),
                                          b.getFunctionType(types, {}));
    function.setSpecifiersAttr(b.getStrArrayAttr({"static"}));
    mlir::OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(function.addEntryBlock());
    auto arguments = function.getArguments();
    giveName(arguments[0], "src");
    giveName(arguments[1], "dst");
    Cursor start{emitc::CastOp::create(b, srcType, arguments[0]),
                 {emitc::CastOp::create(b, dstType, arguments[1])}};
    giveName(start.src, "s");
    giveName(start.dst[0], "d");
    if (int64_t origin = problem.srcOrigin()) {
      start.src = advance(start.src, std::to_string(origin));
      giveName(start.src, "s_origin");
    }
    Dims extents;
    for (const LoopDim &dim : dims)
      extents.push_back(dim.size);
    mlir::LogicalResult done = problem.isEmpty() ? emitNothing(arguments)
                               : units ? emitUnits(arguments, extents, start)
                                       : emitLoop(0, extents, start);
    emitc::ReturnOp::create(b, Value());
    return done;
  }

private:
  // Values

  Value literal(mlir::Type type, const llvm::Twine &text) {
    return emitc::LiteralOp::create(b, type, text.str());
  }
  Value count(int64_t value) { return literal(wordType, llvm::Twine(value)); }
  Value bytes(const std::string &text) {
    return literal(emitc::OpaqueType::get(b.getContext(), "size_t"), text);
  }
  Value advance(Value pointer, const std::string &text) {
    return emitc::AddOp::create(b, pointer.getType(), pointer, bytes(text));
  }
  void giveName(Value value, const llvm::Twine &wanted) {
    emitc::VerbatimOp::create(
        b, b.getStringAttr("/* name {} " + wanted + " */"), value);
  }

  /// "3 * NAME_SRC_STRIDE_1", or "NAME_SRC_STRIDE_1".
  std::string strideText(llvm::StringRef side, size_t dim, int64_t times) {
    std::string text =
        (name + "_" + side + "_STRIDE_" + llvm::Twine(dim)).str();
    return times == 1 ? text : std::to_string(times) + " * " + text;
  }

  /// An offset within a tile in terms of the strides of its dims.
  std::string offsetText(llvm::StringRef side, int64_t LoopDim::*stride,
                         const Dims &sizes, int64_t offset) {
    std::vector<size_t> order;
    for (size_t dim = 0; dim < dims.size(); ++dim)
      if (sizes[dim] > 1 && dims[dim].*stride > problem.elementBytes())
        order.push_back(dim);
    llvm::sort(order, [&](size_t a, size_t c) {
      return dims[a].*stride > dims[c].*stride;
    });
    std::string text;
    for (size_t dim : order) {
      if (int64_t times = offset / (dims[dim].*stride))
        text += (text.empty() ? "" : " + ") + strideText(side, dim, times);
      offset %= dims[dim].*stride;
    }
    if (offset != 0 || text.empty())
      text += (text.empty() ? "" : " + ") + std::to_string(offset);
    return text;
  }

  // Loops

  mlir::LogicalResult emitNothing(mlir::ValueRange arguments) {
    for (Value argument : arguments.take_front(2))
      emitc::VerbatimOp::create(b, b.getStringAttr("(void){};"), argument);
    return mlir::success();
  }

  mlir::LogicalResult emitUnits(mlir::ValueRange arguments, Dims extents,
                                Cursor at) {
    Loop loop = schedule.loops[0];
    giveName(arguments[2], "first");
    giveName(arguments[3], "end");
    // The number of a unit has no sign, but a stride may have one.
    const bool backwards = dims[static_cast<size_t>(loop.dim)].srcStride < 0;
    auto start = [&](Value pointer, llvm::StringRef side) -> Value {
      std::string stride = strideText(side, loop.dim, loop.step);
      if (backwards && side == "SRC")
        stride = "(ptrdiff_t)" + stride;
      Value offset = emitc::MulOp::create(b, wordType, arguments[2],
                                          literal(wordType, stride));
      return emitc::AddOp::create(b, pointer.getType(), pointer, offset);
    };
    at.src = start(at.src, "SRC");
    giveName(at.src, "first_s");
    at.dst[0] = start(at.dst[0], "DST");
    giveName(at.dst[0], "first_d");
    extents[loop.dim] = loop.step;
    Cursor after;
    return emitFor(0, arguments[2], arguments[3], extents, at, after);
  }

  mlir::LogicalResult emitLoop(unsigned level, Dims extents, Cursor at) {
    if (level == schedule.loops.size())
      return emitTile(extents, at);
    Loop loop = schedule.loops[level];
    int64_t whole = extents[loop.dim] / loop.step;
    int64_t rest = extents[loop.dim] % loop.step;
    if (whole > 0) {
      extents[loop.dim] = loop.step;
      Cursor after;
      auto done =
          whole > 1 ? emitFor(level, count(0), count(whole), extents, at, after)
                    : emitLoop(level + 1, extents, at);
      if (mlir::failed(done) || rest == 0)
        return done;
      if (whole > 1)
        at = after;
      else
        at = stepped(at, loop);
    }
    extents[loop.dim] = rest;
    return emitLoop(level + 1, extents, at);
  }

  Cursor stepped(const Cursor &at, Loop loop) {
    Cursor next{advance(at.src, strideText("SRC", loop.dim, loop.step)), {}};
    for (Value pointer : at.dst)
      next.dst.push_back(
          advance(pointer, strideText("DST", loop.dim, loop.step)));
    return next;
  }

  /// A loop whose pointers are variables. `after` is where they end.
  mlir::LogicalResult emitFor(unsigned level, Value begin, Value end,
                              const Dims &extents, Cursor at, Cursor &after) {
    Loop loop = schedule.loops[level];
    size_t columns = at.dst.size();
    if (level + 1 == schedule.loops.size())
      at = splitColumns(extents, at);
    std::string depth = std::to_string(level + 1);
    Value src = variable(at.src, "src" + depth);
    llvm::SmallVector<Value> dst;
    for (auto [column, pointer] : llvm::enumerate(at.dst))
      dst.push_back(
          variable(pointer, "dst" + depth + columnSuffix(at, column)));
    emitc::VerbatimOp::create(b, "PERMC_NO_UNROLL");
    auto nest = emitc::ForOp::create(b, begin, end, count(1));
    {
      mlir::OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(nest.getBody());
      giveName(nest.getInductionVar(), "i" + depth);
      Cursor here = read(src, dst, depth);
      if (mlir::failed(emitLoop(level + 1, extents, here)))
        return mlir::failure();
      step(src, here.src, strideText("SRC", loop.dim, loop.step));
      for (auto [pointer, from] : llvm::zip(dst, here.dst))
        step(pointer, from, strideText("DST", loop.dim, loop.step));
    }
    // The rest is a tile of its own, with columns of its own.
    if (extentLeavesRest(level))
      after =
          read(src, llvm::ArrayRef(dst).take_front(columns), depth + "_rest");
    return mlir::success();
  }

  void step(Value pointer, Value from, const std::string &text) {
    emitc::AssignOp::create(b, pointer, advance(from, text));
  }

  bool extentLeavesRest(unsigned level) const {
    Loop loop = schedule.loops[level];
    return dims[loop.dim].size % loop.step != 0;
  }

  static std::string columnSuffix(const Cursor &at, size_t column) {
    return at.dst.size() == 1 ? "" : "_" + std::to_string(column);
  }

  Value variable(Value value, const llvm::Twine &wanted) {
    auto type = emitc::LValueType::get(value.getType());
    Value made = emitc::VariableOp::create(
        b, type, emitc::OpaqueAttr::get(b.getContext(), ""));
    emitc::AssignOp::create(b, made, value);
    giveName(made, wanted);
    return made;
  }

  Cursor read(Value src, llvm::ArrayRef<Value> dst, const std::string &depth) {
    Cursor at{emitc::LoadOp::create(b, srcType, src), {}};
    giveName(at.src, "s" + depth);
    for (Value pointer : dst)
      at.dst.push_back(emitc::LoadOp::create(b, dstType, pointer));
    for (auto [column, pointer] : llvm::enumerate(at.dst))
      giveName(pointer, "d" + depth + columnSuffix(at, column));
    return at;
  }

  // Tiles

  /// The dim along which a tile's columns lie, if they are to have pointers of
  /// their own.
  std::optional<size_t> columnDim(const Dims &sizes) const {
    if (!is<micro::WordTranspose>(schedule))
      return std::nullopt;
    for (size_t dim = 0; dim < dims.size(); ++dim)
      if (sizes[dim] > 1 && dims[dim].srcStride == problem.elementBytes() &&
          (sizes[dim] - 1) * dims[dim].dstStride > offsetReach)
        return dim;
    return std::nullopt;
  }

  Cursor splitColumns(const Dims &sizes, Cursor at) {
    std::optional<size_t> dim = columnDim(sizes);
    if (!dim)
      return at;
    for (int64_t column = 1; column < sizes[*dim]; ++column) {
      at.dst.push_back(advance(at.dst[0], strideText("DST", *dim, column)));
      giveName(at.dst.back(), "column_" + llvm::Twine(column));
    }
    return at;
  }

  mlir::LogicalResult emitTile(const Dims &sizes, const Cursor &at) {
    auto tile = wordTile(problem, schedule, sizes, access);
    if (!tile)
      return mlir::emitError(b.getLoc(), tile.error().message);
    Value word;
    Registers made;
    size_t loaded = 0;
    for (const WordTile::Store &store : tile->stores) {
      if (loaded == store.load) {
        word = emitLoad(tile->loads[loaded++], sizes, at.src);
        made.clear();
      }
      emitStore(store, sizes, at, registerFrom(made, store, word));
    }
    return mlir::success();
  }

  std::string accessName(llvm::StringRef verb, int64_t width, bool aligned) {
    std::string text = ("permc_" + verb + llvm::Twine(8 * width)).str();
    return aligned || width == 1 ? text : text + "_any";
  }

  Value emitLoad(const WordTile::Load &load, const Dims &sizes, Value src) {
    std::string offset =
        offsetText("SRC", &LoopDim::srcStride, sizes, load.offset);
    auto call = emitc::CallOpaqueOp::create(
        b, mlir::TypeRange{load.bytes == 8 ? pairType : wordType},
        accessName("load", load.bytes, load.aligned), mlir::ValueRange{src},
        argumentList({operand(0), text(offset)}));
    giveName(call.getResult(0), load.bytes == 8 ? "pair" : "word");
    return call.getResult(0);
  }

  /// A register that holds the bytes of a word from `store.from` on in its
  /// lowest place. Each is made once.
  Value registerFrom(Registers &made, const WordTile::Store &store,
                     Value word) {
    if (store.bytes == 8)
      return word;
    // A pair is taken apart first: its halves are registers.
    bool isPair = word.getType() == pairType;
    int64_t half = isPair ? store.from / 4 * 4 : 0;
    Value &whole = made[half];
    if (!whole)
      whole = isPair ? halfOf(word, half) : word;
    if (store.from == half)
      return whole;
    Value &shifted = made[store.from];
    if (!shifted) {
      shifted = emitc::BitwiseRightShiftOp::create(
          b, wordType, whole, count(8 * (store.from - half)));
      giveName(shifted, "shifted");
    }
    return shifted;
  }

  Value halfOf(Value pair, int64_t from) {
    if (from != 0)
      pair = emitc::BitwiseRightShiftOp::create(b, pairType, pair,
                                                count(8 * from));
    Value half = emitc::CastOp::create(b, wordType, pair);
    giveName(half, from == 0 ? "low" : "high");
    return half;
  }

  void emitStore(const WordTile::Store &store, const Dims &sizes,
                 const Cursor &at, Value value) {
    size_t column = 0;
    int64_t offset = store.offset;
    if (at.dst.size() > 1) {
      int64_t stride = dims[*columnDim(sizes)].dstStride;
      column = offset / stride;
      offset %= stride;
    }
    std::string place = offsetText("DST", &LoopDim::dstStride, sizes, offset);
    emitc::CallOpaqueOp::create(
        b, mlir::TypeRange{}, accessName("store", store.bytes, store.aligned),
        mlir::ValueRange{at.dst[column], value},
        argumentList({operand(0), text(place), operand(1)}));
  }

  mlir::Attribute operand(int64_t index) { return b.getIndexAttr(index); }
  mlir::Attribute text(const std::string &value) {
    return emitc::OpaqueAttr::get(b.getContext(), value);
  }
  mlir::ArrayAttr argumentList(llvm::ArrayRef<mlir::Attribute> list) {
    return b.getArrayAttr(list);
  }

  mlir::ImplicitLocOpBuilder &b;
  llvm::StringRef name;
  const Problem &problem;
  const Schedule &schedule;
  WordAccess access;
  std::vector<LoopDim> dims;
  mlir::Type srcType, dstType, wordType, pairType;
};

struct ConvertToEmitCPass
    : permc::impl::ConvertToEmitCPassBase<ConvertToEmitCPass> {
  using Base::Base;
  ConvertToEmitCPass(const Target &target) : target(target) {}

  void runOnOperation() override {
    auto found = target.find(getOperation(), [&](Target &fromOptions) {
      fromOptions.facts.wordBytes = wordBytes;
      fromOptions.facts.unalignedWords = unalignedWords;
    });
    if (mlir::failed(found))
      return signalPassFailure();
    llvm::SmallVector<mlir::func::FuncOp> functions(
        getOperation().getOps<mlir::func::FuncOp>());
    for (mlir::func::FuncOp function : functions)
      if (mlir::failed(convert(function, found->facts)))
        return signalPassFailure();
  }

  mlir::LogicalResult convert(mlir::func::FuncOp function,
                              const TargetFacts &facts) {
    auto permutes = function.getOps<PermuteOp>();
    if (permutes.empty())
      return function.emitOpError("is no kernel: it holds no permc.permute");
    PermuteOp op = *permutes.begin();
    if (!op.getSchedule())
      return op.emitOpError("has no schedule; run permc-schedule first");
    const Problem &problem = op.getProblem().getValue();
    const Schedule &schedule = op.getSchedule()->getValue();
    if (mlir::failed(check(op, problem, schedule)))
      return mlir::failure();
    auto path = fastPath(problem, schedule, facts);
    if (!path)
      return op.emitOpError() << path.error().message;

    mlir::ImplicitLocOpBuilder b(op.getLoc(), &getContext());
    b.setInsertionPointToEnd(getOperation().getBody());
    std::string name = function.getName().str();
    function.erase();
    if (mlir::failed(
            KernelEmitter(b, name, problem, schedule, alignedAccess(facts))
                .emit("_words")))
      return mlir::failure();
    if (!path->needsOther())
      return mlir::success();
    Schedule single = elementSchedule(problem, schedule);
    return KernelEmitter(b, name, problem, single, anyAccess(facts))
        .emit("_elements");
  }

  /// Schedules for words have one loop a dim and at most one loop of units.
  /// Each dim that its tile does not divide doubles the code.
  mlir::LogicalResult check(PermuteOp op, const Problem &problem,
                            const Schedule &schedule) {
    if (schedule.unitLoops > 1)
      return op.emitOpError("has ")
             << schedule.unitLoops << " unit loops; C has one at most";
    std::vector<LoopDim> dims = problem.loopDims();
    if (schedule.unitLoops == 1) {
      const Loop &loop = schedule.loops.front();
      if (dims[loop.dim].size % loop.step != 0)
        return op.emitOpError("has units of ")
               << loop.step << " along dim " << loop.dim << " of size "
               << dims[loop.dim].size << "; expected them to divide it";
    }
    std::vector<bool> seen(problem.rank());
    for (const Loop &loop : schedule.loops) {
      if (seen[loop.dim])
        return op.emitOpError("has two loops along dim ")
               << loop.dim << "; C has one for each dim";
      seen[loop.dim] = true;
    }
    constexpr int64_t maxRests = 3;
    int64_t rests = llvm::count_if(schedule.loops, [&](const Loop &loop) {
      return dims[loop.dim].size % loop.step != 0;
    });
    if (rests > maxRests)
      return op.emitOpError("has tiles that do not divide ")
             << rests << " dims; C has room for " << maxRests;
    return mlir::success();
  }

  const PassTarget target;
};

} // namespace

std::unique_ptr<mlir::Pass>
permc::createConvertToEmitCPass(const Target &target) {
  return std::make_unique<ConvertToEmitCPass>(target);
}
