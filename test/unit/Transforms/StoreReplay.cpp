//===- StoreReplay.cpp - the stores that lowered loops make ---------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StoreReplay.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace permc;
using mlir::Value;
namespace arith = mlir::arith;
namespace memref = mlir::memref;
namespace scf = mlir::scf;
namespace vector = mlir::vector;

namespace {

/// Buffers far apart. Dst is where the caller wants it.
constexpr int64_t srcAddress = int64_t{1} << 50,
                  panelAddress = int64_t{1} << 51,
                  sizesAddress = int64_t{1} << 52;

class Interpreter {
public:
  Interpreter(mlir::ModuleOp module, const std::vector<int64_t> &sizes,
              const StoreReplay::Listener &listener)
      : module(module), sizes(sizes), listener(listener) {}

  void call(mlir::func::FuncOp function, llvm::ArrayRef<int64_t> arguments) {
    for (auto [parameter, argument] :
         llvm::zip(function.getArguments(), arguments))
      values[parameter] = argument;
    runBlock(function.getBody().front());
  }

  std::string unknown; ///< the first op that was not understood

private:
  using Results = llvm::SmallVector<int64_t>;

  int64_t get(Value value) {
    auto found = values.find(value);
    if (found == values.end()) {
      if (unknown.empty() && value.getDefiningOp())
        unknown = value.getDefiningOp()->getName().getStringRef().str();
      return 0;
    }
    return found->second;
  }
  Results get(mlir::ValueRange range) {
    Results results;
    for (Value value : range)
      results.push_back(values.lookup(value));
    return results;
  }
  void set(mlir::ValueRange range, const Results &results) {
    for (auto [value, result] : llvm::zip(range, results))
      values[value] = result;
  }

  /// Runs a block; what its terminator hands on is the result.
  Results runBlock(mlir::Block &block) {
    for (mlir::Operation &op : block.without_terminator())
      runOp(op);
    return get(block.getTerminator()->getOperands());
  }

  void runOp(mlir::Operation &op) {
    if (auto loop = llvm::dyn_cast<scf::ForOp>(op))
      return runFor(loop);
    if (auto loop = llvm::dyn_cast<scf::WhileOp>(op))
      return runWhile(loop);
    if (auto branch = llvm::dyn_cast<scf::IfOp>(op))
      return runIf(branch);
    if (auto called = llvm::dyn_cast<mlir::func::CallOp>(op))
      return call(module.lookupSymbol<mlir::func::FuncOp>(called.getCallee()),
                  get(called.getOperands()));
    if (auto store = llvm::dyn_cast<vector::StoreOp>(op))
      return tell(get(store.getBase()) + get(store.getIndices().front()),
                  store.getVectorType().getNumElements() *
                      store.getVectorType().getElementTypeBitWidth() / 8,
                  store.getNontemporal());
    if (auto store = llvm::dyn_cast<vector::MaskedStoreOp>(op))
      return tellMasked(store);
    if (auto store = llvm::dyn_cast<memref::StoreOp>(op))
      return tell(get(store.getMemRef()) + get(store.getIndices().front()), 1,
                  store.getNontemporal());
    if (op.getNumResults() == 1)
      runScalar(op);
  }

  void runFor(scf::ForOp loop) {
    const int64_t end = get(loop.getUpperBound()), step = get(loop.getStep());
    Results carried = get(loop.getInitArgs());
    for (int64_t at = get(loop.getLowerBound()); at < end; at += step) {
      values[loop.getInductionVar()] = at;
      set(loop.getRegionIterArgs(), carried);
      carried = runBlock(*loop.getBody());
      listener.endOfTurn();
    }
    set(loop.getResults(), carried);
  }

  void runWhile(scf::WhileOp loop) {
    Results carried = get(loop.getInits());
    for (bool goesOn = true; goesOn;) {
      set(loop.getBeforeArguments(), carried);
      for (mlir::Operation &op : loop.getBeforeBody()->without_terminator())
        runOp(op);
      auto condition = loop.getConditionOp();
      goesOn = get(condition.getCondition()) & 1;
      carried = get(condition.getArgs());
      if (goesOn) {
        set(loop.getAfterArguments(), carried);
        carried = runBlock(*loop.getAfterBody());
      }
      listener.endOfTurn();
    }
    set(loop.getResults(), carried);
  }

  void runIf(scf::IfOp branch) {
    if (get(branch.getCondition()) & 1)
      set(branch.getResults(), runBlock(*branch.thenBlock()));
    else if (branch.elseBlock())
      set(branch.getResults(), runBlock(*branch.elseBlock()));
  }

  bool isPanel(int64_t address) const {
    return address >= panelAddress && address < sizesAddress;
  }

  void tell(int64_t address, int64_t bytes, bool nonTemporal) {
    if (!isPanel(address))
      listener.store(address, bytes, nonTemporal);
  }

  /// The mask is an integer that was taken for bits. A store without any takes
  /// its line all the same.
  void tellMasked(vector::MaskedStoreOp store) {
    const int64_t address =
        get(store.getBase()) + get(store.getIndices().front());
    const auto bits = static_cast<uint64_t>(get(store.getMask()));
    for (int64_t byte = 0; byte < 64; ++byte)
      if (bits == 0 || (bits >> byte & 1))
        tell(address + byte, 1, false);
  }

  /// One value of integers and addresses. Vectors are left out: no address
  /// depends on them.
  void runScalar(mlir::Operation &op) {
    const Value result = op.getResult(0);
    auto operand = [&](unsigned i) { return get(op.getOperand(i)); };
    auto word = [&](unsigned i) { return static_cast<uint64_t>(operand(i)); };
    llvm::TypeSwitch<mlir::Operation *>(&op)
        .Case([&](arith::ConstantOp constant) {
          if (auto number =
                  llvm::dyn_cast<mlir::IntegerAttr>(constant.getValue()))
            values[result] = number.getValue().getSExtValue();
        })
        .Case([&](arith::CmpIOp compare) {
          values[result] = arith::applyCmpPredicate(compare.getPredicate(),
                                                    llvm::APInt(64, word(0)),
                                                    llvm::APInt(64, word(1)));
        })
        .Case([&](arith::SelectOp select) {
          if (!llvm::isa<mlir::VectorType>(select.getType()))
            values[result] = operand(0) & 1 ? operand(1) : operand(2);
        })
        .Case<arith::AddIOp>(
            [&](auto) { values[result] = operand(0) + operand(1); })
        .Case<arith::SubIOp>(
            [&](auto) { values[result] = operand(0) - operand(1); })
        .Case<arith::MulIOp>(
            [&](auto) { values[result] = operand(0) * operand(1); })
        .Case<arith::DivUIOp>([&](auto) { values[result] = word(0) / word(1); })
        .Case<arith::RemUIOp>([&](auto) { values[result] = word(0) % word(1); })
        .Case<arith::AndIOp>(
            [&](auto) { values[result] = operand(0) & operand(1); })
        .Case<arith::OrIOp>(
            [&](auto) { values[result] = operand(0) | operand(1); })
        .Case<arith::XOrIOp>(
            [&](auto) { values[result] = operand(0) ^ operand(1); })
        .Case<arith::ShLIOp>([&](auto) {
          values[result] = word(1) < 64 ? word(0) << word(1) : 0;
        })
        .Case<arith::ShRUIOp>([&](auto) {
          values[result] = word(1) < 64 ? word(0) >> word(1) : 0;
        })
        .Case<arith::MinSIOp>(
            [&](auto) { values[result] = std::min(operand(0), operand(1)); })
        .Case<arith::MaxSIOp>(
            [&](auto) { values[result] = std::max(operand(0), operand(1)); })
        .Case<arith::MinUIOp>(
            [&](auto) { values[result] = std::min(word(0), word(1)); })
        .Case<arith::MaxUIOp>(
            [&](auto) { values[result] = std::max(word(0), word(1)); })
        .Case<arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtUIOp,
              arith::TruncIOp, memref::ExtractAlignedPointerAsIndexOp>(
            [&](auto) { values[result] = operand(0); })
        .Case([&](mlir::LLVM::BitcastOp cast) {
          if (cast.getArg().getType().isInteger())
            values[result] = operand(0);
        })
        .Case<memref::AllocaOp>([&](auto) { values[result] = panelAddress; })
        .Case<memref::ViewOp>(
            [&](auto) { values[result] = operand(0) + operand(1); })
        .Case([&](memref::LoadOp load) {
          if (get(load.getMemRef()) == sizesAddress)
            values[result] = sizes[static_cast<size_t>(operand(1))];
        })
        .Default([](mlir::Operation *) {}); // of vectors, or get() will tell
  }

  mlir::ModuleOp module;
  const std::vector<int64_t> &sizes;
  const StoreReplay::Listener &listener;
  llvm::DenseMap<Value, int64_t> values;
};

} // namespace

struct StoreReplay::State {
  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

StoreReplay::StoreReplay(std::unique_ptr<State> state)
    : state(std::move(state)) {}
StoreReplay::StoreReplay(StoreReplay &&) noexcept = default;
StoreReplay::~StoreReplay() = default;

Result<StoreReplay> StoreReplay::create(const std::string &module) {
  auto state = std::make_unique<State>();
  state->context.loadDialect<arith::ArithDialect, mlir::func::FuncDialect,
                             memref::MemRefDialect, scf::SCFDialect,
                             vector::VectorDialect, mlir::LLVM::LLVMDialect>();
  state->module =
      mlir::parseSourceString<mlir::ModuleOp>(module, &state->context);
  if (!state->module)
    return Error{Cause::BadSyntax, "the lowered module does not parse"};
  return StoreReplay(std::move(state));
}

Status StoreReplay::run(int64_t dst, const std::vector<int64_t> &sizes,
                        uint32_t part, uint32_t parts,
                        const Listener &listener) {
  mlir::ModuleOp module = *state->module;
  auto function = module.lookupSymbol<mlir::func::FuncOp>("k_part");
  std::vector<int64_t> arguments{srcAddress, dst};
  if (!sizes.empty())
    arguments.push_back(sizesAddress);
  arguments.insert(arguments.end(), {part, parts});
  Interpreter interpreter(module, sizes, listener);
  interpreter.call(function, arguments);
  if (!interpreter.unknown.empty())
    return Error{Cause::Unsupported,
                 "the interpreter does not know " + interpreter.unknown};
  return Done{};
}
